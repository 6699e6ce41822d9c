//! Moves that are too long for a space.

use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_arithmetic::Vector;
use beadwork_simulation::StepError;

/// The first bead that would move too far in a part of a step; threads share it.
#[derive(Debug)]
pub(crate) struct TooFar(AtomicUsize);

impl TooFar {
    pub fn new() -> TooFar {
        TooFar(AtomicUsize::new(usize::MAX))
    }

    /// Notes the free beads from `first` on whose moves do not fit.
    #[inline(always)]
    pub fn note<V: Vector>(&self, fits: V::Mask, free: u32, first: usize) {
        let lost = free & !V::mask_to_bits(fits);
        if lost != 0 {
            self.0.fetch_min(first + lost.trailing_zeros() as usize, Ordering::Relaxed);
        }
    }

    pub fn error(&self) -> Result<(), StepError> {
        match self.0.load(Ordering::Relaxed) {
            usize::MAX => Ok(()),
            bead => Err(StepError::MovedTooFar { bead }),
        }
    }
}
