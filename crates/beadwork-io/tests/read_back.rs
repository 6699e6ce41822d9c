//! Files contain the data written, in the documented layouts; MDAnalysis, if installed, reads the same.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use beadwork_io::{
    Error, FileEnd, TableValue, TableWriter, TopologyBead, TrajectoryFormat, TrajectoryHeader,
    TrajectoryWriter, frames, pdb, psf,
};

const BEADS: usize = 40;
const FRAMES: u64 = 5;
const TIMING: TrajectoryHeader = TrajectoryHeader {
    first_step: 1000,
    steps_between_frames: 500,
    timestep_ps: 0.02,
    sides: None,
};

/// Positions that another language can compute too; `extent` in Å.
fn positions(frame: u64, beads: usize, extent: f64) -> Vec<[f64; 3]> {
    (0..beads)
        .map(|bead| {
            std::array::from_fn(|axis| {
                let number = bead * 7919 + axis * 3571 + frame as usize * 613 + bead * bead * 31;
                ((number % 1009) as f64 / 1009.0 - 0.5) * extent
            })
        })
        .collect()
}

fn bead(chain: &str, segment: &str, residue_number: i32) -> TopologyBead {
    TopologyBead {
        name: "CA".into(),
        residue_name: "GLY".into(),
        residue_number,
        insertion: None,
        chain: chain.to_owned().into(),
        segment: segment.to_owned().into(),
        mass: 110.5,
        charge: -0.25,
        occupancy: 1.0,
        beta: 0.0,
    }
}

fn write_trajectory(path: &Path, format: TrajectoryFormat, beads: usize, extent: f64) {
    let mut writer = TrajectoryWriter::create(path, format, beads, TIMING).unwrap();
    for frame in 0..FRAMES {
        let step = TIMING.first_step + frame * TIMING.steps_between_frames;
        let time = step as f64 * TIMING.timestep_ps;
        writer.write_frame(step, time, &positions(frame, beads, extent)).unwrap();
    }
    writer.sync().unwrap();
}

fn write_all(folder: &Path) {
    let mut beads: Vec<_> = (0..BEADS)
        .map(|index| {
            let (chain, segment) = if index < 20 { ("A", "") } else { ("B", "SEGB") };
            bead(chain, segment, index as i32 % 20 - 2)
        })
        .collect();
    let bonds: Vec<_> =
        (1..BEADS).filter(|index| *index != 20).map(|index| (index - 1, index)).collect();
    psf::write(&folder.join("topology.psf"), &beads, &bonds, "two chains").unwrap();
    pdb::write(
        &folder.join("topology.pdb"),
        &beads,
        &positions(0, BEADS, 100.0),
        &bonds,
        None,
        "two chains",
    )
    .unwrap();
    beads[0].name = "CALPHA".into();
    psf::write(&folder.join("extended.psf"), &beads, &bonds, "two chains").unwrap();
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let path = folder.join(format!("run.{}", format.extension()));
        write_trajectory(&path, format, BEADS, 100.0);
    }
    write_boxed(folder);
    for extent in [10, 10_000, 25_000, 27_000, 100_000, 160_000, 200_000, 5_000_000] {
        let path = folder.join(format!("wide-{extent}.xtc"));
        write_trajectory(&path, TrajectoryFormat::Xtc, BEADS, f64::from(extent));
    }

    let count = 100_002;
    let beads: Vec<_> = (1..=count).map(|number| bead("A", "", number)).collect();
    let bonds: Vec<_> = (1..beads.len()).map(|index| (index - 1, index)).collect();
    let first = positions(0, beads.len(), 300.0);
    psf::write(&folder.join("large.psf"), &beads, &bonds, "").unwrap();
    pdb::write(&folder.join("large.pdb"), &beads, &first, &bonds, None, "").unwrap();
    write_trajectory(&folder.join("large.xtc"), TrajectoryFormat::Xtc, beads.len(), 300.0);
}

