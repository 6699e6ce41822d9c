//! Whether a run fails as soon as it begins.

use crate::engine::{MemberPlan, Plan, describe_failure};
use crate::input::{Point, Request};
use crate::model::{Stage, StageKind};
use crate::simulation::Failure;

/// Steps that are tried. Beads that overlap, and bonds that are too long, end a run within them.
const FIRST_STEPS: u64 = 5;
/// The most points of a sweep of which a member is tried.
const MOST_POINTS: usize = 8;

/// Why the first replica of a point fails in its first steps, if one does. A run makes the same steps, with the same bits on the CPU,
/// and ends with a failure too.
pub fn failure(request: &Request, plan: &Plan, threads: usize) -> Option<String> {
    let first_of = |number: usize| plan.members.get(number * request.replicas as usize);
    let mut points = request.points.iter().enumerate().take(MOST_POINTS);
    points.find_map(|(number, point)| {
        let reason = failure_of_member(first_of(number)?, point, threads)?;
        Some(at_point(point, &reason))
    })
}

/// A reason behind the settings of its point: `dynamics.timestep = 0.01: …`. Without a sweep it stays as it is.
pub(super) fn at_point(point: &Point, reason: &str) -> String {
    let separator = if point.settings.is_empty() { "" } else { ": " };
    format!("{}{separator}{reason}", point.settings_in_words())
}

/// A failure in the words of a run: `replica 2, step 3, stage "relax": …`.
pub(super) fn in_words(planned: &MemberPlan, stage: &Stage, failure: &Failure) -> String {
    format!(
        "replica {}, step {}, stage \"{}\": {}",
        planned.replica,
        failure.step,
        stage.name,
        describe_failure(&failure.error, &planned.system)
    )
}

/// Only a first stage is tried, one of dynamics or a minimisation. Rungs of exchanges have temperatures of their own.
fn failure_of_member(planned: &MemberPlan, point: &Point, threads: usize) -> Option<String> {
    let stage = point.protocol.stages.first()?;
    if planned.exchange.is_some() || matches!(stage.kind, StageKind::Sample { .. }) {
        return None;
    }
    // A stop rule may end the stage where it is first looked at.
    let looked_at = stage.stops.iter().map(|rule| rule.every).min().unwrap_or(FIRST_STEPS);
    let mut member = planned.member();
    member.set_threads(threads);
    let failure = member.advance(FIRST_STEPS.min(looked_at).min(stage.steps())).err()?;
    Some(in_words(planned, stage, &failure))
}
