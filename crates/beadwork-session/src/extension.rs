//! Makes a run longer.
//!
//! The end of a stage adds nothing to a member's files. So a run whose last stage is lengthened equals one that was as
//! long from the beginning. An extension changes the resolved input, the fingerprint of the input in checkpoints, and
//! the status of members that had reached the old end.
//!
//! One file, the mark, describes all these changes. Once it is written the extension is decided: after a kill, the next
//! process that opens the folder completes it.

use std::path::Path;

use beadwork_engine::{MemberCheckpoint, MemberStatus, Plan, Recorder, checkpoints};
use beadwork_input::{Addition, Request};
use beadwork_io::RunFolder;

use crate::Error;
use crate::extension_mark::{ExtensionMark, carry_out, finish_interrupted};
use crate::members_list;
use crate::plan::plan;
use crate::record::Extension;
use crate::session::Session;

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
    refuse_ended_stage(session.folder(), session.plan(), longer.stage, &longer.name)?;
    let extension = Extension {
        stage: longer.name,
        by: by_text,
        lengths: longer.lengths,
        fingerprint_before: session.plan().fingerprint.clone(),
    };
    let statuses = change_length(&session, extension.clone(), longer.stage, &longer.request)?;
    let report = Report { stage: extension.stage, lengths: extension.lengths, ..Report::default() };
    Ok(counted(report, &statuses))
}

/// Ends the run in a folder after so many steps, or sweeps, of one of its stages, to which all its running members have come.
///
/// # Errors
/// A run whose lengths cannot be cut ([`beadwork_input::cut`]); a file that cannot be read or written.
pub(crate) fn cut(folder: &Path, stage: usize, steps: u64) -> Result<(), Error> {
    let place = RunFolder::open(folder)?;
    let lock = place.lock()?;
    finish_interrupted(&place)?;
    let session = Session::take_up(place, lock)?;
    let stages = &session.request().points[0].protocol.stages;
    let shorter = beadwork_input::cut(&session.folder().resolved(), stage, steps)?;
    let extension = Extension {
        stage: stages[stage].name.clone(),
        by: "end here".to_string(),
        lengths: vec![(stages[stage].steps().to_string(), steps.to_string())],
        fingerprint_before: session.plan().fingerprint.clone(),
    };
    change_length(&session, extension, stage, &shorter).map(drop)
}

/// Gives a run the request in which one of its stages has another length. Returns the statuses of the members.
fn change_length(
    session: &Session,
    extension: Extension,
    stage: usize,
    request: &Request,
) -> Result<Vec<Option<MemberStatus>>, Error> {
    let new_plan = plan(request, session.part());
    let mark = ExtensionMark {
        extension,
        fingerprint_after: new_plan.fingerprint.clone(),
        stage,
        resolved: request.resolved.clone(),
    };
    mark.write(session.folder())?;
    carry_out(session.folder(), &mark, request, &new_plan)?;
    let statuses = beadwork_engine::statuses(session.folder(), &new_plan)?;
    members_list::write(session.folder(), request, session.part(), &new_plan, &statuses)?;
    Ok(statuses)
}

/// Refuses a stage that a member has left, and a run in which no member would continue.
pub(crate) fn refuse_ended_stage(
    recorder: &dyn Recorder,
    plan: &Plan,
    stage: usize,
    name: &str,
) -> Result<(), Error> {
    let mut over = 0;
    for (member, checkpoint) in plan.members.iter().zip(checkpoints(recorder, plan)) {
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
