//! Runs that are stepped in pieces and read between them.
//!
//! A *segment* is a run like any other, in a folder or in memory. It is made longer when it is asked for more than its input says.
//! When something is set, the segment is cut where it is, and [`Steered::next`] makes the request of another one, which begins from
//! files with the state there. So each segment has a resolved input that repeats it.

mod next;
mod start_files;

use std::fs;
use std::path::{Path, PathBuf};

use beadwork_cpu::Member;
use beadwork_engine::{
    Control, MemberPlan, MemberStatus, MemoryRecorder, Outcome, Plan, Progress, Recorder,
    checkpoints,
};
use beadwork_input::{Addition, Request};
use beadwork_io::RunFolder;
use beadwork_model::{Stage, StageKind};
use beadwork_simulation::{Measurement, MemberState};
use rayon::prelude::*;

pub use next::Change;

use crate::Error;
use crate::extension::{self, refuse_ended_stage};
use crate::extension_mark::renew_checkpoints;
use crate::part::{Part, View};
use crate::plan::plan;
use crate::refusals::refuse_what_is_not_built_in;
use crate::session::Session;

/// A segment of a steered run.
#[derive(Debug)]
pub struct Steered {
    place: Place,
    request: Request,
    plan: Plan,
    /// The step of dynamics, or the sweep, to which all members were asked to go.
    target: u64,
}

/// Where a segment is recorded.
#[derive(Debug)]
enum Place {
    Folder(RunFolder),
    /// The folder has the resolved input and its files; all that is computed is in memory.
    Memory {
        home: PathBuf,
        recorder: MemoryRecorder,
    },
}

/// Where a member is.
#[derive(Clone, Debug)]
pub struct MemberNow {
    /// Its state: positions in Å or reduced units, velocities in Å/ps.
    pub state: MemberState,
    /// Whether it has steps left; `None` before its first step.
    pub status: Option<MemberStatus>,
}

impl Steered {
    /// A segment in memory. `home` is an empty folder, which gets the resolved input and its files.
    ///
    /// # Errors
    /// A request of which no run can be made here; a file that cannot be written.
    pub fn in_memory(request: Request, home: &Path) -> Result<Steered, Error> {
        refuse_what_is_not_built_in(&request)?;
        write_inputs(home, &request)?;
        let plan = plan_in_memory(&request);
        let place = Place::Memory { home: home.to_path_buf(), recorder: MemoryRecorder::default() };
        Ok(Steered { place, request, plan, target: 0 })
    }

    /// The segment in the folder of a run, which another process may have begun.
    ///
    /// # Errors
    /// A folder that holds no run, or a part of one; checkpoints that cannot be used.
    pub fn in_folder(path: &Path) -> Result<Steered, Error> {
        let View { folders, request, .. } = View::open(path)?;
        let [folder] = <[RunFolder; 1]>::try_from(folders)
            .map_err(|_| Error::Steering("steer one run at a time".to_string()))?;
        let part = Part::of(&folder, &request)?;
        if !part.is_whole(&request) {
            return Err(Error::Steering(format!(
                "{} holds some replicas of a run, and only whole runs are steered",
                path.display()
            )));
        }
        let plan = plan(&request, &part);
        let mut steered = Steered { place: Place::Folder(folder), request, plan, target: 0 };
        let members = steered.members()?;
        steered.target = members.iter().map(|one| one.state.dynamics_step).max().unwrap_or(0);
        Ok(steered)
    }

    /// The request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The plan of its members.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What was recorded in memory; `None` for a run in a folder.
    pub fn memory(&self) -> Option<&MemoryRecorder> {
        match &self.place {
            Place::Memory { recorder, .. } => Some(recorder),
            Place::Folder(_) => None,
        }
    }

    /// The folder that has the resolved input.
    pub fn home(&self) -> &Path {
        match &self.place {
            Place::Folder(folder) => folder.root(),
            Place::Memory { home, .. } => home,
        }
    }

