//! All members, over threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use crate::Error;
use crate::checkpoint::{CheckpointSet, MemberCheckpoint, MemberStatus};
use crate::devices::Devices;
use crate::ladders;
use crate::member::MemberRun;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::worker::{Worker, Workers};

/// What a run may use, and what may end it from outside.
#[derive(Debug)]
pub struct Control<'a> {
    /// Set by a signal handler.
    pub interrupted: &'a AtomicBool,
    /// When the time limit is reached.
    pub deadline: Option<Instant>,
    /// Threads; at least 1. A thread steps several members at once, or several threads one member.
    pub threads: usize,
    /// Where members are stepped. Whoever goes on with a run must do so where it began.
    pub devices: Devices,
}

/// Why a run came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every member is over.
    Finished,
    /// A signal; checkpoints are written.
    Interrupted,
    /// The time limit; checkpoints are written.
    TimeLimit,
    /// One member failed and the run was told to stop then; checkpoints are written.
    Failure,
}

/// How a run came back.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why.
    pub ending: Ending,
    /// Where each member reports, by number; `None` for those that have not begun.
    pub statuses: Vec<Option<MemberStatus>>,
    /// What is worth saying of what was done now, as sentences, by member.
    pub notes: Vec<String>,
}

impl Outcome {
    /// Members that failed, with their reasons.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.statuses.iter().enumerate().filter_map(|(number, status)| match status {
            Some(MemberStatus::Failed { message, .. }) => Some((number, message.as_str())),
            _ => None,
        })
    }
}

/// Where each member of a run reports, from its checkpoints.
///
/// # Errors
/// A checkpoint that cannot be used.
pub fn statuses(recorder: &dyn Recorder, plan: &Plan) -> Result<Vec<Option<MemberStatus>>, Error> {
    let mut statuses = Vec::with_capacity(plan.members.len());
    for members in plan.kept_together() {
        let kept = CheckpointSet::read(recorder, plan, &members, &plan.fingerprint, None)?;
        statuses.extend(kept.members.into_iter().map(|member| member.map(|m| m.status)));
    }
    Ok(statuses)
}

fn checkpoint_of(
    recorder: &dyn Recorder,
    plan: &Plan,
    number: usize,
) -> Result<Option<MemberCheckpoint>, Error> {
    let kept = CheckpointSet::read(recorder, plan, &(number..number + 1), &plan.fingerprint, None)?;
    Ok(kept.members.into_iter().flatten().next())
}

