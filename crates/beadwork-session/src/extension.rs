//! Makes a run longer.
//!
//! The end of a stage adds nothing to a member's files. So a run whose last stage is lengthened equals one that was as
//! long from the beginning. An extension changes the resolved input, the fingerprint of the input in checkpoints, and
//! the status of members that had reached the old end.
//!
//! One file, the mark, describes all these changes. Once it is written the extension is decided: after a kill, the next
//! process that opens the folder completes it.

use std::path::{Path, PathBuf};

use beadwork_engine::{MemberCheckpoint, MemberStatus, Plan, Recorder, checkpoints};
use beadwork_input::{Addition, Request};
use beadwork_io::{RunFolder, RunLock};

use crate::Error;
use crate::extension_mark::{ExtensionMark, carry_out, finish_interrupted};
use crate::members_list;
use crate::part::jobs_of;
use crate::plan::plan;
use crate::record::{Ended, Extension, Record};
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
    /// What an earlier extension added, as it was asked for, if no process has stepped the run since.
    pub earlier: Option<String>,
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
    let prepared = Prepared::read(place, lock, stage, by)?;
    prepared.refuse_over()?;
    prepared.make()
}

/// Lengthens a stage of several runs like [`extend`], of all or of none: each is checked, and locked, before any is changed. `made`
/// gets the folders that are longer, in order, each with its report.
///
/// Parts of jobs in which no member would continue become longer with the others, since parts of one run have one input.
///
/// # Errors
/// Those of [`extend`], and [`Error::Extension`] for parts of the same jobs whose inputs differ and for a folder in which the same
/// extension was interrupted. No folder is changed then, but for completing what was interrupted. After an error of the machine
/// `made` has got the folders that were changed before.
pub fn extend_all(
    folders: &[PathBuf],
    stage: Option<&str>,
    by: &Addition,
    mut made: impl FnMut(&Path, Report),
) -> Result<(), Error> {
    if let [folder] = folders {
        made(folder, extend(folder, stage, by)?);
        return Ok(());
    }
    // One system at a time is in memory: of a run that was checked its lock is kept.
    let (mut held, mut goes_on) = (Vec::new(), false);
    for folder in folders {
        let place = RunFolder::open(folder)?;
        let lock = place.lock()?;
        let prepared = Prepared::read(place.clone(), lock, stage, by)?;
        if prepared.longer.is_none() {
            return Err(Error::Extension(format!(
                "an earlier command was killed while it made {} longer by {}, which is complete now; nothing more was added to any folder. Compare the lengths in each resolved.toml, and name the folders that are shorter",
                folder.display(),
                prepared.extension.by
            )));
        }
        if jobs_of(folder).is_none() {
            prepared.refuse_over()?;
        }
        goes_on |= prepared.over < prepared.session.plan().members.len();
        let extension = prepared.extension.clone();
        held.push((place, prepared.session.into_lock(), extension));
    }
    refuse_unequal_parts(&held)?;
    if !goes_on {
        let problem = "nothing to extend: a stop rule ended each member of all parts, or it failed; start a new run";
        return Err(Error::Extension(problem.to_string()));
    }
    for (place, lock, _) in held {
        let folder = place.root().to_path_buf();
        made(&folder, Prepared::read(place, lock, stage, by)?.make()?);
    }
    Ok(())
}

/// Refuses parts of the same jobs whose inputs differ: an earlier command was given some of them only, or was stopped between two.
fn refuse_unequal_parts(held: &[(RunFolder, RunLock, Extension)]) -> Result<(), Error> {
    for (place, (part, _, extension)) in held.iter().enumerate() {
        let Some(jobs) = jobs_of(part.root()) else { continue };
        let is_unequal = |(other, _, one): &&(RunFolder, RunLock, Extension)| {
            jobs_of(other.root()).as_ref() == Some(&jobs)
                && one.fingerprint_before != extension.fingerprint_before
        };
        if let Some((other, _, one)) = held[..place].iter().find(is_unequal) {
            let length = |extension: &Extension| {
                let lengths = extension.lengths.iter().map(|(before, _)| before.as_str());
                lengths.collect::<Vec<_>>().join(", ")
            };
            return Err(Error::Extension(format!(
                "{} and {} are parts of the same jobs and have different inputs (stage \"{}\": {} and {}): make those that are shorter equally long first, by their own names; `beadwork submit {} --status` says which these are",
                other.root().display(),
                part.root().display(),
                extension.stage,
                length(one),
                length(extension),
                jobs.display()
            )));
        }
    }
    Ok(())
}

