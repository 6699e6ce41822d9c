//! A run killed at any byte resumes to the same output files, and a checkpoint is complete or
//! refused.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::{Path, PathBuf};

use beadwork_io::{
    AppendFile, Error, FileEnd, TableValue, TableWriter, TrajectoryFormat, TrajectoryHeader,
    TrajectoryPosition, TrajectoryWriter, atomic, checkpoint,
};

const BEADS: usize = 11;
const FRAMES: u64 = 10;
const CHECKPOINT: u64 = 4;
const TIMING: TrajectoryHeader =
    TrajectoryHeader { first_step: 0, steps_between_frames: 500, timestep_ps: 0.02, sides: None };

/// Writes frame number `frame`, which does not depend on interruptions.
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

/// The position after each frame, and the bytes of the whole file.
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
            // After a power cut, blocks that were allocated but not written may hold anything.
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
            let timing = TrajectoryHeader { steps_between_frames: 501, ..TIMING };
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
fn a_refused_frame_does_not_change_the_position() {
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
    let mut checkpoint = FileEnd::default();
    for row in 0..FRAMES {
        if row == CHECKPOINT {
            table.sync().unwrap();
            checkpoint = table.end();
        }
        write_row(&mut table, row);
    }
    table.sync().unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let resumed = TableWriter::reopen(&path, &header, checkpoint);
        if (length as u64) < checkpoint.bytes {
            assert_eq!(resumed.unwrap_err().code(), "io/short-output");
            continue;
        }
        let mut table = resumed.unwrap();
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

#[test]
fn the_length_includes_bytes_still_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut file = AppendFile::create(&path).unwrap();
    file.write_all(b"0123456789").unwrap();
    assert_eq!(file.length(), 10);
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    file.sync().unwrap();
    assert_eq!(file.length(), 10);
    assert_eq!(fs::read(&path).unwrap(), b"0123456789");
    // Writes much larger than the buffer go to the file at once.
    let bytes = 1 << 20;
    file.write_all(&vec![b'x'; bytes]).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), 10 + bytes as u64);
}

/// An end whose checksum is not asked for.
fn end(bytes: u64) -> FileEnd {
    FileEnd { bytes, checksum: 0 }
}

#[test]
fn reopening_cuts_at_any_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for length in 0..=10_usize {
        fs::write(&path, b"0123456789").unwrap();
        let mut file = AppendFile::reopen(&path, end(length as u64)).unwrap();
        file.write_all(b"ab").unwrap();
        file.sync().unwrap();
        let expected = [&b"0123456789"[..length], b"ab"].concat();
        assert_eq!(fs::read(&path).unwrap(), expected);
    }
}

#[test]
fn a_file_shorter_than_promised_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"0123456789").unwrap();
    let error = AppendFile::reopen(&path, end(11)).unwrap_err();
    assert_eq!(error.code(), "io/short-output");
    assert!(error.to_string().contains("10 bytes"));
    assert!(error.to_string().contains("at least 11"));
    assert_eq!(fs::read(&path).unwrap(), b"0123456789");
    fs::remove_file(&path).unwrap();
    let error = AppendFile::reopen(&path, end(0)).unwrap_err();
    assert_eq!(error.code(), "io/missing-output");
}

#[test]
fn a_file_changed_by_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut file = AppendFile::create(&path).unwrap();
    file.write_all(b"0123456789").unwrap();
    file.flush().unwrap();
    fs::write(&path, b"012").unwrap();
    file.write_all(b"x").unwrap();
    assert_eq!(file.sync().unwrap_err().code(), "io/changed-outside");
}

#[test]
fn thousands_of_files_need_no_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<_> = (0..3000)
        .map(|index| AppendFile::create(&folder.path().join(format!("{index}"))).unwrap())
        .collect();
    for file in &mut files {
        file.write_all(b"x").unwrap();
        file.flush().unwrap();
    }
    // The limit of the machine may be higher than their number. Other tests have files of their own.
    #[cfg(target_os = "linux")]
    assert!(fs::read_dir("/proc/self/fd").unwrap().count() < 1000);
}

