//! Restraints that hold beads near their positions at the beginning of a stage.

use crate::potentials::HarmonicTrap;

use super::DriveState;

/// A well around the position that each bead had when the stage began.
#[derive(Clone, Debug, PartialEq)]
pub struct Restrain {
    /// The beads, ascending.
    pub beads: Vec<usize>,
    /// k, kcal/(mol Å²).
    pub stiffness: f64,
}

impl Restrain {
    /// Pairs of a restrained bead and its trap.
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
