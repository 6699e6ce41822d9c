//! Configurations of a member, from its trajectory or its checkpoint.

use std::path::PathBuf;

use beadwork_analysis::table::read_csv;
use beadwork_engine::CheckpointSet;
use beadwork_io::{RunFolder, frames};
use beadwork_model::System;

use super::Frames;
use crate::Error;
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
}

impl<'a> Source<'a> {
    pub fn new(view: &'a View, member: u64) -> Result<Source<'a>, Error> {
        let number = usize::try_from(member).unwrap_or(usize::MAX);
        match view.folders.iter().find(|folder| folder.members().contains(&number)) {
            Some(folder) => {
                Ok(Source { view, folder, member, place: number - folder.members().start })
            }
            None => {
                let ranges = view
                    .folders
                    .iter()
                    .map(|folder| format!("{}..{}", folder.members().start, folder.members().end));
                Err(Error::Export(format!(
                    "there is no replica {member} here, but {}",
                    ranges.collect::<Vec<_>>().join(" and ")
                )))
            }
        }
    }

    pub fn member(&self) -> u64 {
        self.member
    }

    pub fn system(&self) -> &'a System {
        &self.view.request.member(self.member).0.system
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
        let Some((_, kind)) = self.view.request.output.trajectory else {
            return Err(Error::Export(
                "the run writes no trajectory: `--frames state` takes the last checkpoint"
                    .to_string(),
            ));
        };
        let (steps, times) = self.list()?;
        let Some(numbers) = chosen.numbers(steps.len())? else { return Ok(()) };
        let path = self.folder.trajectory(self.place, frame_format(kind));
        let (mut seen, mut outcome) = (0, Ok(()));
        let beads = self.system().beads();
        let is_chosen = |number: usize| numbers.contains(&number);
        frames::read_moving(
            &path,
            frame_format(kind),
            is_chosen,
            |number, positions, velocities| {
                if outcome.is_ok() {
                    let (step, time) = (steps[number], times[number]);
                    let (positions, velocities) = (vectors(positions), velocities.map(vectors));
                    outcome = match positions.len() == beads {
                        true => see(Snapshot { step, time, positions, velocities }),
                        false => Err(Error::Export(format!(
                            "frame {number} of {} has {} beads, and the run {beads}: put the original trajectory back",
                            path.display(),
                            positions.len()
                        ))),
                    };
                }
                seen += 1;
            },
        )?;
        outcome?;
        match seen < numbers.len() {
            true => Err(beadwork_io::Error::short_trajectory(&path).into()),
            false => Ok(()),
        }
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

    fn state(&self) -> Result<Snapshot, Error> {
        let plan = plan(&self.view.request, &Part::of(self.folder, &self.view.request)?);
        let mut groups = plan.checkpoint_groups().into_iter();
        let group = groups.find(|members| members.contains(&self.place));
        let found = match group {
            Some(members) => {
                let set = CheckpointSet::read(self.folder, &plan, &members)?;
                set.members.into_iter().nth(self.place - members.start).flatten()
            }
            None => None,
        };
        let Some(checkpoint) = found else {
            return Err(Error::Export(format!(
                "replica {} has no checkpoint yet: its first one comes after `output.checkpoint` of wall time, or when the run is stopped",
                self.member
            )));
        };
        let (state, member) = (checkpoint.state, &plan.members[self.place]);
        let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
        Ok(Snapshot {
            step: state.step,
            time: member.system.units.time_in_tables(time),
            positions: state.positions,
            velocities: state.extra.motion.map(|motion| motion.velocities),
        })
    }
}

fn vectors(numbers: &[f32]) -> Vec<[f64; 3]> {
    numbers.as_chunks::<3>().0.iter().map(|vector| vector.map(f64::from)).collect()
}
