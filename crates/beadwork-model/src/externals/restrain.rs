//! Restraints that hold beads near their positions at the beginning of a stage.

use super::{ExternalState, Law, Moment, PARAMETERS, padded};
use crate::potentials::{HarmonicTrap, SinglePotential};

/// A well around the position that each bead had when the stage began.
#[derive(Clone, Debug, PartialEq)]
pub struct Restrain {
    /// The beads, ascending.
    pub beads: Vec<usize>,
    /// k, kcal/(mol Å²).
    pub stiffness: f64,
}

impl Law for Restrain {
    fn examples(beads: usize) -> Vec<Restrain> {
        vec![Restrain { beads: vec![1, 5, beads - 1], stiffness: 0.5 }]
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn force(&self, state: &ExternalState, _: Moment, entry: usize, at: [f64; 3]) -> [f64; 3] {
        self.trap(state, entry).force(at)
    }

    fn energy(&self, state: &ExternalState, _: Moment, entry: usize, at: [f64; 3]) -> f64 {
        self.trap(state, entry).energy(at)
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn anchors_each_bead(&self) -> bool {
        true
    }

    fn parameters(&self, _: f64) -> [f64; PARAMETERS] {
        padded([self.stiffness])
    }
}

impl Restrain {
    fn trap(&self, state: &ExternalState, entry: usize) -> HarmonicTrap {
        HarmonicTrap { stiffness: self.stiffness, centre: state.anchors[entry] }
    }
}