/// Beads in a box whose sides differ, in each format that holds one.
fn write_boxed(folder: &Path) {
    let sides = Some([100.0, 110.5, 120.25]);
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let path = folder.join(format!("boxed.{}", format.extension()));
        let boxed = TrajectoryHeader { sides, ..TIMING };
        let mut writer = TrajectoryWriter::create(&path, format, BEADS, boxed).unwrap();
        for frame in 0..FRAMES {
            let step = TIMING.first_step + frame * TIMING.steps_between_frames;
            let time = step as f64 * TIMING.timestep_ps;
            writer.write_frame(step, time, &positions(frame, BEADS, 100.0)).unwrap();
        }
        writer.sync().unwrap();
    }
    let (beads, bonds) = chain(BEADS);
    let first = positions(0, BEADS, 100.0);
    pdb::write(&folder.join("boxed.pdb"), &beads, &first, &bonds, sides, "in a box").unwrap();
}

#[test]
fn mdanalysis_reads_what_was_written() {
    let has_reader = Command::new("python3")
        .args(["-c", "import MDAnalysis"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_reader {
        println!("skipped: no MDAnalysis");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_back.py");
    let output = Command::new("python3").arg(script).arg(folder.path()).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn read_xtc(bytes: &[u8]) -> molly::Frame {
    let mut frame = molly::Frame::default();
    molly::XTCReader::new(bytes).read_frame(&mut frame).unwrap();
    frame
}

/// The bytes of a trajectory of these frames.
fn trajectory(format: TrajectoryFormat, frames: &[&[[f64; 3]]]) -> Result<Vec<u8>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut writer = TrajectoryWriter::create(&path, format, frames[0].len(), TIMING)?;
    for (number, frame) in (0..).zip(frames) {
        let step = TIMING.first_step + number * TIMING.steps_between_frames;
        writer.write_frame(step, step as f64 * TIMING.timestep_ps, frame)?;
    }
    writer.sync()?;
    Ok(fs::read(&path).unwrap())
}

/// The text of a PSF file.
fn psf_text(
    beads: &[TopologyBead],
    bonds: &[(usize, usize)],
    title: &str,
) -> Result<String, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.psf");
    psf::write(&path, beads, bonds, title)?;
    Ok(fs::read_to_string(&path).unwrap())
}

/// The text of a PDB file.
fn pdb_text(
    beads: &[TopologyBead],
    positions: &[[f64; 3]],
    bonds: &[(usize, usize)],
    title: &str,
) -> Result<String, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pdb");
    pdb::write(&path, beads, positions, bonds, None, title)?;
    Ok(fs::read_to_string(&path).unwrap())
}

/// A chain of alanines and the bonds along it.
fn chain(beads: usize) -> (Vec<TopologyBead>, Vec<(usize, usize)>) {
    let alanine = |number| TopologyBead {
        residue_name: "ALA".into(),
        mass: 110.0,
        charge: -1.0,
        beta: 20.0,
        ..bead("A", "", number)
    };
    let bonds = (1..beads).map(|index| (index - 1, index)).collect();
    ((1..).take(beads).map(alanine).collect(), bonds)
}

#[test]
fn xtc_coordinates_of_any_extent_come_back() {
    for beads in [1, 9, 10, 11, 257] {
        // In Å. From 2.6e4 Å, three extents do not fit into 64 bits together; from 1.7e5 Å, each
        // axis is packed separately.
        for extent in [0.0, 1.0, 30.0, 500.0, 1e4, 2.5e4, 2.7e4, 1e5, 1.6e5, 2e5, 5e6] {
            let positions = positions(0, beads, extent);
            let bytes = trajectory(TrajectoryFormat::Xtc, &[&positions]).unwrap();
            assert_eq!(bytes.len() % 4, 0);
            let frame = read_xtc(&bytes);
            assert_eq!((frame.step, frame.time), (1000, 20.0));
            for (bead, found) in frame.coords().enumerate() {
                for axis in 0..3 {
                    let expected = positions[bead][axis];
                    let difference = (f64::from(found[axis]) * 10.0 - expected).abs();
                    // Half a unit of 0.01 Å, and the rounding errors of three f32 operations.
                    let allowed = 0.005 + 2e-7 * extent;
                    assert!(
                        difference <= allowed,
                        "{beads} beads over {extent} Å, bead {bead}: {found:?}, {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_step_of_an_xtc_is_counted_modulo_two_to_the_32() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut writer = TrajectoryWriter::create(&path, TrajectoryFormat::Xtc, 1, TIMING).unwrap();
    writer.write_frame((1 << 32) + 5, 0.0, &[[0.0; 3]]).unwrap();
    assert_eq!(read_xtc(&fs::read(&path).unwrap()).step, 5);
}

#[test]
fn a_bead_that_an_xtc_cannot_hold_is_reported() {
    for value in [f64::NAN, f64::INFINITY, -3.1e6] {
        let mut positions = positions(0, 12, 10.0);
        positions[11][1] = value;
        let error = trajectory(TrajectoryFormat::Xtc, &[&positions]).unwrap_err();
        assert_eq!(error.code(), "io/coordinate");
        assert!(error.to_string().starts_with("Bead 11"));
        assert!(error.to_string().contains("y ="));
    }
}

fn integer(bytes: &[u8], offset: usize) -> i32 {
    i32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
}

#[test]
fn the_header_of_a_dcd_has_the_documented_layout() {
    let frame: &[[f64; 3]] = &[[0.0; 3]; 12];
    let bytes = trajectory(TrajectoryFormat::Dcd, &[frame; 3]).unwrap();
    assert_eq!(bytes.len(), 276 + 3 * 3 * (8 + 4 * 12));
    assert_eq!(integer(&bytes, 0), 84);
    assert_eq!(&bytes[4..8], b"CORD");
    let counters: Vec<i32> = (8..24).step_by(4).map(|at| integer(&bytes, at)).collect();
    assert_eq!(counters, [3, 1000, 500, 1500]);
    let delta = f32::from_le_bytes(bytes[44..48].try_into().unwrap());
    // 0.02 ps / 0.0488882129 ps = 0.40909656…
    assert!((delta - 0.409_096_5).abs() < 1e-6, "{delta}");
    assert_eq!(integer(&bytes, 48), 0, "no unit cell");
    assert_eq!(integer(&bytes, 84), 24);
    assert_eq!(integer(&bytes, 88), 84);
    assert_eq!((integer(&bytes, 92), integer(&bytes, 96)), (164, 2));
    assert_eq!(integer(&bytes, 260), 164);
    assert_eq!([264, 268, 272].map(|offset| integer(&bytes, offset)), [4, 12, 4]);
}

#[test]
fn a_frame_of_a_dcd_is_three_records() {
    let frame: &[[f64; 3]] = &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let bytes = trajectory(TrajectoryFormat::Dcd, &[frame]).unwrap();
    let mut expected = Vec::new();
    for pair in [[1.0_f32, 4.0], [2.0, 5.0], [3.0, 6.0]] {
        expected.extend(8_u32.to_le_bytes());
        expected.extend(pair[0].to_le_bytes());
        expected.extend(pair[1].to_le_bytes());
        expected.extend(8_u32.to_le_bytes());
    }
    assert_eq!(bytes[276..], expected);
}

#[test]
fn timing_that_a_dcd_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dcd");
    for timing in [
        TrajectoryHeader { first_step: 1 << 31, ..TIMING },
        TrajectoryHeader { steps_between_frames: 0, ..TIMING },
        TrajectoryHeader { timestep_ps: f64::NAN, ..TIMING },
    ] {
        let error = TrajectoryWriter::create(&path, TrajectoryFormat::Dcd, 1, timing).unwrap_err();
        assert_eq!(error.code(), "io/timing");
    }
}

#[test]
fn a_bead_that_a_dcd_cannot_hold_is_reported() {
    let frame: &[[f64; 3]] = &[[0.0; 3], [0.0, 0.0, f64::NAN]];
    let error = trajectory(TrajectoryFormat::Dcd, &[frame]).unwrap_err();
    assert!(error.to_string().starts_with("Bead 1 "));
}

#[test]
fn damaged_frames_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let timing =
        TrajectoryHeader { first_step: 0, steps_between_frames: 5, timestep_ps: 1.0, sides: None };
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let mut writer = TrajectoryWriter::create(&path, format, 20, timing).unwrap();
        let place = |bead: u32| [0.1, 1.7, 3.1].map(|factor| factor * f64::from(bead));
        writer.write_frame(0, 0.0, &(0..20).map(place).collect::<Vec<_>>()).unwrap();
        writer.sync().unwrap();
        drop(writer);
        let whole = fs::read(&path).unwrap();
        // Bytes with the number of beads and the parameters of the packing.
        let places = if format == TrajectoryFormat::Xtc { 4..88 } else { 264..280 };
        let mut errors = 0;
        for at in places {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x7f;
            fs::write(&path, &damaged).unwrap();
            errors += u32::from(frames::read(&path, format, |_| {}).is_err());
        }
        assert!(errors > 4, "{format:?}: {errors}");
        fs::remove_file(&path).unwrap();
    }
}

/// Few beads are stored as plain numbers, many are packed, and distant ones use another packing.
#[test]
fn frames_read_back_equal_those_written() {
    let folder = tempfile::tempdir().unwrap();
    let timing =
        TrajectoryHeader { first_step: 0, steps_between_frames: 5, timestep_ps: 1.0, sides: None };
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        for (beads, size) in [(2, 1.0), (40, 1.0), (40, 5e4)] {
            let path = folder.path().join("x");
            let place = |frame: usize, number: usize| {
                size * ((frame * 7919 + number * 3571) % 1009) as f64 / 100.0
            };
            let mut writer = TrajectoryWriter::create(&path, format, beads, timing).unwrap();
            for frame in 0..3 {
                let positions: Vec<[f64; 3]> = (0..beads)
                    .map(|bead| [0, 1, 2].map(|axis| place(frame, 3 * bead + axis)))
                    .collect();
                writer.write_frame(5 * frame as u64, 5.0 * frame as f64, &positions).unwrap();
            }
            writer.sync().unwrap();
            drop(writer);
            let whole = fs::read(&path).unwrap();
            let (mut all, mut chosen) = (Vec::new(), Vec::new());
            frames::read(&path, format, |found| all.push(found.to_vec())).unwrap();
            frames::read_chosen(
                &path,
                format,
                |number| number != 1,
                |number, found| chosen.push((number, found.to_vec())),
            )
            .unwrap();
            assert_eq!(chosen, [(0, all[0].clone()), (2, all[2].clone())]);
            for cut in [0, 3] {
                fs::write(&path, &whole[..whole.len() - cut]).unwrap();
                let mut frame = 0;
                frames::read(&path, format, |found| {
                    assert_eq!(found.len(), 3 * beads);
                    for (number, &x) in found.iter().enumerate() {
                        let expected = place(frame, number);
                        let bound = 0.006 + 1e-6 * expected;
                        assert!((f64::from(x) - expected).abs() < bound, "{x} {expected}");
                    }
                    frame += 1;
                })
                .unwrap();
                assert_eq!(frame, if cut == 0 { 3 } else { 2 }, "{format:?} {beads}");
            }
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn a_short_chain_has_the_standard_columns() {
    let (mut beads, bonds) = chain(6);
    beads[1].residue_number = -5;
    beads[2].insertion = Some('B');
    beads[3].segment = "PROA".into();
    let text = psf_text(&beads, &bonds, "six beads\nof a chain").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "PSF");
    assert_eq!(lines[2], "       2 !NTITLE");
    assert_eq!(lines[3..5], [" REMARKS six beads", " REMARKS of a chain"]);
    assert_eq!(lines[6], "       6 !NATOM");
    assert_eq!(lines[7], "       1 A    1    ALA  CA   CA        -1.000000    110.000000       0");
    assert_eq!(&lines[8][14..18], "-5  ");
    assert_eq!(&lines[9][14..18], "3B  ");
    assert_eq!(&lines[10][9..13], "PROA");
    assert_eq!(lines[14], "       5 !NBOND: bonds");
    assert_eq!(lines[15], "       1       2       2       3       3       4       4       5");
    assert_eq!(lines[16], "       5       6");
}

#[test]
fn names_that_do_not_fit_make_the_file_extended() {
    let long_number = |beads: &mut Vec<TopologyBead>| beads[0].residue_number = 10_000;
    let insertion = |beads: &mut Vec<TopologyBead>| {
        beads[0].residue_number = 1000;
        beads[0].insertion = Some('A');
    };
    let long_name = |beads: &mut Vec<TopologyBead>| beads[0].name = "MONOMER".into();
    for alter in [long_number, insertion, long_name] {
        let (mut beads, bonds) = chain(2);
        alter(&mut beads);
        let text = psf_text(&beads, &bonds, "").unwrap();
        assert!(text.starts_with("PSF EXT NAMD\n"));
        let line = text.lines().find(|line| line.contains("ALA")).unwrap();
        for gap in [10, 19, 28, 37, 46, 51] {
            assert_eq!(line.as_bytes()[gap], b' ', "{line}");
        }
        assert_eq!(line.split_whitespace().count(), 9, "{line}");
    }
}

#[test]
fn large_systems_are_extended() {
    let (beads, bonds) = chain(99_999);
    // The residue numbers are made equal, since five digits would also need the extended layout.
    let same_residue = |beads: &[TopologyBead]| -> Vec<TopologyBead> {
        beads.iter().cloned().map(|bead| TopologyBead { residue_number: 1, ..bead }).collect()
    };
    let mut beads = same_residue(&beads);
    assert!(psf_text(&beads, &bonds, "").unwrap().starts_with("PSF\n"));
    beads.push(beads[0].clone());
    let text = psf_text(&beads, &bonds, "").unwrap();
    assert!(text.starts_with("PSF EXT"));
    assert!(text.contains("\n    100000 A        1        ALA"));
    assert!(text.contains("     99998     99999\n"));
}

#[test]
fn numbers_of_any_size_stay_in_their_columns() {
    for (value, text) in [
        (110.0, "    110.000000"),
        (-0.5, "     -0.500000"),
        (1.5e8, "      1.500000e8"),
        (2e-7, "      2.000000e-7"),
    ] {
        let (mut beads, _) = chain(1);
        (beads[0].charge, beads[0].mass) = (value, value);
        let file = psf_text(&beads, &[], "").unwrap();
        let line = file.lines().find(|line| line.contains("ALA")).unwrap();
        for column in [&line[34..48], &line[48..62]] {
            assert_eq!(column.trim(), text.trim());
            assert!(column.starts_with(' '));
        }
    }
}

#[test]
fn unusable_names_are_refused() {
    let (beads, _) = chain(3);
    let bond = psf_text(&beads, &[(0, 3)], "").unwrap_err();
    assert_eq!(bond.code(), "io/bond");
    for name in ["", "EIGHTLET", "A B"] {
        let mut beads = beads.clone();
        beads[2].name = name.to_owned().into();
        let error = psf_text(&beads, &[], "").unwrap_err();
        assert_eq!(error.code(), "io/name");
        assert!(error.to_string().starts_with("Bead 2 "));
    }
    let mut beads = beads.clone();
    beads[1].mass = f64::NAN;
    let error = psf_text(&beads, &[], "").unwrap_err();
    assert_eq!(error.code(), "io/number");
}

#[test]
fn a_bead_lies_in_the_documented_columns() {
    let (mut beads, bonds) = chain(3);
    beads[1].insertion = Some('B');
    beads[1].chain = "BC".into();
    beads[1].segment = "SEGMENT".into();
    beads[2].name = "CA1X".into();
    beads[2].residue_name = "HSDX".into();
    beads[2].residue_number = 10_005;
    beads[2].beta = 1234.56;
    let positions = [[1.0, -2.5, 3.0005], [-999.999, 9999.999, 0.0], [0.0; 3]];
    let text = pdb_text(&beads, &positions, &bonds, "three beads").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "REMARK   1 three beads");
    assert_eq!(
        lines[1],
        "ATOM      1  CA  ALA A   1       1.000  -2.500   3.001  1.00 20.00      A   "
    );
    assert_eq!(lines[2], "TER");
    assert_eq!(
        lines[3],
        "ATOM      2  CA  ALA B   2B   -999.9999999.999   0.000  1.00 20.00      SEGM"
    );
    assert_eq!(
        lines[5],
        "ATOM      3 CA1X HSDXA   5       0.000   0.000   0.000  1.001234.6      A   "
    );
    assert_eq!(lines[7], "CONECT    1    2");
    assert_eq!(lines[8], "CONECT    2    1    3");
    assert_eq!(lines[9], "CONECT    3    2");
    assert_eq!(lines[10], "END");
}

#[test]
fn copies_of_a_chain_keep_their_number() {
    for (name, columns) in
        [("A-60", "A-60"), ("A-100", "A100"), ("AB-60", "AB60"), ("SEGMENT", "SEGM")]
    {
        let (mut beads, _) = chain(1);
        beads[0].segment = name.to_owned().into();
        let text = pdb_text(&beads, &[[0.0; 3]], &[], "").unwrap();
        assert!(text.lines().next().unwrap().ends_with(columns), "{text}");
    }
}

#[test]
fn a_bead_with_many_partners_has_several_lines() {
    let bonds = [(0, 1), (0, 2), (0, 3), (4, 0), (0, 5), (0, 1)];
    let text = pdb_text(&chain(6).0, &[[0.0; 3]; 6], &bonds, "").unwrap();
    assert!(text.contains("\nCONECT    1    2    3    4    5\nCONECT    1    6\n"));
}

#[test]
fn a_coordinate_that_does_not_fit_is_reported() {
    let (beads, bonds) = chain(3);
    for value in [-1000.0, 10_000.0, 9999.9996, f64::NAN, f64::INFINITY] {
        let positions = [[0.0; 3], [0.0; 3], [0.0, 0.0, value]];
        let error = pdb_text(&beads, &positions, &bonds, "").unwrap_err();
        assert_eq!(error.code(), "io/coordinate");
        assert!(error.to_string().starts_with("Bead 2 "));
        assert!(error.to_string().contains("z ="));
    }
    let error = pdb_text(&beads, &[[0.0; 3]], &bonds, "").unwrap_err();
    assert_eq!(error.code(), "io/bead-count");
}

#[test]
fn bonds_beyond_the_decimal_serials_are_left_out() {
    let (beads, bonds) = chain(100_002);
    let positions = vec![[0.0; 3]; beads.len()];
    let text = pdb_text(&beads, &positions, &bonds, "").unwrap();
    assert!(text.contains("\nATOM  A0001  CA "));
    assert!(text.contains("\nCONECT99998"));
    assert!(text.contains("\nCONECT9999999998\nEND\n"));
}

fn header() -> Vec<String> {
    ["step", "force (pN)", "note"].map(str::to_owned).to_vec()
}

#[test]
fn rows_are_plain_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut table = TableWriter::create(&path, &header()).unwrap();
    for (step, force, note) in [
        (0, TableValue::Number(0.1), TableValue::Missing),
        (u64::MAX, TableValue::Number(-1e-300), TableValue::Text("a, \"b\"")),
        (2, TableValue::Missing, TableValue::Text("c")),
        (3, TableValue::Number(1.0), TableValue::Missing),
    ] {
        table.row(&[TableValue::Integer(step), force, note]).unwrap();
    }
    let length = table.end().bytes;
    table.sync().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        "step,force (pN),note\n0,0.1,\n18446744073709551615,-1e-300,\"a, \"\"b\"\"\"\n2,,c\n3,1,\n"
    );
    assert_eq!(text.len() as u64, length);
}

#[test]
fn numbers_read_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let numbers = [
        0.0,
        -0.0,
        1.0 / 3.0,
        1e-5,
        9.999_999e-6,
        1e16,
        123_456_789.012_345_67,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -f64::EPSILON,
    ];
    let mut table = TableWriter::create(&path, &["number".to_owned()]).unwrap();
    for number in numbers {
        table.row(&[TableValue::Number(number)]).unwrap();
    }
    table.sync().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    for (text, number) in text.lines().skip(1).zip(numbers) {
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
        assert!(text.len() <= 24, "{text}");
    }
}