#[test]
fn an_atomic_write_replaces_the_contents_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    atomic::write(&path, b"first, and longer").unwrap();
    atomic::write(&path, b"second").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_writer_that_opens_its_file_replaces_it_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("melt.gsd");
    fs::write(&path, b"first").unwrap();
    fs::write(folder.path().join("melt.gsd.partial"), b"another").unwrap();
    let failed = atomic::write_at(&path, |partial| {
        assert_eq!(partial.file_name(), path.file_name());
        fs::write(partial, b"half").unwrap();
        Err::<(), Error>(Error::write(partial)(std::io::ErrorKind::StorageFull.into()))
    });
    assert_eq!(failed.unwrap_err().code(), "io/disk-full");
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let written = atomic::write_at(&path, |partial| {
        fs::write(partial, b"second").map_err(Error::write(partial))?;
        Ok::<_, Error>(2)
    });
    assert_eq!(written.unwrap(), 2);
    assert_eq!(fs::read(&path).unwrap(), b"second");
    assert_eq!(fs::read(folder.path().join("melt.gsd.partial")).unwrap(), b"another");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_atomic_write_names_the_file_when_its_folder_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nowhere").join("run.json");
    for failed in [atomic::write(&path, b"x"), atomic::write_at(&path, |_| Ok::<(), Error>(()))] {
        let error = failed.unwrap_err();
        assert_eq!(error.code(), "io/write");
        let message = error.to_string();
        // The reason is the system's, and the file is named once: the temporary one means nothing to a person.
        assert!(message.contains("nowhere") && message.contains("os error"), "{message}");
        assert!(!message.contains("partial"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_written_atomically_is_as_readable_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, b"x").unwrap();
    let path = folder.path().join("atomic");
    atomic::write(&path, b"x").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

const KIND: &str = "member";
const PAYLOAD: &[u8] = b"positions and the state of the generator";

/// A folder, and the path and bytes of a small checkpoint.
fn sample() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("member-0000.ckpt");
    checkpoint::write(&path, KIND, PAYLOAD).unwrap();
    let bytes = fs::read(&path).unwrap();
    (folder, path, bytes)
}

#[test]
fn the_payload_of_a_checkpoint_comes_back() {
    let (_folder, path, bytes) = sample();
    assert_eq!(checkpoint::read(&path, KIND).unwrap().unwrap(), PAYLOAD);
    assert_eq!(bytes.len(), 32 + KIND.len() + PAYLOAD.len());
    checkpoint::write(&path, "", b"").unwrap();
    assert_eq!(checkpoint::read(&path, "").unwrap().unwrap(), b"");
}

/// Until the first checkpoint a file says that there is none yet; it never replaces one.
#[test]
fn a_checkpoint_may_be_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("member-0000.ckpt");
    checkpoint::await_first(&path).unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap(), None);
    fs::write(&path, "").unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap_err().code(), "io/checkpoint-truncated");
    checkpoint::await_first(&path).unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap(), None);
    checkpoint::write(&path, KIND, PAYLOAD).unwrap();
    checkpoint::await_first(&path).unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap().unwrap(), PAYLOAD);
}

#[test]
fn every_flipped_bit_of_a_checkpoint_is_detected() {
    let (_folder, path, bytes) = sample();
    for bit in 0..8 * bytes.len() {
        let mut altered = bytes.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &altered).unwrap();
        let code = checkpoint::read(&path, KIND).unwrap_err().code();
        let expected: &[&str] = match bit / 8 {
            0..8 => &["io/not-a-checkpoint"],
            8..12 => &["io/checkpoint-version"],
            12..20 | 26..34 => &["io/checkpoint-truncated", "io/checkpoint-damaged"],
            _ => &["io/checkpoint-damaged"],
        };
        assert!(expected.contains(&code), "bit {bit}: {code}");
    }
}

#[test]
fn every_truncation_of_a_checkpoint_is_detected_and_counted() {
    let (_folder, path, bytes) = sample();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = checkpoint::read(&path, KIND).unwrap_err();
        assert_eq!(error.code(), "io/checkpoint-truncated", "{length} bytes");
        let message = error.to_string();
        let counts = message.split_once("truncated: ").unwrap().1;
        let counts = counts.split_once(". Use").unwrap().0;
        let (found, expected) = counts.split_once(" bytes are there of ").unwrap();
        let expected: usize = expected.parse().unwrap();
        assert_eq!(found, length.to_string());
        assert!(length < expected && expected <= bytes.len());
        if length >= 34 {
            assert_eq!(expected, bytes.len());
        }
    }
}

#[test]
fn bytes_after_the_end_of_a_checkpoint_are_detected() {
    let (_folder, path, mut bytes) = sample();
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap_err().code(), "io/checkpoint-damaged");
}

#[test]
fn files_that_are_not_this_checkpoint_are_refused() {
    let (folder, path, _) = sample();
    let error = checkpoint::read(&path, "exchange").unwrap_err();
    assert_eq!(error.code(), "io/checkpoint-kind");
    assert!(error.to_string().contains("\"member\""));
    assert!(error.to_string().contains("\"exchange\""));
    fs::write(&path, "[system]").unwrap();
    assert_eq!(checkpoint::read(&path, KIND).unwrap_err().code(), "io/not-a-checkpoint");
    let nowhere = folder.path().join("nowhere.ckpt");
    assert_eq!(checkpoint::read(&nowhere, KIND).unwrap_err().code(), "io/checkpoint-missing");
}
