//! Sweeps: members of different points differ, and each equals the same run without a sweep.

use std::fs;

use crate::common::{HELIX, LADDERS, PULL, Place, Table, json_of, only};

/// One replica a point, short.
fn input(sweep: &str) -> String {
    PULL.replace("replicas = 3", &format!("replicas = 1\n\n[ensemble.sweep]\n{sweep}"))
        .replace("steps = 80_000", "duration = \"40 ns\"")
        .replace("10_000", "1_000")
}

/// The helix stretched along its axis, as another start.
fn stretched() -> String {
    let line = |line: &str| match line.get(46..54).and_then(|z| z.trim().parse::<f64>().ok()) {
        Some(z) if line.starts_with("ATOM") => {
            format!("{}{:8.3}{}\n", &line[..46], 1.02 * z, &line[54..])
        }
        _ => format!("{line}\n"),
    };
    HELIX.lines().map(line).collect()
}

/// The points of a sweep end differently, and the files of the first point are those of a run whose input has its
/// value.
fn two_points(path: &str, values: [&str; 2]) {
    let place =
        Place::with_input(&input(&format!("\"{path}\" = [\"{}\", \"{}\"]", values[0], values[1])));
    place.write("stretched.pdb", &stretched());
    place.beadwork("run input.toml -o sweep --quiet").expect(0);
    let members = Table::parse(&place.read("sweep/members.csv"));
    assert_eq!(members.column("status"), ["finished"; 2]);
    let named = |value: &str| {
        if value.ends_with(".pdb") { format!("inputs/{value}") } else { value.to_string() }
    };
    assert_eq!(members.column(path), values.map(named));
    place.write("single.toml", &input("").replace("[ensemble.sweep]\n", ""));
    let set = format!("{path}={}", values[0]);
    place.beadwork_of(&["run", "single.toml", "-o", "single", "--quiet", "--set", &set]).expect(0);
    let files = ["tables/member-0000", "trajectories/member-0000"];
    crate::common::assert_same(
        &only(&place.results("single"), &files),
        &only(&place.results("sweep"), &files),
    );
    let [first, second] = [0, 1].map(|member| place.table("sweep", member));
    assert_ne!(first.column("extension_nm"), second.column("extension_nm"));
    // The second point also has other noise. A run of the first value with that noise, as its second replica, must
    // still differ.
    place.write(
        "same.toml",
        &input("").replace("[ensemble.sweep]\n", "").replace("replicas = 1", "replicas = 2"),
    );
    place.beadwork_of(&["run", "same.toml", "-o", "same", "--quiet", "--set", &set]).expect(0);
    let same = place.table("same", 1);
    assert!(
        second.rows != same.rows,
        "{path}: the second point is the first one with another number"
    );
}

#[test]
fn temperature_can_be_swept() {
    two_points("dynamics.temperature", ["280 K", "320 K"]);
}

#[test]
fn speed_and_stiffness_of_a_drive_can_be_swept() {
    two_points("pull.speed", ["1000 um/s", "2000 um/s"]);
    two_points("pull.stiffness", ["50 pN/nm", "100 pN/nm"]);
}

#[test]
fn energy_of_contacts_can_be_swept() {
    two_points("system.contacts.energy", ["1 kcal/mol", "2 kcal/mol"]);
}

#[test]
fn length_of_a_stage_can_be_swept() {
    two_points("pull.duration", ["40 ns", "60 ns"]);
    let place = Place::with_input(&input("\"pull.duration\" = [\"40 ns\", \"60 ns\"]"));
    place.beadwork("run input.toml -o sweep --quiet").expect(0);
    // 1,000 steps of 20 ps come before.
    let last = |member| *place.table("sweep", member).numbers("time_ns").last().unwrap();
    assert_eq!((last(0), last(1)), (60.0, 80.0));
}

