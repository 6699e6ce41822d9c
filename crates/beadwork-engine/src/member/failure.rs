//! Why a member cannot go on, in words.

use beadwork_model::advice::with_decimals;
use beadwork_model::externals::{ExternalProblem, nearness_in_words};
use beadwork_model::{Stage, System};
use beadwork_simulation::{MemberState, StepError};

/// How inputs ask for soft repulsions that push beads apart.
const PUSH_OFF: &str = "minimise = { push_off = 1_000 }";

/// σ of a contact: a bead nearer to a surface or a tip than so many may have been thrown by it in the next step.
const NEAR: f64 = 2.0;

/// Which surface or tip of a stage may have broken a bond, by where its beads are in the last sound state.
pub(super) fn possible_cause(
    error: &StepError,
    system: &System,
    stage: &Stage,
    state: &MemberState,
) -> Option<String> {
    let StepError::BrokenBond { i, j, .. } = *error else { return None };
    let mut externals = stage.externals.iter().zip(&state.externals).enumerate();
    externals.find_map(|(number, (external, own))| {
        let near = NEAR * external.contact()?.sigma;
        let is_near = |bead: &usize| {
            let clearance = external.clearance(own, state.positions[*bead]);
            external.beads().contains(bead) && clearance.is_some_and(|one| one < near)
        };
        let bead = [i, j].into_iter().find(is_near)?;
        Some(format!(
            "; one step before, {} was within {NEAR} sigma of the {} of drive {} of the stage, which may have thrown it: a larger `sigma` makes that softer",
            system.bead_label(bead),
            external.kind(),
            number + 1
        ))
    })
}

/// Why a member of a system cannot go on, and what to do.
pub fn describe_failure(error: &StepError, system: &System) -> String {
    let length = system.units.of_length();
    match error {
        StepError::BrokenBond { i, j, distance, rest_length, limit } => format!(
            "the FENE bond between {} and {} broke: {}{length} long, beyond {rest_length:.3} ± {limit}{length}; use a smaller `timestep`, a slower drive, or a first stage with `minimise`",
            system.bead_label(*i),
            system.bead_label(*j),
            with_decimals(*distance, 3)
        ),
        StepError::ForceTooLarge { bead, limit } => format!(
            "a force on {} exceeds {limit:.3e}{}, the largest that can be summed in a periodic box: beads overlap; a first stage with {PUSH_OFF} pushes them apart, or take another start or a smaller `timestep`",
            system.bead_label(*bead),
            system.units.of_force()
        ),
        StepError::MovedTooFar { bead } => format!(
            "{} moved by more than a quarter of a side of the box in one move; use a smaller `timestep`, or a first stage with {PUSH_OFF} if beads overlap",
            system.bead_label(*bead)
        ),
        StepError::External { number, problem: ExternalProblem::TooNear { bead } } => format!(
            "{} is at the surface of drive {} of the stage, or behind it; let it begin farther away, or use a smaller `timestep`",
            system.bead_label(*bead),
            number + 1
        ),
        StepError::External { number, problem: ExternalProblem::Jumped { distance } } => format!(
            "the tip of drive {} of the stage would move by {}{length} at once, more than half the sigma of its contact; move it more often, give it more friction, or a softer cantilever",
            number + 1,
            with_decimals(*distance, 3)
        ),
        StepError::NoDirection { number, distance } => format!(
            "drive {} of the next stage has no direction: the centres of its `fixed` and `pulled` beads {} as that stage would begin; write one, such as direction = [0, 0, 1]",
            number + 1,
            nearness_in_words(*distance, system.units)
        ),
        StepError::NotFinite { bead } => format!(
            "the position of {0} or the force on it is no longer a finite number; use a smaller `timestep`, or a first stage with {PUSH_OFF} if beads overlap",
            system.bead_label(*bead)
        ),
    }
}
