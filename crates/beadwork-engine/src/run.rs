//! Runs a plan: opens the members that have steps left, steps them on several threads, and collects their outcomes.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use beadwork_io::written::Comparison;

use crate::Error;
use crate::checkpoint::{CheckpointSet, MemberCheckpoint, MemberStatus, checkpoints};
use crate::devices::Devices;
use crate::ladders;
use crate::member::{MemberRun, RungAssignment};
use crate::plan::{MemberPlan, Plan};
use crate::progress::Progress;
use crate::recorder::{RecordEnd, Recorder};
use crate::threads::{self, on_some};
use crate::worker::{Worker, Workers};

/// The resources of a run, and what may stop it early.
#[derive(Debug)]
pub struct Control<'a> {
    /// Set by a signal handler.
    pub interrupted: &'a AtomicBool,
    /// When the time limit is reached.
    pub deadline: Option<Instant>,
    /// Threads; at least 1. A thread steps several members at once, or several threads one member.
    pub threads: usize,
    /// Where members are stepped. A run must be continued on the kind of device that it began on.
    pub devices: Devices,
}

impl Control<'_> {
    /// Whether a signal or the time limit stops the run.
    fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Why a run returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No member has steps left.
    Finished,
    /// A signal stopped it; checkpoints are written.
    Interrupted,
    /// The time limit stopped it; checkpoints are written.
    TimeLimit,
    /// A member failed, and the plan says to stop then; checkpoints are written.
    Failure,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why the run returned.
    pub ending: Ending,
    /// The status of each member by number; `None` for members that have not begun.
    pub statuses: Vec<Option<MemberStatus>>,
    /// Remarks on this session's work, as sentences, in the order of the members.
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

/// The status of each member of a run, from its checkpoint.
///
/// # Errors
/// A checkpoint that cannot be used.
pub fn statuses(recorder: &dyn Recorder, plan: &Plan) -> Result<Vec<Option<MemberStatus>>, Error> {
    let status = |found: Option<MemberCheckpoint>| found.map(|checkpoint| checkpoint.status);
    checkpoints(recorder, plan).map(|found| found.map(status)).collect()
}

/// Runs all members that have steps left, each from its checkpoint if it has one.
///
/// # Errors
/// A checkpoint that cannot be used (no file is touched then), a file that cannot be written, or a GPU that fails; earlier
/// checkpoints remain valid.
pub fn run<'a>(
    recorder: &'a dyn Recorder,
    plan: &'a Plan,
    control: &Control<'_>,
    progress: &'a Progress,
) -> Result<Outcome, Error> {
    // All checkpoints are read before the first file is touched.
    let (mut open, mut statuses, mut records) = (Vec::new(), Vec::new(), Vec::new());
    for members in plan.checkpoint_groups() {
        let found = CheckpointSet::read(recorder, plan, &members)?.members;
        for (number, checkpoint) in members.clone().zip(&found) {
            let settled = checkpoint.as_ref().map(|c| settled_steps(&plan.members[number], c));
            progress.settled.add(settled.unwrap_or(0));
        }
        let ends = found.iter().map(|one| one.as_ref().map(|one| one.record));
        records.extend(members.clone().zip(ends));
        let found: Vec<_> = found.into_iter().map(|one| one.map(|one| one.status)).collect();
        if found.iter().all(is_over) {
            found.iter().flatten().for_each(|status| progress.count(status));
        } else {
            open.push(members);
        }
        statuses.extend(found);
    }
    let longer = compare_records(recorder, plan, control, &records)?;
    for &(number, end) in &longer {
        let is_open = open.iter().any(|members| members.contains(&number));
        if !is_open {
            // Nobody opens the record of a member that has no steps left: it is cut back here.
            drop(recorder.open(plan, number, Some(end))?);
        }
    }
    let left = open.iter().map(ExactSizeIterator::len).sum();
    let shared = SharedRun {
        recorder,
        plan,
        progress,
        workers: Workers::of(&control.devices, plan, left, control.threads),
        control,
        halted: AtomicBool::new(false),
        error: Mutex::new(None),
        statuses: Mutex::new(statuses),
        notes: Mutex::default(),
    };
    let stepped = match plan.ladders().is_empty() {
        true => shared.step_members(&open),
        false => ladders::step_ladders(&shared, &open),
    };
    shared.finish(stepped)
}

/// Compares the records of all members with their checkpoints, before a file is touched. Returns those that have to be cut
/// back. A run that is stopped meanwhile steps no member, and needs no more of it.
fn compare_records(
    recorder: &dyn Recorder,
    plan: &Plan,
    control: &Control<'_>,
    records: &[(usize, Option<RecordEnd>)],
) -> Result<Vec<(usize, RecordEnd)>, Error> {
    let known: Vec<(usize, RecordEnd)> =
        records.iter().filter_map(|&(number, end)| Some((number, end?))).collect();
    let next = AtomicUsize::new(0);
    let longer: Mutex<Vec<(usize, RecordEnd)>> = Mutex::default();
    let failed: Mutex<Vec<(usize, Error)>> = Mutex::default();
    let others = control.threads.min(known.len()).saturating_sub(1);
    on_some(others, || {
        while let Some(&(number, end)) = known.get(next.fetch_add(1, Ordering::Relaxed)) {
            if control.is_over() {
                return;
            }
            match recorder.compare(plan, number, end) {
                Ok(Comparison::Same) => {}
                Ok(Comparison::Beginning) => lock(&longer).push((number, end)),
                Err(error) => lock(&failed).push((number, error)),
            }
        }
    });
    let mut failed = unpoisoned(failed.into_inner());
    failed.sort_by_key(|(number, _)| *number);
    match failed.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(unpoisoned(longer.into_inner())),
    }
}

