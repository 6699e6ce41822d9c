//! Signals that stop a run: the first leaves checkpoints, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, sleep};
use std::time::Duration;

use beadwork::io::atomic;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::failure::Failure;
use super::threads::refused;

/// Signals within this time count as one: `timeout` and shells signal both a process and its group.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// How often a thread looks whether a signal has come.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// Lets a file that grows beyond the limit of a shell (`ulimit -f`) be an error of writing. Otherwise the signal for it ends the
/// program, and leaves the half of a file behind.
pub fn outlive_file_limits() -> Result<(), Failure> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
        .map_err(not_set)?;
    Ok(())
}

fn not_set(error: std::io::Error) -> Failure {
    Failure::machine(format!("the handler of signals cannot be set: {error}"))
}

/// Lets a signal end the program at once, without files that are half written: for commands that read a run and write about it,
/// and for runs whose steps are done.
///
/// # Errors
/// If a handler cannot be set, or the machine refuses to start a thread.
pub fn leave_no_half_files() -> Result<(), Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, interrupted.clone()).map_err(not_set)?;
    }
    let started = Builder::new().spawn(move || end_by_signal(&interrupted));
    started.map_err(|error| refused("a thread", &error.to_string())).map(drop)
}

fn end_by_signal(interrupted: &AtomicBool) {
    while !interrupted.load(Ordering::Relaxed) {
        sleep(LOOKS_EVERY);
    }
    let _abandoned = atomic::abandon();
    std::process::exit(130)
}

/// Flags that signals set.
pub struct Signals {
    interrupted: Arc<AtomicBool>,
    /// Whether the next signal ends the program at once.
    is_second: Arc<AtomicBool>,
}

impl Signals {
    pub fn listen() -> Result<Signals, Failure> {
        let signals = Signals { interrupted: Arc::default(), is_second: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            let is_second = signals.is_second.clone();
            let second = signal_hook::flag::register_conditional_shutdown(signal, 130, is_second);
            let first = signal_hook::flag::register(signal, signals.interrupted.clone());
            second.and(first).map_err(not_set)?;
        }
        Ok(signals)
    }

    /// Whether a signal has come.
    pub fn interrupted(&self) -> &AtomicBool {
        &self.interrupted
    }

    /// Lets a second signal end the program, some time after the first, until `done`.
    pub fn watch(&self, done: &AtomicBool) {
        while !done.load(Ordering::Relaxed) {
            if self.interrupted.load(Ordering::Relaxed) {
                std::thread::park_timeout(ONE_SIGNAL);
                self.is_second.store(true, Ordering::Relaxed);
            }
            std::thread::park_timeout(Duration::from_millis(100));
        }
        self.is_second.store(false, Ordering::Relaxed);
    }
}
