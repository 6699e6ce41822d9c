//! Killed at any byte, every output file ends up equal to the uninterrupted run's.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::Path;

use beadwork_io::{
    AppendFile, Error, TableValue, TableWriter, TrajectoryFormat, TrajectoryPosition,
    TrajectoryTiming, TrajectoryWriter,
};

const BEADS: usize = 11;
const FRAMES: u64 = 10;
const CHECKPOINT: u64 = 4;
const TIMING: TrajectoryTiming =
    TrajectoryTiming { first_step: 0, steps_between_frames: 500, timestep_ps: 0.02 };

/// The frame that a run writes at this point, whether or not it was interrupted before.
fn write_frame(writer: &mut TrajectoryWriter, frame: u64) -> Result<(), Error> {
    let step = frame * TIMING.steps_between_frames;
    let positions: Vec<[f64; 3]> = (0..BEADS)
        .map(|bead| {
            let angle = bead as f64 + 0.1 * frame as f64;
            [3.8 * bead as f64, 5.0 * angle.sin(), 5.0 * angle.cos()]
        })
        .collect();
    writer.write_frame(step, step as f64 * TIMING.timestep_ps, &positions)
}

fn create(path: &Path, format: TrajectoryFormat) -> TrajectoryWriter {
    TrajectoryWriter::create(path, format, BEADS, TIMING).unwrap()
}

fn reopen(
    path: &Path,
    format: TrajectoryFormat,
    position: TrajectoryPosition,
) -> Result<TrajectoryWriter, Error> {
    TrajectoryWriter::reopen(path, format, BEADS, TIMING, position)
}

/// The position after each frame, and the whole file.
fn uninterrupted(path: &Path, format: TrajectoryFormat) -> (Vec<TrajectoryPosition>, Vec<u8>) {
    let mut writer = create(path, format);
    let mut positions = vec![writer.position()];
    for frame in 0..FRAMES {
        write_frame(&mut writer, frame).unwrap();
        positions.push(writer.position());
    }
    writer.sync().unwrap();
    (positions, fs::read(path).unwrap())
}

fn continue_after(path: &Path, format: TrajectoryFormat, position: TrajectoryPosition) -> Vec<u8> {
    let mut writer = reopen(path, format, position).unwrap();
    assert_eq!(writer.position(), position);
    for frame in position.frames..FRAMES {
        write_frame(&mut writer, frame).unwrap();
    }
    writer.sync().unwrap();
    fs::read(path).unwrap()
}

fn trajectory_killed_at_every_byte(format: TrajectoryFormat) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory");
    let (positions, whole) = uninterrupted(&path, format);
    let position = positions[CHECKPOINT as usize];
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        if (length as u64) < position.bytes {
            let error = reopen(&path, format, position).unwrap_err();
            assert_eq!(error.code(), "io/short-output", "killed at byte {length}");
            assert_eq!(fs::read(&path).unwrap(), whole[..length]);
        } else {
            let resumed = continue_after(&path, format, position);
            assert_eq!(resumed, whole, "killed at byte {length}");
        }
    }
}

#[test]
fn xtc_killed_at_every_byte() {
    trajectory_killed_at_every_byte(TrajectoryFormat::Xtc);
}

#[test]
fn dcd_killed_at_every_byte() {
    trajectory_killed_at_every_byte(TrajectoryFormat::Dcd);
}

#[test]
fn trajectories_continue_after_each_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory");
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let (positions, whole) = uninterrupted(&path, format);
        for (frames, position) in positions.into_iter().enumerate() {
            assert_eq!(position.frames, frames as u64);
            // A disk may hold anything in blocks that were allocated and not written.
            let mut torn = whole.clone();
            torn.extend([0xAA; 37]);
            fs::write(&path, &torn).unwrap();
            assert_eq!(continue_after(&path, format, position), whole);
        }
    }
}

