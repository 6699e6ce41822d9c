//! How far a program is.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Seconds from one line to the next at least.
const EVERY: u64 = 10;

/// Says now and then on standard error how far something is.
#[derive(Debug)]
pub struct Progress {
    began: Instant,
    told: Mutex<Instant>,
}

impl Default for Progress {
    fn default() -> Progress {
        let began = Instant::now();
        Progress { began, told: Mutex::new(began) }
    }
}

impl Progress {
    /// `what` is done to this part.
    #[allow(clippy::print_stderr, reason = "people watch the programs")]
    pub fn tell(&self, what: &str, part: f64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed().as_secs() >= EVERY {
            *told = Instant::now();
            let left = self.began.elapsed().as_secs_f64() * (1.0 / part.max(1e-9) - 1.0);
            eprintln!("{what}: {:.1} %, about {left:.0} s to go", 100.0 * part);
        }
    }
}
