//! Threads that read, analyse and draw. Each call has its own, so none outlives it, and processes may fork between calls.

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::failure::Failure;

/// Bytes of stack of a thread, as many as the first thread of a program has on Linux.
const STACK: usize = 8 << 20;

/// Does `work` in which `threads` threads share, or as many as there are cores.
///
/// # Errors
/// Those of `work`, and a machine that refuses to start a thread.
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

/// Does `work` on all cores while other threads of Python run.
///
/// # Errors
/// Those of `work`.
pub fn without_python<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + Ungil,
) -> Result<T, Failure> {
    py.detach(|| with_threads(None, |_| work()))
}
