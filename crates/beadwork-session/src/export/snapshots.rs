//! Configurations of a member, from its trajectory or its checkpoint.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use beadwork_analysis::table::read_csv;
use beadwork_engine::{CheckpointSet, MemberCheckpoint, Plan, output_files};
use beadwork_io::{FrameFormat, RunFolder, frames};
use beadwork_model::{Model, System};

use super::Frames;
use crate::Error;
use crate::outputs::refuse_other;
use crate::part::{Part, View};
use crate::plan::{frame_format, plan};

/// Beads at a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    /// Of the run; a sweep of chains that are sampled.
    pub step: u64,
    /// As tables have it: in ns, or in units of the system.
    pub time: f64,
    /// Å; in a box those of the images that beads have reached.
    pub positions: Vec<[f64; 3]>,
    /// Å/ps; `None` if they are not known.
    pub velocities: Option<Vec<[f64; 3]>>,
}

/// A member of a run.
pub(super) struct Source<'a> {
    view: &'a View,
    folder: &'a RunFolder,
    member: u64,
    /// Its index in the folder.
    place: usize,
    plan: Plan,
    system: Cow<'a, System>,
}

impl<'a> Source<'a> {
    pub fn new(view: &'a View, member: u64) -> Result<Source<'a>, Error> {
        let number = usize::try_from(member).unwrap_or(usize::MAX);
        let Some(folder) = view.folders.iter().find(|folder| folder.members().contains(&number))
        else {
            let numbers = |folder: &RunFolder| {
                let members = folder.members();
                match members.len() {
                    1 => members.start.to_string(),
                    _ => format!("{} to {}", members.start, members.end.saturating_sub(1)),
                }
            };
            let numbers: Vec<String> = view.folders.iter().map(numbers).collect();
            return Err(Error::Export(format!(
                "there is no replica {member} here, but {}",
                numbers.join(" and ")
            )));
        };
        let system = of_unit_masses(&view.request.member(member).0.system);
        let plan = plan(&view.request, &Part::of(folder, &view.request)?);
        Ok(Source { view, folder, member, place: number - folder.members().start, plan, system })
    }

    pub fn member(&self) -> u64 {
        self.member
    }

    /// The system as files of other programs have it: with masses of 1 if the model has none.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// A sentence on the masses in the file, if the model has none.
    pub fn of_masses(&self) -> Option<&'static str> {
        match self.system.model {
            Model::ElasticPolymer(_) | Model::Oscillators(_) => {
                Some("the model has no masses: those in the file are 1")
            }
            Model::Sop => Some(
                "the model has no masses: those in the file are the mean mass of a residue, 110 Da",
            ),
            Model::Beads | Model::Residues(_) => None,
        }
    }

    /// Compares the trajectory and the list of its frames with what the checkpoint knows of them. Returns why that could not be
    /// done, a sentence.
    ///
    /// # Errors
    /// Files that are gone or have other bytes than were written.
    pub fn compare(&self, chosen: &Frames) -> Result<Option<String>, Error> {
        let Some((trajectory, _)) = self.trajectory().filter(|_| *chosen != Frames::State) else {
            return Ok(None);
        };
        let reason = match self.checkpoint() {
            Ok(Some(checkpoint)) => {
                let files = output_files(self.folder, &self.plan, self.place, checkpoint.record)?;
                let own = [&trajectory, &self.folder.frames(self.place)];
                let mut files = files.iter().filter(|file| own.contains(&&file.path));
                files.try_for_each(|file| refuse_other(&checkpoint.status, file))?;
                return Ok(None);
            }
            // The member's first checkpoint is still to come.
            Ok(None) if self.checkpoint_file().exists() => return Ok(None),
            Ok(None) => format!("the checkpoint {} is gone", self.checkpoint_file().display()),
            Err(error) => format!("the checkpoint cannot be used: {error}"),
        };
        for path in [&trajectory, &self.folder.frames(self.place)] {
            if self.has_begun() && !path.exists() {
                return Err(beadwork_io::Error::missing_output(path).into());
            }
        }
        Ok(Some(format!("the frames could not be compared with what the run wrote: {reason}")))
    }

