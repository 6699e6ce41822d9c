//! Tables, frames and records of a run.

use super::{distance, helix};
use crate::common::{HELIX, PULL, Place, Table, json_of};
use beadwork::model::System;
use beadwork::model::made_systems::sop_gpu_dynamics;
use beadwork::model::observables::Observable;
use serde_json::json;

#[test]
fn tables_and_frames() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    for member in 0..3 {
        let table = place.table("run", member);
        let (molecules, dynamics) = (System::default(), sop_gpu_dynamics(20.0));
        let columns = ["step", "time_ns", "stage"].into_iter();
        let columns = columns.chain(molecules.observables(&dynamics).map(Observable::column));
        assert_eq!(table.columns, columns.collect::<Vec<_>>());
        // The first row is the structure itself: all contacts at their minima, bonds at rest.
        let beads = helix();
        let first = |column: &str| table.numbers(column)[0];
        assert!((first("extension_nm") - distance(beads[0], beads[15]) / 10.0).abs() < 1e-6);
        assert_eq!(first("native_contacts"), 25.0);
        assert!((first("contact_energy_kcal_per_mol") + 25.0 * 1.5).abs() < 1e-4);
        assert!(first("bond_energy_kcal_per_mol").abs() < 1e-4);
        assert_eq!((table.column("force_pN")[0], table.column("temperature_K")[0]), ("", ""));
        // The energy falls in the minimisation; then there is a row every 200 steps of 20 ps.
        let energies = table.numbers("total_energy_kcal_per_mol");
        assert!(energies[1] < energies[0]);
        let steps = table.numbers("step");
        let times = table.numbers("time_ns");
        let minimised = steps[1];
        assert_eq!(times[1], 0.0);
        for row in 2..steps.len() {
            assert_eq!(steps[row], minimised + 200.0 * (row - 1) as f64);
            assert_eq!(times[row], 4.0 * (row - 1) as f64);
        }
        // The stop rule held at the last row, and at none before.
        let extensions = table.numbers("extension_nm");
        let (last, before) = extensions.split_last().unwrap();
        assert!(*last > 3.5, "{last}");
        assert!(before.iter().all(|extension| *extension <= 3.5));
        assert!(extensions.len() < 2 + (10_000 + 80_000) / 200, "stopped before the last step");

        let frames = format!("run/tables/member-{member:04}-frames.csv");
        let frames = Table::parse(&place.read(&frames));
        assert_eq!(frames.columns, ["frame", "step", "time_ns", "stage"]);
        let frame_steps = frames.numbers("step");
        assert_eq!(frame_steps[..2], [0.0, minimised]);
        let frame_times = frames.numbers("time_ns");
        for (frame, (step, time)) in frame_steps.iter().zip(&frame_times).enumerate().skip(2) {
            assert_eq!(*step, minimised + 1000.0 * (frame - 1) as f64);
            assert_eq!(*time, 20.0 * (frame - 1) as f64);
        }
        let numbers: Vec<f64> = (0..frame_steps.len()).map(|frame| frame as f64).collect();
        assert_eq!(frames.numbers("frame"), numbers);

        // A reader of another project reads the trajectory, which agrees with the table.
        let path = place.path(&format!("run/trajectories/member-{member:04}.xtc"));
        let read = molly::XTCReader::open(path).unwrap().read_all_frames().unwrap();
        assert_eq!(read.len(), frame_steps.len());
        for (number, frame) in read.iter().enumerate() {
            assert_eq!(f64::from(frame.step), frame_steps[number]);
            let time = frame_times[number] * 1000.0;
            assert!((f64::from(frame.time) - time).abs() <= 1e-6 * time);
            assert_eq!(frame.positions.len(), 16 * 3);
            let bead = |bead: usize| [0, 1, 2].map(|a| f64::from(frame.positions[3 * bead + a]));
            let row = steps.iter().position(|step| *step == frame_steps[number]).unwrap();
            // Coordinates are rounded to 0.001 nm, so the distance of two beads is off by at most 2 √3 · 0.0005 nm, and
            // a little for f32.
            let extension = distance(bead(0), bead(15));
            assert!((extension - extensions[row]).abs() < 0.001_74, "{extension}");
        }
    }
    let members = Table::parse(&place.read("run/members.csv"));
    assert_eq!(members.columns[..5], ["member", "point", "replica_of_point", "status", "message"]);
    assert_eq!(members.column("member"), ["0", "1", "2"]);
    assert_eq!(members.column("status"), ["finished"; 3]);
    let unfolding = Table::parse(&place.read("run/unfolding.csv"));
    let columns = [
        "group",
        "replica",
        "unfolding_force_pN",
        "extension_nm",
        "time_ns",
        "native_contacts",
        "fall_pN",
    ];
    assert_eq!(unfolding.columns, columns);
    assert_eq!(unfolding.column("replica"), ["0", "1", "2"]);
    let peaks = Table::parse(&place.read("run/peaks.csv"));
    assert_eq!(peaks.columns[2], "force_pN");
    let record = json_of(&place.read("run/run.json"));
    assert_eq!((&record["members"], &record["seed"]), (&json!(3), &json!(20101)));
    assert_eq!(place.read("run/input.toml"), PULL);
    assert_eq!(place.read("run/inputs/helix.pdb"), HELIX);
    let psf = place.read("run/topology.psf");
    assert!(psf.contains("16 !NATOM") && psf.contains("15 !NBOND"), "{psf}");
}

#[test]
fn the_record_names_what_all_points_use() {
    let sweep = "[ensemble]\nreplicas = 1\nsweep = { \"dynamics.precision\" = [\"double\", \"single\"], \"dynamics.integrator\" = [\"brownian\", \"brownian-second-order\"] }";
    let place = Place::with_input(&PULL.replace("[ensemble]\nreplicas = 3", sweep));
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    let record = json_of(&place.read("run/run.json"));
    assert_eq!(record["precision"], "double, single");
    assert_eq!(record["integrator"], "brownian, brownian-second-order");
    assert_eq!(record["generator"], "philox4x32-10");
    assert_eq!(
        (&record["scheme"], &record["distribution"]),
        (&"counter".into(), &"box-muller".into())
    );
}