/// Tables of a run that goes on with another version must have the same bytes, so numbers are written as the standard
/// library writes them, those halfway between two short decimal numbers included.
#[test]
fn numbers_are_written_as_the_standard_library_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut numbers = Vec::new();
    for exponent in -1074..1024 {
        let power = 2f64.powi(exponent);
        let neighbours =
            [-1, 0, 1].map(|shift| f64::from_bits(power.to_bits().wrapping_add_signed(shift)));
        numbers.extend(neighbours.into_iter().chain([3.0 * power, 1_048_577.0 * power]));
    }
    for exponent in -330..309 {
        let power: f64 = format!("1e{exponent}").parse().unwrap();
        numbers.extend([-power, power.next_up(), power.next_down()]);
    }
    // Single precision numbers and multiples of short powers of two are often halfway.
    numbers.extend((0..20_000u16).map(|k| f64::from(f32::from(k) * 0.01)));
    numbers.extend((0..20_000u32).map(|k| f64::from(k) * 2f64.powi(-20)));
    numbers.extend((0..1_000u32).map(|k| 2f64.powi(53) - f64::from(k)));
    numbers.extend((0..20_000u32).map(|k| (f64::from(k) * 0.7).sin()));
    numbers.retain(|number| number.is_finite());
    let mut table = TableWriter::create(&path, &["number".to_owned()]).unwrap();
    for number in &numbers {
        table.row(&[TableValue::Number(*number)]).unwrap();
    }
    table.flush().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), numbers.len() + 1);
    for (text, number) in text.lines().skip(1).zip(numbers) {
        let expected = match number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
            true => format!("{number}"),
            false => format!("{number:e}"),
        };
        assert_eq!(text, expected);
    }
}

