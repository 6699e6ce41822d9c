//! How fast a GPU steps the members of a plan, by a short measurement.

use std::sync::Arc;
use std::time::{Duration, Instant};

use beadwork::cpu::Member;
use beadwork::cuda::{Device, Ensemble, Job, LadderBatch, SweepSchedule, is_on_gpu, sample_bytes};
use beadwork::engine::{GpuAssignment, MemberPlan, Plan};
use beadwork::simulation::SamplePoint;

/// A launch that takes as long says enough.
const LONG_ENOUGH: Duration = Duration::from_millis(250);

/// Steps of the first launch, which is not timed, and of any at most.
const FIRST_STEPS: u64 = 16;
const MOST_STEPS: u64 = 1 << 22;

/// Bytes that a launch may bring back.
const SAMPLES: usize = 64 << 20;

/// What a card does.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Steps of all members together in a second.
    pub steps_per_second: f64,
    /// Seconds of a step of all members at once.
    pub seconds_per_step: f64,
}

/// Has a card step as many members of a plan as a run would have on it at a time, each in its longest stage, for some
/// tenths of a second. Rows and frames are not written.
///
/// # Errors
/// Why it cannot be measured: a part of a sentence.
pub fn measure(card: &Device, plan: &Plan, gpu_assignment: &GpuAssignment) -> Result<Pace, String> {
    if gpu_assignment.are_sampled() {
        return measure_chains(card, plan, gpu_assignment);
    }
    let sample = plan.members.iter().map(|member| sample_bytes(&member.system, &member.protocol));
    let most = SAMPLES / sample.max().unwrap_or(1).max(1);
    let count = gpu_assignment.members_on_card().min(most).max(1);
    // Spread over the plan, since its points may differ in size. Those of a point have one to stand for all.
    let mut members: Vec<(&MemberPlan, Member)> = Vec::new();
    let mut seats = Vec::with_capacity(count);
    for seat in 0..count {
        let wanted = &plan.members[seat * plan.members.len() / count];
        let is_alike = |other: &MemberPlan| {
            Arc::ptr_eq(&other.system, &wanted.system)
                && Arc::ptr_eq(&other.protocol, &wanted.protocol)
        };
        match members.iter().position(|(other, _)| is_alike(other)) {
            Some(place) => seats.push(place),
            None => {
                let member = in_longest_stage(wanted).ok_or("no stage has steps of dynamics")?;
                seats.push(members.len());
                members.push((wanted, member));
            }
        }
    }
    let ensemble = Ensemble::new(card).map_err(|error| error.to_string())?;
    let mut ensemble = ensemble.with_members_on_device(gpu_assignment.members_on_card());
    let longest = members.iter().map(|(_, member)| member.remaining()).max().unwrap_or(0);
    let mut steps = FIRST_STEPS;
    let mut is_first = true;
    loop {
        let points: Vec<[SamplePoint; 1]> = members
            .iter()
            .map(|(_, member)| {
                [SamplePoint { steps: steps.min(member.remaining()) as u32, row: false }]
            })
            .collect();
        let jobs: Vec<Job<'_>> = seats
            .iter()
            .map(|&place| Job { member: &members[place].1, points: &points[place] })
            .collect();
        let began = Instant::now();
        let results = ensemble.advance(&jobs).map_err(|error| error.to_string())?;
        let elapsed = began.elapsed();
        if results.iter().any(|result| result.samples() == 0) {
            return Err(format!("a trajectory fails within {steps} steps of the measurement"));
        }
        let made: u64 =
            jobs.iter().flat_map(|job| job.points).map(|point| u64::from(point.steps)).sum();
        let is_whole = steps >= longest.min(MOST_STEPS);
        if !is_first && (elapsed >= LONG_ENOUGH || is_whole) {
            let seconds = elapsed.as_secs_f64();
            return Ok(Pace {
                steps_per_second: made as f64 / seconds,
                seconds_per_step: seconds / steps.min(longest) as f64,
            });
        }
        // The first has the driver load kernels and make room.
        if !is_first {
            let wanted = LONG_ENOUGH.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
            steps = (steps as f64 * (1.2 * wanted).clamp(2.0, 64.0)) as u64;
            steps = steps.min(longest).min(MOST_STEPS);
        }
        is_first = false;
    }
}

/// Has a card sample as many chains as a run would have in one launch, all like the longest of them. Exchanges and rows are
/// not among it.
fn measure_chains(
    card: &Device,
    plan: &Plan,
    gpu_assignment: &GpuAssignment,
) -> Result<Pace, String> {
    let longest = plan.members.iter().max_by_key(|member| member.system.beads());
    let member = longest
        .map(|of| Member::new(of.system.clone(), of.protocol.clone(), of.replica, &of.start));
    let together = longest.map_or(1, |of| plan.like(of)).min(gpu_assignment.together);
    let Some(Member::MonteCarlo(walk)) = &member else {
        return Err("no chain is sampled".to_string());
    };
    let mut batch = LadderBatch::of_copies(walk, together);
    let mut sweeps = FIRST_STEPS;
    for trial in 0.. {
        let schedule = SweepSchedule { sweeps, ..SweepSchedule::default() };
        let began = Instant::now();
        let sampled = batch.sample(card, walk.precision(), schedule);
        sampled.map_err(|error| error.to_string())?;
        let seconds = began.elapsed().as_secs_f64();
        if trial > 0 && (seconds >= LONG_ENOUGH.as_secs_f64() || sweeps == MOST_STEPS) {
            let made = sweeps as f64 * together as f64;
            let seconds_per_step = seconds / sweeps as f64;
            return Ok(Pace { steps_per_second: made / seconds, seconds_per_step });
        }
        // The first has the driver load kernels.
        if trial > 0 {
            let wanted = 1.2 * LONG_ENOUGH.as_secs_f64() / seconds.max(1e-6);
            sweeps = ((sweeps as f64 * wanted.clamp(2.0, 64.0)) as u64).min(MOST_STEPS);
        }
    }
    unreachable!("some trial is long enough")
}

/// A member at the start of its longest stage of dynamics.
fn in_longest_stage(plan: &MemberPlan) -> Option<Member> {
    let stages = plan.protocol.stages.iter().enumerate();
    let flown = stages.filter(|(_, stage)| is_on_gpu(&stage.kind) && stage.steps() > 0);
    let (number, _) = flown.max_by_key(|(_, stage)| stage.steps())?;
    let (system, protocol) = (plan.system.clone(), plan.protocol.clone());
    let mut member = Member::new(system, protocol, plan.replica, &plan.start);
    member.begin_stage(number);
    Some(member)
}