/// Vectors have fewer lanes of double precision: members of one point do not fit where those of another do.
#[test]
fn precisions_can_be_swept_and_checked() {
    let precisions = "[\"single\", \"double\"]";
    let moved = input(&format!("\"dynamics.precision\" = {precisions}"))
        .replace("replicas = 1\n", "replicas = 16\n");
    let place = Place::with_input(&moved);
    let sampled = LADDERS.replace("ladders = 3", "ladders = 4");
    let sweep = format!("[ensemble.sweep]\n\"sampling.precision\" = {precisions}\n");
    place.write("chains.toml", &format!("{sampled}\n{sweep}"));
    for file in ["input.toml", "chains.toml"] {
        let said = place.beadwork(&format!("check {file} --device cpu --threads 1 --json"));
        let json = json_of(&said.expect(0).stdout);
        assert_eq!(json["members"], 32, "{json}");
        assert!(json["estimated_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{json}");
    }
}

#[test]
fn structure_and_start_can_be_swept() {
    two_points("system.start", ["helix.pdb", "stretched.pdb"]);
    two_points("system.start.file", ["stretched.pdb", "helix.pdb"]);
    two_points("system.structure.file", ["helix.pdb", "stretched.pdb"]);
}

#[test]
fn products_and_zips_can_be_swept() {
    let axes = [
        ("dynamics.temperature", ["280 K", "320 K"]),
        ("pull.speed", ["1000 um/s", "2000 um/s"]),
        ("system.contacts.energy", ["1 kcal/mol", "2 kcal/mol"]),
        ("pull.duration", ["8 ns", "12 ns"]),
        ("system.start", ["helix.pdb", "stretched.pdb"]),
    ];
    let lists: String =
        axes.iter().map(|(path, [a, b])| format!("\"{path}\" = [\"{a}\", \"{b}\"]\n")).collect();
    for (mode, points) in [("product", 32), ("zip", 2)] {
        let place = Place::with_input(&input(&format!("mode = \"{mode}\"\n{lists}")));
        place.write("stretched.pdb", &stretched());
        place.beadwork("run input.toml -o sweep --quiet").expect(0);
        let members = Table::parse(&place.read("sweep/members.csv"));
        assert_eq!(members.rows.len(), points);
        let mut rows: Vec<&[String]> = members.rows.iter().map(|row| &row[3..8]).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), points, "{mode}: two points are the same");
        if mode == "zip" {
            assert_eq!(members.column("pull.duration"), ["8 ns", "12 ns"]);
            assert_eq!(
                members.column("system.start"),
                ["inputs/helix.pdb", "inputs/stretched.pdb"]
            );
        } else {
            // The last path varies fastest.
            assert_eq!(
                members.column("system.start")[..2],
                ["inputs/helix.pdb", "inputs/stretched.pdb"]
            );
            assert_eq!(members.column("dynamics.temperature")[15..17], ["280 K", "320 K"]);
        }
        for number in 0..points {
            let length: f64 =
                members.column("pull.duration")[number].trim_end_matches(" ns").parse().unwrap();
            assert_eq!(
                *place.table("sweep", number).numbers("time_ns").last().unwrap(),
                20.0 + length
            );
        }
    }
}

#[test]
fn final_coordinates_are_the_last_frame_and_a_start() {
    let place =
        Place::with_input(&PULL.replace("80_000", "4_000").replace("replicas = 3", "replicas = 2"));
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let positions = |text: &str| -> Vec<[f64; 3]> {
        let atoms = text.lines().filter(|line| line.starts_with("ATOM"));
        atoms.map(|line| [30, 38, 46].map(|at| line[at..at + 8].trim().parse().unwrap())).collect()
    };
    for member in 0..2 {
        let text = place.read(&format!("first/final/replica-{member}.pdb"));
        assert!(
            text.starts_with(&format!("REMARK   1 beadwork: replica {member} after step ")),
            "{text}"
        );
        assert!(text.lines().next().unwrap().ends_with(", 280 ns"), "{text}");
        // A frame is due at the last step. Files round to 0.001 Å and 0.001 nm.
        let path = place.path(&format!("first/trajectories/member-{member:04}.xtc"));
        let frames = molly::XTCReader::open(path).unwrap().read_all_frames().unwrap();
        let last = frames.last().unwrap();
        let found = positions(&text);
        assert_eq!(found.len(), 16);
        for (bead, position) in found.iter().enumerate() {
            for axis in 0..3 {
                let expected = 10.0 * f64::from(last.positions[3 * bead + axis]);
                assert!((position[axis] - expected).abs() < 0.0057, "{position:?}");
            }
        }
    }
    // Each replica of another run starts from the end of a replica of this run.
    let next = "[system]\nstructure = \"helix.pdb\"\nstart = \"first/final/replica-{replica}.pdb\"\n[[stage]]\nsteps = 1000\n[ensemble]\nreplicas = 2\n[output]\ntable = { every_steps = 200 }\n";
    place.write("next.toml", next);
    place.beadwork("run next.toml -o next --quiet").expect(0);
    for member in 0..2 {
        let ends = place.table("first", member);
        let end: f64 = ends.numbers("extension_nm").last().copied().unwrap();
        let begin = place.table("next", member).numbers("extension_nm")[0];
        assert!((end - begin).abs() < 0.0002, "{end} {begin}");
    }
    // Failed members have no final coordinates.
    place
        .beadwork_of(&[
            "run",
            "input.toml",
            "-o",
            "failed",
            "-q",
            "--set",
            "dynamics.timestep=400 ps",
        ])
        .expect(3);
    assert_eq!(fs::read_dir(place.path("failed/final")).unwrap().count(), 0);
}

