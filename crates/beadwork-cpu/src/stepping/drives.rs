//! The forces of the drives of a stage on the beads of a member.

use beadwork_model::Protocol;
use beadwork_model::drives::DriveState;
use beadwork_random::Normal;

use crate::arrays::coordinates::{Coordinates, to_f64};
use crate::terms::drives::{Pull, apply};

/// Adds the forces of a stage's drives at one of its steps to `forces`.
pub(super) fn add_drives<T: Normal>(
    protocol: &Protocol,
    stage: usize,
    step: u64,
    states: &mut [DriveState],
    positions: &Coordinates<T>,
    forces: &mut Coordinates<T>,
) -> Pull {
    let mut pull = Pull::default();
    let position = |bead: usize| to_f64(positions.get(bead));
    let mut add = |bead, force: [f64; 3]| {
        let [x, y, z] = forces.get(bead);
        let [u, v, w] = force.map(T::from_f64);
        forces.set(bead, [x + u, y + v, z + w]);
    };
    for (drive, state) in protocol.stages[stage].drives.iter().zip(states) {
        let timestep = protocol.dynamics.timestep;
        apply(drive, state, step, timestep, position, &mut add, &mut pull);
    }
    pull
}
