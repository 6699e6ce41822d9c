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
#[derive(Debug)]
enum Reason {
    /// The file of the checkpoint is gone.
    Gone(PathBuf),
    /// The checkpoint is damaged, or that of another run.
    Unusable(beadwork_engine::Error),
}

/// The output files of the members of a folder, as far as checkpoints know them.
#[derive(Debug)]
pub(crate) struct Known {
    listed: Vec<Listed>,
    outputs: Vec<MemberOutputs>,
    /// Members that have begun, and of whose files nothing is known.
    unknown: Vec<(Range<usize>, Reason)>,
}

impl Known {
    /// Reads `members.csv` and all checkpoints. Members that were stopped before their first one are left out.
    pub fn read(folder: &RunFolder, plan: &Plan) -> Result<Known, Error> {
        let listed = members_list::read(folder)?;
        let mut known = Known { listed, outputs: Vec::new(), unknown: Vec::new() };
        for (members, found) in outputs_by_checkpoint(folder, plan)? {
            let path = folder.checkpoint(members.start);
            let has_begun = |number: usize| known.is_begun(number) || folder.table(number).exists();
            let is_gone = found.is_ok() && !path.exists() && members.clone().any(has_begun);
            match found {
                Err(error) => known.unknown.push((members, Reason::Unusable(error))),
                Ok(_) if is_gone => known.unknown.push((members, Reason::Gone(path))),
                Ok(files) => known.outputs.extend(files),
            }
        }
        Ok(known)
    }

    /// Whether `members.csv` says that a member has begun.
    fn is_begun(&self, number: usize) -> bool {
        self.listed.get(number).is_some_and(|listed| *listed != Listed::NotBegun)
    }

    /// How many members that have begun lack both a usable checkpoint and their frames.
    fn without_frames(&self, folder: &RunFolder, plan: &Plan) -> usize {
        let Some((_, format)) = plan.trajectory else { return 0 };
        let are_gone = |number: &usize| {
            let files = [folder.frames(*number), folder.trajectory(*number, format)];
            self.is_begun(*number) && files.iter().all(|path| !path.exists())
        };
        self.unknown.iter().flat_map(|(members, _)| members.clone()).filter(are_gone).count()
    }
}

/// Refuses to read results from files that are not what was written: tables, lists of frames and trajectories, each up to
/// the checkpoint of its member. Trajectories that no answer reads are left alone, and so are those that are gone if only
/// pictures are made of them. What a member without a usable checkpoint has written cannot be compared, but its table must be
/// there, or the member would silently count as one that has not begun.
pub(crate) fn refuse_damaged(folder: &RunFolder, plan: &Plan, known: &Known) -> Result<(), Error> {
    let reads_frames = plan.members.iter().any(|member| reads_frames(&member.system.model));
    let draws_frames = draws_frames(plan);
    for number in known.unknown.iter().flat_map(|(members, _)| members.clone()) {
        let table = folder.table(number);
        if known.is_begun(number) && !table.exists() {
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

/// Members of whose files nothing is known for one kind of reason, and what says why.
#[derive(Default)]
struct Unknown {
    members: usize,
    reasons: Vec<String>,
}

impl Unknown {
    fn add(&mut self, members: &Range<usize>, reason: String) {
        self.members += members.len();
        self.reasons.push(reason);
    }

    /// A note on them, if there are some: what their checkpoints in a folder `are`, and what `advice` makes of the first reason and
    /// of words on how many files more there are.
    fn note(
        &self,
        folder: &str,
        are: &str,
        advice: impl Fn(&str, Option<String>) -> String,
    ) -> Option<String> {
        let (first, others) = self.reasons.split_first()?;
        let others = (!others.is_empty()).then(|| format!("and {} other file(s)", others.len()));
        Some(format!(
            "the checkpoints of {} replica(s) in {folder} {are}, so their tables and trajectories could not be compared with what was written: {}",
            self.members,
            advice(first, others)
        ))
    }
}

/// Notes on members whose output files could not be compared with what was written, and on files that are gone although no
/// result rests on them.
pub(crate) fn notes(folder: &RunFolder, plan: &Plan, known: &Known) -> Vec<String> {
    let (mut gone, mut unusable) = (Unknown::default(), Unknown::default());
    for (members, reason) in &known.unknown {
        match reason {
            Reason::Gone(path) => gone.add(members, path.display().to_string()),
            Reason::Unusable(error) => unusable.add(members, error.to_string()),
        }
    }
    let name = folder.root().display().to_string();
    let mut notes = Vec::new();
    notes.extend(gone.note(&name, "are gone", |first, others| {
        let others = others.map_or_else(String::new, |others| format!(" {others}"));
        format!("put {first}{others} back, then `beadwork verify {name}` compares all")
    }));
    notes.extend(unusable.note(&name, "cannot be used", |first, others| {
        let named = |others: String| format!(" ({others}, which `beadwork verify {name}` names)");
        format!("{first}{}", others.map_or_else(String::new, named))
    }));
    let without_frames = known.without_frames(folder, plan);
    if without_frames > 0 {
        notes.push(format!(
            "trajectories of {without_frames} replica(s) without a usable checkpoint in {name} are gone, so no value here rests on their frames"
        ));
    }
    let is_lost = |file: &&OutputFile| file.is_trajectory && file.compare_length().is_err();
    let lost = known.outputs.iter().flat_map(|(_, files)| files).filter(is_lost).count();
    if lost > 0 {
        notes.push(format!(
            "trajectories in {name} are gone or shortened, {lost} in all; no value here rests on them"
        ));
    }
    notes
}
