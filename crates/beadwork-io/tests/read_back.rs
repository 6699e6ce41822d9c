//! MDAnalysis, where it is installed, reads the files and finds what was written.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::path::Path;
use std::process::Command;

use beadwork_io::{TopologyBead, TrajectoryFormat, TrajectoryTiming, TrajectoryWriter, pdb, psf};

const BEADS: usize = 40;
const FRAMES: u64 = 5;
const TIMING: TrajectoryTiming =
    TrajectoryTiming { first_step: 1000, steps_between_frames: 500, timestep_ps: 0.02 };

/// Numbers that another language can compute as well; `extent` in Å.
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
        name: "CA".to_owned(),
        residue_name: "GLY".to_owned(),
        residue_number,
        insertion: None,
        chain: chain.to_owned(),
        segment: segment.to_owned(),
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
        "two chains",
    )
    .unwrap();
    beads[0].name = "CALPHA".to_owned();
    psf::write(&folder.join("extended.psf"), &beads, &bonds, "two chains").unwrap();
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let path = folder.join(format!("run.{}", format.extension()));
        write_trajectory(&path, format, BEADS, 100.0);
    }
    for extent in [10, 10_000, 25_000, 27_000, 100_000, 160_000, 200_000, 5_000_000] {
        let path = folder.join(format!("wide-{extent}.xtc"));
        write_trajectory(&path, TrajectoryFormat::Xtc, BEADS, f64::from(extent));
    }

    let count = 100_002;
    let beads: Vec<_> = (1..=count).map(|number| bead("A", "", number)).collect();
    let bonds: Vec<_> = (1..beads.len()).map(|index| (index - 1, index)).collect();
    let first = positions(0, beads.len(), 300.0);
    psf::write(&folder.join("large.psf"), &beads, &bonds, "").unwrap();
    pdb::write(&folder.join("large.pdb"), &beads, &first, &bonds, "").unwrap();
    write_trajectory(&folder.join("large.xtc"), TrajectoryFormat::Xtc, beads.len(), 300.0);
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
