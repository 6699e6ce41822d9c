//! Threads that share the work of one system, step by step.
//!
//! A step of a large system takes tens of microseconds to a millisecond. All threads must finish one of its few parts
//! before the next begins. Such parts are too short to start or wake threads each time: threads wait in a loop for as long as
//! waking one would take, then sleep. On a busy machine a thread that waits in a loop would keep the core from the one that it
//! waits for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

/// Iterations of a waiting loop before a thread sleeps: 20 to 100 µs.
const TURNS: u32 = 2_000;

/// A task for all threads of a team; each passes its number.
type Task = *const (dyn Fn(usize) + Sync);

/// A task that is sent to other threads.
struct Sent(Task);

// SAFETY: the task is `Sync`, and `Team::each` keeps it alive until all threads are done.
unsafe impl Send for Sent {}

struct Shared {
    /// Tasks started so far, of each thread but the caller's.
    rounds: Vec<AtomicUsize>,
    task: Mutex<Option<Sent>>,
    /// Threads that have not finished the present task.
    busy: AtomicUsize,
    over: AtomicBool,
    panicked: AtomicBool,
    asleep: Vec<AtomicBool>,
    /// The thread that waits for the others, and whether it sleeps.
    caller: Mutex<Option<Thread>>,
    caller_is_asleep: AtomicBool,
}

/// A team of threads, the caller's included.
pub(crate) struct Team {
    /// Lets one task run at a time: copies of a member share the team, and may run on other threads.
    turn: Mutex<()>,
    shared: Arc<Shared>,
    workers: Vec<(JoinHandle<()>, Thread)>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Team").field("size", &self.size()).finish()
    }
}

impl Team {
    /// A team of `size` threads, the caller's included; fewer if the system cannot start more.
    pub fn new(size: usize) -> Team {
        let others = size.max(1) - 1;
        let shared = Arc::new(Shared {
            rounds: (0..others).map(|_| AtomicUsize::new(0)).collect(),
            task: Mutex::new(None),
            busy: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            asleep: (0..others).map(|_| AtomicBool::new(false)).collect(),
            caller: Mutex::new(None),
            caller_is_asleep: AtomicBool::new(false),
        });
        let mut workers = Vec::with_capacity(others);
        for number in 0..others {
            let shared = shared.clone();
            let name = format!("beadwork {}", number + 1);
            let spawned =
                std::thread::Builder::new().name(name).spawn(move || shared.serve(number));
            match spawned {
                Ok(handle) => {
                    let thread = handle.thread().clone();
                    workers.push((handle, thread));
                }
                Err(_) => break,
            }
        }
        Team { turn: Mutex::new(()), shared, workers }
    }

    /// Threads, the caller's included.
    pub fn size(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `task` on `threads` threads, or all of a smaller team, with their numbers from 0 (the caller) on, and waits for
    /// them.
    ///
    /// # Panics
    /// If the task panicked on any thread.
    pub fn each(&self, threads: usize, task: &(dyn Fn(usize) + Sync)) {
        let shared = &self.shared;
        let others = &self.workers[..self.workers.len().min(threads.saturating_sub(1))];
        if others.is_empty() {
            return task(0);
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: only the lifetime changes. No thread uses the pointer once `busy` is zero, and `each` waits for that
        // below, even if the caller's own part panics.
        let task_for_all: Task = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        *shared.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(Sent(task_for_all));
        shared.busy.store(others.len(), Ordering::Release);
        for ((_, thread), (round, asleep)) in
            others.iter().zip(shared.rounds.iter().zip(&shared.asleep))
        {
            round.fetch_add(1, Ordering::SeqCst);
            if asleep.load(Ordering::SeqCst) {
                thread.unpark();
            }
        }
        let own = catch_unwind(AssertUnwindSafe(|| task(0)));
        wait(
            &shared.caller_is_asleep,
            || shared.busy.load(Ordering::SeqCst) == 0,
            || {
                let mut caller = shared.caller.lock().unwrap_or_else(PoisonError::into_inner);
                *caller = Some(std::thread::current());
            },
        );
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(!shared.panicked.load(Ordering::Relaxed), "a thread of the team panicked");
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.shared.rounds.iter().for_each(|round| {
            round.fetch_add(1, Ordering::SeqCst);
        });
        for (handle, thread) in self.workers.drain(..) {
            thread.unpark();
            // `each` has already reported a panic.
            let _ = handle.join();
        }
    }
}

impl Shared {
    /// The loop of thread `number` + 1.
    fn serve(&self, number: usize) {
        let mut seen = 0;
        loop {
            let is_called = || self.rounds[number].load(Ordering::SeqCst) != seen;
            wait(&self.asleep[number], is_called, || ());
            seen += 1;
            if self.over.load(Ordering::SeqCst) {
                return;
            }
            let task = match &*self.task.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(Sent(task)) => *task,
                None => continue,
            };
            // SAFETY: `each` waits for this thread before it drops its task.
            let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*task)(number + 1) }));
            if outcome.is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            let is_last = self.busy.fetch_sub(1, Ordering::SeqCst) == 1;
            if is_last && self.caller_is_asleep.load(Ordering::SeqCst) {
                let caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
                caller.iter().for_each(Thread::unpark);
            }
        }
    }
}

/// Waits until a condition holds: in a loop at first, then asleep. Who makes the condition true unparks the thread where the
/// flag is set. Calls `before_sleep` once before that.
fn wait(asleep: &AtomicBool, is_so: impl Fn() -> bool, before_sleep: impl FnOnce()) {
    for _ in 0..TURNS {
        if is_so() {
            return;
        }
        std::hint::spin_loop();
    }
    before_sleep();
    asleep.store(true, Ordering::SeqCst);
    // Checked after the flag was set, since the other thread may have read it just before.
    while !is_so() {
        std::thread::park();
    }
    asleep.store(false, Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_does_every_task_before_the_next_begins() {
        for size in [1, 2, 7] {
            let team = Team::new(size);
            assert_eq!(team.size(), size);
            let done: Vec<AtomicUsize> = (0..size).map(|_| AtomicUsize::new(0)).collect();
            for round in 0..200 {
                team.each(size, &|number| {
                    assert_eq!(done[number].fetch_add(1, Ordering::Relaxed), round);
                });
                assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == round + 1));
            }
            // Sleeps long enough for the other threads to fall asleep.
            std::thread::sleep(std::time::Duration::from_millis(50));
            team.each(size, &|number| {
                done[number].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 201));
        }
    }

    #[test]
    fn some_of_a_team_may_work_while_others_sleep() {
        let team = Team::new(5);
        let done: Vec<AtomicUsize> = (0..5).map(|_| AtomicUsize::new(0)).collect();
        let mut expected = [0; 5];
        for round in 0..500 {
            let threads = [1, 5, 2, 3, 9][round % 5];
            team.each(threads, &|number| {
                done[number].fetch_add(1, Ordering::Relaxed);
                // Now and then the caller, or another thread, is late, and the rest fall asleep.
                if round % 50 == 49 && number == round / 50 % 2 {
                    std::thread::sleep(std::time::Duration::from_millis(3));
                }
            });
            expected.iter_mut().take(threads).for_each(|count| *count += 1);
            let found: Vec<usize> =
                done.iter().map(|count| count.load(Ordering::Relaxed)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    #[should_panic(expected = "a thread of the team panicked")]
    fn a_panic_is_passed_on() {
        Team::new(3).each(3, &|number| assert_ne!(number, 2));
    }
}
