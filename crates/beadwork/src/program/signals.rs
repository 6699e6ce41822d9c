//! Signals that stop a run: the first leaves checkpoints, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::failure::Failure;

/// Signals within this time count as one: `timeout` and shells signal both a process and its group.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

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
    }
}
