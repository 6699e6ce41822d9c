//! Threads of the program: those that analyse tables and those beside a run. A machine may refuse to start any of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Thread};

use rayon::ThreadPoolBuilder;

use super::failure::Failure;

/// The number of requested threads or, without one, of cores.
pub fn threads_or_cores(threads: Option<u16>) -> usize {
    threads.map_or_else(beadwork::cores, usize::from)
}

/// Starts the threads that read, analyse and draw tables. Call it before any work that may use them: they start themselves
/// otherwise, and a refusal is a panic then.
///
/// # Errors
/// If the machine refuses to start one.
pub fn use_threads(threads: usize) -> Result<(), Failure> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    // A second call has no effect.
    let started = STARTED.get_or_init(|| {
        let built = ThreadPoolBuilder::new().num_threads(threads).build_global();
        built.map_err(|error| error.to_string())
    });
    started.clone().map_err(|reason| refused(&format!("{threads} thread(s)"), &reason))
}

/// The error if a thread cannot be started.
pub fn refused(what: &str, reason: &str) -> Failure {
    Failure::machine(format!(
        "{what} of the program cannot be started ({reason}): allow more processes and memory (ulimit -u, ulimit -v), or give fewer threads where the command has --threads"
    ))
}

/// Work of another thread, which must end soon after its flag is set and its thread is unparked.
pub type Beside<'a> = &'a (dyn Fn(&AtomicBool) + Sync);

/// Does `work` while each of `beside` has a thread of its own.
///
/// # Errors
/// If the machine refuses to start one; `work` is not begun then.
pub fn beside_work<T>(beside: &[Beside<'_>], work: impl FnOnce() -> T) -> Result<T, Failure> {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Dropped on every way out, panics included: the scope waits for the threads.
        let mut end = End { done: &done, threads: Vec::new() };
        for one in beside {
            let done = &done;
            let started = Builder::new().spawn_scoped(scope, move || one(done));
            let started = started.map_err(|error| refused("a thread", &error.to_string()))?;
            end.threads.push(started.thread().clone());
        }
        Ok(work())
    })
}

/// Ends the threads beside a work when it is dropped.
struct End<'a> {
    done: &'a AtomicBool,
    threads: Vec<Thread>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.threads.iter().for_each(Thread::unpark);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_panic_of_the_work_ends_the_threads_beside_it() {
        let ended = AtomicUsize::new(0);
        let wait = |done: &AtomicBool| {
            while !done.load(Ordering::Relaxed) {
                std::thread::park();
            }
            ended.fetch_add(1, Ordering::Relaxed);
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            beside_work(&[&wait, &wait], || panic!("the work fails"))
        }));
        assert!(outcome.is_err());
        assert_eq!(ended.load(Ordering::Relaxed), 2);
        assert_eq!(beside_work(&[&wait], || 7).unwrap(), 7);
        assert_eq!(ended.into_inner(), 3);
    }
}
