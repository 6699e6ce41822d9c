//! Estimates the duration of a run on this machine from a short measurement of its steps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cpu::{Group, Member};
use crate::cuda::{
    Device, Ensemble, Job, LadderBatch, SweepSchedule, most_steps_together, sample_bytes,
};
use crate::engine::{CpuAssignment, GpuAssignment, MemberPlan, Plan, describe_failure};
use crate::input::{Point, Request};
use crate::model::{Protocol, Stage, StageKind};
use crate::simulation::{Failure, SamplePoint};

use super::first_steps::{at_point, in_words};
use crate::cores;

/// The least time of a measurement on the CPU, and of a launch on a GPU.
const CPU_TIME: Duration = Duration::from_millis(150);
const GPU_TIME: Duration = Duration::from_millis(250);

/// Parts of a measurement on the CPU, of which the fastest counts: other programs may take the cores during the others.
const SLICES: u32 = 3;

/// The most steps on the CPU between checks of the clock.
const CPU_STEPS: u64 = 1 << 10;

/// The steps of the first launch on a GPU, and the most of any.
const FIRST_STEPS: u64 = 16;
const MOST_STEPS: u64 = 1 << 22;

/// The most points of a sweep that are measured on the CPU. The others count as equally fast for their size.
const MOST_POINTS: usize = 8;

/// Seconds in which a core packs and writes one bead of a frame, and in which it writes a row.
const SECONDS_PER_BEAD_OF_FRAME: f64 = 8e-8;
const SECONDS_PER_ROW: f64 = 4e-6;

/// The most bytes that a launch returns.
const SAMPLES: usize = 64 << 20;

/// How long a run takes.
pub struct Estimate {
    pub seconds: f64,
    /// Steps of all members in a second.
    pub steps_per_second: f64,
    /// The devices, such as `2 core(s)`.
    pub on: String,
    /// On the CPU, seconds of one core for all members of each point.
    pub core_seconds: Vec<f64>,
}

/// Why the duration of a run is not estimated.
pub enum Unmeasured {
    /// The run makes the same steps and fails in them, as the words say.
    RunFails(String),
    /// The longest stage fails when it begins at the start. The run begins it elsewhere, or may end it before, and need not fail.
    StageFails(String),
    /// Another reason, as a part of a sentence.
    Other(String),
}

impl Unmeasured {
    /// Puts the settings of a point before a failure.
    fn at(self, point: &Point) -> Self {
        match self {
            Self::RunFails(reason) => Self::RunFails(at_point(point, &reason)),
            Self::StageFails(reason) => Self::StageFails(at_point(point, &reason)),
            Self::Other(reason) => Self::Other(reason),
        }
    }
}

/// Steps a few members of each point for a moment. Rows are computed but not written.
///
/// # Errors
/// The reason, if the steps cannot be measured.
pub fn on_cpu(
    request: &Request,
    plan: &Plan,
    assignment: &CpuAssignment,
) -> Result<Estimate, Unmeasured> {
    let (mut core_seconds, mut steps_in_all, mut last) = (Vec::new(), 0.0, 0.0);
    for (number, point) in request.points.iter().enumerate() {
        let beads = point.system.beads() as f64;
        // A move of a chain computes the distances to all other monomers.
        let size = if point.system.is_sampled() { beads * beads } else { beads };
        if number < MOST_POINTS {
            let replicas = request.replicas as usize;
            let of_point = &plan.members[number * replicas..][..replicas];
            let together = members_together(&of_point[0], plan, assignment);
            let every = request.output.table_every;
            let measured = seconds_per_step(of_point, assignment, together, every);
            last = measured.map_err(|reason| reason.at(point))? / size;
        }
        let steps = point.protocol.steps() as f64;
        let rows = steps / request.output.table_every as f64;
        let frames = request.output.trajectory.map_or(0.0, |(every, _)| steps / every as f64);
        let outputs = rows * SECONDS_PER_ROW + frames * beads * SECONDS_PER_BEAD_OF_FRAME;
        core_seconds.push((steps * last * size + outputs) * request.replicas as f64);
        steps_in_all += steps * request.replicas as f64;
    }
    // More threads than cores are no faster.
    let cores = (assignment.workers * assignment.threads_each).min(cores());
    let seconds = core_seconds.iter().sum::<f64>() / cores as f64;
    let (steps_per_second, on) = (steps_in_all / seconds, format!("{cores} core(s)"));
    Ok(Estimate { seconds, steps_per_second, on, core_seconds })
}

