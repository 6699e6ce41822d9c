//! The form of blocks with which GPUs step a run. No bit depends on it.

use std::str::FromStr;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::LaunchOverrides;
use beadwork_cuda::forms::{FormTime, remember, remembered, situation, time_forms};
use beadwork_model::StageKind;

use crate::Error;
use crate::control::Control;
use crate::devices::Devices;
use crate::gpu_assignment::GpuAssignment;
use crate::plan::Plan;

/// How the form of blocks on GPUs is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// The fastest one that was found for such members on such a card; a run of more than some minutes finds it, others without
    /// a finding take the usual one.
    #[default]
    Learnt,
    /// The usual one.
    Usual,
    /// The fastest of several, timed before the run.
    Timed,
    /// This one.
    Fixed(LaunchOverrides),
}

/// Reads `learnt`, `usual`, `timed`, or a form such as `lanes=no cluster=4`.
impl FromStr for Forms {
    type Err = String;

    fn from_str(text: &str) -> Result<Forms, String> {
        match text {
            "learnt" => Ok(Forms::Learnt),
            "usual" => Ok(Forms::Usual),
            "timed" => Ok(Forms::Timed),
            form if form.contains('=') => form.parse().map(Forms::Fixed),
            _ => Err(format!(
                "\"{text}\" is no way to choose a form: write learnt, usual, timed, or a form such as \"lanes=no cluster=4\""
            )),
        }
    }
}

/// Runs that take longer have their forms timed, which takes some seconds.
const LONG_SECONDS: f64 = 300.0;

/// A step of any member takes a card longer, and a bead-step of all of them too: with less work than this a run is not long.
const LEAST_SECONDS_A_STEP: f64 = 5e-7;
const LEAST_SECONDS_A_BEAD_STEP: f64 = 5e-11;

/// The form for a run that is stepped on GPUs, and what is said of it; `None` for the usual one without a reason.
///
/// # Errors
/// Those of launches.
pub fn choose(
    control: &Control<'_>,
    plan: &Plan,
    open: usize,
) -> Result<(LaunchOverrides, Option<String>), Error> {
    let usual = LaunchOverrides::default();
    let Devices::Cuda(devices) = &control.devices else { return Ok((usual, None)) };
    let (Some(device), false) = (devices.first(), control.forms == Forms::Usual || open == 0)
    else {
        return Ok((usual, None));
    };
    if let Forms::Fixed(form) = control.forms {
        return Ok((form, Some(format!("{form} (as asked for)"))));
    }
    let assignment = GpuAssignment::new(devices, plan, open, control.threads);
    let on_card = assignment.members_on_card();
    let Some(members) = alike(plan, on_card) else { return Ok((usual, None)) };
    let place = situation(device, &members[0], on_card);
    if control.forms == Forms::Learnt {
        if let Some(form) = remembered(&place) {
            return Ok((form, Some(format!("{form} (as timed before)"))));
        }
        if least_seconds(plan) < LONG_SECONDS / 10.0 {
            return Ok((usual, None));
        }
    }
    let cards = assignment.cards.len().max(1);
    let launches = open.div_ceil(cards * on_card.max(1)) as f64 * longest(plan) as f64;
    let is_short = |times: &[FormTime]| {
        let is_short = |first: &FormTime| first.seconds * launches < LONG_SECONDS;
        control.forms == Forms::Learnt && times.first().is_some_and(is_short)
    };
    let times = time_forms(device, &members, on_card, is_short)?;
    Ok(match fastest(&times) {
        // The usual form alone was timed, and the run is short.
        Some(_) if times.len() < 2 => (usual, None),
        Some(best) => {
            remember(&place, best.form);
            (best.form, Some(format!("{} (timed: {})", best.form, in_words(&times))))
        }
        None => (usual, None),
    })
}

/// The form with the shortest time. One that is not faster than the usual one, the first, by more than a launch differs from the
/// next does not count.
pub fn fastest(times: &[FormTime]) -> Option<FormTime> {
    const WORTHWHILE: f64 = 0.97;
    let usual = *times.first()?;
    let best = times.iter().copied().min_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    Some(if best.seconds < WORTHWHILE * usual.seconds { best } else { usual })
}

/// `usual 2.11 us a step, lanes=yes 1.83`.
pub fn in_words(times: &[FormTime]) -> String {
    let words = times.iter().enumerate().map(|(number, FormTime { form, seconds })| {
        let unit = if number == 0 { " us a step" } else { "" };
        format!("{form} {:.3}{unit}", 1e6 * seconds)
    });
    words.collect::<Vec<String>>().join(", ")
}

/// The members that share a card, in their first stage of dynamics, if all of the run are of one kind.
pub fn alike(plan: &Plan, on_card: usize) -> Option<Vec<Member>> {
    let first = plan.members.first()?;
    let mut stages = first.protocol.stages.iter();
    let stage = stages.position(|stage| matches!(stage.kind, StageKind::Dynamics { .. }))?;
    let is_alike = plan.members.iter().all(|member| {
        Arc::ptr_eq(&member.system, &first.system)
            && member.protocol.dynamics == first.protocol.dynamics
            && member.protocol.stages.len() == first.protocol.stages.len()
    });
    if !is_alike || first.system.is_sampled() {
        return None;
    }
    let member = |number: usize| {
        let mut member = plan.members[number % plan.members.len()].member();
        member.begin_stage(stage);
        member
    };
    Some((0..on_card.max(1)).map(member).collect())
}

/// Steps of the longest member.
fn longest(plan: &Plan) -> u64 {
    plan.members.iter().map(|member| member.protocol.steps()).max().unwrap_or(0)
}

/// A time that the run takes at least.
fn least_seconds(plan: &Plan) -> f64 {
    let work = |member: &crate::plan::MemberPlan| {
        member.protocol.steps() as f64 * member.system.beads() as f64
    };
    let all: f64 = plan.members.iter().map(work).sum();
    (longest(plan) as f64 * LEAST_SECONDS_A_STEP).max(all * LEAST_SECONDS_A_BEAD_STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(form: &str, seconds: f64) -> FormTime {
        FormTime { form: form.parse().unwrap(), seconds }
    }

    #[test]
    fn a_form_must_be_worthwhile() {
        assert!(fastest(&[]).is_none());
        let usual = time("usual", 2e-6);
        let chosen = |other: f64| {
            fastest(&[usual, time("lanes=yes", other), time("cluster=4", 3e-6)]).unwrap().form
        };
        assert_eq!(chosen(1.5e-6), "lanes=yes".parse().unwrap());
        assert_eq!(chosen(1.99e-6), LaunchOverrides::default());
        let words = in_words(&[usual, time("cluster=4", 1.25e-6)]);
        assert_eq!(words, "usual 2.000 us a step, cluster=4 1.250");
    }

    #[test]
    fn ways_to_choose_are_read() {
        assert_eq!("learnt".parse(), Ok(Forms::Learnt));
        assert_eq!("timed".parse(), Ok(Forms::Timed));
        assert_eq!("usual".parse(), Ok(Forms::Usual));
        let form = LaunchOverrides { cluster: Some(4), ..LaunchOverrides::default() };
        assert_eq!("cluster=4".parse(), Ok(Forms::Fixed(form)));
        assert!("fast".parse::<Forms>().unwrap_err().contains("learnt, usual, timed"));
        assert!("cluster=x".parse::<Forms>().unwrap_err().contains("a number from 1"));
    }
}
