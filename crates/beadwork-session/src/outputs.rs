//! The output files of members, compared with what their checkpoints say of them.

use std::ops::Range;

use beadwork_engine::{
    CheckpointSet, MemberCheckpoint, MemberStatus, OutputFile, Plan, output_files,
};
use beadwork_io::RunFolder;
use beadwork_io::written::Comparison;
use beadwork_model::Model;
use rayon::prelude::*;

use crate::Error;

/// A member's output files and its status, as its checkpoint has them.
pub(crate) type MemberOutputs = (MemberStatus, Vec<OutputFile>);

/// What `of_member` makes of each member's number and checkpoint, by all threads, in the order of the members. Of a checkpoint
/// that cannot be used the error stands once, in place of all members that it has.
pub(crate) fn of_checkpoints<T: Send>(
    folder: &RunFolder,
    plan: &Plan,
    of_member: impl Fn(usize, Option<MemberCheckpoint>) -> T + Sync,
) -> Vec<Result<Vec<T>, beadwork_engine::Error>> {
    let groups = plan.checkpoint_groups().into_par_iter();
    let of_group = |members: Range<usize>| {
        let set = CheckpointSet::read(folder, plan, &members)?;
        Ok(members.zip(set.members).map(|(number, found)| of_member(number, found)).collect())
    };
    groups.map(of_group).collect()
}

/// Members that share a checkpoint, with their output files, or why it cannot be used.
pub(crate) type GroupOutputs = (Range<usize>, Result<Vec<MemberOutputs>, beadwork_engine::Error>);

/// The output files of the members of each checkpoint.
pub(crate) fn outputs_by_checkpoint(
    folder: &RunFolder,
    plan: &Plan,
) -> Result<Vec<GroupOutputs>, Error> {
    let of_member = |number: usize, found: Option<MemberCheckpoint>| {
        let MemberCheckpoint { record, status, .. } = found?;
        Some(output_files(folder, plan, number, record).map(|files| (status, files)))
    };
    let mut groups = Vec::new();
    let found = of_checkpoints(folder, plan, of_member);
    for (members, found) in plan.checkpoint_groups().into_iter().zip(found) {
        let files = match found {
            // A trajectory of other beads than the plan's is no matter of one checkpoint.
            Ok(found) => Ok(found.into_iter().flatten().collect::<Result<Vec<_>, _>>()?),
            Err(error) => Err(error),
        };
        groups.push((members, files));
    }
    Ok(groups)
}

/// The output files of all members that have a usable checkpoint.
pub(crate) fn outputs(folder: &RunFolder, plan: &Plan) -> Result<Vec<MemberOutputs>, Error> {
    let found = outputs_by_checkpoint(folder, plan)?.into_iter();
    Ok(found.filter_map(|(_, files)| files.ok()).flatten().collect())
}

/// Refuses an output file of a member that is not what was written.
///
/// # Errors
/// A file that is gone, shorter or has other bytes, and one that goes on although its member has no steps left.
pub(crate) fn refuse_other(status: &MemberStatus, file: &OutputFile) -> Result<(), Error> {
    match file.compare()? {
        Comparison::Beginning if *status != MemberStatus::Running => {
            Err(Error::Longer(file.path.clone()))
        }
        _ => Ok(()),
    }
}

/// Refuses a folder of whose output files one is not what was written, as those do that go on with its members.
///
/// # Errors
/// A file that is gone, shorter or has other bytes, or is a link.
pub(crate) fn refuse_changed(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let outputs = outputs(folder, plan)?;
    let files = outputs.par_iter().flat_map_iter(|(_, files)| files);
    files.try_for_each(|file| {
        file.compare()?;
        Ok(())
    })
}

/// Whether values of the answers of a model rest on the frames of trajectories.
pub(crate) fn reads_frames(model: &Model) -> bool {
    matches!(model, Model::Beads | Model::Residues(_) | Model::Oscillators(_))
}
