//! Trajectories as GSD: a run killed at any byte resumes to the same file, and the `gsd` package of Python, if installed,
//! reads what was written.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use beadwork_io::{Error, FrameFormat, GsdBeads, GsdTerms, GsdWriter, TrajectoryPosition, frames};

/// More frames than the first index has room for.
const FRAMES: u64 = 18;
const SIDES: [f64; 3] = [5.0, 6.0, 7.5];

/// Three beads with two bonds of different types and an angle.
fn beads(sides: Option<[f64; 3]>, has_velocities: bool) -> GsdBeads {
    let text = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    GsdBeads {
        type_names: text(&["A", "long name"]),
        types: vec![0, 1, 0],
        masses: vec![1.0, 2.5, 1.0],
        charges: vec![0.0, -1.0, 0.5],
        bonds: GsdTerms {
            type_names: text(&["harmonic_bond", "fene_bond"]),
            types: vec![0, 1],
            beads: vec![[0, 1], [1, 2]],
        },
        angles: GsdTerms {
            type_names: text(&["cosine_angle"]),
            types: vec![0],
            beads: vec![[0, 1, 2]],
        },
        sides,
        has_velocities,
    }
}

/// Positions in multiples of 1/8, which single precision holds; some are in other images.
fn positions(frame: u64) -> Vec<[f64; 3]> {
    let x = frame as f64;
    vec![[0.125 * x, -0.25 * x, 0.0], [2.5, -3.0, 0.5 * x], [-7.5, 11.0, 1.5 - x]]
}

fn velocities(frame: u64) -> Vec<[f64; 3]> {
    positions(frame + 1)
}

fn write_frame(writer: &mut GsdWriter, frame: u64, with_velocities: bool) -> Result<(), Error> {
    let velocities = if with_velocities { velocities(frame) } else { Vec::new() };
    writer.write_frame(50 * frame, &positions(frame), &velocities)
}

/// The position after each frame, and the bytes of the whole file.
fn uninterrupted(path: &Path, beads: &GsdBeads) -> (Vec<TrajectoryPosition>, Vec<u8>) {
    let mut writer = GsdWriter::create(path, beads.clone()).unwrap();
    let mut positions = vec![writer.position()];
    for frame in 0..FRAMES {
        write_frame(&mut writer, frame, beads.has_velocities).unwrap();
        positions.push(writer.position());
        assert_eq!(fs::metadata(path).unwrap().len(), writer.position().bytes);
    }
    writer.sync().unwrap();
    (positions, fs::read(path).unwrap())
}

fn continue_after(path: &Path, beads: &GsdBeads, position: TrajectoryPosition) -> Vec<u8> {
    let mut writer = GsdWriter::reopen(path, beads.clone(), position).unwrap();
    assert_eq!(writer.position(), position);
    for frame in position.frames..FRAMES {
        write_frame(&mut writer, frame, beads.has_velocities).unwrap();
    }
    fs::read(path).unwrap()
}

#[test]
fn a_trajectory_killed_at_every_byte_resumes_to_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.gsd");
    let beads = beads(Some(SIDES), true);
    let (positions, whole) = uninterrupted(&path, &beads);
    // The index moves after the checkpoint.
    let position = positions[15];
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        if (length as u64) < position.bytes {
            let error = GsdWriter::reopen(&path, beads.clone(), position).unwrap_err();
            assert_eq!(error.code(), "io/short-output", "killed at byte {length}");
            assert_eq!(fs::read(&path).unwrap(), whole[..length]);
        } else {
            let resumed = continue_after(&path, &beads, position);
            assert_eq!(resumed, whole, "killed at byte {length}");
        }
    }
}

/// After a power cut, blocks that were allocated but not written may hold anything, and so may what was overwritten
/// since the checkpoint: the place of the index in the header, and its entries.
#[test]
fn trajectories_continue_after_each_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.gsd");
    for beads in [beads(Some(SIDES), true), beads(None, true), beads(Some(SIDES), false)] {
        let (positions, whole) = uninterrupted(&path, &beads);
        for (frames, position) in positions.into_iter().enumerate() {
            assert_eq!(position.frames, frames as u64);
            let mut torn = whole.clone();
            torn.extend([0xAA; 37]);
            torn[8..24].fill(0xAA);
            fs::write(&path, &torn).unwrap();
            assert_eq!(continue_after(&path, &beads, position), whole, "after {frames} frames");
        }
    }
}

