//! A constant pulling force.

use super::{DriveState, Ends};

/// A force of constant strength along the pulling direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// The beads that are held and pulled.
    pub ends: Ends,
    /// kcal/(mol Å).
    pub force: f64,
}

impl Force {
    pub(super) fn force(&self, state: &DriveState) -> [f64; 3] {
        state.direction.map(|component| self.force * component)
    }
}
