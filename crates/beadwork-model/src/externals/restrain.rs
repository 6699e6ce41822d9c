//! Restraints that hold beads near their positions at the beginning of a stage.

use super::{
    Ends, ExternalEnergy, ExternalState, Law, Moment, PARAMETERS, Pulling, ReactionUnit, padded,
};
use crate::observables::Observable;
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
    fn kind(&self) -> &'static str {
        "restrain"
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        let anchors = self.beads.iter().map(|&bead| positions[bead]).collect();
        ExternalState { anchors, ..ExternalState::default() }
    }

    fn reads_centre(&self) -> bool {
        false
    }

    fn force(&self, state: &ExternalState, entry: usize, at: [f64; 3]) -> [f64; 3] {
        self.trap(state, entry).force(at)
    }

    fn energy(&self, state: &ExternalState, entry: usize, at: [f64; 3]) -> f64 {
        self.trap(state, entry).energy(at)
    }

    fn along(&self, _: &ExternalState, _: Moment) -> Option<f64> {
        None
    }

    fn work(&self, _: &ExternalState, _: Moment) -> f64 {
        0.0
    }

    fn pulling(&self) -> Pulling {
        Pulling::None
    }

    fn ends(&self) -> Option<&Ends> {
        None
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn travel(&self, _: f64) -> f64 {
        0.0
    }

    fn reaction_unit(&self) -> Option<ReactionUnit> {
        None
    }

    fn energy_of(&self) -> ExternalEnergy {
        ExternalEnergy::Trap
    }

    fn anchors(&self) -> usize {
        self.beads.len()
    }

    fn anchors_each_bead(&self) -> bool {
        true
    }

    fn columns(&self) -> &'static [Observable] {
        &[]
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
