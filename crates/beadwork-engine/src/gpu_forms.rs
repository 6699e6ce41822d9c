//! The form of blocks with which GPUs step a run. No bit depends on it.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::forms::{FormTime, keep, kept, situation, time_forms};
use beadwork_cuda::{Device, LaunchOverrides, alike, usual_plan};
use beadwork_model::StageKind;

use crate::Error;
use crate::control::{Control, Forms};
use crate::devices::Devices;
use crate::gpu_assignment::GpuAssignment;
use crate::plan::{MemberPlan, Plan};

/// Runs that take longer have their forms timed, which takes some seconds.
const LONG_SECONDS: f64 = 300.0;

/// A step of any member takes a card longer, and a bead-step of all of them too: with less work than this a run is not long.
const LEAST_SECONDS_A_STEP: f64 = 5e-7;
const LEAST_SECONDS_A_BEAD_STEP: f64 = 5e-11;

/// The steps that are left of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Left {
    /// The members that are open: those that have any, and others of their ladders.
    pub members: usize,
    /// The steps of the member that has most left.
    pub longest: u64,
    /// The sum over members of the steps left times the beads.
    pub bead_steps: f64,
}

impl Left {
    /// Counts a member of which so many steps are made, and at most so many will be.
    pub fn add(&mut self, member: &MemberPlan, made: u64, most: u64) {
        let left = member.protocol.steps().saturating_sub(made).min(most);
        self.longest = self.longest.max(left);
        self.bead_steps += left as f64 * member.system.beads() as f64;
    }

    /// A time that the steps take at least on so many cards.
    fn least_seconds(&self, cards: usize) -> f64 {
        let of_all = self.bead_steps * LEAST_SECONDS_A_BEAD_STEP / cards as f64;
        (self.longest as f64 * LEAST_SECONDS_A_STEP).max(of_all)
    }
}

/// A form for members of one plan, and what is said of it.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The form and its plan; `None` for the usual one.
    pub form: Option<(beadwork_cuda::Plan, LaunchOverrides)>,
    /// The form and why it was taken; `None` where the usual one was taken without timing.
    pub words: Option<String>,
}

/// The form for a run that is stepped on GPUs. It is that of the first stage of dynamics; others of the same plan take it too.
///
/// # Errors
/// Those of launches.
pub fn choose(control: &Control<'_>, plan: &Plan, left: Left) -> Result<Chosen, Error> {
    let Devices::Cuda(devices) = &control.devices else { return Ok(Chosen::default()) };
    let (Some(device), false) =
        (devices.first(), control.forms == Forms::Usual || left.members == 0)
    else {
        return Ok(Chosen::default());
    };
    let usual = |reason: &str| Chosen {
        form: None,
        words: (control.forms != Forms::Learnt).then(|| format!("usual (not timed: {reason})")),
    };
    let assignment = GpuAssignment::new(devices, plan, left.members, control.threads);
    let (on_card, cards) = (assignment.members_on_card().max(1), assignment.cards.len().max(1));
    if let Forms::Fixed(fixed) = control.forms {
        return Ok(match plan_of_dynamics(device, plan, on_card) {
            Some(of) => Chosen {
                form: Some((of, fixed)),
                words: Some(format!("{fixed} (as asked for, in the {} plan)", of.name())),
            },
            None => usual("members are sampled, or no stage has dynamics"),
        });
    }
    let Some(member) = kind_of(plan).map(MemberPlan::member) else {
        return Ok(usual(
            "members are of several kinds, are sampled, or begin with a minimisation",
        ));
    };
    let Some(of) = usual_plan(device, &member, Some(on_card)) else {
        return Ok(usual("members are sampled"));
    };
    let form = |form: LaunchOverrides, why: &str| Chosen {
        form: Some((of, form)),
        words: Some(format!("{form} ({why})")),
    };
    let place = situation(device, &member, on_card);
    if control.forms == Forms::Learnt {
        if let Some(known) = kept(&place) {
            return Ok(form(known, "as timed before"));
        }
        if left.least_seconds(cards) < LONG_SECONDS / 10.0 {
            return Ok(Chosen::default());
        }
    }
    let launches = left.members.div_ceil(cards * on_card) as f64 * left.longest as f64;
    let is_enough = |times: &[FormTime]| {
        let is_short = |first: &FormTime| first.seconds * launches < LONG_SECONDS;
        let is_short = control.forms == Forms::Learnt && times.first().is_some_and(is_short);
        is_short || control.is_over()
    };
    let members = members_of(plan, on_card);
    let times = time_forms(device, &members, on_card, is_enough)?;
    let Some(best) = fastest(&times).filter(|_| times.len() > 1) else {
        return Ok(usual("a member fails in its first steps, or the run was stopped"));
    };
    let unkept = match control.is_over() {
        true => Some("the run was stopped".to_string()),
        false => keep(&place, best.form).err(),
    };
    let unkept = unkept.map(|why| format!("; not kept, since {why}")).unwrap_or_default();
    Ok(form(best.form, &format!("timed: {}{unkept}", in_words(&times))))
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

/// The plan that steps the first member of a run, one of `on_card`, in its first stage of dynamics.
fn plan_of_dynamics(device: &Device, plan: &Plan, on_card: usize) -> Option<beadwork_cuda::Plan> {
    let first = plan.members.first()?;
    let mut stages = first.protocol.stages.iter();
    let stage = stages.position(|stage| matches!(stage.kind, StageKind::Dynamics { .. }))?;
    let mut member = first.member();
    member.begin_stage(stage);
    let beads = plan.members.iter().map(|member| member.system.beads());
    usual_plan(device, &member, alike(beads, on_card))
}

/// The first member of a run, if all are of one kind and begin with dynamics: where a minimisation comes first, the positions to
/// time are not known yet.
pub fn kind_of(plan: &Plan) -> Option<&MemberPlan> {
    let first = plan.members.first()?;
    let begins = matches!(first.protocol.stages.first()?.kind, StageKind::Dynamics { .. });
    let is_alike = plan.members.iter().all(|member| {
        Arc::ptr_eq(&member.system, &first.system)
            && member.protocol.dynamics == first.protocol.dynamics
            && member.protocol.stages.len() == first.protocol.stages.len()
    });
    (is_alike && begins && !first.system.is_sampled()).then_some(first)
}

/// As many members as share a card, at their start.
pub fn members_of(plan: &Plan, on_card: usize) -> Vec<Member> {
    plan.members.iter().cycle().take(on_card).map(MemberPlan::member).collect()
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
}
