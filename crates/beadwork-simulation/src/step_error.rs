//! What can go wrong in a step.

/// Why a step could not be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// A FENE bond reached its limit.
    BrokenBond {
        /// The bead with the smaller number.
        i: usize,
        /// The other.
        j: usize,
        /// Å.
        distance: f64,
        /// Å.
        rest_length: f64,
        /// Å.
        limit: f64,
    },
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The bead.
        bead: usize,
    },
}

/// A member that could not go on; it is left in the last state that was sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// What happened.
    pub error: StepError,
    /// The step since the run began at which it was found.
    pub step: u64,
}
