//! Threads that read, analyse and draw. Each call has its own, so that it has as many as it asks for and none outlives it.
//! The sums over large systems, which threads of the engine begin, have threads that stay.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{Thread, current, park_timeout};
use std::time::Duration;

use beadwork::analysis::interruption;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// Bytes of stack of a thread, as many as the first thread of a program has on Linux.
const STACK: usize = 8 << 20;
/// The time between two looks at signals.
pub const TICK: Duration = Duration::from_millis(100);

/// Does `work` in which `threads` threads share, or as many as there are cores.
///
/// # Errors
/// Errors of `work`, and a machine that refuses to start a thread.
pub fn with_threads<T: Send>(
    threads: Option<u16>,
    work: impl FnOnce(usize) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let threads = threads.map_or_else(beadwork::cores, usize::from);
    if threads == 0 {
        return Err(Failure::argument("threads must be at least 1"));
    }
    pool(threads, |_| ())?.install(|| work(threads))
}

fn pool(
    threads: usize,
    begin: impl Fn(usize) + Send + Sync + 'static,
) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
    pool.start_handler(begin).build().map_err(|error| {
        Failure::machine(format!(
            "{threads} thread(s) cannot be started ({error}): allow more processes and memory (ulimit -u, ulimit -v), or give fewer threads"
        ))
    })
}

/// Refuses to step members in a process that was forked from one that has stepped some: it lacks the threads that stay, and
/// would wait for them without end.
///
/// # Errors
/// A process other than the first one that called this.
pub fn refuse_after_fork() -> Result<(), Failure> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let own = std::process::id();
    match *FIRST.get_or_init(|| own) == own {
        true => Ok(()),
        false => Err(Failure::environment(
            "this process was forked from one that has run or checked something, and lacks its threads: begin it anew, for example by multiprocessing.get_context(\"spawn\")".to_string(),
        )),
    }
}

/// Does `work` on all cores while other threads of Python run.
///
/// # Errors
/// Errors of `work`, and the exception of a signal, such as Ctrl-C. It is returned when `work` has ended, whose long loops look
/// whether one came (`interruption`).
pub fn without_python<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    apart(py, beadwork::cores(), work)
}

/// Does `work` on one thread, as [`without_python`] does.
///
/// # Errors
/// Errors of `work`, and the exception of a signal.
pub fn alone_without_python<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    apart(py, 1, work)
}

fn apart<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let wish = Arc::new(AtomicBool::new(false));
    let of_threads = wish.clone();
    let pool = pool(threads, move |_| interruption::follow(of_threads.clone()))?;
    let is_over = AtomicBool::new(false);
    let end = End { is_over: &is_over, caller: current() };
    let (mut done, mut raised) = (None, None);
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            // Dropped at the end, also at that of a panic.
            let _end = end;
            done = Some(work());
        });
        while !is_over.load(Ordering::Acquire) {
            py.detach(|| park_timeout(TICK));
            if raised.is_none() {
                raised = py.check_signals().err();
                wish.store(raised.is_some(), Ordering::Relaxed);
            }
        }
    });
    match (raised, done) {
        (Some(error), _) => Err(Failure::raised(error)),
        (None, Some(done)) => done,
        (None, None) => Err(Failure::machine("the work stopped unexpectedly".to_string())),
    }
}

/// Says that work is over, and wakes who waits for it.
struct End<'a> {
    is_over: &'a AtomicBool,
    caller: Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.caller.unpark();
    }
}

/// Ends work between two files once a signal has come.
///
/// # Errors
/// An error that [`without_python`] replaces by the exception of the signal.
pub fn check_signal() -> Result<(), Failure> {
    match interruption::is_wished() {
        true => Err(Failure::machine("interrupted".to_string())),
        false => Ok(()),
    }
}
