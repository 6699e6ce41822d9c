//! Recording into a run folder: each member has a table, a trajectory and a table of frames.

use std::path::PathBuf;

use beadwork_cpu::Member;
use beadwork_io::{FrameFormat, RunFolder, TableValue, TableWriter, checkpoint};
use beadwork_model::Units;

use super::trajectory_file::TrajectoryFile;
use super::{MemberRecorder, RecordEnd, Recorder, Row};
use crate::Error;
use crate::plan::{MemberPlan, Plan};

impl Recorder for RunFolder {
    fn open(
        &self,
        plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error> {
        let member = &plan.members[number];
        let path = self.table(number);
        let table = match end {
            Some(end) => TableWriter::reopen(&path, &header(member), end.table)?,
            None => TableWriter::create(&path, &header(member))?,
        };
        let open = |output| open_trajectory(self, member, number, output, end);
        let trajectory = plan.trajectory.map(open).transpose()?;
        let RecordEnd { last_frame, last_row, .. } = end.unwrap_or_default();
        Ok(Box::new(MemberFiles { table, trajectory, last_frame, last_row }))
    }

    fn write_checkpoint(&self, first: usize, kind: &str, payload: &[u8]) -> Result<(), Error> {
        Ok(checkpoint::write(&self.checkpoint(first), kind, payload)?)
    }

    fn read_checkpoint(&self, first: usize, kind: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.checkpoint(first);
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(checkpoint::read(&path, kind)?))
    }

    fn checkpoint_name(&self, first: usize) -> PathBuf {
        self.checkpoint(first)
    }
}

/// Opens the trajectory of a member and the table of its frames: makes new files, or goes on with old ones.
fn open_trajectory(
    folder: &RunFolder,
    member: &MemberPlan,
    number: usize,
    output: (u64, FrameFormat),
    end: Option<RecordEnd>,
) -> Result<(TrajectoryFile, TableWriter), Error> {
    let (path, frames_path) = (folder.trajectory(number, output.1), folder.frames(number));
    let rung = member.exchange.is_some().then_some("rung");
    let columns = ["frame"].into_iter().chain(first_columns(member)).chain(rung);
    let columns: Vec<String> = columns.map(String::from).collect();
    if let Some((frames, position)) = end.and_then(|end| Some((end.frames, end.trajectory?))) {
        return Ok((
            TrajectoryFile::reopen(&path, member, output, position)?,
            TableWriter::reopen(&frames_path, &columns, frames)?,
        ));
    }
    Ok((
        TrajectoryFile::create(&path, member, output)?,
        TableWriter::create(&frames_path, &columns)?,
    ))
}

#[derive(Debug)]
struct MemberFiles {
    table: TableWriter,
    trajectory: Option<(TrajectoryFile, TableWriter)>,
    /// The steps of the last frame and the last row, to write none twice.
    last_frame: Option<u64>,
    last_row: Option<u64>,
}

impl MemberRecorder for MemberFiles {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let Row { member, measurement, rung, acceptance } = *row;
        if self.last_row == Some(member.step_number()) {
            return Ok(());
        }
        self.last_row = Some(member.step_number());
        let mut row: Vec<_> = first_cells(member).collect();
        if let Some((rung, temperature)) = rung {
            row.push(TableValue::Integer(u64::from(rung)));
            row.push(TableValue::Number(temperature / member.system().temperature_unit()));
        }
        if member.system().is_sampled() {
            row.push(acceptance.map_or(TableValue::Missing, TableValue::Number));
        }
        for observable in member.protocol().observables(member.system()) {
            row.push(match measurement.get(observable) {
                Some(value) if value.is_finite() => TableValue::Number(value),
                _ => TableValue::Missing,
            });
        }
        Ok(self.table.row(&row)?)
    }

    fn frame(&mut self, member: &Member, rung: Option<u32>) -> Result<(), Error> {
        let Some((trajectory, frames)) = &mut self.trajectory else { return Ok(()) };
        let step = member.step_number();
        if self.last_frame == Some(step) {
            return Ok(());
        }
        let number = trajectory.position().frames;
        trajectory.write_frame(member)?;
        let mut row = vec![TableValue::Integer(number)];
        row.extend(first_cells(member));
        row.extend(rung.map(|rung| TableValue::Integer(u64::from(rung))));
        frames.row(&row)?;
        self.last_frame = Some(step);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.table.flush()?;
        if let Some((_, frames)) = &mut self.trajectory {
            frames.flush()?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<RecordEnd, Error> {
        self.table.sync()?;
        let mut end = RecordEnd {
            table: self.table.length(),
            last_frame: self.last_frame,
            last_row: self.last_row,
            ..RecordEnd::default()
        };
        if let Some((trajectory, frames)) = &mut self.trajectory {
            trajectory.sync()?;
            frames.sync()?;
            end.frames = frames.length();
            end.trajectory = Some(trajectory.position());
        }
        Ok(end)
    }
}

/// The first columns of both tables. Chains that are sampled have no time.
fn first_columns(member: &MemberPlan) -> Vec<&'static str> {
    match (member.system.is_sampled(), member.system.units) {
        (true, _) => vec!["sweep", "stage"],
        (false, units) => vec!["step", units.time_column(), "stage"],
    }
}

fn first_cells(member: &Member) -> impl Iterator<Item = TableValue<'_>> {
    let system = member.system();
    let time = TableValue::Number(system.units.time_in_tables(member.time()));
    let time = (!system.is_sampled()).then_some(time);
    let step = std::iter::once(TableValue::Integer(member.step_number()));
    step.chain(time).chain([TableValue::Text(&member.stage().name)])
}

fn header(member: &MemberPlan) -> Vec<String> {
    let mut columns = first_columns(member);
    let sampled = member.system.is_sampled();
    if member.exchange.is_some() {
        let temperature = match (member.system.units, sampled) {
            (Units::Real, _) => "bath_temperature_K",
            (Units::Reduced, false) => "bath_temperature",
            (Units::Reduced, true) => "temperature",
        };
        columns.extend(["rung", temperature]);
    }
    if sampled {
        columns.push("acceptance");
    }
    let observables = member.protocol.observables(&member.system);
    columns.extend(observables.map(|observable| observable.column_in(member.system.units)));
    columns.into_iter().map(String::from).collect()
}