#[test]
fn values_that_are_not_finite_are_refused_with_their_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let mut table = TableWriter::create(&path, &header()).unwrap();
    let end = table.end();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let row = [TableValue::Integer(1), TableValue::Number(value), TableValue::Missing];
        let error = table.row(&row).unwrap_err();
        assert_eq!(error.code(), "io/table-number");
        assert!(error.to_string().contains("force (pN)"));
    }
    let error = table.row(&[TableValue::Missing]).unwrap_err();
    assert_eq!(error.code(), "io/table-columns");
    assert_eq!(table.end(), end);
}

#[test]
fn a_reopened_table_must_have_the_same_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let quoted = ["a,\nb".to_owned(), "c".to_owned()];
    let end = TableWriter::create(&path, &quoted).unwrap().end();
    let mut table = TableWriter::reopen(&path, &quoted, end).unwrap();
    let error = table.row(&[TableValue::Missing]).unwrap_err();
    assert!(error.to_string().ends_with("which has 2 columns."), "{error}");
    let error = table.row(&[TableValue::Missing, TableValue::Number(f64::NAN)]).unwrap_err();
    assert!(error.to_string().starts_with("Column \"c\" of the table"), "{error}");
    drop(table);
    for bytes in 0..end.bytes {
        fs::write(&path, "\"a,\nb\",c\n").unwrap();
        let error = TableWriter::reopen(&path, &quoted, FileEnd { bytes, ..end }).unwrap_err();
        assert_eq!(error.code(), "io/table-header", "{bytes} bytes");
    }
    fs::write(&path, "\"a,\nb\"").unwrap();
    let error = TableWriter::reopen(&path, &quoted, end).unwrap_err();
    assert_eq!(error.code(), "io/short-output");
}
