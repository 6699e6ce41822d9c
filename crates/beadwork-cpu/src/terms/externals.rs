//! The forces of a stage's externals at a step.

use beadwork_model::externals::{External, ExternalState, Moment, centre};

use beadwork_simulation::Sums;

/// Force of the externals along their directions at one step.
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

/// Evaluates an external at a step of the stage, in f64, and adds its force, kcal/(mol Å), bead by bead.
#[inline(always)]
pub(crate) fn apply(
    external: &External,
    state: &mut ExternalState,
    moment: Moment,
    position: impl Fn(usize) -> [f64; 3],
    mut add: impl FnMut(usize, [f64; 3]),
    pull: &mut Pull,
) {
    let law = &**external;
    let beads = law.beads();
    let centre = if law.reads_centre() { centre(beads, &position) } else { [0.0; 3] };
    law.renew(state, moment, centre);
    if let Some(along) = law.along(state) {
        pull.along += along;
        pull.acts = true;
    }
    for (entry, &bead) in beads.iter().enumerate() {
        add(bead, law.force(state, entry, position(bead)));
    }
}