/// An extension of a run that was found possible, or that is there already.
struct Prepared {
    session: Session,
    extension: Extension,
    /// The stage and the longer request; none if an earlier command was killed while it made the same extension, which is complete.
    longer: Option<(usize, Request)>,
    /// The members that would not continue.
    over: usize,
}

impl Prepared {
    /// Checks an extension of the run in a folder that is locked.
    fn read(
        place: RunFolder,
        lock: RunLock,
        stage: Option<&str>,
        by: &Addition,
    ) -> Result<Prepared, Error> {
        let by_text = in_words(by);
        let made = finish_interrupted(&place)?;
        let session = Session::take_up(place, lock)?;
        let is_same =
            |made: &Extension| made.by == by_text && stage.is_none_or(|stage| stage == made.stage);
        if let Some(extension) = made.filter(is_same) {
            return Ok(Prepared { session, extension, longer: None, over: 0 });
        }
        session.refuse_lost()?;
        let longer = beadwork_input::extend(&session.folder().resolved(), stage, by)?;
        let over = members_over(session.folder(), session.plan(), longer.stage, &longer.name)?;
        let extension = Extension {
            stage: longer.name,
            by: by_text,
            lengths: longer.lengths,
            fingerprint_before: session.plan().fingerprint.clone(),
        };
        let longer = Some((longer.stage, longer.request));
        Ok(Prepared { session, extension, longer, over })
    }

    /// Refuses a run in which no member would continue.
    fn refuse_over(&self) -> Result<(), Error> {
        refuse_all_over(self.over, self.session.plan(), &self.extension.stage)
    }

    /// Makes the extension.
    fn make(self) -> Result<Report, Error> {
        let Prepared { session, extension, longer, .. } = self;
        let was_interrupted = longer.is_none();
        let record = Record::read(session.folder())?;
        let last = record.extensions.last().filter(|_| record.ending == Some(Ended::Extended));
        let earlier = last.filter(|_| !was_interrupted).map(|one| one.by.clone());
        let statuses = match longer {
            Some((stage, request)) => change_length(&session, extension.clone(), stage, &request)?,
            None => beadwork_engine::statuses(session.folder(), session.plan())?,
        };
        let Extension { stage, lengths, .. } = extension;
        let report = Report { stage, lengths, was_interrupted, earlier, ..Report::default() };
        Ok(counted(report, &statuses))
    }
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
    let over = members_over(recorder, plan, stage, name)?;
    refuse_all_over(over, plan, name)
}

/// Refuses a stage that a member has left. Returns how many members would not continue: a stop rule ended them, or they failed.
fn members_over(
    recorder: &dyn Recorder,
    plan: &Plan,
    stage: usize,
    name: &str,
) -> Result<usize, Error> {
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
    Ok(over)
}

fn refuse_all_over(over: usize, plan: &Plan, name: &str) -> Result<(), Error> {
    match over == plan.members.len() {
        true => Err(Error::Extension(format!(
            "nothing to extend in stage \"{name}\": a stop rule ended each of the {over} member(s), or it failed; start a new run"
        ))),
        false => Ok(()),
    }
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
        Addition::Time(text) | Addition::Percent(text) => text.clone(),
        Addition::Steps(steps) => format!("{steps} steps"),
        Addition::Sweeps(sweeps) => format!("{sweeps} sweeps"),
    }
}
