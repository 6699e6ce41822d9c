//! The files that one member writes: its table, its frames and the table of frames.

use beadwork_cpu::Member;
use beadwork_simulation::Measurement;
use beadwork_io::{
    RunFolder, TableValue, TableWriter, TrajectoryPosition, TrajectoryTiming, TrajectoryWriter,
};
use beadwork_model::Model;
use beadwork_model::observables::Observable;
use beadwork_model::units::{BOLTZMANN, PICOSECONDS_PER_NANOSECOND};

use crate::Error;
use crate::checkpoint::MemberCheckpoint;
use crate::plan::{MemberPlan, Plan};

/// Lengths of a member's files.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    pub table: u64,
    pub frames: u64,
    pub trajectory: Option<TrajectoryPosition>,
    pub last_frame: Option<u64>,
    pub last_row: Option<u64>,
}

/// A member's open files.
#[derive(Debug)]
pub struct MemberFiles {
    table: TableWriter,
    trajectory: Option<(TrajectoryWriter, TableWriter)>,
    /// The steps of the last frame and the last row, so that none is written twice.
    last_frame: Option<u64>,
    last_row: Option<u64>,
}

impl MemberFiles {
    /// New files, or those of a checkpoint cut back to its lengths.
    pub fn open(
        folder: &RunFolder,
        plan: &Plan,
        number: usize,
        checkpoint: Option<&MemberCheckpoint>,
    ) -> Result<MemberFiles, Error> {
        let member = &plan.members[number];
        let table_path = folder.table(number);
        let table = match checkpoint {
            Some(checkpoint) => TableWriter::reopen(&table_path, checkpoint.table)?,
            None => TableWriter::create(&table_path, &header(member))?,
        };
        let mut trajectory = None;
        if let Some((every, format)) = plan.trajectory {
            let path = folder.trajectory(number, format);
            let frames_path = folder.frames(number);
            let beads = member.system.beads();
            let timing = TrajectoryTiming {
                first_step: 0,
                steps_between_frames: every,
                timestep_ps: member.protocol.dynamics.timestep,
            };
            trajectory = Some(match checkpoint.and_then(|c| c.trajectory.map(|t| (c.frames, t))) {
                Some((frames, position)) => (
                    TrajectoryWriter::reopen(&path, format, beads, timing, position)?,
                    TableWriter::reopen(&frames_path, frames)?,
                ),
                None => {
                    let mut columns = match is_sampled(&member.system.model) {
                        true => vec!["frame", "sweep", "stage"],
                        false => vec!["frame", "step", "time_ns", "stage"],
                    };
                    if member.exchange.is_some() {
                        columns.push("rung");
                    }
                    let columns: Vec<String> = columns.into_iter().map(String::from).collect();
                    (
                        TrajectoryWriter::create(&path, format, beads, timing)?,
                        TableWriter::create(&frames_path, &columns)?,
                    )
                }
            });
        }
        let last_frame = checkpoint.and_then(|checkpoint| checkpoint.last_frame);
        let last_row = checkpoint.and_then(|checkpoint| checkpoint.last_row);
        Ok(MemberFiles { table, trajectory, last_frame, last_row })
    }

    /// Writes a row; `bath` is the rung and its temperature of a replica that is in a ladder, `acceptance` the share of moves
    /// that were accepted.
    pub fn row(
        &mut self,
        member: &Member,
        measurement: &Measurement,
        bath: Option<(u32, f64)>,
        acceptance: Option<f64>,
    ) -> Result<(), Error> {
        if self.last_row == Some(member.step_number()) {
            return Ok(());
        }
        self.last_row = Some(member.step_number());
        let mut row = vec![TableValue::Integer(member.step_number())];
        let sampled = is_sampled(member.model());
        if !sampled {
            row.push(TableValue::Number(member.time() / PICOSECONDS_PER_NANOSECOND));
        }
        row.push(TableValue::Text(member.stage().name.clone()));
        if let Some((rung, temperature)) = bath {
            row.push(TableValue::Integer(u64::from(rung)));
            let unit = if sampled { 1.0 } else { BOLTZMANN };
            row.push(TableValue::Number(temperature / unit));
        }
        if sampled {
            row.push(acceptance.map_or(TableValue::Missing, TableValue::Number));
        }
        for observable in Observable::of(member.model()) {
            row.push(match measurement.get(observable) {
                Some(value)
                    if [Observable::NativeContacts, Observable::Contacts].contains(&observable) =>
                {
                    TableValue::Integer(value as u64)
                }
                Some(value) if value.is_finite() => TableValue::Number(value),
                _ => TableValue::Missing,
            });
        }
        Ok(self.table.row(&row)?)
    }

    pub fn frame(&mut self, member: &Member, rung: Option<u32>) -> Result<(), Error> {
        let Some((trajectory, frames)) = &mut self.trajectory else { return Ok(()) };
        let step = member.step_number();
        if self.last_frame == Some(step) {
            return Ok(());
        }
        let number = trajectory.position().frames;
        trajectory.write_frame(step, member.time(), &member.positions())?;
        let mut row = vec![TableValue::Integer(number), TableValue::Integer(step)];
        if !is_sampled(member.model()) {
            row.push(TableValue::Number(member.time() / PICOSECONDS_PER_NANOSECOND));
        }
        row.push(TableValue::Text(member.stage().name.clone()));
        row.extend(rung.map(|rung| TableValue::Integer(u64::from(rung))));
        frames.row(&row)?;
        self.last_frame = Some(step);
        Ok(())
    }

    /// Lets others see what has been written.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.table.flush()?;
        if let Some((_, frames)) = &mut self.trajectory {
            frames.flush()?;
        }
        Ok(())
    }

    /// Brings everything to the disk and says how long the files are.
    pub fn sync(&mut self) -> Result<Lengths, Error> {
        self.table.sync()?;
        let mut lengths = Lengths {
            table: self.table.length(),
            frames: 0,
            trajectory: None,
            last_frame: self.last_frame,
            last_row: self.last_row,
        };
        if let Some((trajectory, frames)) = &mut self.trajectory {
            trajectory.sync()?;
            frames.sync()?;
            lengths.frames = frames.length();
            lengths.trajectory = Some(trajectory.position());
        }
        Ok(lengths)
    }
}

/// Chains that are sampled have sweeps and no time.
fn is_sampled(model: &Model) -> bool {
    matches!(model, Model::ElasticPolymer(_))
}

fn header(member: &MemberPlan) -> Vec<String> {
    let model = &member.system.model;
    let mut columns = match is_sampled(model) {
        true => vec!["sweep", "stage"],
        false => vec!["step", "time_ns", "stage"],
    };
    if member.exchange.is_some() {
        columns
            .extend(["rung", if is_sampled(model) { "temperature" } else { "bath_temperature_K" }]);
    }
    if is_sampled(model) {
        columns.push("acceptance");
    }
    columns.extend(Observable::of(model).map(Observable::column));
    columns.into_iter().map(String::from).collect()
}