/// How many members a thread of the run steps together where this one is among them. Points may differ in precision, of which
/// vectors have other numbers of lanes, and in what keeps their members out of one group.
fn members_together(member: &MemberPlan, plan: &Plan, assignment: &CpuAssignment) -> usize {
    let dynamics = &member.protocol.dynamics;
    let is_alike = |other: &&MemberPlan| {
        let of_other = &other.protocol.dynamics;
        Arc::ptr_eq(&other.system, &member.system)
            && of_other.precision == dynamics.precision
            && of_other.integrator == dynamics.integrator
    };
    let lanes = Group::new(assignment.instructions).width(dynamics.precision);
    let room = assignment.together.min(lanes);
    let together = plan.members.iter().filter(is_alike).take(room).count();
    if together < assignment.worth_together { 1 } else { together }
}

/// Seconds of one core for a step of one member of a point in its longest stage, `together` of them at a time.
fn seconds_per_step(
    of_point: &[MemberPlan],
    assignment: &CpuAssignment,
    together: usize,
    table_every: u64,
) -> Result<f64, Unmeasured> {
    // A group may have more members than the point has replicas.
    let member = |number: usize| match of_point.get(number) {
        Some(planned) => in_longest_stage(planned),
        None => {
            let replica = of_point[0].replica + number as u64;
            in_longest_stage(&MemberPlan { replica, ..of_point[0].clone() })
        }
    };
    let members: Result<Vec<Member>, String> = (0..together).map(member).collect();
    let mut members = members.map_err(Unmeasured::Other)?;
    members.iter_mut().for_each(|member| member.set_threads(assignment.threads_each));
    let mut group = Group::new(assignment.instructions);
    let failed = |number: usize, failure: Failure| judged(of_point, number, &failure);
    let mut advance = |members: &mut [Member], steps: u64| -> Result<(), Unmeasured> {
        if let [member] = members {
            return member.advance(steps).map(drop).map_err(|failure| failed(0, failure));
        }
        let mut all: Vec<&mut Member> = members.iter_mut().collect();
        let mut made = group.advance(&mut all, steps).into_iter().enumerate();
        made.try_for_each(|(number, one)| one.map(drop).map_err(|failure| failed(number, failure)))
    };
    // The first step allocates memory.
    advance(&mut members, 1)?;
    let began = Instant::now();
    let (mut made, mut batch) = (0, 1);
    let (mut slice, mut made_before, mut fastest) = (began, 0, f64::INFINITY);
    // Of small systems some steps are made however busy the machine is, so that what is found in them does not depend on it.
    let least = (100_000 / members[0].system().beads().max(1) as u64).min(16);
    while (began.elapsed() < CPU_TIME || made < least) && members[0].remaining() > 0 {
        // Rows are those of a run, so that a failure that a row finds is one of the run.
        let to_row = table_every - (made + 1) % table_every;
        let steps = batch.min(to_row).min(members[0].remaining());
        advance(&mut members, steps)?;
        made += steps;
        batch = (2 * batch).min(CPU_STEPS);
        if steps == to_row {
            let mut measured = members.iter_mut().map(Member::measure).enumerate();
            measured.try_for_each(|(number, one)| {
                one.map(drop).map_err(|failure| failed(number, failure))
            })?;
        }
        if slice.elapsed() >= CPU_TIME / SLICES {
            let seconds = slice.elapsed().as_secs_f64() / (made - made_before) as f64;
            (slice, made_before, fastest) = (Instant::now(), made, fastest.min(seconds));
        }
    }
    if made == 0 {
        return Err(Unmeasured::Other("the longest stage has one step".to_string()));
    }
    // More threads than cores are no faster.
    let cores = assignment.threads_each.min(cores()) as f64;
    let all = began.elapsed().as_secs_f64() / made as f64;
    Ok(fastest.min(all) * cores / members.len() as f64)
}

