//! Output files are compared with what was written, at every byte.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::Path;

use beadwork_io::written::{Comparison, compare};
use beadwork_io::{
    Error, FileEnd, GsdBeads, GsdWriter, Rewritten, TableValue, TableWriter, TrajectoryFormat,
    TrajectoryHeader, TrajectoryPosition, TrajectoryWriter,
};

const TIMING: TrajectoryHeader =
    TrajectoryHeader { first_step: 0, steps_between_frames: 10, timestep_ps: 0.5, sides: None };
const BEADS: usize = 11;

fn positions(frame: u64) -> Vec<[f64; 3]> {
    (0..BEADS).map(|bead| [bead as f64, 0.5 * frame as f64, 3.0]).collect()
}

fn gsd_beads() -> GsdBeads {
    GsdBeads {
        type_names: vec!["A".to_string()],
        types: vec![0; BEADS],
        masses: vec![1.0; BEADS],
        charges: vec![0.0; BEADS],
        ..GsdBeads::default()
    }
}

/// With byte `at` flipped a file is refused, unless it lies in a part that going on writes again, or behind the end.
fn every_changed_byte_is_found(path: &Path, end: FileEnd, rewritten: &[Rewritten]) {
    let whole = fs::read(path).unwrap();
    let changed = |bytes: &[u8]| {
        fs::write(path, bytes).unwrap();
        compare(path, end, rewritten)
    };
    assert!(changed(&whole).is_ok());
    // Every byte of a short file, some two hundred of a long one.
    let stride = 1 + whole.len() / 200;
    for at in (0..whole.len()).step_by(stride) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let found = changed(&bytes);
        let again =
            |part: &Rewritten| (part.at..part.at + part.now.len() as u64).contains(&(at as u64));
        if at as u64 >= end.bytes || rewritten.iter().any(again) {
            assert_eq!(found.unwrap(), Comparison::Beginning, "byte {at}");
        } else {
            assert_eq!(found.unwrap_err().code(), "io/changed-output", "byte {at}");
        }
    }
    for length in (0..end.bytes).step_by(stride) {
        let error = changed(&whole[..length as usize]).unwrap_err();
        assert_eq!(error.code(), "io/short-output", "{length} bytes");
    }
    fs::remove_file(path).unwrap();
    assert_eq!(compare(path, end, rewritten).unwrap_err().code(), "io/missing-output");
    fs::write(path, &whole).unwrap();
}

#[test]
fn tables_are_compared_and_the_checksum_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let header = ["step".to_string()];
    let mut table = TableWriter::create(&path, &header).unwrap();
    (0..30).for_each(|row| table.row(&[TableValue::Integer(row)]).unwrap());
    let half = table.end();
    (30..60).for_each(|row| table.row(&[TableValue::Integer(row)]).unwrap());
    table.sync().unwrap();
    let end = table.end();
    assert_eq!(end.checksum, crc32fast::hash(&fs::read(&path).unwrap()));
    assert_eq!(compare(&path, end, &[]).unwrap(), Comparison::Same);
    assert_eq!(compare(&path, half, &[]).unwrap(), Comparison::Beginning);
    every_changed_byte_is_found(&path, half, &[]);
    every_changed_byte_is_found(&path, end, &[]);
    // Cut back and written again, the file has the same checksum.
    let mut table = TableWriter::reopen(&path, &header, half).unwrap();
    (30..60).for_each(|row| table.row(&[TableValue::Integer(row)]).unwrap());
    table.sync().unwrap();
    assert_eq!(table.end(), end);
}

fn parts(path: &Path, format: TrajectoryFormat, at: TrajectoryPosition) -> Vec<Rewritten> {
    TrajectoryWriter::rewritten(path, format, BEADS, &TIMING, at.frames).unwrap()
}

#[test]
fn trajectories_are_compared_but_for_their_counters() {
    let folder = tempfile::tempdir().unwrap();
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let path = folder.path().join("trajectory");
        let mut writer = TrajectoryWriter::create(&path, format, BEADS, TIMING).unwrap();
        let write = |writer: &mut TrajectoryWriter, frame| {
            writer.write_frame(10 * frame, 5.0, &positions(frame)).unwrap();
        };
        (0..3).for_each(|frame| write(&mut writer, frame));
        let third = writer.position();
        (3..5).for_each(|frame| write(&mut writer, frame));
        let last = writer.position();
        assert_eq!(
            compare(&path, last.end(), &parts(&path, format, last)).unwrap(),
            Comparison::Same
        );
        every_changed_byte_is_found(&path, third.end(), &parts(&path, format, third));
        every_changed_byte_is_found(&path, last.end(), &parts(&path, format, last));
        let mut again = TrajectoryWriter::reopen(&path, format, BEADS, TIMING, third).unwrap();
        (3..5).for_each(|frame| write(&mut again, frame));
        assert_eq!(again.position(), last);
    }
}

/// With 20 frames the index has moved once: the full block before it is restored too.
#[test]
fn gsd_files_are_compared_but_for_their_index() -> Result<(), Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trajectory.gsd");
    let mut writer = GsdWriter::create(&path, gsd_beads())?;
    for frame in 0..18 {
        writer.write_frame(frame, &positions(frame), &[])?;
    }
    let middle = writer.position();
    for frame in 18..20 {
        writer.write_frame(frame, &positions(frame), &[])?;
    }
    writer.sync()?;
    let (last, whole) = (writer.position(), fs::read(&path).unwrap());
    let parts = |at| GsdWriter::rewritten(&path, &gsd_beads(), at).unwrap();
    assert_eq!(compare(&path, last.end(), &parts(last))?, Comparison::Same);
    every_changed_byte_is_found(&path, middle.end(), &parts(middle));
    every_changed_byte_is_found(&path, last.end(), &parts(last));
    // A damaged index is restored, in the full block too.
    for part in parts(last) {
        let mut bytes = whole.clone();
        let at = part.at as usize + 40.min(part.now.len() - 1);
        bytes[at] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        match GsdWriter::reopen(&path, gsd_beads(), last) {
            Ok(_) => assert_eq!(fs::read(&path).unwrap(), whole, "part at {}", part.at),
            Err(error) => assert_eq!(error.code(), "io/other-trajectory"),
        }
    }
    Ok(())
}

/// Links are neither emptied nor cut nor read as checkpoints.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use beadwork_io::{AppendFile, checkpoint};
    let folder = tempfile::tempdir().unwrap();
    let (outside, link) = (folder.path().join("thesis.tex"), folder.path().join("table.csv"));
    fs::write(&outside, "three years of work").unwrap();
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let end = FileEnd { bytes: 5, checksum: 0 };
    assert_eq!(AppendFile::create(&link).unwrap_err().code(), "io/link");
    assert_eq!(AppendFile::reopen(&link, end).unwrap_err().code(), "io/link");
    assert_eq!(checkpoint::read(&link, "member").unwrap_err().code(), "io/link");
    assert_eq!(checkpoint::await_first(&link).unwrap_err().code(), "io/link");
    // A file that replaces a link replaces the link alone.
    checkpoint::write(&link, "member", b"x").unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "three years of work");
}
