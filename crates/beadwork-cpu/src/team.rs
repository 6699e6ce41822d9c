//! Threads that share the work of one system, step by step.
//!
//! A step of a large system takes tens of microseconds to a millisecond. All threads must finish one of its few parts
//! before the next begins. Such parts are too short to start or wake threads each time: threads wait in a loop, and
//! sleep only after some time without work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

/// Iterations of a waiting loop before the thread yields its core: there may be more threads than cores.
const TURNS: u32 = 2_000;
/// Yields before a thread without work goes to sleep.
const YIELDS: u32 = 2_000;

/// A task for all threads of a team; each passes its number.
type Task = *const (dyn Fn(usize) + Sync);

/// A task that is sent to other threads.
struct Sent(Task);

// SAFETY: the task is `Sync`, and `Team::each` keeps it alive until all threads are done.
unsafe impl Send for Sent {}

struct Shared {
    /// Tasks started so far.
    round: AtomicUsize,
    task: Mutex<Option<Sent>>,
    /// Threads that have not finished the present task.
    busy: AtomicUsize,
    over: AtomicBool,
    panicked: AtomicBool,
    asleep: Vec<AtomicBool>,
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
            round: AtomicUsize::new(0),
            task: Mutex::new(None),
            busy: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            asleep: (0..others).map(|_| AtomicBool::new(false)).collect(),
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

    /// Runs `task` on every thread with its number from 0 (the caller) on, and waits for all.
    ///
    /// # Panics
    /// If the task panicked on any thread.
    pub fn each(&self, task: &(dyn Fn(usize) + Sync)) {
        let shared = &self.shared;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: only the lifetime changes. No thread uses the pointer once `busy` is zero, and `each` waits for that
        // below, even if the caller's own part panics.
        let task_for_all: Task = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        *shared.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(Sent(task_for_all));
        shared.busy.store(self.workers.len(), Ordering::Release);
        shared.round.fetch_add(1, Ordering::SeqCst);
        for ((_, thread), asleep) in self.workers.iter().zip(&shared.asleep) {
            if asleep.load(Ordering::SeqCst) {
                thread.unpark();
            }
        }
        let own = catch_unwind(AssertUnwindSafe(|| task(0)));
        wait(|| shared.busy.load(Ordering::Acquire) == 0, std::thread::yield_now);
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(!shared.panicked.load(Ordering::Relaxed), "a thread of the team panicked");
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.shared.round.fetch_add(1, Ordering::SeqCst);
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
            let mut yields = 0;
            wait(
                || self.round.load(Ordering::SeqCst) != seen,
                || {
                    yields += 1;
                    if yields < YIELDS {
                        std::thread::yield_now();
                        return;
                    }
                    self.asleep[number].store(true, Ordering::SeqCst);
                    // Checked again, since the caller may have read `asleep` just before it was set.
                    if self.round.load(Ordering::SeqCst) == seen {
                        std::thread::park();
                    }
                    self.asleep[number].store(false, Ordering::SeqCst);
                },
            );
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
            self.busy.fetch_sub(1, Ordering::Release);
        }
    }
}

/// Spins until a condition holds, and calls `when_long` after every [`TURNS`] iterations.
fn wait(is_so: impl Fn() -> bool, mut when_long: impl FnMut()) {
    loop {
        for _ in 0..TURNS {
            if is_so() {
                return;
            }
            std::hint::spin_loop();
        }
        when_long();
    }
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
                team.each(&|number| {
                    assert_eq!(done[number].fetch_add(1, Ordering::Relaxed), round);
                });
                assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == round + 1));
            }
            // Sleeps long enough for the other threads to fall asleep.
            std::thread::sleep(std::time::Duration::from_millis(50));
            team.each(&|number| {
                done[number].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 201));
        }
    }

    #[test]
    #[should_panic(expected = "a thread of the team panicked")]
    fn a_panic_is_passed_on() {
        Team::new(3).each(&|number| assert_ne!(number, 2));
    }
}