/// What the failure of a measured member, the replica of this number in its point, means for the run.
fn judged(of_point: &[MemberPlan], number: usize, failure: &Failure) -> Unmeasured {
    let (first, protocol) = (&of_point[0], &of_point[0].protocol);
    if longest_stage(protocol) == Some(0) {
        let stage = &protocol.stages[0];
        // Rungs of exchanges have temperatures of their own, and a rule may end the stage before it fails.
        let is_reached = stage.stops.iter().all(|rule| failure.step < rule.every);
        let replica = of_point.get(number).filter(|planned| planned.exchange.is_none());
        if let (true, Some(planned)) = (is_reached, replica) {
            return Unmeasured::RunFails(in_words(planned, stage, failure));
        }
    }
    let minimises = |stage: &Stage| matches!(stage.kind, StageKind::Minimise { .. });
    if protocol.stages.iter().any(minimises) {
        let reason = "this start needs its minimisation, which a measurement leaves out";
        return Unmeasured::Other(reason.to_string());
    }
    let error = describe_failure(&failure.error, &first.system);
    Unmeasured::StageFails(format!("the longest stage fails when it begins at the start: {error}"))
}

/// Has a GPU step as many members as a run would have on it at a time, each in its longest stage. Rows and frames are not
/// written.
///
/// # Errors
/// A reason, as a part of a sentence, if the steps cannot be measured.
pub fn on_gpus(card: &Device, plan: &Plan, assignment: &GpuAssignment) -> Result<Estimate, String> {
    let (steps_per_second, seconds_per_step) = match assignment.are_sampled() {
        true => time_chains(card, plan, assignment)?,
        false => time_members(card, plan, assignment)?,
    };
    let steps = plan.members.iter().map(|member| member.protocol.steps() as f64);
    let (all, longest) = steps.fold((0.0, 0.0_f64), |(all, most), s| (all + s, most.max(s)));
    // A member runs on one card, so the longest member bounds the time.
    let cards = assignment.cards.len();
    let seconds = (all / steps_per_second / cards as f64).max(longest * seconds_per_step);
    let (steps_per_second, on) = (all / seconds, format!("{cards} GPU(s)"));
    Ok(Estimate { seconds, steps_per_second, on, core_seconds: Vec::new() })
}

/// Steps of all members in a second, and seconds of one step.
fn time_members(
    card: &Device,
    plan: &Plan,
    assignment: &GpuAssignment,
) -> Result<(f64, f64), String> {
    let sample = plan.members.iter().map(|member| sample_bytes(&member.system, &member.protocol));
    let most = SAMPLES / sample.max().unwrap_or(1).max(1);
    let count = assignment.members_on_card().min(most).max(1);
    // Points may differ in size, so the timed members are spread over the plan; one member represents its point.
    let mut members: Vec<(&MemberPlan, Member)> = Vec::new();
    let mut copies = Vec::with_capacity(count);
    for copy in 0..count {
        let wanted = &plan.members[copy * plan.members.len() / count];
        let is_alike = |other: &MemberPlan| {
            Arc::ptr_eq(&other.system, &wanted.system)
                && Arc::ptr_eq(&other.protocol, &wanted.protocol)
        };
        let known = members.iter().position(|(other, _)| is_alike(other));
        copies.push(known.unwrap_or(members.len()));
        if known.is_none() {
            members.push((wanted, in_longest_stage(wanted)?));
        }
    }
    let ensemble = Ensemble::new(card).map_err(|error| error.to_string())?;
    let mut ensemble = ensemble.with_members_on_device(assignment.members_on_card());
    let longest = members.iter().map(|(_, member)| member.remaining()).max().unwrap_or(0);
    let together = most_steps_together(copies.iter().map(|&copy| &members[copy].1));
    let most = longest.min(MOST_STEPS).min(together);
    let steps_of = |member: &Member, steps: u64| steps.min(member.remaining());
    let (steps, seconds) = timed(most, |steps| {
        let point = |(_, member): &(_, Member)| {
            [SamplePoint { steps: steps_of(member, steps) as u32, row: false }]
        };
        let points: Vec<[SamplePoint; 1]> = members.iter().map(point).collect();
        let job = |&copy: &usize| Job { member: &members[copy].1, points: &points[copy] };
        let jobs: Vec<Job<'_>> = copies.iter().map(job).collect();
        let results = ensemble.advance(&jobs).map_err(|error| error.to_string())?;
        match results.iter().any(|result| result.samples() == 0) {
            true => Err(format!("a trajectory fails within {steps} steps of the measurement")),
            false => Ok(()),
        }
    })?;
    let made: u64 = copies.iter().map(|&copy| steps_of(&members[copy].1, steps)).sum();
    Ok((made as f64 / seconds, seconds / steps as f64))
}

