//! The forces of the externals of a stage on the beads of a member.

use beadwork_model::Protocol;
use beadwork_model::externals::{ExternalState, Moment};
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use crate::arrays::coordinates::{Coordinates, to_f64};
use crate::terms::externals::{Pull, apply};

/// Adds the forces of a stage's externals at one of its steps to `forces`.
pub(super) fn add_externals<T: Normal>(
    protocol: &Protocol,
    stage: usize,
    step: u64,
    states: &mut [ExternalState],
    positions: &Coordinates<T>,
    forces: &mut Coordinates<T>,
) -> Result<Pull, StepError> {
    let mut pull = Pull::default();
    let position = |bead: usize| to_f64(positions.get(bead));
    let mut add = |bead, force: [f64; 3]| {
        let [x, y, z] = forces.get(bead);
        let [u, v, w] = force.map(T::from_f64);
        forces.set(bead, [x + u, y + v, z + w]);
    };
    let moment = Moment { step, timestep: protocol.dynamics.timestep };
    for (number, (external, state)) in
        protocol.stages[stage].externals.iter().zip(states).enumerate()
    {
        apply(external, state, moment, position, &mut add, &mut pull)
            .map_err(|problem| StepError::External { number, problem })?;
    }
    Ok(pull)
}