fn is_over(status: &Option<MemberStatus>) -> bool {
    status.as_ref().is_some_and(|status| *status != MemberStatus::Running)
}

/// Steps of the plan that need no more work at a checkpoint. Stages that ended early count as whole.
pub(crate) fn settled_steps(member: &MemberPlan, checkpoint: &MemberCheckpoint) -> u64 {
    if checkpoint.status != MemberStatus::Running {
        return member.protocol.steps();
    }
    let stages = &member.protocol.stages;
    let before: u64 = stages.iter().take(checkpoint.state.stage).map(|stage| stage.steps()).sum();
    before
        + match stages.get(checkpoint.state.stage) {
            Some(stage) if checkpoint.state.stage_over => stage.steps(),
            _ => checkpoint.state.stage_step,
        }
}

fn unpoisoned<T>(value: Result<T, PoisonError<T>>) -> T {
    value.unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex, even if a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

pub(crate) struct SharedRun<'a, 'c> {
    pub recorder: &'a dyn Recorder,
    pub plan: &'a Plan,
    pub progress: &'a Progress,
    pub workers: Workers,
    control: &'c Control<'c>,
    /// Whether an error or a failed member stops the run.
    halted: AtomicBool,
    error: Mutex<Option<Error>>,
    statuses: Mutex<Vec<Option<MemberStatus>>>,
    /// Remarks with the number of the member that they are about.
    notes: Mutex<Vec<(usize, String)>>,
}

impl<'a> SharedRun<'a, '_> {
    /// Whether every thread must stop at the end of its time slice.
    pub fn is_stopped(&self) -> bool {
        self.halted.load(Ordering::Relaxed) || self.control.is_over()
    }

    /// Stops the run for an error; the first error is the one that the run returns.
    pub fn stop_for(&self, error: Error) {
        self.halted.store(true, Ordering::Relaxed);
        lock(&self.error).get_or_insert(error);
    }

    /// Stops the run for a member that failed, if the plan says so.
    pub fn stop_for_failure(&self) {
        self.halted.fetch_or(self.plan.stop_on_failure, Ordering::Relaxed);
    }

    pub fn add_note(&self, number: usize, note: String) {
        lock(&self.notes).push((number, note));
    }

    /// Records the status and the notes of a member.
    pub fn note_end(&self, member: &MemberRun<'_>) {
        self.progress.count(&member.status);
        let number = member.number;
        lock(&self.statuses)[number] = Some(member.status.clone());
        lock(&self.notes).extend(member.notes.iter().map(|note| (number, note.clone())));
    }

    pub fn open_member(
        &self,
        number: usize,
        checkpoint: Option<MemberCheckpoint>,
        rung: Option<RungAssignment>,
    ) -> Result<MemberRun<'a>, Error> {
        let (recorder, plan, progress) = (self.recorder, self.plan, self.progress);
        let mut run = MemberRun::open(recorder, plan, number, checkpoint, rung, progress)?;
        if self.workers.threads_each > 1 {
            run.member.set_threads(self.workers.threads_each);
        }
        Ok(run)
    }

    /// Steps members that share nothing.
    fn step_members(&self, open: &[Range<usize>]) -> Result<(), Error> {
        let queue = AtomicUsize::new(0);
        // A run without steps left needs neither threads nor devices.
        threads::on_all(self.workers.rooms.len().min(open.len()), |number| {
            let stepped = self.workers.worker(number).and_then(|mut worker| {
                let stepped = self.step_from_queue(&mut worker, open, &queue);
                // A full disk or a failed GPU must not lose the steps of the other members.
                worker.runs.into_iter().map(|member| self.close(member)).fold(stepped, Result::and)
            });
            if let Err(error) = stepped {
                self.stop_for(error);
            }
        })
    }

    /// Steps members one after another until the queue is empty or the run stops.
    fn step_from_queue(
        &self,
        worker: &mut Worker<'a>,
        open: &[Range<usize>],
        queue: &AtomicUsize,
    ) -> Result<(), Error> {
        while !self.is_stopped() {
            while worker.has_room() {
                let Some(members) = open.get(queue.fetch_add(1, Ordering::Relaxed)) else { break };
                let mut found = CheckpointSet::read(self.recorder, self.plan, members)?.members;
                worker.runs.push(self.open_member(members.start, found.remove(0), None)?);
            }
            if worker.runs.is_empty() {
                break;
            }
            worker.run_slice(&mut [])?;
            let finished = worker.take_finished().into_iter();
            finished.map(|member| self.close(member)).fold(Ok(()), Result::and)?;
        }
        Ok(())
    }

    /// Writes the last checkpoint of a member in this session.
    fn close(&self, mut member: MemberRun<'_>) -> Result<(), Error> {
        member.write_checkpoint()?;
        self.note_end(&member);
        if matches!(member.status, MemberStatus::Failed { .. }) {
            self.stop_for_failure();
        }
        Ok(())
    }

    /// The first error that a thread met, or else that of the threads themselves, or the outcome.
    fn finish(self, stepped: Result<(), Error>) -> Result<Outcome, Error> {
        unpoisoned(self.error.into_inner()).map_or(stepped, Err)?;
        let statuses = unpoisoned(self.statuses.into_inner());
        let mut notes = unpoisoned(self.notes.into_inner());
        notes.sort();
        let ending = if statuses.iter().all(is_over) {
            Ending::Finished
        } else if self.halted.into_inner() {
            // A signal or the time limit may have come while the other threads wrote their checkpoints.
            Ending::Failure
        } else if self.control.interrupted.load(Ordering::Relaxed) {
            Ending::Interrupted
        } else {
            Ending::TimeLimit
        };
        Ok(Outcome { ending, statuses, notes: notes.into_iter().map(|(_, note)| note).collect() })
    }
}