#[test]
fn a_torn_frame_count_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory.dcd");
    let (positions, whole) = uninterrupted(&path, TrajectoryFormat::Dcd);
    let mut torn = whole.clone();
    torn[8..12].fill(0xFF);
    torn[20..24].fill(0xFF);
    fs::write(&path, &torn).unwrap();
    let last = positions[FRAMES as usize];
    drop(reopen(&path, TrajectoryFormat::Dcd, last).unwrap());
    assert_eq!(fs::read(&path).unwrap(), whole);
    fs::write(&path, &torn).unwrap();
    assert_eq!(continue_after(&path, TrajectoryFormat::Dcd, last), whole);
}

#[test]
fn dcd_counts_its_frames_after_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory.dcd");
    let mut writer = create(&path, TrajectoryFormat::Dcd);
    for frame in 0..=3 {
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[8..12], (frame as u32).to_le_bytes());
        assert_eq!(bytes[20..24], (500 * frame as u32).to_le_bytes());
        assert_eq!(bytes.len() as u64, writer.position().bytes);
        write_frame(&mut writer, frame).unwrap();
    }
}

#[test]
fn another_trajectory_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory");
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let (positions, whole) = uninterrupted(&path, format);
        let position = positions[CHECKPOINT as usize];
        let other_format = match format {
            TrajectoryFormat::Xtc => TrajectoryFormat::Dcd,
            TrajectoryFormat::Dcd => TrajectoryFormat::Xtc,
        };
        let mut errors = vec![
            TrajectoryWriter::reopen(&path, format, BEADS + 1, TIMING, position).unwrap_err(),
            reopen(&path, other_format, position).unwrap_err(),
        ];
        if format == TrajectoryFormat::Dcd {
            let timing = TrajectoryTiming { steps_between_frames: 501, ..TIMING };
            errors.push(
                TrajectoryWriter::reopen(&path, format, BEADS, timing, position).unwrap_err(),
            );
        }
        for error in errors {
            assert_eq!(error.code(), "io/other-trajectory");
        }
        assert_eq!(fs::read(&path).unwrap(), whole);
        fs::remove_file(&path).unwrap();
        let error = reopen(&path, format, position).unwrap_err();
        assert_eq!(error.code(), "io/missing-output");
    }
}

#[test]
fn a_frame_that_cannot_be_written_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory");
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let mut writer = create(&path, format);
        write_frame(&mut writer, 0).unwrap();
        let position = writer.position();
        let too_few = writer.write_frame(1, 1.0, &[[0.0; 3]; BEADS - 1]);
        assert_eq!(too_few.unwrap_err().code(), "io/bead-count");
        let diverged = writer.write_frame(1, 1.0, &[[f64::NAN; 3]; BEADS]);
        assert_eq!(diverged.unwrap_err().code(), "io/coordinate");
        assert_eq!(writer.position(), position);
    }
}

fn write_row(table: &mut TableWriter, row: u64) {
    let force = match row % 3 {
        0 => TableValue::Missing,
        _ => TableValue::Number(row as f64 / 7.0),
    };
    table.row(&[TableValue::Integer(row), force]).unwrap();
}

#[test]
fn table_killed_at_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let header = ["step".to_owned(), "force (pN)".to_owned()];
    let mut table = TableWriter::create(&path, &header).unwrap();
    let mut checkpoint = 0;
    for row in 0..FRAMES {
        if row == CHECKPOINT {
            table.sync().unwrap();
            checkpoint = table.length();
        }
        write_row(&mut table, row);
    }
    table.sync().unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let resumed = TableWriter::reopen(&path, checkpoint);
        if (length as u64) < checkpoint {
            assert_eq!(resumed.unwrap_err().code(), "io/short-output");
            continue;
        }
        let mut table = resumed.unwrap();
        assert_eq!(table.columns(), header);
        for row in CHECKPOINT..FRAMES {
            write_row(&mut table, row);
        }
        table.sync().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole, "killed at byte {length}");
    }
}

#[test]
fn the_length_of_a_synced_file_is_its_length_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut file = AppendFile::create(&path).unwrap();
    for bytes in [1, 100, 20_000] {
        file.write_all(&vec![b'x'; bytes]).unwrap();
        file.sync().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), file.length());
    }
}
