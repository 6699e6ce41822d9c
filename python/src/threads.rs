//! Threads that read, analyse and draw. Each call has its own, so that it has as many as it asks for and none outlives it.
//! The sums over large systems, which threads of the engine begin, have threads that stay.

use std::sync::OnceLock;

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::failure::Failure;

/// Bytes of stack of a thread, as many as the first thread of a program has on Linux.
const STACK: usize = 8 << 20;

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
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = pool.map_err(|error| {
        Failure::machine(format!(
            "{threads} thread(s) cannot be started ({error}): allow more processes and memory (ulimit -u, ulimit -v), or give fewer threads"
        ))
    })?;
    pool.install(|| work(threads))
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
/// Errors of `work`.
pub fn without_python<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + Ungil,
) -> Result<T, Failure> {
    py.detach(|| with_threads(None, |_| work()))
}
