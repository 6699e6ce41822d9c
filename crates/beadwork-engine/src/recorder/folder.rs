//! Recording into a run folder: each member has a table, a trajectory and a table of frames.

use std::io::ErrorKind;
use std::path::PathBuf;

use beadwork_cpu::Member;
use beadwork_io::written::{self, Comparison, rows_in};
use beadwork_io::{
    FileEnd, FrameFormat, Rewritten, RunFolder, TableValue, TableWriter, checkpoint,
};
use beadwork_model::Units;
use beadwork_model::observables::MeasuredColumn;

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
        if end.is_none() && number == plan.first_of_group(number) {
            checkpoint::await_first(&self.checkpoint(number))?;
        }
        let path = self.table(number);
        let table = match end {
            Some(end) => TableWriter::reopen(&path, &header(member), end.table)?,
            None => TableWriter::create(&path, &header(member))?,
        };
        let open = |output| open_trajectory(self, member, number, output, end);
        let trajectory = plan.trajectory.map(open).transpose()?;
        let RecordEnd { last_frame, last_row, .. } = end.unwrap_or_default();
        let columns = member.protocol.measured_columns(&member.system);
        Ok(Box::new(MemberFiles { table, columns, trajectory, last_frame, last_row }))
    }

    fn compare(&self, plan: &Plan, number: usize, end: RecordEnd) -> Result<Comparison, Error> {
        let files = output_files(self, plan, number, end)?;
        let mut all = Comparison::Same;
        for file in files {
            if file.compare()? == Comparison::Beginning {
                all = Comparison::Beginning;
            }
        }
        Ok(all)
    }

    fn write_checkpoint(&self, first: usize, kind: &str, payload: &[u8]) -> Result<(), Error> {
        Ok(checkpoint::write(&self.checkpoint(first), kind, payload)?)
    }

    fn read_checkpoint(&self, first: usize, kind: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.checkpoint(first);
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            // A power cut may leave the name of a file without its bytes. A checkpoint comes after rows, a note that there is
            // none yet before them.
            Ok(found) if found.len() == 0 && rows_in(&self.table(first)) == 0 => Ok(None),
            _ => Ok(checkpoint::read(&path, kind)?),
        }
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
    /// The columns of the table that are measured. To find them takes as long as to write a row.
    columns: Vec<MeasuredColumn>,
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
        // At most five cells stand before those that are measured.
        let mut row = Vec::with_capacity(self.columns.len() + 5);
        row.extend(first_cells(member));
        if let Some((rung, temperature)) = rung {
            row.push(TableValue::Integer(u64::from(rung)));
            row.push(TableValue::Number(temperature / member.system().temperature_unit()));
        }
        if member.system().is_sampled() {
            row.push(acceptance.map_or(TableValue::Missing, TableValue::Number));
        }
        for column in &self.columns {
            row.push(match measurement.of_column(column) {
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
            table: self.table.end(),
            last_frame: self.last_frame,
            last_row: self.last_row,
            ..RecordEnd::default()
        };
        if let Some((trajectory, frames)) = &mut self.trajectory {
            trajectory.sync()?;
            frames.sync()?;
            end.frames = frames.end();
            end.trajectory = Some(trajectory.position());
        }
        Ok(end)
    }
}

/// An output file of a member, and what a checkpoint knows of it.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Where the file ended at the checkpoint.
    pub end: FileEnd,
    /// Whether it has frames; the others are tables.
    pub is_trajectory: bool,
    rewritten: Vec<Rewritten>,
}

impl OutputFile {
    /// Compares all bytes before the end with those that were written.
    ///
    /// # Errors
    /// A file that is gone, shorter, or has other bytes.
    pub fn compare(&self) -> Result<Comparison, beadwork_io::Error> {
        written::compare(&self.path, self.end, &self.rewritten)
    }

    /// Asks only whether the file is there and long enough.
    ///
    /// # Errors
    /// A file that is gone or shorter.
    pub fn compare_length(&self) -> Result<(), beadwork_io::Error> {
        written::compare_length(&self.path, self.end)
    }
}

/// The output files of a member: its table and, if one is written, the trajectory with the table of its frames.
///
/// # Errors
/// A trajectory of other beads than the plan's.
pub fn output_files(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    end: RecordEnd,
) -> Result<Vec<OutputFile>, Error> {
    let table = |path, end| OutputFile { path, end, is_trajectory: false, rewritten: Vec::new() };
    let rows = table(folder.table(number), end.table);
    let (Some(output), Some(position)) = (plan.trajectory, end.trajectory) else {
        return Ok(vec![rows]);
    };
    let path = folder.trajectory(number, output.1);
    let rewritten = TrajectoryFile::rewritten(&path, &plan.members[number], output, position)?;
    let frames = table(folder.frames(number), end.frames);
    Ok(vec![rows, frames, OutputFile { path, end: position.end(), is_trajectory: true, rewritten }])
}

/// A member that has begun and whose checkpoint is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The number of the member in the plan.
    pub number: usize,
    /// Rows in its table.
    pub rows: u64,
    /// Frames in its trajectory.
    pub frames: u64,
}

/// The members of a folder that would begin anew although they have written something: their checkpoints are gone. A member
/// that was stopped before its first checkpoint is none of them.
pub fn lost(folder: &RunFolder, plan: &Plan) -> Vec<Lost> {
    let groups = plan.checkpoint_groups().into_iter();
    let gone = groups.filter(|members| !folder.checkpoint(members.start).exists());
    let written = |number: usize| {
        let mut frames = rows_in(&folder.frames(number));
        if let (0, Some((_, format))) = (frames, plan.trajectory) {
            // Without the list its frames are counted, as far as they can be read.
            let path = folder.trajectory(number, format);
            if path.exists() {
                let _ = beadwork_io::frames::read(&path, format, |_| frames += 1);
            }
        }
        Lost { number, rows: rows_in(&folder.table(number)), frames }
    };
    gone.flatten().map(written).filter(|lost| lost.rows + lost.frames > 0).collect()
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

/// The names of the columns of a member's table.
pub fn header(member: &MemberPlan) -> Vec<String> {
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
    let measured = member.protocol.measured_columns(&member.system).into_iter();
    let measured = measured.map(|column| column.column_in(member.system.units));
    columns.into_iter().map(String::from).chain(measured).collect()
}
