//! Makes a run longer.
//!
//! The end of a stage adds nothing to a member's files. So a run whose last stage is lengthened equals one that was as
//! long from the beginning. An extension changes the resolved input, the fingerprint of the input in checkpoints, and
//! the status of members that had reached the old end.
//!
//! One file, the mark, describes all these changes. Once it is written the extension is decided: after a kill, the next
//! process that opens the folder completes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use beadwork_engine::{MemberCheckpoint, MemberStatus, Plan, Recorder, checkpoints};
use beadwork_input::{Addition, Request};
use beadwork_io::{RunFolder, RunLock, room_for_files};

use crate::Error;
use crate::extension_mark::{ExtensionMark, carry_out, finish_interrupted, pending};
use crate::members_list;
use crate::outputs::refuse_changed;
use crate::part::{Part, jobs_of};
use crate::plan::plan;
use crate::record::{CUT, Ended, Extension, Record};
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

impl Report {
    /// The report on an extension after which the members have these statuses.
    fn of(extension: &Extension, statuses: &[Option<MemberStatus>]) -> Report {
        let (stage, lengths) = (extension.stage.clone(), extension.lengths.clone());
        let mut report = Report { stage, lengths, ..Report::default() };
        for status in statuses {
            match status {
                None | Some(MemberStatus::Running) => report.open += 1,
                Some(MemberStatus::Finished) => report.stopped += 1,
                Some(MemberStatus::Failed { .. }) => report.failed += 1,
            }
        }
        report
    }
}

/// Lengthens a stage of the run in a folder: the named one, or the last. If the same extension was interrupted,
/// completes it and adds nothing more.
///
/// # Errors
/// [`Error::Extension`] for a stage that a member has left, and for a run in which no member would continue, unless it is a part of
/// jobs and another part is longer; a stage that does not exist, minimises or does not become longer by whole steps; an output file
/// that is not what was written, or a file that cannot be read or written. The folder is then unchanged, or the next process that opens it completes the extension.
pub fn extend(folder: &Path, stage: Option<&str>, by: &Addition) -> Result<Report, Error> {
    extend_one(folder, stage, by, || ())
}

/// [`extend`], which calls `decide` before it changes anything.
fn extend_one(
    folder: &Path,
    stage: Option<&str>,
    by: &Addition,
    mut decide: impl FnMut(),
) -> Result<Report, Error> {
    match Found::read(folder, stage, by, &mut decide)? {
        Found::Complete(_, report) => Ok(report),
        Found::Possible(possible) => {
            refuse_over(std::slice::from_ref(&*possible))?;
            decide();
            possible.make()
        }
    }
}

/// Lengthens a stage of several runs like [`extend`], of all or of none: each is checked, and locked, before any is changed. `made`
/// gets the folders that are longer, in order, each with its report.
///
/// `decide` is called before the first change, and may be called again. A program that ends after it, for a signal, may leave an
/// extension that is made, and the same extension would add once more. One that ends before it has changed nothing.
///
/// Parts of jobs in which no member would continue become longer with the others, since parts of one run have one input.
///
/// # Errors
/// The errors of [`extend`], which name the folder. [`Error::Extension`] for parts of one run whose inputs differ, for a folder in
/// which the same extension was interrupted, and for more folders than files that this process may have open. No folder is changed
/// then, but for completing what was interrupted. After an error of the machine `made` has got the folders that were changed before.
pub fn extend_all(
    folders: &[PathBuf],
    stage: Option<&str>,
    by: &Addition,
    mut decide: impl FnMut(),
    mut made: impl FnMut(&Path, Report),
) -> Result<(), Error> {
    if let [folder] = folders {
        made(folder, extend_one(folder, stage, by, decide)?);
        return Ok(());
    }
    // The lock of each folder is an open file.
    room_for_files(folders.len() as u64).map_err(|limit| {
        Error::Extension(format!(
            "{} folders cannot be made longer together: each has a lock, and a process may have {limit} files open here; raise that limit (ulimit -Hn), or name fewer folders",
            folders.len()
        ))
    })?;
    let mut checked = Vec::new();
    for folder in folders {
        let found = Found::read(folder, stage, by, &mut decide);
        match found.map_err(|error| named(folder, error))? {
            Found::Possible(mut possible) => {
                // One system at a time is in memory.
                possible.request = None;
                checked.push(*possible);
            }
            Found::Complete(extension, _) => {
                return Err(Error::Extension(format!(
                    "an earlier command was killed while it made {} longer by {}, which is complete now; nothing more was added to any folder. Compare the lengths in each resolved.toml, and name the folders that are shorter",
                    folder.display(),
                    extension.by
                )));
            }
        }
    }
    refuse_unequal_parts(&checked)?;
    refuse_over(&checked)?;
    decide();
    for possible in checked {
        let folder = possible.folder.root().to_path_buf();
        made(&folder, possible.make()?);
    }
    Ok(())
}

