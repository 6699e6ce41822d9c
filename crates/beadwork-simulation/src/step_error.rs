//! What can go wrong in a step.

use beadwork_model::externals::ExternalProblem;

/// Why a step could not be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// A FENE bond reached its limit.
    BrokenBond {
        /// The bead with the smaller number.
        i: usize,
        /// The other bead.
        j: usize,
        /// Their distance, Å.
        distance: f64,
        /// The rest length of the bond, Å.
        rest_length: f64,
        /// The largest distance from the rest length, Å.
        limit: f64,
    },
    /// A force in a periodic box is beyond the range of its sums, or not a number: beads overlap.
    ForceTooLarge {
        /// The bead.
        bead: usize,
        /// The largest force of one term on a bead, kcal/(mol Å).
        limit: f64,
    },
    /// A bead moved by a quarter of a side of its periodic box, or more, at once.
    MovedTooFar {
        /// The bead.
        bead: usize,
    },
    /// An external cannot act.
    External {
        /// The place of the external in the list of the stage, from 0.
        number: usize,
        /// Why.
        problem: ExternalProblem,
    },
    /// An external of the next stage would pull along the line between two centres that are at one place as that stage begins.
    NoDirection {
        /// The place of the external in the list of that stage, from 0.
        number: usize,
        /// The distance between the centres, Å.
        distance: f64,
    },
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The bead.
        bead: usize,
    },
}

/// A member that cannot continue; it stays in its last sound state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// What happened.
    pub error: StepError,
    /// The step since the run began at which the error was found.
    pub step: u64,
}
