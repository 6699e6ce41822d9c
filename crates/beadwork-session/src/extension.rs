//! Makes a run longer.
//!
//! The end of a stage adds nothing to a member's files. So a run whose last stage is lengthened equals one that was as
//! long from the beginning. An extension changes the resolved input, the fingerprint of the input in checkpoints, and
//! the status of members that had reached the old end.
//!
//! One file, the mark, describes all these changes. Once it is written the extension is decided: after a kill, the next
//! process that opens the folder completes it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use beadwork_engine::{CheckpointSet, MemberCheckpoint, MemberStatus, Plan, checkpoints};
use beadwork_input::{Addition, Request};
use beadwork_io::{RunFolder, atomic};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::held_files::digest;
use crate::members_list;
use crate::record::{Ended, Extension, Record};
use crate::session::{Session, plan};

const MARK: &str = ".beadwork-extension";

/// A report on an extension, and on what happens to the members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The stage.
    pub stage: String,
    /// Its length before and now, as the input writes them; one pair, or one for each swept length.
    pub lengths: Vec<(String, String)>,
    /// Whether an earlier command asked for this extension and was killed before it was complete.
    pub was_interrupted: bool,
    /// Members that continue or have not begun.
    pub open: usize,
    /// Members that stay finished, because a stop rule ended the stage.
    pub stopped: usize,
    /// Members that failed and stay as they are.
    pub failed: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    extension: Extension,
    fingerprint_after: String,
    stage: usize,
    resolved: String,
}

/// Lengthens a stage of the run in a folder: the named one, or the last. If the same extension was interrupted,
/// completes it and adds nothing more.
///
/// # Errors
/// [`Error::Extension`] for a stage that a member has left, and for a run in which no member would continue; a stage that
/// does not exist, minimises or does not become longer by whole steps; a file that cannot be read or written. The folder is
/// then unchanged, or the next process that opens it completes the extension.
pub fn extend(folder: &Path, stage: Option<&str>, by: &Addition) -> Result<Report, Error> {
    let place = RunFolder::open(folder)?;
    let lock = place.lock()?;
    let by_text = in_words(by);
    if let Some(made) = finish_interrupted(&place)?
        && made.by == by_text
        && stage.is_none_or(|stage| stage == made.stage)
    {
        let session = Session::take_up(place, lock)?;
        let statuses = beadwork_engine::statuses(session.folder(), session.plan())?;
        let report = Report { stage: made.stage, lengths: made.lengths, ..Report::default() };
        return Ok(counted(Report { was_interrupted: true, ..report }, &statuses));
    }
    let session = Session::take_up(place, lock)?;
    session.refuse_lost()?;
    let longer = beadwork_input::extend(&session.folder().resolved(), stage, by)?;
    let new_plan = plan(&longer.request, session.part());
    refuse_ended_stage(&session, longer.stage, &longer.name)?;
    let extension = Extension {
        stage: longer.name,
        by: by_text,
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
    members_list::write(session.folder(), &longer.request, session.part(), &new_plan, &statuses)?;
    let report = Report { stage: extension.stage, lengths: extension.lengths, ..Report::default() };
    Ok(counted(report, &statuses))
}

/// The digest of the resolved input of an extension that another process is making, or that a kill interrupted.
pub(crate) fn digest_when_longer(folder: &RunFolder) -> Option<String> {
    let mark: Mark = {
        let bytes = beadwork_files::read(&mark_of(folder), beadwork_files::LARGEST_TEXT).ok()?;
        serde_json::from_slice(&bytes).ok()?
    };
    Some(digest(mark.resolved.as_bytes()))
}

/// Completes an extension that a kill interrupted, in a folder that is locked, and returns it.
pub(crate) fn finish_interrupted(folder: &RunFolder) -> Result<Option<Extension>, Error> {
    let path = mark_of(folder);
    let bytes = match beadwork_files::read(&path, beadwork_files::LARGEST_TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|source| beadwork_io::Error::Read { path, source })?,
    };
    let mark: Mark =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(folder, &error.to_string()))?;
    let record = Record::read(folder)?;
    let known = [&mark.extension.fingerprint_before, &mark.fingerprint_after];
    if !known.contains(&&record.fingerprint) {
        // After a power cut the mark of an earlier extension may be on the disk again.
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

/// Makes the changes that a mark describes, and removes the mark last. A killed process may have made some of them.
fn carry_out(folder: &RunFolder, mark: &Mark, request: &Request, plan: &Plan) -> Result<(), Error> {
    if plan.fingerprint != mark.fingerprint_after {
        return Err(unreadable(folder, "its input has another fingerprint"));
    }
    let (before, after) = (&mark.extension.fingerprint_before, &mark.fingerprint_after);
    for members in plan.checkpoint_groups() {
        let mut set = match CheckpointSet::read_of_input(folder, plan, &members, before) {
            // Changed before the kill.
            Err(beadwork_engine::Error::OtherInput { found, .. }) if found == *after => continue,
            set => set?,
        };
        for (number, checkpoint) in members.clone().zip(&mut set.members) {
            let Some(checkpoint) = checkpoint else { continue };
            checkpoint.fingerprint.clone_from(after);
            // A member that reached the old end continues; one that a stop rule ended does not.
            let state = &checkpoint.state;
            let reached_end = state.stage == mark.stage && !state.stage_over;
            if checkpoint.status == MemberStatus::Finished && reached_end {
                remove_if_there(folder.final_coordinates(number))?;
                remove_if_there(folder.final_beads(number))?;
                remove_if_there(folder.final_frame(number))?;
                checkpoint.status = MemberStatus::Running;
            }
        }
        set.write(folder, &members)?;
    }
    folder.sync_checkpoints()?;
    atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
    let mut record = Record::read(folder)?;
    if record.fingerprint != mark.fingerprint_after {
        record.fingerprint.clone_from(&mark.fingerprint_after);
        record.extensions.push(mark.extension.clone());
        record.ending = Some(Ended::Extended);
        let name = "resolved.toml".to_string();
        record.files.entry(name).and_modify(|known| *known = digest(request.resolved.as_bytes()));
        record.write(folder)?;
    }
    remove_mark(folder)
}

/// Refuses a stage that a member has left, and a run in which no member would continue.
fn refuse_ended_stage(session: &Session, stage: usize, name: &str) -> Result<(), Error> {
    let (plan, mut over) = (session.plan(), 0);
    for (member, checkpoint) in plan.members.iter().zip(checkpoints(session.folder(), plan)) {
        let Some(MemberCheckpoint { state, status, .. }) = checkpoint? else { continue };
        if state.stage > stage {
            let now = member.protocol.stages.get(state.stage);
            return Err(Error::Extension(format!(
                "stage \"{name}\" cannot be lengthened any more: replica {} has left it for \"{}\"; lengthen the last stage, or start a new run",
                member.replica,
                now.map_or("a later one", |stage| stage.name.as_str())
            )));
        }
        over += usize::from(match status {
            MemberStatus::Running => false,
            MemberStatus::Finished => state.stage_over,
            MemberStatus::Failed { .. } => true,
        });
    }
    if over == plan.members.len() {
        return Err(Error::Extension(format!(
            "nothing to extend in stage \"{name}\": a stop rule ended each of the {over} member(s), or it failed; start a new run"
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
    remove_if_there(mark_of(folder))
}

fn remove_if_there(path: PathBuf) -> Result<(), Error> {
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(beadwork_io::Error::Write { path, source }.into())
        }
        _ => Ok(()),
    }
}
