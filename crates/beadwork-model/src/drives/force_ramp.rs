//! A pulling force that grows with time.

use super::{DriveState, Ends};

/// A force r_f t along the pulling direction, t counting from the stage's beginning (P4, §IV.B).
#[derive(Clone, Debug, PartialEq)]
pub struct ForceRamp {
    /// What is held and pulled.
    pub ends: Ends,
    /// r_f, kcal/(mol Å ps).
    pub rate: f64,
}

impl ForceRamp {
    pub(super) fn force(&self, state: &DriveState, time: f64) -> [f64; 3] {
        state.direction.map(|component| self.rate * time * component)
    }
}