    fn resolved(&self) -> PathBuf {
        match &self.place {
            Place::Folder(folder) => folder.resolved(),
            Place::Memory { home, .. } => resolved_in(home),
        }
    }

    fn recorder(&self) -> &dyn Recorder {
        match &self.place {
            Place::Folder(folder) => folder,
            Place::Memory { recorder, .. } => recorder,
        }
    }

    /// The steps of dynamics, or sweeps, to which members were asked to go.
    pub fn target(&self) -> u64 {
        self.target
    }

    /// Counts what was asked of a segment before it got its folder.
    pub fn aim_at(&mut self, target: u64) {
        self.target = target;
    }

    /// Asks for so many more steps of dynamics, or sweeps, of each member; for all that are left without a number. The last stage
    /// becomes longer if there are fewer left. Returns [`Control::until`].
    ///
    /// # Errors
    /// Those of [`extension::extend`].
    pub fn ask_for(&mut self, steps: Option<u64>) -> Result<Option<u64>, Error> {
        let Some(steps) = steps else {
            self.target = self.target.max(self.length());
            return Ok(None);
        };
        self.make_room(steps)?;
        self.target += steps;
        Ok(Some(self.target))
    }

    /// Makes the last stage longer if so many more steps are not left.
    ///
    /// # Errors
    /// Those of [`extension::extend`].
    pub fn make_room(&mut self, steps: u64) -> Result<(), Error> {
        match self.target.saturating_add(steps).checked_sub(self.length()) {
            Some(more @ 1..) => self.lengthen(more),
            _ => Ok(()),
        }
    }

    /// Steps of dynamics, or sweeps, of all stages, at most; of the member that has most.
    pub fn length(&self) -> u64 {
        let length = |stages: &[Stage]| {
            let counted = |stage: &&Stage| !matches!(stage.kind, StageKind::Minimise { .. });
            stages.iter().filter(counted).map(Stage::steps).sum()
        };
        let members = self.plan.members.iter();
        members.map(|member| length(&member.protocol.stages)).max().unwrap_or(0)
    }

    /// Steps of all members until they come to a step of dynamics, or a sweep, with those of minimisations on the way: the whole that
    /// [`Progress::settled`] comes to.
    pub fn steps_until(&self, end: u64) -> u64 {
        let of_member = |member: &MemberPlan| {
            let (mut steps, mut left) = (0_u64, end);
            for stage in &member.protocol.stages {
                // A member that has come to its end stops before a minimisation.
                if left == 0 {
                    break;
                }
                let is_counted = !matches!(stage.kind, StageKind::Minimise { .. });
                let own = if is_counted { stage.steps().min(left) } else { stage.steps() };
                steps = steps.saturating_add(own);
                left -= if is_counted { own } else { 0 };
            }
            steps
        };
        self.plan.members.iter().map(of_member).fold(0, u64::saturating_add)
    }

    fn lengthen(&mut self, steps: u64) -> Result<(), Error> {
        let by = Addition::Steps(steps);
        let Place::Memory { home, recorder } = &self.place else {
            extension::extend(self.home(), None, &by)?;
            return self.read_again();
        };
        let longer = beadwork_input::extend(&resolved_in(home), None, &by)?;
        refuse_ended_stage(recorder, &self.plan, longer.stage, &longer.name)?;
        self.replace(longer.request, longer.stage)
    }

    /// Ends the segment after so many steps of one of its stages, to which all its running members have come.
    fn cut(&mut self, stage: usize, steps: u64) -> Result<(), Error> {
        let stages = &self.plan.members[0].protocol.stages;
        if stage + 1 == stages.len() && steps == stages[stage].steps() {
            return Ok(());
        }
        let Place::Memory { home, .. } = &self.place else {
            extension::cut(self.home(), stage, steps)?;
            return self.read_again();
        };
        let shorter = beadwork_input::cut(&resolved_in(home), stage, steps)?;
        self.replace(shorter, stage)
    }

