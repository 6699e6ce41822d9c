//! Threads of a run, and what happens where the machine refuses to start one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, RwLock};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::Error;
use crate::locks::lock;

type Started<'scope, T> = Result<ScopedJoinHandle<'scope, T>, std::io::Error>;

/// Runs `work` with the numbers from 0 to `threads` − 1, each on a thread of its own.
///
/// # Errors
/// If a thread cannot be started, in which case none begins its work, or if one panicked.
pub(crate) fn on_all(threads: usize, work: impl Fn(usize) + Sync) -> Result<(), Error> {
    on_all_by(threads, work, |scope, number, work| {
        let name = format!("beadwork worker {number}");
        Builder::new().name(name).spawn_scoped(scope, work)
    })
}

/// As [`on_all`], with a function that starts a thread: tests refuse one.
fn on_all_by(
    threads: usize,
    work: impl Fn(usize) + Sync,
    start: impl for<'scope> Fn(
        &'scope Scope<'scope, '_>,
        usize,
        Box<dyn FnOnce() + Send + 'scope>,
    ) -> Started<'scope, ()>,
) -> Result<(), Error> {
    // Threads wait for each other in their work, so none may begin before all have started. If this function panics, the
    // value stays false and the lock is released.
    let all_started = RwLock::new(false);
    let (work, all_started) = (&work, &all_started);
    std::thread::scope(|scope| {
        let mut wait = all_started.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut handles = Vec::with_capacity(threads);
        for number in 0..threads {
            let begin = move || {
                if all_started.read().is_ok_and(|started| *started) {
                    work(number);
                }
            };
            match start(scope, number, Box::new(begin)) {
                Ok(handle) => handles.push(handle),
                // The others find the value false and return.
                Err(source) => return Err(Error::Thread { number: number + 1, threads, source }),
            }
        }
        *wait = true;
        drop(wait);
        match handles.into_iter().filter_map(|thread| thread.join().err()).count() {
            0 => Ok(()),
            _ => Err(Error::Worker),
        }
    })
}

/// Runs `work` on the caller's thread and on up to `others` more, as many as the machine starts; for work that the threads
/// take from a queue, so that fewer threads do all of it. Returns what each returned, and passes a panic on.
pub fn on_some<T: Send>(others: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let work = &work;
    let ended = std::thread::scope(|scope| {
        let helpers: Vec<_> =
            (0..others).map_while(|_| Builder::new().spawn_scoped(scope, work).ok()).collect();
        let own = catch_unwind(AssertUnwindSafe(work));
        let helpers = helpers.into_iter().map(ScopedJoinHandle::join);
        std::iter::once(own).chain(helpers).collect::<Vec<_>>()
    });
    ended.into_iter().map(|end| end.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Calls `work` with each of `items`, on the caller's thread and on up to `others` more. An error of one item does not affect the
/// others; returns that of the first item that has one. A panic is passed on, unlike an error of a disk: it may leave states that no checkpoint
/// may hold.
pub(crate) fn on_each<T>(
    others: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let items = Mutex::new(items.enumerate());
    let failures = on_some(others, || {
        let mut first: Option<(usize, Error)> = None;
        loop {
            let next = lock(&items).next();
            let Some((number, item)) = next else { return first };
            // The numbers of a thread ascend.
            if let (Err(error), None) = (work(item), &first) {
                first = Some((number, error));
            }
        }
    });
    let first = failures.into_iter().flatten().min_by_key(|(number, _)| *number);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// A barrier that a thread may leave for ever, as it does when it panics: the others then wait for one less.
pub(crate) struct Meeting {
    state: Mutex<MeetingState>,
    all_are_here: Condvar,
}

struct MeetingState {
    threads: usize,
    here: usize,
    /// Meetings that have taken place.
    meetings: u64,
    has_lost_one: bool,
}

impl Meeting {
    pub fn new(threads: usize) -> Meeting {
        let state = MeetingState { threads, here: 0, meetings: 0, has_lost_one: false };
        Meeting { state: Mutex::new(state), all_are_here: Condvar::new() }
    }

    /// Waits for the other threads. False if a thread has left.
    pub fn join(&self) -> bool {
        let mut state = lock(&self.state);
        state.here += 1;
        let this = state.meetings;
        self.begin_if_all_are_here(&mut state);
        while state.meetings == this {
            state =
                self.all_are_here.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        !state.has_lost_one
    }

    fn begin_if_all_are_here(&self, state: &mut MeetingState) {
        if state.here >= state.threads && state.here > 0 {
            state.here = 0;
            state.meetings += 1;
            self.all_are_here.notify_all();
        }
    }

    /// A guard of one thread: if it is dropped by a panic, the thread leaves.
    pub fn member(&self) -> MeetingMember<'_> {
        MeetingMember(self)
    }
}

/// A thread that takes part in meetings.
pub(crate) struct MeetingMember<'a>(&'a Meeting);

impl Drop for MeetingMember<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = lock(&self.0.state);
            state.threads -= 1;
            state.has_lost_one = true;
            self.0.begin_if_all_are_here(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_thread_works_if_one_cannot_start() {
        for refused in [0, 1, 3] {
            let worked = AtomicUsize::new(0);
            let meeting = Meeting::new(4);
            let work = |_| {
                worked.fetch_add(1, Ordering::Relaxed);
                // Would wait for ever for a thread that never came.
                meeting.join();
            };
            let outcome = on_all_by(4, work, |scope, number, work| {
                if number == refused {
                    return Err(std::io::Error::from(std::io::ErrorKind::WouldBlock));
                }
                Builder::new().spawn_scoped(scope, work)
            });
            let error = outcome.unwrap_err();
            assert_eq!(error.code(), "engine/thread");
            let said = error.to_string();
            assert!(said.contains(&format!("thread {} of 4", refused + 1)), "{said}");
            assert_eq!(worked.into_inner(), 0);
        }
    }

    #[test]
    fn every_number_works_once_and_a_panic_is_an_error() {
        let worked = Mutex::new(Vec::new());
        on_all(5, |number| lock(&worked).push(number)).unwrap();
        let mut worked = worked.into_inner().unwrap();
        worked.sort_unstable();
        assert_eq!(worked, [0, 1, 2, 3, 4]);
        let outcome = on_all(3, |number| assert_ne!(number, 1));
        assert_eq!(outcome.unwrap_err().code(), "engine/worker");
        on_all(0, |_| ()).unwrap();
    }

    #[test]
    fn a_meeting_goes_on_without_a_thread_that_panicked() {
        let meeting = Meeting::new(3);
        let complete = AtomicUsize::new(0);
        let outcome = on_all(3, |number| {
            let _member = meeting.member();
            complete.fetch_add(usize::from(meeting.join()), Ordering::Relaxed);
            assert_ne!(number, 2, "leaves after the first meeting");
            assert!(!meeting.join());
            assert!(!meeting.join());
        });
        assert_eq!(outcome.unwrap_err().code(), "engine/worker");
        assert!(complete.into_inner() >= 1);
    }

    #[test]
    fn a_queue_is_emptied_by_as_many_threads_as_there_are() {
        let next = AtomicUsize::new(0);
        let sums = on_some(3, || {
            let mut sum = 0;
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    item @ 0..100 => sum += item,
                    _ => return sum,
                }
            }
        });
        assert!((1..=4).contains(&sums.len()));
        assert_eq!(sums.iter().sum::<usize>(), 4_950);
    }
}