/// Runs all members that are not over yet, each from its checkpoint if it has one.
///
/// # Errors
/// A checkpoint that cannot be used (nothing is touched then), a file that cannot be written, or a
/// GPU that fails; the checkpoints before it stay good.
pub fn run<'a>(
    recorder: &'a dyn Recorder,
    plan: &'a Plan,
    control: &Control<'_>,
    progress: &'a Progress,
) -> Result<Outcome, Error> {
    if !plan.ladders().is_empty() {
        return ladders::run(recorder, plan, control, progress);
    }
    // All checkpoints are looked at before the first file is touched.
    let mut open = Vec::new();
    let mut statuses: Vec<Option<MemberStatus>> = vec![None; plan.members.len()];
    for (number, member) in plan.members.iter().enumerate() {
        let checkpoint = checkpoint_of(recorder, plan, number)?;
        let total = member.protocol.steps();
        match checkpoint {
            Some(checkpoint) if checkpoint.status != MemberStatus::Running => {
                progress.add_settled(total);
                match checkpoint.status {
                    MemberStatus::Failed { .. } => progress.add_failed(),
                    _ => progress.add_finished(),
                }
                statuses[number] = Some(checkpoint.status);
            }
            Some(checkpoint) => {
                progress.add_settled(settled_steps(member, &checkpoint));
                statuses[number] = Some(MemberStatus::Running);
                open.push(number);
            }
            None => open.push(number),
        }
    }
    let queue = AtomicUsize::new(0);
    let halted = AtomicBool::new(false);
    let error: Mutex<Option<Error>> = Mutex::new(None);
    let results: Mutex<Vec<(usize, MemberStatus, Vec<String>)>> = Mutex::new(Vec::new());
    let timed_out = || control.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let stop = || {
        halted.load(Ordering::Relaxed) || control.interrupted.load(Ordering::Relaxed) || timed_out()
    };
    let workers = Workers::of(&control.devices, plan, open.len(), control.threads);
    let leave = |mut member: MemberRun<'_>| -> Result<(), Error> {
        member.leave()?;
        let failed = matches!(member.status(), MemberStatus::Failed { .. });
        if let Ok(mut results) = results.lock() {
            let notes = member.notes().to_vec();
            results.push((member.number(), member.status().clone(), notes));
        }
        if failed && plan.stop_on_failure {
            halted.store(true, Ordering::Relaxed);
        }
        Ok(())
    };
    let go_on = |worker: &mut Worker<'a>| -> Result<(), Error> {
        while !stop() {
            while worker.has_room() {
                let Some(&number) = open.get(queue.fetch_add(1, Ordering::Relaxed)) else { break };
                let checkpoint = checkpoint_of(recorder, plan, number)?;
                let mut run = MemberRun::open(recorder, plan, number, checkpoint, None, progress)?;
                if workers.threads_each() > 1 {
                    run.member_mut().set_threads(workers.threads_each());
                }
                worker.runs.push(run);
            }
            if worker.runs.is_empty() {
                break;
            }
            worker.run_slice(&mut [])?;
            let mut outcome = Ok(());
            for member in worker.take_finished() {
                let left = leave(member);
                outcome = outcome.and(left);
            }
            outcome?;
        }
        Ok(())
    };
    let work = |number: usize| -> Result<(), Error> {
        let mut worker = workers.worker(number)?;
        let mut outcome = go_on(&mut worker);
        // A file that could not be written, or a GPU that failed, is no reason to lose what the others have done.
        for member in worker.runs {
            let left = leave(member);
            outcome = outcome.and(left);
        }
        outcome
    };
    let joined = std::thread::scope(|scope| {
        // A run that is over needs neither threads nor devices.
        let workers: Vec<_> = (0..workers.count().min(open.len()))
            .map(|number| {
                let (work, halted, error) = (&work, &halted, &error);
                scope.spawn(move || {
                    if let Err(failure) = work(number) {
                        // The first error is told; the others stop at their next slice.
                        halted.store(true, Ordering::Relaxed);
                        if let Ok(mut error) = error.lock() {
                            error.get_or_insert(failure);
                        }
                    }
                })
            })
            .collect();
        workers.into_iter().all(|worker| worker.join().is_ok())
    });
    if let Ok(Some(error)) = error.into_inner() {
        return Err(error);
    }
    if !joined {
        return Err(Error::Worker);
    }
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(number, ..)| *number);
    let mut notes = Vec::new();
    for (number, status, said) in results {
        statuses[number] = Some(status);
        notes.extend(said);
    }
    let over = |status: &Option<MemberStatus>| {
        matches!(status, Some(MemberStatus::Finished | MemberStatus::Failed { .. }))
    };
    let ending = if statuses.iter().all(over) {
        Ending::Finished
    } else if halted.load(Ordering::Relaxed) {
        // Whatever else came while the others wrote their checkpoints.
        Ending::Failure
    } else if control.interrupted.load(Ordering::Relaxed) {
        Ending::Interrupted
    } else {
        Ending::TimeLimit
    };
    Ok(Outcome { ending, statuses, notes })
}

/// Steps of the plan that a checkpoint has behind it, stages that ended early counted whole.
pub(crate) fn settled_steps(member: &crate::MemberPlan, checkpoint: &MemberCheckpoint) -> u64 {
    let stages = &member.protocol.stages;
    let behind: u64 = stages.iter().take(checkpoint.state.stage).map(|stage| stage.steps()).sum();
    let here = match stages.get(checkpoint.state.stage) {
        Some(stage) if checkpoint.state.stage_over => stage.steps(),
        _ => checkpoint.state.stage_step,
    };
    behind + here
}