    /// Reads what was changed in the folder.
    fn read_again(&mut self) -> Result<(), Error> {
        let again = Steered::in_folder(self.home())?;
        (self.request, self.plan) = (again.request, again.plan);
        Ok(())
    }

    /// Goes on in memory with a request in which one stage has another length.
    fn replace(&mut self, request: Request, stage: usize) -> Result<(), Error> {
        let longer = plan_in_memory(&request);
        renew_checkpoints(self.recorder(), &longer, &self.plan.fingerprint, stage, |_| Ok(()))?;
        write(&self.resolved(), request.resolved.as_bytes())?;
        (self.request, self.plan) = (request, longer);
        Ok(())
    }

    /// Whether no member would go on, however long the last stage: a stop rule ended it, or the member failed.
    ///
    /// # Errors
    /// A checkpoint that cannot be used.
    pub fn is_over(&self) -> Result<bool, Error> {
        let is_over = |now: &MemberNow| match now.status {
            Some(MemberStatus::Finished) => now.state.stage_over,
            Some(MemberStatus::Failed { .. }) => true,
            None | Some(MemberStatus::Running) => false,
        };
        Ok(self.members()?.iter().all(is_over))
    }

    /// The session that steps a run in its folder; `None` in memory, where [`Steered::run`] steps it.
    ///
    /// # Errors
    /// Those of [`Session::open`].
    pub fn session(&self) -> Result<Option<Session>, Error> {
        match &self.place {
            Place::Folder(folder) => Session::open(folder.root()).map(Some),
            Place::Memory { .. } => Ok(None),
        }
    }

    /// Makes the steps that were asked for, in memory.
    ///
    /// # Errors
    /// An error that stops the whole run; members that fail are in the outcome.
    pub fn run(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        Ok(beadwork_engine::run(self.recorder(), &self.plan, control, progress)?)
    }

    /// Where all members are. Members that have not begun are at their start.
    ///
    /// # Errors
    /// A checkpoint that cannot be used.
    pub fn members(&self) -> Result<Vec<MemberNow>, Error> {
        let found: Vec<_> = checkpoints(self.recorder(), &self.plan).collect::<Result<_, _>>()?;
        let now = |(number, found): (usize, Option<beadwork_engine::MemberCheckpoint>)| match found
        {
            Some(one) => MemberNow { state: one.state, status: Some(one.status) },
            None => MemberNow { state: self.plan.members[number].member().state(), status: None },
        };
        Ok(found.into_par_iter().enumerate().map(now).collect())
    }

    /// What rows of tables would hold of members as they are; `None` where something cannot be measured. Averages are those since
    /// the last row.
    pub fn measure(&self, members: Vec<MemberNow>) -> Vec<Option<Measurement>> {
        let measure = |(number, now): (usize, MemberNow)| {
            let own = &self.plan.members[number];
            let (system, protocol) = (own.system.clone(), own.protocol.clone());
            Member::restore(system, protocol, own.replica, now.state).observe().ok()
        };
        members.into_par_iter().enumerate().map(measure).collect()
    }
}

/// The plan of a run of which nothing but rows and states is kept.
fn plan_in_memory(request: &Request) -> Plan {
    Plan { trajectory: None, ..plan(request, &Part::whole(request)) }
}

fn resolved_in(home: &Path) -> PathBuf {
    home.join("resolved.toml")
}

/// Writes the resolved input of a request, and the files that it names.
fn write_inputs(home: &Path, request: &Request) -> Result<(), Error> {
    for file in &request.files {
        let path = home.join(&file.name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(beadwork_io::Error::write(folder))?;
        }
        write(&path, &file.contents)?;
    }
    write(&resolved_in(home), request.resolved.as_bytes())
}

/// Writes a file of a segment that has no run folder, which need not outlive a crash: thousands that did would take seconds.
fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    Ok(fs::write(path, contents).map_err(beadwork_io::Error::write(path))?)
}
