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

/// The output files of all members that have a usable checkpoint.
pub(crate) fn outputs(folder: &RunFolder, plan: &Plan) -> Result<Vec<MemberOutputs>, Error> {
    let of_member = |number: usize, found: Option<MemberCheckpoint>| {
        let MemberCheckpoint { record, status, .. } = found?;
        Some(output_files(folder, plan, number, record).map(|files| (status, files)))
    };
    let usable = of_checkpoints(folder, plan, of_member).into_iter().flatten();
    Ok(usable.flatten().flatten().collect::<Result<_, _>>()?)
}

/// Whether values of the answers of a model rest on the frames of trajectories.
pub(crate) fn reads_frames(model: &Model) -> bool {
    matches!(model, Model::Beads | Model::Residues(_) | Model::Oscillators(_))
}

/// Whether there are pictures of what tips press, which are made of frames.
fn draws_frames(plan: &Plan) -> bool {
    let stages = plan.members.iter().flat_map(|member| &member.protocol.stages);
    let mut externals = stages.flat_map(|stage| &stage.externals);
    externals.any(|external| external.moves_every().is_some())
}

/// Notes about what could not be compared or is gone, although no result rests on it.
pub(crate) fn notes(folder: &RunFolder, plan: &Plan) -> Result<Vec<String>, Error> {
    let (mut notes, name) = (Vec::new(), folder.root().display());
    let mut gone = 0;
    for members in plan.checkpoint_groups() {
        if !folder.checkpoint(members.start).exists() {
            gone += members.filter(|number| folder.table(*number).exists()).count();
        }
    }
    if gone > 0 {
        notes.push(format!(
            "the checkpoints of {gone} replica(s) in {name} are gone, so their tables and trajectories could not be compared with what was written"
        ));
    }
    let outputs = outputs(folder, plan)?;
    let is_lost = |file: &&OutputFile| file.is_trajectory && file.compare_length().is_err();
    let lost = outputs.iter().flat_map(|(_, files)| files).filter(is_lost).count();
    if lost > 0 {
        notes.push(format!(
            "trajectories in {name} are gone or shortened, {lost} in all; no value here rests on them"
        ));
    }
    Ok(notes)
}

/// Refuses to read results from files that are not what was written: tables, lists of frames and trajectories, each up to
/// the checkpoint of its member. Trajectories that no answer reads are left alone, and so are those that are gone if only
/// pictures are made of them. What a member without a checkpoint has written cannot be compared.
pub(crate) fn refuse_damaged(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let reads_frames = plan.members.iter().any(|member| reads_frames(&member.system.model));
    let draws_frames = draws_frames(plan);
    outputs(folder, plan)?.par_iter().try_for_each(|(status, files)| {
        files.iter().try_for_each(|file| {
            let is_read = reads_frames || draws_frames && file.path.exists();
            if file.is_trajectory && !is_read {
                return Ok(());
            }
            match file.compare()? {
                Comparison::Beginning if *status != MemberStatus::Running => {
                    Err(Error::Longer(file.path.clone()))
                }
                _ => Ok(()),
            }
        })
    })
}