#[test]
fn another_trajectory_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.gsd");
    let own = beads(Some(SIDES), true);
    let (positions, whole) = uninterrupted(&path, &own);
    let fewer = GsdBeads { angles: GsdTerms::default(), ..own.clone() };
    for other in [beads(None, true), beads(Some(SIDES), false), fewer] {
        let error = GsdWriter::reopen(&path, other, positions[4]).unwrap_err();
        assert_eq!(error.code(), "io/other-trajectory");
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    fs::write(&path, vec![b'x'; whole.len()]).unwrap();
    let error = GsdWriter::reopen(&path, own.clone(), positions[4]).unwrap_err();
    assert_eq!(error.code(), "io/other-trajectory");
    fs::remove_file(&path).unwrap();
    let error = GsdWriter::reopen(&path, own, positions[4]).unwrap_err();
    assert_eq!(error.code(), "io/missing-output");
}

#[test]
fn a_refused_frame_does_not_change_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("refused.gsd");
    for sides in [None, Some(SIDES)] {
        let mut writer = GsdWriter::create(&path, beads(sides, true)).unwrap();
        write_frame(&mut writer, 0, true).unwrap();
        let position = writer.position();
        let too_few = writer.write_frame(1, &[[0.0; 3]; 2], &[[0.0; 3]; 3]).unwrap_err();
        assert_eq!(too_few.code(), "io/bead-count");
        let none = writer.write_frame(1, &[[0.0; 3]; 3], &[]).unwrap_err();
        assert_eq!(none.code(), "io/bead-count");
        for far in [f64::NAN, f64::NEG_INFINITY, 1e38] {
            let far = writer.write_frame(1, &[[0.0, far, 0.0]; 3], &[[0.0; 3]; 3]).unwrap_err();
            assert_eq!(far.code(), "io/coordinate");
        }
        let images = writer.write_frame(1, &[[0.0, 1.3e10, 0.0]; 3], &[[0.0; 3]; 3]);
        assert_eq!(images.is_err(), sides.is_some());
        if sides.is_some() {
            assert_eq!(writer.position(), position);
        }
    }
}

#[test]
fn the_gsd_package_reads_what_was_written() {
    let has_reader = Command::new("python3")
        .args(["-c", "import gsd.hoomd"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_reader {
        println!("skipped: no gsd");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    uninterrupted(&folder.path().join("box.gsd"), &beads(Some(SIDES), true));
    uninterrupted(&folder.path().join("open.gsd"), &beads(None, false));
    let plain =
        GsdBeads { bonds: GsdTerms::default(), angles: GsdTerms::default(), ..beads(None, true) };
    uninterrupted(&folder.path().join("plain.gsd"), &plain);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gsd_reader.py");
    let output = Command::new("python3").arg(script).arg(folder.path()).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn read_back(path: &Path) -> Result<Vec<Vec<f32>>, Error> {
    let mut read = Vec::new();
    frames::read(path, FrameFormat::Gsd, |frame| read.push(frame.to_vec())).map(|()| read)
}

#[test]
fn velocities_are_read_where_frames_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("read.gsd");
    for has_velocities in [true, false] {
        uninterrupted(&path, &beads(Some(SIDES), has_velocities));
        let mut seen = Vec::new();
        let is_chosen = |number: usize| number != 1;
        frames::read_moving(&path, FrameFormat::Gsd, is_chosen, |number, _, found| {
            let written = velocities(number as u64);
            let single = written.as_flattened().iter().map(|&v| v as f32).collect::<Vec<_>>();
            assert_eq!(found, has_velocities.then_some(single.as_slice()));
            seen.push(number);
        })
        .unwrap();
        assert_eq!(seen, (0..FRAMES as usize).filter(|&number| number != 1).collect::<Vec<_>>());
    }
}

/// Positions come back with their images, and a frame that is cut off ends the file.
#[test]
fn frames_read_back_equal_those_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("read.gsd");
    for beads in [beads(Some(SIDES), true), beads(None, false)] {
        let (ends, whole) = uninterrupted(&path, &beads);
        let single = |x: f64| x as f32;
        for cut in [0, 1] {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let read = read_back(&path).unwrap();
            assert_eq!(read.len() as u64, FRAMES - cut as u64);
            for (frame, read) in (0..).zip(read) {
                let written = positions(frame);
                assert_eq!(
                    read,
                    written.as_flattened().iter().copied().map(single).collect::<Vec<_>>()
                );
            }
        }
        GsdWriter::create(&path, beads.clone()).unwrap();
        assert!(read_back(&path).unwrap().is_empty());
        // An index entry of a frame that is far ahead, and a file of something else.
        let mut damaged = whole.clone();
        let index = u64::from_le_bytes(damaged[8..16].try_into().unwrap()) as usize;
        damaged[index..index + 8].copy_from_slice(&1_000_000_u64.to_le_bytes());
        fs::write(&path, damaged).unwrap();
        assert_eq!(read_back(&path).unwrap_err().code(), "io/changed-output");
        fs::write(&path, vec![0x65; ends[3].bytes as usize]).unwrap();
        assert_eq!(read_back(&path).unwrap_err().code(), "io/changed-output");
    }
}
