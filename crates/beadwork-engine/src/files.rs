//! The files that one member writes: its table, its frames and the table of frames.

use beadwork_cpu::{Measurement, Member};
use beadwork_io::{
    RunFolder, TableValue, TableWriter, TrajectoryPosition, TrajectoryTiming, TrajectoryWriter,
};
use beadwork_model::Model;
use beadwork_model::observables::Observable;
use beadwork_model::units::PICOSECONDS_PER_NANOSECOND;

use crate::Error;
use crate::checkpoint::MemberCheckpoint;
use crate::plan::Plan;

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
            None => TableWriter::create(&table_path, &header(&member.system.model))?,
        };
        let mut trajectory = None;
        if let Some((every, format)) = plan.trajectory {
            let path = folder.trajectory(number, format);
            let frames_path = folder.frames(number);
            let beads = member.system.beads.len();
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
                    let columns = ["frame", "step", "time_ns", "stage"].map(String::from);
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

    pub fn row(&mut self, member: &Member, measurement: &Measurement) -> Result<(), Error> {
        if self.last_row == Some(member.step_number()) {
            return Ok(());
        }
        self.last_row = Some(member.step_number());
        let mut row = vec![
            TableValue::Integer(member.step_number()),
            TableValue::Number(member.time() / PICOSECONDS_PER_NANOSECOND),
            TableValue::Text(member.stage().name.clone()),
        ];
        for observable in Observable::of(member.model()) {
            row.push(match measurement.get(observable) {
                Some(value) if observable == Observable::NativeContacts => {
                    TableValue::Integer(value as u64)
                }
                Some(value) if value.is_finite() => TableValue::Number(value),
                _ => TableValue::Missing,
            });
        }
        Ok(self.table.row(&row)?)
    }

    pub fn frame(&mut self, member: &Member) -> Result<(), Error> {
        let Some((trajectory, frames)) = &mut self.trajectory else { return Ok(()) };
        let step = member.step_number();
        if self.last_frame == Some(step) {
            return Ok(());
        }
        let number = trajectory.position().frames;
        trajectory.write_frame(step, member.time(), &member.positions())?;
        frames.row(&[
            TableValue::Integer(number),
            TableValue::Integer(step),
            TableValue::Number(member.time() / PICOSECONDS_PER_NANOSECOND),
            TableValue::Text(member.stage().name.clone()),
        ])?;
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

fn header(model: &Model) -> Vec<String> {
    let head = ["step", "time_ns", "stage"].into_iter();
    head.chain(Observable::of(model).map(Observable::column)).map(String::from).collect()
}
