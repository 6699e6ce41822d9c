//! A run that becomes longer.
//!
//! Nothing at the end of a stage leaves a trace in the files of a member, so that a run whose last
//! stage is lengthened and which then goes on equals one that was as long from the beginning. What
//! changes is the resolved input, the fingerprint by which checkpoints name it, and the status of
//! members that had used up the old length.
//!
//! The change is decided in one moment, as a mark with all that is to be written appears in the
//! folder; whoever opens the folder after a kill carries it out to its end.

use std::path::{Path, PathBuf};

use beadwork_engine::{CheckpointSet, MemberCheckpoint, MemberStatus, Plan};
use beadwork_input::{Addition, Request};
use beadwork_io::{RunFolder, atomic};
use serde::{Deserialize, Serialize};

use crate::record::{Extension, Record};
use crate::session::{Session, plan};
use crate::{Error, final_coordinates};

/// The mark: what a killed process was about to write.
const MARK: &str = ".beadwork-extension";

/// What became of a run and its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The stage.
    pub stage: String,
    /// Its length before and now, as they are written; one pair, or one for each swept length.
    pub lengths: Vec<(String, String)>,
    /// True if this was asked for before, and a kill kept it from its end until now.
    pub was_interrupted: bool,
    /// Members that go on or have not begun.
    pub open: usize,
    /// Members that are finished and stay so, since a stop rule ended the stage.
    pub stopped: usize,
    /// Members that failed and stay so.
    pub failed: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    extension: Extension,
    fingerprint_after: String,
    /// The number of the stage, from 0.
    stage: usize,
    resolved: String,
}

/// Lengthens a stage of the run in a folder: the named one, or the last.
///
/// If the same was asked for before and interrupted, that is brought to its end, and nothing is
/// added a second time.
///
/// # Errors
/// [`Error::Extension`] for a stage that a member has left and for a run in which nobody could go
/// on; a stage that is not there, minimises or does not become longer by whole steps; what cannot
/// be read or written. The folder is then as it was; or, where a file could not be written once the
/// extension had begun, the next who opens the folder finishes it.
pub fn extend(folder: &Path, stage: Option<&str>, by: &Addition) -> Result<Report, Error> {
    let place = RunFolder::open(folder)?;
    let lock = place.lock()?;
    let asked = in_words(by);
    if let Some(made) = finish_interrupted(&place)?
        && made.by == asked
        && stage.is_none_or(|stage| stage == made.stage)
    {
        let session = Session::take_up(place, lock)?;
        let statuses = beadwork_engine::statuses(session.folder(), session.plan())?;
        let report = Report { stage: made.stage, lengths: made.lengths, ..Report::default() };
        return Ok(counted(Report { was_interrupted: true, ..report }, &statuses));
    }
    let session = Session::take_up(place, lock)?;
    let longer = beadwork_input::extend(&session.folder().resolved(), stage, by)?;
    let new_plan = plan(&longer.request, session.part());
    refuse_what_cannot_go_on(&session, longer.stage, &longer.name)?;
    let extension = Extension {
        stage: longer.name,
        by: asked,
        lengths: longer.lengths,
        fingerprint_before: session.plan().fingerprint.clone(),
    };
    let mark = Mark {
        extension: extension.clone(),
        fingerprint_after: new_plan.fingerprint.clone(),
        stage: longer.stage,
        resolved: longer.request.resolved.clone(),
    };
    let text = serde_json::to_vec(&mark)
        .map_err(|error| unreadable(session.folder(), &error.to_string()))?;
    atomic::write(&mark_of(session.folder()), &text)?;
    carry_out(session.folder(), &mark, &longer.request, &new_plan)?;
    let statuses = beadwork_engine::statuses(session.folder(), &new_plan)?;
    session.write_members(&statuses)?;
    let report = Report { stage: extension.stage, lengths: extension.lengths, ..Report::default() };
    Ok(counted(report, &statuses))
}

/// Brings an extension to its end that a kill interrupted, in a folder that is locked. Returns
/// what it was.
pub(crate) fn finish_interrupted(folder: &RunFolder) -> Result<Option<Extension>, Error> {
    let path = mark_of(folder);
    let bytes = match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|source| beadwork_io::Error::Read { path, source })?,
    };
    let mark: Mark =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(folder, &error.to_string()))?;
    let record = Record::read(folder)?;
    let known = [&mark.extension.fingerprint_before, &mark.fingerprint_after];
    if !known.contains(&&record.fingerprint) {
        // A power cut brought a mark back whose extension was made and followed by others.
        remove_mark(folder)?;
        return Ok(None);
    }
    let name = folder.resolved().display().to_string();
    let request = beadwork_input::parse(&mark.resolved, &name, folder.root(), &[])?;
    let part = record.part(&request)?;
    let folder = part.folder(folder.clone(), &request);
    carry_out(&folder, &mark, &request, &plan(&request, &part))?;
    Ok(Some(mark.extension))
}