/// One of three points breaks its bonds: its members are frozen and named, the others continue.
#[test]
fn a_failing_point_changes_no_other_point() {
    let sweep = "[ensemble]\nreplicas = 2\nsweep = { mode = \"zip\", \"dynamics.timestep\" = [\"20 ps\", \"400 ps\", \"20 ps\"], \"pull.speed\" = [\"1000 um/s\", \"1000 um/s\", \"2000 um/s\"] }";
    let sound = PULL.replace("[ensemble]\nreplicas = 3", sweep).replace("80_000", "4_000");
    let place = Place::with_input(&sound);
    let said = place.beadwork("run input.toml -o run --quiet").expect(3);
    assert_eq!(said.stderr.matches("failed: ").count(), 2, "{}", said.stderr);
    for replica in [2, 3] {
        let line = format!(
            "failed: dynamics.timestep = 400 ps, pull.speed = 1000 um/s: replica {replica}, step "
        );
        said.complains(&[&line]);
        assert!(place.read("run/log.txt").contains(&line));
    }
    let members = Table::parse(&place.read("run/members.csv").replace(", ", ";"));
    let expected = ["finished", "finished", "failed", "failed", "finished", "finished"];
    assert_eq!(members.column("status"), expected);
    // The other members have the same files in a run in which no time step breaks bonds.
    place.write("sound.toml", &sound.replace("\"400 ps\"", "\"10 ps\""));
    place.beadwork("run sound.toml -o sound --quiet").expect(0);
    for member in [0, 1, 4, 5] {
        let files =
            [format!("tables/member-{member:04}"), format!("trajectories/member-{member:04}")];
        let files = files.each_ref().map(String::as_str);
        crate::common::assert_same(
            &only(&place.results("sound"), &files),
            &only(&place.results("run"), &files),
        );
    }
    // With "stop" the whole run ends. The progress of the others is not fixed, but none is lost.
    place.write("stop.toml", &format!("{sound}\n[run]\non_failure = \"stop\"\n"));
    let said = place.beadwork("run stop.toml -o stop --quiet --threads 1").expect(3);
    said.complains(&["stopped at the first failure, as [run] on_failure says", ": replica "]);
    let members = Table::parse(&place.read("stop/members.csv").replace(", ", ";"));
    let status = members.column("status");
    assert!(status[2..4].contains(&"failed"), "{status:?}");
    assert!(status.iter().any(|word| ["stopped", "not begun"].contains(word)), "{status:?}");
    // Each start may stop at another failure; there are two.
    let mut starts = 0;
    loop {
        starts += 1;
        let said = place.beadwork("resume stop --quiet --threads 1").expect(3);
        if !said.stderr.contains("stopped at the first failure") {
            break;
        }
        assert!(starts < 3, "{}", said.stderr);
    }
    let files = ["tables", "trajectories", "final", "members.csv"];
    let [stopped, whole] = ["stop", "run"].map(|run| only(&place.results(run), &files));
    crate::common::assert_same(&whole, &stopped);
}
