//! Runs a plan: opens the members that have steps left, steps them on several threads, and collects their outcomes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_io::written::Comparison;

use crate::Error;
use crate::checkpoint::{
    CheckpointSet, MemberCheckpoint, MemberStatus, checkpoints, is_over, settled_steps,
};
use crate::control::{Control, Outcome};
use crate::gpu_forms::{Chosen, Left, choose};
use crate::ladders::step_ladders;
use crate::locks::{lock, unpoisoned};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::recorder::{RecordEnd, Recorder};
use crate::shared_run::SharedRun;
use crate::threads::on_some;

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
    let mut work = Left::default();
    for members in plan.checkpoint_groups() {
        let found = CheckpointSet::read(recorder, plan, &members)?.members;
        for (number, checkpoint) in members.clone().zip(&found) {
            let settled = checkpoint.as_ref().map(|c| settled_steps(&plan.members[number], c));
            progress.settled.add(settled.unwrap_or(0));
            let step = checkpoint.as_ref().map_or(0, |one| one.state.dynamics_step);
            let most = control.until.map_or(u64::MAX, |until| until.saturating_sub(step));
            work.add(&plan.members[number], settled.unwrap_or(0), most);
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
    work.members = left;
    let Chosen { form, words: gpu_form } = choose(control, plan, work)?;
    let shared = SharedRun::new((recorder, plan), control, progress, left, statuses, form);
    let stepped = match plan.ladders().is_empty() {
        true => shared.step_members(&open),
        false => step_ladders(&shared, &open),
    };
    Ok(Outcome { gpu_form, ..shared.finish(stepped)? })
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
