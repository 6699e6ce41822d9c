//! A run of a request: its folder, its plan and its devices.

use std::path::Path;
use std::time::Instant;

use beadwork_engine::{
    Control, Devices, Ending, MemberStatus, Outcome, Plan, Progress, VALUE_VERSION,
};
use beadwork_input::Request;
use beadwork_io::{RunFolder, RunLock};

pub use crate::plan::{frame_format, plan};
pub use crate::refusals::refuse_what_cannot_run;

use crate::device::{Backend, Choice};
use crate::extension_mark::finish_interrupted;
use crate::filling::write_files;
use crate::fingerprint::fingerprint;
use crate::part::Part;
use crate::record::{Ended, Record};
use crate::refusals::refuse_what_is_not_built_in;
use crate::topologies::restore_topologies;
use crate::{Error, exchanges, final_coordinates, lost, lowest, members_list, other_input, tables};

/// A run folder that this process works in.
#[derive(Debug)]
pub struct Session {
    folder: RunFolder,
    request: Request,
    part: Part,
    plan: Plan,
    record: Record,
    /// Whether this process made the folder.
    is_new: bool,
    lock: RunLock,
}

impl Session {
    /// Makes the folder of a new run, with copies of all input files, the resolved input and topologies. The run will be
    /// stepped on `devices`, or others of their kind.
    ///
    /// # Errors
    /// A folder that exists, or a file that cannot be written; then everything that was written is removed.
    pub fn create(folder: &Path, request: Request, devices: &Devices) -> Result<Session, Error> {
        refuse_what_cannot_run(&request)?;
        let part = Part::whole(&request);
        Session::fill(RunFolder::create(folder)?, request, part, devices)
    }

