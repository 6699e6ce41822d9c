//! What results rest on, compared with what was written: before they are read, and in notes beside them.

use std::ops::Range;
use std::path::PathBuf;

use beadwork_engine::{OutputFile, Plan};
use beadwork_io::RunFolder;
use rayon::prelude::*;

use crate::Error;
use crate::members_list::{self, Listed};
use crate::outputs::{MemberOutputs, outputs_by_checkpoint, reads_frames, refuse_other};

/// Why a checkpoint says nothing of the output files of its members.
enum Reason {
    /// Its file is gone.
    Gone(PathBuf),
    /// It is damaged, or not that of this run.
    Unusable(beadwork_engine::Error),
}

/// The output files of the members of a folder, as far as checkpoints know them.
struct Known {
    outputs: Vec<MemberOutputs>,
    /// Members that have begun, and of whose files nothing is known.
    unknown: Vec<(Range<usize>, Reason)>,
}

impl Known {
    /// Reads all checkpoints. Members that were stopped before their first one are left out.
    fn read(folder: &RunFolder, plan: &Plan, listed: &[Listed]) -> Result<Known, Error> {
        let has_begun = |number: usize| is_begun(listed, number) || folder.table(number).exists();
        let mut known = Known { outputs: Vec::new(), unknown: Vec::new() };
        for (members, found) in outputs_by_checkpoint(folder, plan)? {
            let path = folder.checkpoint(members.start);
            match found {
                Err(error) => known.unknown.push((members, Reason::Unusable(error))),
                Ok(_) if !path.exists() && members.clone().any(has_begun) => {
                    known.unknown.push((members, Reason::Gone(path)));
                }
                Ok(files) => known.outputs.extend(files),
            }
        }
        Ok(known)
    }
}

/// Whether `members.csv` says that a member has begun.
fn is_begun(listed: &[Listed], number: usize) -> bool {
    listed.get(number).is_some_and(|listed| *listed != Listed::NotBegun)
}

/// Refuses to read results from files that are not what was written: tables, lists of frames and trajectories, each up to
/// the checkpoint of its member. Trajectories that no answer reads are left alone, and so are those that are gone if only
/// pictures are made of them. What a member without a usable checkpoint has written cannot be compared, but its table must be
/// there, or the member would silently count as one that has not begun.
pub(crate) fn refuse_damaged(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let reads_frames = plan.members.iter().any(|member| reads_frames(&member.system.model));
    let draws_frames = draws_frames(plan);
    let listed = members_list::read(folder)?;
    let known = Known::read(folder, plan, &listed)?;
    for number in known.unknown.into_iter().flat_map(|(members, _)| members) {
        let table = folder.table(number);
        if is_begun(&listed, number) && !table.exists() {
            return Err(beadwork_io::Error::missing_output(&table).into());
        }
    }
    known.outputs.par_iter().try_for_each(|(status, files)| {
        files.iter().try_for_each(|file| {
            let is_read = reads_frames || draws_frames && file.path.exists();
            match file.is_trajectory && !is_read {
                true => Ok(()),
                false => refuse_other(status, file),
            }
        })
    })
}

/// Whether there are pictures of what tips press, which are made of frames.
fn draws_frames(plan: &Plan) -> bool {
    let stages = plan.members.iter().flat_map(|member| &member.protocol.stages);
    let mut externals = stages.flat_map(|stage| &stage.externals);
    externals.any(|external| external.moves_every().is_some())
}

const NOT_COMPARED: &str =
    "so their tables and trajectories could not be compared with what was written";

/// Notes on members whose output files could not be compared with what was written, and on files that are gone although no
/// result rests on them.
pub(crate) fn notes(folder: &RunFolder, plan: &Plan) -> Result<Vec<String>, Error> {
    let listed = members_list::read(folder)?;
    let known = Known::read(folder, plan, &listed)?;
    let (mut gone, mut unusable) = ((0, Vec::new()), (0, Vec::new()));
    let mut without_frames = 0;
    for (members, reason) in known.unknown {
        if let Some((_, format)) = plan.trajectory {
            let are_gone = |number: &usize| {
                let files = [folder.frames(*number), folder.trajectory(*number, format)];
                is_begun(&listed, *number) && files.iter().all(|path| !path.exists())
            };
            without_frames += members.clone().filter(are_gone).count();
        }
        match reason {
            Reason::Gone(path) => {
                gone.0 += members.len();
                gone.1.push(path);
            }
            Reason::Unusable(error) => {
                unusable.0 += members.len();
                unusable.1.push(error);
            }
        }
    }
    let name = folder.root().display();
    let mut notes = Vec::new();
    if let (count, [first, others @ ..]) = (gone.0, gone.1.as_slice()) {
        let others = match others.len() {
            0 => String::new(),
            count => format!(" and {count} other file(s)"),
        };
        notes.push(format!(
            "the checkpoints of {count} replica(s) in {name} are gone, {NOT_COMPARED}: put {}{others} back, then `beadwork verify {name}` compares all",
            first.display()
        ));
    }
    if let (count, [first, others @ ..]) = (unusable.0, unusable.1.as_slice()) {
        let others = match others.len() {
            0 => String::new(),
            count => format!(" (and {count} other file(s), which `beadwork verify {name}` names)"),
        };
        notes.push(format!(
            "the checkpoints of {count} replica(s) in {name} cannot be used, {NOT_COMPARED}: {first}{others}"
        ));
    }
    if without_frames > 0 {
        notes.push(format!(
            "trajectories of {without_frames} of these replica(s) in {name} are gone too, so no value here rests on their frames"
        ));
    }
    let is_lost = |file: &&OutputFile| file.is_trajectory && file.compare_length().is_err();
    let lost = known.outputs.iter().flat_map(|(_, files)| files).filter(is_lost).count();
    if lost > 0 {
        notes.push(format!(
            "trajectories in {name} are gone or shortened, {lost} in all; no value here rests on them"
        ));
    }
    Ok(notes)
}
