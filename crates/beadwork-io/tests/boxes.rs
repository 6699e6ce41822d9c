//! Boxes in XTC, DCD and PDB files: where the formats have them, in which units, and how trajectories without one go on.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::Path;

use beadwork_io::{
    Error, TopologyBead, TrajectoryFormat, TrajectoryHeader, TrajectoryPosition, TrajectoryWriter,
    frames, pdb,
};

const FORMATS: [TrajectoryFormat; 2] = [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd];
const BEADS: usize = 12;
const SIDES: [f64; 3] = [30.0, 45.5, 61.25];
const OPEN: TrajectoryHeader =
    TrajectoryHeader { first_step: 0, steps_between_frames: 10, timestep_ps: 0.5, sides: None };
const BOXED: TrajectoryHeader = TrajectoryHeader { sides: Some(SIDES), ..OPEN };

fn positions(frame: u64) -> Vec<[f64; 3]> {
    (0..BEADS).map(|bead| [bead as f64, -0.5 * bead as f64, frame as f64]).collect()
}

fn write(writer: &mut TrajectoryWriter, frame: u64) -> TrajectoryPosition {
    writer.write_frame(10 * frame, 5.0 * frame as f64, &positions(frame)).unwrap();
    writer.position()
}

/// A trajectory of so many frames, and the position after the second.
fn trajectory(
    path: &Path,
    format: TrajectoryFormat,
    header: TrajectoryHeader,
    count: u64,
) -> (TrajectoryPosition, Vec<u8>) {
    let mut writer = TrajectoryWriter::create(path, format, BEADS, header).unwrap();
    let places: Vec<_> = (0..count).map(|frame| write(&mut writer, frame)).collect();
    writer.sync().unwrap();
    (places[1], fs::read(path).unwrap())
}

/// Goes on after the second frame with two more.
fn go_on(
    path: &Path,
    format: TrajectoryFormat,
    header: TrajectoryHeader,
    at: TrajectoryPosition,
) -> Result<Vec<u8>, Error> {
    let mut writer = TrajectoryWriter::reopen(path, format, BEADS, header, at)?;
    for frame in 2..4 {
        write(&mut writer, frame);
    }
    writer.sync()?;
    Ok(fs::read(path).unwrap())
}

#[test]
fn an_xtc_has_the_vectors_of_the_box_in_nanometres() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = trajectory(&folder.path().join("x"), TrajectoryFormat::Xtc, BOXED, 3);
    let mut reader = molly::XTCReader::new(bytes.as_slice());
    for number in 0..3 {
        let mut frame = molly::Frame::default();
        reader.read_frame(&mut frame).unwrap();
        assert_eq!(frame.boxvec, [3.0, 0.0, 0.0, 0.0, 4.55, 0.0, 0.0, 0.0, 6.125]);
        assert_eq!(frame.step, 10 * number);
    }
}

#[test]
fn a_dcd_has_a_unit_cell_in_angstroms_before_each_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = trajectory(&folder.path().join("x"), TrajectoryFormat::Dcd, BOXED, 3);
    let header = 276;
    let frame = 56 + 3 * (8 + 4 * BEADS);
    assert_eq!(bytes.len(), header + 3 * frame);
    assert_eq!(bytes[48..52], 1_i32.to_le_bytes(), "the control number of unit cells");
    for number in 0..3 {
        let cell = &bytes[header + number * frame..][..56];
        let numbers: Vec<f64> = cell[4..52]
            .chunks_exact(8)
            .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        assert_eq!(numbers, [SIDES[0], 0.0, SIDES[1], 0.0, 0.0, SIDES[2]]);
        assert_eq!(
            (&cell[..4], &cell[52..]),
            (&48_u32.to_le_bytes()[..], &48_u32.to_le_bytes()[..])
        );
    }
}

#[test]
fn positions_do_not_depend_on_the_box() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for format in FORMATS {
        let read = |header| {
            trajectory(&path, format, header, 3);
            let mut all = Vec::new();
            frames::read(&path, format, |frame| all.push(frame.to_vec())).unwrap();
            all
        };
        let (open, boxed) = (read(OPEN), read(BOXED));
        assert_eq!(open.len(), 3);
        assert_eq!(open, boxed, "{format:?}");
    }
}

#[test]
fn a_trajectory_in_a_box_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for format in FORMATS {
        let (second, whole) = trajectory(&path, format, BOXED, 4);
        assert_eq!(go_on(&path, format, BOXED, second).unwrap(), whole, "{format:?}");
    }
}

/// Frames of earlier versions have no box, also in runs with one. All frames of a file stay alike.
#[test]
fn a_trajectory_that_began_without_a_box_goes_on_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for format in FORMATS {
        let (second, whole) = trajectory(&path, format, OPEN, 4);
        assert_eq!(go_on(&path, format, BOXED, second).unwrap(), whole, "{format:?}");
        let mut frames = 0;
        frames::read(&path, format, |_| frames += 1).unwrap();
        assert_eq!(frames, 4);
    }
}

#[test]
fn a_trajectory_of_another_box_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let other = TrajectoryHeader { sides: Some([30.0, 45.5, 61.0]), ..OPEN };
    let (second, whole) = trajectory(&path, TrajectoryFormat::Xtc, BOXED, 3);
    for header in [other, OPEN] {
        let error = go_on(&path, TrajectoryFormat::Xtc, header, second).unwrap_err();
        assert_eq!(error.code(), "io/other-trajectory");
    }
    assert_eq!(fs::read(&path).unwrap(), whole);
    // The header of a DCD says whether there are unit cells; they themselves stand in the frames.
    let (second, _) = trajectory(&path, TrajectoryFormat::Dcd, BOXED, 3);
    let error = go_on(&path, TrajectoryFormat::Dcd, OPEN, second).unwrap_err();
    assert_eq!(error.code(), "io/other-trajectory");
}

fn pdb_text(sides: Option<[f64; 3]>) -> String {
    let bead = TopologyBead {
        name: "A".into(),
        residue_name: "A".into(),
        residue_number: 1,
        insertion: None,
        chain: "A".into(),
        segment: "".into(),
        mass: 1.0,
        charge: 0.0,
        occupancy: 1.0,
        beta: 0.0,
    };
    pdb::text(Path::new("x.pdb"), &[bead], &[[0.0; 3]], &[], sides, "one bead").unwrap()
}

#[test]
fn a_pdb_has_the_box_in_the_documented_columns() {
    let lines = |sides| pdb_text(sides).lines().map(str::to_owned).collect::<Vec<_>>();
    let open = lines(None);
    let boxed = lines(Some([30.0, 45.5, 12_345.678_9]));
    // The columns of the format's description: 7-15, 16-24, 25-33, 34-40, 41-47, 48-54, 56-66, 67-70.
    assert_eq!(boxed[1], "CRYST1   30.000   45.50012345.679  90.00  90.00  90.00 P 1           1");
    assert_eq!([&boxed[..1], &boxed[2..]].concat(), open);
    let wide = lines(Some([250_000.25, 1e6, 30.0]));
    assert!(wide[1].starts_with("CRYST1250000.251000000.0   30.000  90.00"), "{}", wide[1]);
    let too_wide = lines(Some([1e9, 30.0, 30.0]));
    assert_eq!(too_wide[1], "REMARK   1 a box of 1000000000 x 30 x 30 A, too wide for CRYST1");
}
