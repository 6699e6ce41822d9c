//! The forces of a stage's externals at a step.

use beadwork_model::externals::{
    External, ExternalProblem, ExternalState, Law, Moment, Noise, centre,
};
use beadwork_random::{NoiseKey, Normal};
use beadwork_simulation::Sums;

/// The noise of a member's externals at a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseOfExternals {
    /// Of [`beadwork_random::Purpose::ExternalForce`].
    pub key: NoiseKey,
    /// Since the run began.
    pub step: u64,
}

impl NoiseOfExternals {
    /// The numbers of an external, by its place in the stage, as the beads of a member in this precision get theirs.
    #[inline(always)]
    pub fn normals<T: Normal>(self, external: usize) -> [f64; 3] {
        T::normals(self.key, self.step, external as u32).map(T::to_f64)
    }
}

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

/// Brings an external to a step of the stage.
#[inline(always)]
pub(crate) fn renew(
    law: &dyn Law,
    state: &mut ExternalState,
    moment: Moment,
    position: impl Fn(usize) -> [f64; 3],
    noise: Noise<'_>,
) -> Result<(), ExternalProblem> {
    let centre = if law.reads_centre() { centre(law.beads(), position) } else { [0.0; 3] };
    law.renew(state, moment, centre, noise)
}

/// Evaluates an external at a step of the stage, in f64, and adds its force, kcal/(mol Å), bead by bead.
#[inline(always)]
pub(crate) fn apply(
    external: &External,
    state: &mut ExternalState,
    moment: Moment,
    position: impl Fn(usize) -> [f64; 3],
    add: impl FnMut(usize, [f64; 3]),
    (pull, noise): (&mut Pull, Noise<'_>),
) -> Result<(), ExternalProblem> {
    let law = &**external;
    renew(law, state, moment, &position, noise)?;
    if let Some(along) = law.along(state, moment) {
        pull.along += along;
        pull.acts = true;
    }
    act(law, state, moment, position, add)?;
    Ok(())
}

/// Adds the force on each bead of an external that was brought to this step. The external gets the opposite: its sum in the
/// unit of its reaction is returned.
#[inline(always)]
pub(crate) fn act(
    law: &dyn Law,
    state: &mut ExternalState,
    moment: Moment,
    position: impl Fn(usize) -> [f64; 3],
    mut add: impl FnMut(usize, [f64; 3]),
) -> Result<[i64; 3], ExternalProblem> {
    let unit = law.reaction_unit();
    let mut reaction = [0_i64; 3];
    for (entry, &bead) in law.beads().iter().enumerate() {
        let mut force = law.force(state, moment, entry, position(bead));
        if let Some(unit) = unit {
            let whole = unit.whole(force).ok_or(ExternalProblem::TooNear { bead })?;
            reaction.iter_mut().zip(whole).for_each(|(sum, units)| *sum -= units);
            force = unit.force(whole);
        } else if force.iter().any(|component| component.is_nan()) {
            return Err(ExternalProblem::TooNear { bead });
        }
        add(bead, force);
    }
    if let Some(moving) = &mut state.moving {
        moving.reaction.iter_mut().zip(reaction).for_each(|(sum, units)| *sum += units);
    }
    Ok(reaction)
}
