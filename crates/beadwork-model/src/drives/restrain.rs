//! Restraints to where a stage found its beads.

use crate::potentials::HarmonicTrap;

use super::DriveState;

/// A well around the position that each bead had as the stage began.
#[derive(Clone, Debug, PartialEq)]
pub struct Restrain {
    /// The beads, ascending.
    pub beads: Vec<usize>,
    /// k, kcal/(mol Å²).
    pub stiffness: f64,
}

impl Restrain {
    /// The wells: bead and trap.
    pub fn traps<'a>(
        &'a self,
        state: &'a DriveState,
    ) -> impl Iterator<Item = (usize, HarmonicTrap)> + 'a {
        self.beads
            .iter()
            .zip(&state.anchors)
            .map(|(&bead, &centre)| (bead, HarmonicTrap { stiffness: self.stiffness, centre }))
    }
}
