//! The mark of an extension: a file that describes all its changes, so that the next process completes one that was killed.

use std::io::ErrorKind;
use std::path::PathBuf;

use beadwork_engine::{CheckpointSet, MemberCheckpoint, MemberStatus, Plan, Recorder};
use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::fingerprint::fingerprint;
use crate::held_files::digest;
use crate::plan::plan;
use crate::record::{Ended, Extension, Record};

const MARK: &str = ".beadwork-extension";

/// What an extension changes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExtensionMark {
    pub extension: Extension,
    pub fingerprint_after: String,
    pub stage: usize,
    pub resolved: String,
}

impl ExtensionMark {
    /// The mark of an extension that gives a run this request, in which the stage of this number has another length.
    pub fn of(extension: Extension, stage: usize, request: &Request) -> ExtensionMark {
        let (fingerprint_after, resolved) = (fingerprint(request), request.resolved.clone());
        ExtensionMark { extension, fingerprint_after, stage, resolved }
    }

    /// Writes the mark. From then on the extension is decided.
    pub fn write(&self, folder: &RunFolder) -> Result<(), Error> {
        let text =
            serde_json::to_vec(self).map_err(|error| unreadable(folder, &error.to_string()))?;
        Ok(atomic::write(&mark_of(folder), &text)?)
    }
}

/// The digest of the resolved input of an extension that another process is making, or that a kill interrupted.
pub(crate) fn digest_when_longer(folder: &RunFolder) -> Option<String> {
    Some(digest(readable(folder)?.resolved.as_bytes()))
}

/// The extension that a kill interrupted, in a folder that is locked.
pub(crate) fn pending(folder: &RunFolder) -> Option<Extension> {
    Some(readable(folder)?.extension)
}

/// The mark in a folder, if there is one that can be read.
fn readable(folder: &RunFolder) -> Option<ExtensionMark> {
    let bytes = beadwork_files::read(&mark_of(folder), beadwork_files::LARGEST_TEXT).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Completes an extension that a kill interrupted, in a folder that is locked, and returns it.
pub(crate) fn finish_interrupted(folder: &RunFolder) -> Result<Option<Extension>, Error> {
    let path = mark_of(folder);
    let bytes = match beadwork_files::read(&path, beadwork_files::LARGEST_TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|source| beadwork_io::Error::Read { path, source })?,
    };
    let mark: ExtensionMark =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(folder, &error.to_string()))?;
    let record = Record::read(folder)?;
    let known = [&mark.extension.fingerprint_before, &mark.fingerprint_after];
    if !known.contains(&&record.fingerprint) {
        // After a power cut the mark of an earlier extension may be on the disk again.
        remove_mark(folder)?;
        return Ok(None);
    }
    let name = folder.resolved().display().to_string();
    let request = beadwork_input::parse_begun(&mark.resolved, &name, folder.root(), &[])?;
    let part = record.part(&request)?;
    let folder = part.folder(folder.clone(), &request);
    carry_out(&folder, &mark, &request, &plan(&request, &part))?;
    Ok(Some(mark.extension))
}

/// Makes the changes that a mark describes, and removes the mark last. A killed process may have made some of them.
pub(crate) fn carry_out(
    folder: &RunFolder,
    mark: &ExtensionMark,
    request: &Request,
    plan: &Plan,
) -> Result<(), Error> {
    if plan.fingerprint != mark.fingerprint_after {
        return Err(unreadable(folder, "its input has another fingerprint"));
    }
    let before = &mark.extension.fingerprint_before;
    renew_checkpoints(folder, plan, before, mark.stage, |number| {
        remove_if_there(folder.final_coordinates(number))?;
        remove_if_there(folder.final_beads(number))?;
        remove_if_there(folder.final_frame(number))
    })?;
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

/// Gives the checkpoints of a run with the fingerprint `before` to a plan in which one stage has another length. `goes_on` is
/// told of each member that had ended and has steps again. Checkpoints that a killed process had renewed stay as they are.
pub(crate) fn renew_checkpoints(
    recorder: &dyn Recorder,
    plan: &Plan,
    before: &str,
    stage: usize,
    mut goes_on: impl FnMut(usize) -> Result<(), Error>,
) -> Result<(), Error> {
    for members in plan.checkpoint_groups() {
        let mut set = match CheckpointSet::read_of_input(recorder, plan, &members, before) {
            Err(beadwork_engine::Error::OtherInput { found, .. }) if found == plan.fingerprint => {
                continue;
            }
            set => set?,
        };
        for (number, checkpoint) in members.clone().zip(&mut set.members) {
            let Some(checkpoint) = checkpoint else { continue };
            checkpoint.fingerprint.clone_from(&plan.fingerprint);
            let status = status_at(checkpoint, plan, number, stage);
            if (&checkpoint.status, &status) == (&MemberStatus::Finished, &MemberStatus::Running) {
                goes_on(number)?;
            }
            checkpoint.status = status;
        }
        set.write(recorder, &members)?;
    }
    Ok(())
}

/// The status of a member where a stage has another length: one that a stop rule ended, or that failed, keeps its own.
fn status_at(
    checkpoint: &MemberCheckpoint,
    plan: &Plan,
    number: usize,
    stage: usize,
) -> MemberStatus {
    let (state, stages) = (&checkpoint.state, &plan.members[number].protocol.stages);
    if state.stage != stage
        || state.stage_over
        || matches!(checkpoint.status, MemberStatus::Failed { .. })
    {
        return checkpoint.status.clone();
    }
    match stage + 1 == stages.len() && state.stage_step == stages[stage].steps() {
        true => MemberStatus::Finished,
        false => MemberStatus::Running,
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