    /// Fills a folder that was just created with the files of a run of some members of the ensemble.
    ///
    /// # Errors
    /// A file that cannot be written; then everything that was written is removed.
    pub fn fill(
        (folder, lock): (RunFolder, RunLock),
        request: Request,
        part: Part,
        devices: &Devices,
    ) -> Result<Session, Error> {
        let folder = part.folder(folder, &request);
        let plan = plan(&request, &part);
        let mut record = Record::new(&request, &part, &plan.fingerprint, devices);
        if let Err(error) = write_files(&folder, &request, &mut record) {
            // The first error is reported; one of cleaning up is not.
            let _ = folder.undo_filling();
            return Err(error);
        }
        folder.finish_filling()?;
        Ok(Session { folder, request, part, plan, record, is_new: true, lock })
    }

    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join("run.json").exists() && folder.join("resolved.toml").exists()
    }

    /// Opens the run in a folder, and completes an extension that was interrupted.
    ///
    /// # Errors
    /// A folder that holds no run, whose input cannot be read or was changed, in which another process works, or whose
    /// members would begin anew because their checkpoints are gone.
    pub fn open(folder: &Path) -> Result<Session, Error> {
        let session = Session::open_from_start(folder)?;
        session.refuse_lost()?;
        Ok(session)
    }

    /// Opens the run in a folder like [`Session::open`]. Members whose checkpoints are gone will begin anew, and what they had
    /// written will be dropped.
    ///
    /// # Errors
    /// Those of [`Session::open`], but for missing checkpoints.
    pub fn open_from_start(folder: &Path) -> Result<Session, Error> {
        let lock = RunFolder::open(folder)?.lock()?;
        // While this process waited for the lock, its holder may have removed a folder that it could not complete.
        let folder = RunFolder::open(folder)?;
        remove_half_drawn(&folder)?;
        // A killed process that left the list of files had written all of them, because the list is removed last.
        folder.finish_filling()?;
        finish_interrupted(&folder)?;
        Session::take_up(folder, lock)
    }

    /// Reads the run of a folder that is locked and complete.
    pub(crate) fn take_up(folder: RunFolder, lock: RunLock) -> Result<Session, Error> {
        let mut record = Record::read(&folder)?;
        record.refuse_changed(&folder, None)?;
        if record.value_version != VALUE_VERSION {
            return Err(Error::Engine(beadwork_engine::Error::OtherValueVersion {
                path: folder.run_json(),
                found: record.value_version,
                expected: VALUE_VERSION,
            }));
        }
        let request = beadwork_input::load_begun(&folder.resolved(), &[])?;
        refuse_what_is_not_built_in(&request)?;
        record.refuse_other(&folder, &request)?;
        let part = record.part(&request)?;
        let folder = part.folder(folder, &request);
        restore_topologies(&folder, &request, &mut record)?;
        let plan = plan(&request, &part);
        Ok(Session { folder, request, part, plan, record, is_new: false, lock })
    }

    /// The lock of the folder, which stays locked while the rest of the session is dropped.
    pub(crate) fn into_lock(self) -> RunLock {
        self.lock
    }

    /// Refuses to go on if members would begin anew whose checkpoints are gone, and says what would be lost.
    pub(crate) fn refuse_lost(&self) -> Result<(), Error> {
        lost::refuse(&self.folder, &self.plan)
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The plan of the members in this folder.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The members of the ensemble that are in this folder.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The devices on which the run continues, of the kind that it began on. A run that has finished opens no GPU.
    ///
    /// # Errors
    /// A choice of the other kind; a GPU or a checkpoint that cannot be used.
    pub fn devices(&self, choice: &Choice) -> Result<Devices, Error> {
        let asked = match choice {
            Choice::Auto => self.record.device,
            Choice::Cpu => Backend::Cpu,
            Choice::Cuda(_) => Backend::Cuda,
        };
        self.refuse_other(asked)?;
        let folder = || self.folder.root().to_path_buf();
        Ok(match asked {
            Backend::Cpu => Devices::Cpu,
            Backend::Cuda if self.is_over()? => Devices::Cuda(Vec::new()),
            Backend::Cuda => Devices::Cuda(
                choice.cards().map_err(|source| Error::NoGpu { folder: folder(), source })?,
            ),
        })
    }

    fn is_over(&self) -> Result<bool, Error> {
        let statuses = beadwork_engine::statuses(&self.folder, &self.plan)?;
        Ok(statuses.iter().all(|status| {
            matches!(status, Some(MemberStatus::Finished | MemberStatus::Failed { .. }))
        }))
    }

    fn refuse_other(&self, asked: Backend) -> Result<(), Error> {
        if asked == self.record.device {
            return Ok(());
        }
        let on = match self.record.gpus.as_slice() {
            [] => self.record.device.name().to_string(),
            gpus => format!("{} ({})", self.record.device.name(), gpus.join(", ")),
        };
        Err(Error::Device(format!(
            "the run in {} began on {on}, and {} would not continue it with the same bits: leave --device out, or start a new run in another folder",
            self.folder.root().display(),
            asked.name()
        )))
    }

    /// Whether a request is that of this run, now or before an extension. The output folder may differ.
    pub fn is_of(&self, request: &Request) -> bool {
        self.record.was_of(&fingerprint(request))
    }

    /// Refuses to go on with this run if another one, or other members of it, are asked for.
    ///
    /// # Errors
    /// [`Error::OtherRun`].
    pub fn refuse_other_request(&self, request: &Request, part: &Part) -> Result<(), Error> {
        let folder = self.folder.root().display();
        if !self.is_of(request) {
            let difference = match other_input::in_words(&self.request, request) {
                words if words.is_empty() => words,
                words => format!(" ({words})"),
            };
            return Err(Error::OtherRun(format!(
                "{folder} holds a run of another input{difference}: choose another --output, or go on with that run by `beadwork resume {folder}`"
            )));
        }
        let (held, asked) = (self.part.range(), part.range());
        if held != asked {
            return Err(Error::OtherRun(format!(
                "{folder} holds the replicas {}..{} of this input, not {}..{}: choose another --output, or give --replicas as at first",
                held.start, held.end, asked.start, asked.end
            )));
        }
        Ok(())
    }

    /// The sum of all members' steps.
    pub fn steps(&self) -> u64 {
        self.plan.members.iter().map(|member| member.protocol.steps()).sum()
    }

    /// Makes the steps that are left, notes in `run.json` how that ended, and writes `members.csv`, the final coordinates, `exchange.csv` and the lowest
    /// configurations.
    ///
    /// # Errors
    /// An error that stops the whole run (members that fail are in the outcome), or devices of another kind than the run began
    /// on.
    pub fn run(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        self.refuse_other(Backend::of(&control.devices))?;
        let mut record = Record::read(&self.folder)?;
        // A finished run is only analysed again, and its record stays.
        let (before, was_finished) = (record.clone(), record.ending == Some(Ended::Finished));
        let began = Instant::now();
        record.threads = Some(control.threads);
        if !self.is_new && !was_finished {
            record.begin();
            record.write(&self.folder)?;
        }
        let outcome = self.step(control, progress);
        if outcome.is_err() && progress.computed.get() == 0 && !self.is_new {
            // The folder was refused, and stays as it was.
            let _ = before.write(&self.folder);
        } else if !was_finished || progress.computed.get() > 0 {
            let (ending, failed) = match &outcome {
                Ok(outcome) => {
                    record.gpu_form.clone_from(&outcome.gpu_form);
                    (outcome.ending.into(), outcome.failures().count() as u64)
                }
                Err(_) => (Ended::Error, record.failed_members),
            };
            record.end(ending, failed, began.elapsed());
            let written = record.write(&self.folder);
            // The first error is the one to report.
            if outcome.is_ok() {
                written?;
            }
        }
        outcome
    }

    /// [`Session::run`] without `run.json`.
    fn step(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        let mut outcome = beadwork_engine::run(&self.folder, &self.plan, control, progress)?;
        self.folder.sync_checkpoints()?;
        let (folder, request, part) = (&self.folder, &self.request, &self.part);
        members_list::write(folder, request, part, &self.plan, &outcome.statuses)?;
        let notes = final_coordinates::write(&self.folder, &self.plan, &outcome.statuses)?;
        outcome.notes.extend(notes);
        exchanges::write(&self.folder, &self.plan)?;
        // An interrupted run returns at once.
        if outcome.ending == Ending::Finished {
            lowest::write(&self.folder, &self.plan, self.request.replicas)?;
        }
        Ok(outcome)
    }

    /// Writes `tables.parquet` if the input asks for it.
    pub fn write_parquet(&self) -> Result<(), Error> {
        if !self.request.output.parquet {
            return Ok(());
        }
        let folders = std::slice::from_ref(&self.folder);
        tables::write_parquet(folders, &self.request, &self.folder.tables_parquet())
    }
}

/// Removes figures that a killed process had begun. A figure gets its final name when it is complete.
fn remove_half_drawn(folder: &RunFolder) -> Result<(), Error> {
    // Users may remove the folder of plots.
    let Ok(entries) = std::fs::read_dir(folder.plots()) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "partial") {
            std::fs::remove_file(&path)
                .map_err(|source| beadwork_io::Error::Write { path, source })?;
        }
    }
    Ok(())
}
