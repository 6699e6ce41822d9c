//! What steps without velocities keep from one part to the next.

use beadwork_model::Integrator;
use beadwork_random::Normal;

use crate::arrays::coordinates::Coordinates;
use crate::teams::sharing::RUN;

/// Squares of the moves of a step, and what schemes that look ahead compute first.
#[derive(Clone, Debug)]
pub(super) struct LookAhead<T> {
    /// Σ|Δr|², Å², of each run of beads in the last step.
    pub runs: Vec<f64>,
    /// Predicted positions.
    pub positions: Coordinates<T>,
    /// The forces at the predicted positions.
    pub forces: Coordinates<T>,
    pub kicks: Coordinates<T>,
}

impl<T: Normal> LookAhead<T> {
    /// Room for so many beads, as the integrator needs it.
    pub fn new(integrator: Integrator, beads: usize) -> Self {
        let room = || match integrator {
            Integrator::BrownianSecondOrder => Coordinates::zero(beads),
            _ => Coordinates::zero(0),
        };
        LookAhead {
            runs: vec![0.0; beads.div_ceil(RUN)],
            positions: room(),
            forces: room(),
            kicks: room(),
        }
    }
}