/// An error of one folder among several, which names it.
fn named(folder: &Path, error: Error) -> Error {
    match error {
        Error::Input(error) => Error::Input(error.of(&folder.display().to_string())),
        Error::Extension(problem) => Error::Extension(format!("{}: {problem}", folder.display())),
        error => error,
    }
}

/// Refuses parts of one run whose inputs differ: an earlier command was given some of them only, or was stopped between two.
fn refuse_unequal_parts(checked: &[Possible]) -> Result<(), Error> {
    for (place, one) in checked.iter().enumerate() {
        let differs = |other: &&Possible| {
            let [one, other] = [one, *other].map(|part| &part.mark.extension.fingerprint_before);
            one != other
        };
        let belongs =
            |other: &&Possible| one.is_of_the_jobs_of(other) || one.is_of_the_run_of(other);
        if let Some(other) = checked[place + 1..].iter().filter(differs).find(belongs) {
            return Err(unequal(one, other));
        }
    }
    Ok(())
}

/// The error of two parts of one run whose inputs differ.
fn unequal(one: &Possible, other: &Possible) -> Error {
    let length = |part: &Possible| {
        let lengths = part.mark.extension.lengths.iter().map(|(before, _)| before.as_str());
        lengths.collect::<Vec<_>>().join(", ")
    };
    let (whose, hint) = match &other.jobs {
        Some(jobs) if one.is_of_the_jobs_of(other) => {
            let named = jobs_of(other.folder.root());
            let jobs = named.as_ref().unwrap_or(jobs).display();
            let hint = format!("; `beadwork submit {jobs} --status` says which these are");
            ("the same jobs", hint)
        }
        _ => ("one run", String::new()),
    };
    Error::Extension(format!(
        "{} and {} are parts of {whose} and have different inputs (stage \"{}\": {} and {}): make those that are shorter equally long first, by their own names{hint}",
        one.folder.root().display(),
        other.folder.root().display(),
        other.mark.extension.stage,
        length(one),
        length(other)
    ))
}

/// Refuses runs in which no member would continue. A part of jobs may become longer if another one that is named goes on, or if
/// another one is longer already: all parts have one input.
fn refuse_over(checked: &[Possible]) -> Result<(), Error> {
    let going_on = checked.iter().filter(|one| one.over < one.members);
    let mut allowed: BTreeSet<&Path> = going_on.filter_map(|one| one.jobs.as_deref()).collect();
    for one in checked.iter().filter(|one| one.over == one.members) {
        let Extension { stage, fingerprint_before, .. } = &one.mark.extension;
        let Some(jobs) = &one.jobs else {
            let error = all_over(one.over, stage);
            return Err(if checked.len() > 1 { named(one.folder.root(), error) } else { error });
        };
        if allowed.contains(jobs.as_path()) {
            continue;
        }
        if !has_longer_part(jobs, fingerprint_before) {
            let named = jobs_of(one.folder.root());
            return Err(Error::Extension(format!(
                "nothing to extend in stage \"{stage}\" of {}: a stop rule ended each member of the parts that were named, or it failed; if other parts of these jobs go on, name {}, so that all parts become longer, and else start a new run",
                one.folder.root().display(),
                named.as_ref().unwrap_or(jobs).display()
            )));
        }
        allowed.insert(jobs);
    }
    Ok(())
}

/// Whether a part of jobs was made longer than those that still have the input of this fingerprint.
fn has_longer_part(jobs: &Path, fingerprint: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(jobs) else { return false };
    let record = |folder: PathBuf| Record::read(&RunFolder::open(&folder).ok()?).ok();
    let mut records = entries.filter_map(|entry| record(entry.ok()?.path()));
    records.any(|record| record.fingerprint != fingerprint && record.was_of(fingerprint))
}

/// The folder of jobs of which a folder is a part, by the same path however the part was named.
fn jobs_in_full(folder: &Path) -> Option<PathBuf> {
    let jobs = jobs_of(folder).or_else(|| jobs_of(&folder.canonicalize().ok()?))?;
    Some(jobs.canonicalize().unwrap_or(jobs))
}

/// What a folder has for an extension that is asked for.
enum Found {
    /// An earlier command was killed while it made the same extension, which is complete.
    Complete(Extension, Report),
    Possible(Box<Possible>),
}

/// An extension that was found possible, of a run whose folder is locked.
struct Possible {
    folder: RunFolder,
    part: Part,
    mark: ExtensionMark,
    /// The longer request; `None` if it is to be read again from the text that the mark has.
    request: Option<Request>,
    /// The folder of jobs of which the run is a part.
    jobs: Option<PathBuf>,
    /// The fingerprints of the inputs that the folder has had, if it holds a part of an ensemble; empty if it holds all.
    fingerprints: BTreeSet<String>,
    members: usize,
    /// The members that would not continue.
    over: usize,
    _lock: RunLock,
}