/// Does what a mark says. Each part may have been done before; the mark goes last.
fn carry_out(folder: &RunFolder, mark: &Mark, request: &Request, plan: &Plan) -> Result<(), Error> {
    if plan.fingerprint != mark.fingerprint_after {
        return Err(unreadable(folder, "its input has another fingerprint"));
    }
    for members in plan.kept_together() {
        // What was changed already is absent.
        let (before, after) = (&mark.extension.fingerprint_before, &mark.fingerprint_after);
        let mut kept = CheckpointSet::read(folder, plan, &members, before, Some(after))?;
        for (number, checkpoint) in members.clone().zip(&mut kept.members) {
            let Some(checkpoint) = checkpoint else { continue };
            checkpoint.fingerprint.clone_from(after);
            // Whoever used up the old length goes on; whoever was ended by a rule was not stopped by
            // the length.
            let state = &checkpoint.state;
            let used_up = state.stage == mark.stage && !state.stage_over;
            if checkpoint.status == MemberStatus::Finished && used_up {
                final_coordinates::remove(folder, number)?;
                checkpoint.status = MemberStatus::Running;
            }
        }
        kept.write(folder, &members)?;
    }
    atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
    let mut record = Record::read(folder)?;
    if record.fingerprint != mark.fingerprint_after {
        record.fingerprint.clone_from(&mark.fingerprint_after);
        record.extensions.push(mark.extension.clone());
        record.write(folder)?;
    }
    remove_mark(folder)
}

fn refuse_what_cannot_go_on(session: &Session, stage: usize, name: &str) -> Result<(), Error> {
    let mut over = 0;
    let plan = session.plan();
    let mut checkpoints = Vec::new();
    for members in plan.kept_together() {
        let kept = CheckpointSet::read(session.folder(), plan, &members, &plan.fingerprint, None)?;
        let position = |checkpoint: MemberCheckpoint| {
            let MemberCheckpoint { state, status, .. } = checkpoint;
            (state.stage, state.stage_over, status)
        };
        checkpoints.extend(kept.members.into_iter().map(|one| one.map(position)));
    }
    for (member, checkpoint) in plan.members.iter().zip(checkpoints) {
        let Some((at, stage_over, status)) = checkpoint else { continue };
        if at > stage {
            let stages = &member.protocol.stages;
            let now = stages.get(at).map_or("a later one", |stage| stage.name.as_str());
            return Err(Error::Extension(format!(
                "stage \"{name}\" cannot be lengthened any more: replica {} has left it for \"{now}\"; lengthen the last stage, or start a new run",
                member.replica
            )));
        }
        over += usize::from(match status {
            MemberStatus::Running => false,
            MemberStatus::Finished => stage_over,
            MemberStatus::Failed { .. } => true,
        });
    }
    if over == plan.members.len() {
        return Err(Error::Extension(format!(
            "stage \"{name}\" would be longer for nobody: each of the {over} member(s) was ended by a stop rule or failed"
        )));
    }
    Ok(())
}

fn counted(mut report: Report, statuses: &[Option<MemberStatus>]) -> Report {
    for status in statuses {
        match status {
            None | Some(MemberStatus::Running) => report.open += 1,
            Some(MemberStatus::Finished) => report.stopped += 1,
            Some(MemberStatus::Failed { .. }) => report.failed += 1,
        }
    }
    report
}

fn in_words(by: &Addition) -> String {
    match by {
        Addition::Time(time) => time.clone(),
        Addition::Steps(steps) => format!("{steps} steps"),
        Addition::Sweeps(sweeps) => format!("{sweeps} sweeps"),
    }
}

fn mark_of(folder: &RunFolder) -> PathBuf {
    folder.root().join(MARK)
}

fn unreadable(folder: &RunFolder, reason: &str) -> Error {
    Error::Record { path: mark_of(folder), reason: reason.to_string() }
}

fn remove_mark(folder: &RunFolder) -> Result<(), Error> {
    let path = mark_of(folder);
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(beadwork_io::Error::Write { path, source }.into())
        }
        _ => Ok(()),
    }
}
