//! The forces of a stage's drives at a step.

use beadwork_model::drives::{Drive, DriveState, centre, dot};
use beadwork_model::potentials::SinglePotential;

use beadwork_simulation::Sums;

/// Force of the pulling drives along their directions at one step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pull {
    along: f64,
    acts: bool,
}

impl Pull {
    /// Adds the force to the average of the next row.
    pub fn count_in(self, sums: &mut Sums) {
        if self.acts {
            sums.count_force(self.along);
        }
    }
}

/// Evaluates a drive at a step of the stage, in f64, and adds its force, kcal/(mol Å), bead by
/// bead; a pulling drive shares its force equally.
#[inline(always)]
pub(crate) fn apply(
    drive: &Drive,
    state: &mut DriveState,
    step: u64,
    timestep: f64,
    position: impl Fn(usize) -> [f64; 3],
    mut add: impl FnMut(usize, [f64; 3]),
    pull: &mut Pull,
) {
    if let Some(ends) = drive.ends() {
        let at = centre(&ends.pulled, &position);
        if let Some(force) = drive.pull(state, step, timestep, at) {
            pull.along += dot(force, state.direction);
            pull.acts = true;
            let share = force.map(|component| component / ends.pulled.len() as f64);
            for &bead in &ends.pulled {
                add(bead, share);
            }
        }
    }
    if let Drive::Restrain(restrain) = drive {
        for (bead, trap) in restrain.traps(state) {
            add(bead, trap.force(position(bead)));
        }
    }
}