impl Found {
    /// Locks the folder of a run and checks an extension of it. Calls `decide` before it completes one that was interrupted.
    fn read(
        folder: &Path,
        stage: Option<&str>,
        by: &Addition,
        decide: &mut impl FnMut(),
    ) -> Result<Found, Error> {
        let place = RunFolder::open(folder)?;
        let lock = place.lock()?;
        let by_text = in_words(by);
        let is_same =
            |made: &Extension| made.by == by_text && stage.is_none_or(|stage| stage == made.stage);
        if pending(&place).is_some() {
            decide();
        }
        let made = finish_interrupted(&place)?;
        let session = Session::take_up(place, lock)?;
        if let Some(extension) = made.filter(is_same) {
            let statuses = beadwork_engine::statuses(session.folder(), session.plan())?;
            let report = Report { was_interrupted: true, ..Report::of(&extension, &statuses) };
            return Ok(Found::Complete(extension, report));
        }
        session.refuse_lost()?;
        let longer = beadwork_input::extend(&session.folder().resolved(), stage, by)?;
        let over = members_over(session.folder(), session.plan(), longer.stage, &longer.name)?;
        // A longer run that cannot go on would only be more to repair.
        refuse_changed(session.folder(), session.plan())?;
        let fingerprints = match session.part().is_whole(session.request()) {
            true => BTreeSet::new(),
            false => Record::read(session.folder())?.fingerprints(),
        };
        let extension = Extension {
            stage: longer.name,
            by: by_text,
            lengths: longer.lengths,
            fingerprint_before: session.plan().fingerprint.clone(),
        };
        Ok(Found::Possible(Box::new(Possible {
            mark: ExtensionMark::of(extension, longer.stage, &longer.request),
            request: Some(longer.request),
            jobs: jobs_in_full(folder),
            fingerprints,
            members: session.plan().members.len(),
            over,
            folder: session.folder().clone(),
            part: session.part().clone(),
            _lock: session.into_lock(),
        })))
    }
}

impl Possible {
    fn is_of_the_jobs_of(&self, other: &Possible) -> bool {
        self.jobs.is_some() && self.jobs == other.jobs
    }

    /// Whether both are parts of one run, which may differ in length: they had the same input once, and have no replica in common.
    fn is_of_the_run_of(&self, other: &Possible) -> bool {
        let [one, other_one] = [self, other].map(|possible| possible.part.range());
        !self.fingerprints.is_disjoint(&other.fingerprints)
            && (one.end <= other_one.start || other_one.end <= one.start)
    }

    /// Makes the extension.
    fn make(self) -> Result<Report, Error> {
        let Possible { folder, part, mark, request, _lock, .. } = self;
        let record = Record::read(&folder)?;
        let last = record.extensions.last().filter(|_| record.ending == Some(Ended::Extended));
        let earlier = last.filter(|one| one.by != CUT).map(|one| one.by.clone());
        let request = match request {
            Some(request) => request,
            None => {
                let name = folder.resolved().display().to_string();
                beadwork_input::parse_begun(&mark.resolved, &name, folder.root(), &[])?
            }
        };
        let statuses = change_length(&folder, &part, &mark, &request)?;
        Ok(Report { earlier, ..Report::of(&mark.extension, &statuses) })
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
        by: CUT.to_string(),
        lengths: vec![(stages[stage].steps().to_string(), steps.to_string())],
        fingerprint_before: session.plan().fingerprint.clone(),
    };
    let mark = ExtensionMark::of(extension, stage, &shorter);
    change_length(session.folder(), session.part(), &mark, &shorter).map(drop)
}

/// Gives a run the request of a mark, in which one of its stages has another length. Returns the statuses of the members.
fn change_length(
    folder: &RunFolder,
    part: &Part,
    mark: &ExtensionMark,
    request: &Request,
) -> Result<Vec<Option<MemberStatus>>, Error> {
    let new_plan = plan(request, part);
    mark.write(folder)?;
    carry_out(folder, mark, request, &new_plan)?;
    let statuses = beadwork_engine::statuses(folder, &new_plan)?;
    members_list::write(folder, request, part, &new_plan, &statuses)?;
    Ok(statuses)
}

/// Refuses a stage that a member has left, and a run in which no member would continue.
pub(crate) fn refuse_ended_stage(
    recorder: &dyn Recorder,
    plan: &Plan,
    stage: usize,
    name: &str,
) -> Result<(), Error> {
    match members_over(recorder, plan, stage, name)? {
        over if over == plan.members.len() => Err(all_over(over, name)),
        _ => Ok(()),
    }
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

/// The error of a run in which no member would continue.
fn all_over(members: usize, stage: &str) -> Error {
    Error::Extension(format!(
        "nothing to extend in stage \"{stage}\": a stop rule ended each of the {members} member(s), or it failed; start a new run"
    ))
}

fn in_words(by: &Addition) -> String {
    match by {
        Addition::Time(text) | Addition::Percent(text) => text.clone(),
        Addition::Steps(steps) => format!("{steps} steps"),
        Addition::Sweeps(sweeps) => format!("{sweeps} sweeps"),
    }
}