    /// Passes the chosen configurations to `see`, in their order.
    pub fn read(
        &self,
        chosen: &Frames,
        mut see: impl FnMut(Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if *chosen == Frames::State {
            return see(self.state()?);
        }
        let Some((path, format)) = self.trajectory() else {
            return Err(Error::Export(
                "the run writes no trajectory: `--frames state` takes the last checkpoint"
                    .to_string(),
            ));
        };
        let (steps, times) = self.list()?;
        if steps.is_empty() {
            return Err(self.no_frame());
        }
        let Some(numbers) = chosen.numbers(steps.len())? else { return Ok(()) };
        let (mut seen, mut outcome) = (0, Ok(()));
        let is_chosen = |number: usize| numbers.contains(&number);
        frames::read_moving(&path, format, is_chosen, |number, positions, velocities| {
            if outcome.is_ok() {
                let (step, time) = (steps[number], times[number]);
                let (positions, velocities) = (vectors(positions), velocities.map(vectors));
                let snapshot = Snapshot { step, time, positions, velocities };
                outcome = self.refuse_damaged(&path, number, &snapshot);
                if outcome.is_ok() {
                    outcome = see(snapshot);
                }
            }
            seen += 1;
        })?;
        outcome?;
        match seen < numbers.len() {
            true => Err(beadwork_io::Error::short_trajectory(&path).into()),
            false => Ok(()),
        }
    }

    /// Refuses a frame with another number of beads, or with numbers that are not finite.
    fn refuse_damaged(&self, path: &Path, number: usize, frame: &Snapshot) -> Result<(), Error> {
        let (beads, found) = (self.system.beads(), frame.positions.len());
        let place = format!("frame {number} of {}", path.display());
        if found != beads {
            return Err(Error::Export(format!(
                "{place} has {found} beads, and the run {beads}: put the original trajectory back"
            )));
        }
        let vectors = frame.positions.iter().chain(frame.velocities.iter().flatten());
        let mut damaged = vectors.enumerate().filter(|(_, one)| !one.iter().all(|x| x.is_finite()));
        match damaged.next() {
            Some((at, _)) => Err(Error::Export(format!(
                "{place} has a {} of bead {} (counted from 0) that is no finite number: put the original trajectory back, or name other frames",
                if at < beads { "position" } else { "velocity" },
                at % beads
            ))),
            None => Ok(()),
        }
    }

    /// The trajectory, if the run writes one.
    fn trajectory(&self) -> Option<(PathBuf, FrameFormat)> {
        let (_, kind) = self.view.request.output.trajectory?;
        let format = frame_format(kind);
        Some((self.folder.trajectory(self.place, format), format))
    }

    /// Steps and times of the frames; none before the first one.
    fn list(&self) -> Result<(Vec<u64>, Vec<f64>), Error> {
        let path: PathBuf = self.folder.frames(self.place);
        if !path.exists() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (table, system) = (read_csv(&path)?, self.system());
        if system.is_sampled() {
            let sweeps = table.counts("sweep")?;
            return Ok((sweeps.clone(), sweeps.into_iter().map(|sweep| sweep as f64).collect()));
        }
        Ok((table.counts("step")?, table.numbers(system.units.time_column())?))
    }

    fn has_begun(&self) -> bool {
        self.folder.table(self.place).exists()
    }

    fn not_begun(&self) -> Error {
        let (member, root) = (self.member, self.folder.root().display());
        Error::Export(format!(
            "replica {member} has not begun: `beadwork resume {root}` begins it; if the run goes on, wait until it comes to it"
        ))
    }

    /// Says why there is no frame, and what to do.
    fn no_frame(&self) -> Error {
        let advice = match self.checkpoint() {
            Ok(Some(_)) => "`--frames state` takes its last checkpoint",
            _ if !self.has_begun() => return self.not_begun(),
            _ => "let it go on until its first one",
        };
        Error::Export(format!("replica {} has written no frame: {advice}", self.member))
    }

    fn checkpoint_file(&self) -> PathBuf {
        self.folder.checkpoint(self.plan.first_of_group(self.place))
    }

    /// The checkpoint; `None` if it is gone or still to come.
    fn checkpoint(&self) -> Result<Option<MemberCheckpoint>, beadwork_engine::Error> {
        let mut groups = self.plan.checkpoint_groups().into_iter();
        let Some(members) = groups.find(|members| members.contains(&self.place)) else {
            return Ok(None);
        };
        let set = CheckpointSet::read(self.folder, &self.plan, &members)?;
        Ok(set.members.into_iter().nth(self.place - members.start).flatten())
    }

    fn state(&self) -> Result<Snapshot, Error> {
        let Some(checkpoint) = self.checkpoint()? else { return Err(self.no_checkpoint()) };
        let (state, member) = (checkpoint.state, &self.plan.members[self.place]);
        let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
        Ok(Snapshot {
            step: state.step,
            time: member.system.units.time_in_tables(time),
            positions: state.positions,
            velocities: state.extra.motion.map(|motion| motion.velocities),
        })
    }

    /// Says why there is no checkpoint, and what to do.
    fn no_checkpoint(&self) -> Error {
        let (member, path) = (self.member, self.checkpoint_file());
        if path.exists() {
            return Error::Export(format!(
                "replica {member} has no checkpoint yet: its first one comes after `output.checkpoint` of wall time, or when the run is stopped"
            ));
        }
        if !self.has_begun() {
            return self.not_begun();
        }
        Error::Export(format!(
            "the checkpoint {} of replica {member} is gone: put it back, or name frames of the trajectory, such as `--frames last`",
            path.display()
        ))
    }
}

/// The system, with masses of 1 where those in files for viewers stand for none.
fn of_unit_masses(system: &System) -> Cow<'_, System> {
    if !matches!(system.model, Model::ElasticPolymer(_) | Model::Oscillators(_)) {
        return Cow::Borrowed(system);
    }
    let mut system = system.clone();
    system.types.iter_mut().for_each(|kind| kind.mass = 1.0);
    Cow::Owned(system)
}

fn vectors(numbers: &[f32]) -> Vec<[f64; 3]> {
    numbers.as_chunks::<3>().0.iter().map(|vector| vector.map(f64::from)).collect()
}
