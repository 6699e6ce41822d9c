//! A pulling force that grows with time.

use super::{DriveState, Ends};

/// A force r_f t along the pulling direction, where t is the time since the stage began (\[A\], §IV.B).
#[derive(Clone, Debug, PartialEq)]
pub struct ForceRamp {
    /// The beads that are held and pulled.
    pub ends: Ends,
    /// r_f, kcal/(mol Å ps).
    pub rate: f64,
}

impl ForceRamp {
    pub(super) fn force(&self, state: &DriveState, time: f64) -> [f64; 3] {
        state.direction.map(|component| self.rate * time * component)
    }
}