/// Times sweeps of chains, all like the longest one; exchanges are not timed.
fn time_chains(
    card: &Device,
    plan: &Plan,
    assignment: &GpuAssignment,
) -> Result<(f64, f64), String> {
    let longest = plan.members.iter().max_by_key(|member| member.system.beads());
    let together = longest.map_or(1, |of| plan.like(of)).min(assignment.together);
    let Some(Member::MonteCarlo(chain)) = longest.map(MemberPlan::member) else {
        return Err("no chain is sampled".to_string());
    };
    let mut batch = LadderBatch::of_copies(&chain, together);
    let (sweeps, seconds) = timed(MOST_STEPS, |sweeps| {
        let schedule = SweepSchedule { sweeps, ..SweepSchedule::default() };
        let sampled = batch.sample(card, chain.precision(), schedule);
        sampled.map(drop).map_err(|error| error.to_string())
    })?;
    Ok(((sweeps * together as u64) as f64 / seconds, seconds / sweeps as f64))
}

/// Repeats a launch with more and more steps, at most `most`, until it takes [`GPU_TIME`]. Returns the steps of the last
/// launch and its seconds. The first launch is not timed, because the driver loads kernels and allocates memory in it.
fn timed(
    most: u64,
    mut launch: impl FnMut(u64) -> Result<(), String>,
) -> Result<(u64, f64), String> {
    let mut steps = FIRST_STEPS.min(most);
    launch(steps)?;
    loop {
        let began = Instant::now();
        launch(steps)?;
        let seconds = began.elapsed().as_secs_f64();
        if seconds >= GPU_TIME.as_secs_f64() || steps >= most {
            return Ok((steps, seconds));
        }
        let growth = 1.2 * GPU_TIME.as_secs_f64() / seconds.max(1e-6);
        steps = ((steps as f64 * growth.clamp(2.0, 64.0)) as u64).min(most);
    }
}

/// The number of the longest stage of dynamics or sampling, the first of equally long ones, if one has steps.
fn longest_stage(protocol: &Protocol) -> Option<usize> {
    let stages = protocol.stages.iter().enumerate();
    let is_stepped = |stage: &Stage| !matches!(stage.kind, StageKind::Minimise { .. });
    let stepped = stages.filter(|(_, stage)| is_stepped(stage) && stage.steps() > 0);
    stepped.rev().max_by_key(|(_, stage)| stage.steps()).map(|(number, _)| number)
}

/// A member at the start of its longest stage of dynamics or sampling.
fn in_longest_stage(plan: &MemberPlan) -> Result<Member, String> {
    let number = longest_stage(&plan.protocol).ok_or("no stage has steps except minimisations")?;
    let mut member = plan.member();
    // A member begins in its first stage.
    if number > 0 {
        member.begin_stage(number);
    }
    Ok(member)
}
