//! Interruptions, threads, skin, output intervals and other members change no bit of a trajectory.
#![cfg(unix)]

use std::fs;

use crate::common::{
    Dice, PULL, Place, Table, assert_same, has_checkpoint, only, signal, time_of, wait_until,
};
use beadwork::model::System;
use beadwork::model::made_systems::sop_gpu_dynamics;
use beadwork::model::observables::Observable;

/// A longer run, which can be interrupted before its end.
fn long() -> String {
    PULL.replace("2000 um/s", "100 um/s")
        .replace("steps = 80_000", "steps = 150_000")
        .replace("replicas = 3", "replicas = 2")
}

/// Waits until the run's first member has a checkpoint.
fn under_way(place: &Place, run: &str) {
    let checkpoint = place.path(&format!("{run}/checkpoints/member-0000.ckpt"));
    wait_until("a checkpoint", || has_checkpoint(&checkpoint));
}

#[test]
fn signals_and_time_limits_leave_checkpoints() {
    let place = Place::with_input(&long());
    let time = time_of(|| {
        place.beadwork("run input.toml -o whole --threads 1 --quiet").expect(0);
    });
    let whole = place.results("whole");
    for name in ["INT", "TERM"] {
        let child = place.start(&format!("run input.toml -o {name} --threads 1"));
        under_way(&place, name);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains(&format!(
                "interrupted; checkpoints are written, go on with: beadwork resume {name}"
            )),
            "{said}"
        );
        assert!(output.stdout.is_empty(), "an interrupted run has no answer");
        assert!(place.read(&format!("{name}/members.csv")).contains("stopped"));
        place.beadwork(&format!("resume {name} --quiet")).expect(0);
        assert_same(&whole, &place.results(name));
    }

    // These limits are reached before a member begins.
    let said = place.beadwork("run input.toml -o none --max-time 0s").expect(5);
    said.complains(&["time limit reached; checkpoints are written", "beadwork resume none"]);
    place.beadwork("resume none --max-time 0s").expect(5);
    assert!(!place.path("none/checkpoints/member-0000.ckpt").exists());

    let elsewhere = Place::new();
    let (mut dice, mut reached) = (Dice(6), 0);
    for attempt in 0..100 {
        let mut run = format!("slow-{attempt}");
        let mut arguments = format!("run input.toml -o {run} --threads 1");
        let mut pieces = 0;
        loop {
            let limit = dice.below(time / 2).as_micros();
            let from = if pieces == 0 { &place } else { &elsewhere };
            let said = from.beadwork(&format!("{arguments} --quiet --max-time {limit}us"));
            if said.code == Some(0) {
                break;
            }
            said.expect(5).complains(&["time limit reached; checkpoints are written"]);
            let begun = place.path(&format!("{run}/checkpoints/member-0000.ckpt")).exists();
            reached += u32::from(begun);
            // A moved folder can be continued from any working directory.
            pieces += 1;
            let moved = format!("slow-{attempt}-{pieces}");
            fs::rename(place.path(&run), place.path(&moved)).unwrap();
            arguments = format!("resume {} --threads 2", place.path(&moved).to_string_lossy());
            run = moved;
        }
        assert_same(&whole, &place.results(&run));
        if reached >= 2 {
            return;
        }
    }
    panic!("100 runs in pieces, and only {reached} of 2 limits were reached on the way");
}

#[test]
fn threads_change_no_bit() {
    let place = Place::with_input(
        &PULL.replace("replicas = 3", "replicas = 8").replace("80_000", "20_000"),
    );
    place.beadwork("run input.toml -o threads-1 --threads 1 --quiet").expect(0);
    for threads in [2, 7] {
        let run = format!("threads-{threads}");
        place.beadwork(&format!("run input.toml -o {run} --threads {threads} --quiet")).expect(0);
        assert_same(&place.results("threads-1"), &place.results(&run));
    }
}

#[test]
fn the_skin_changes_no_bit() {
    // The cutoff is shorter than the chain, so that the neighbour list leaves pairs out.
    let input = PULL.replace(
        "structure = \"helix.pdb\"",
        "structure = \"helix.pdb\"\nrepulsion = { cutoff = \"12 A\" }",
    );
    let input = input.replace("replicas = 3", "replicas = 2").replace("80_000", "20_000");
    for integrator in ["brownian", "brownian-second-order"] {
        let place = Place::with_input(&input);
        for skin in ["2 A", "6 A", "0 A"] {
            let run = skin.replace(' ', "");
            let skin = format!("dynamics.skin={skin}");
            let integrator = format!("dynamics.integrator={integrator}");
            let arguments =
                ["run", "input.toml", "-o", &run, "--quiet", "--set", &skin, "--set", &integrator];
            place.beadwork_of(&arguments).expect(0);
        }
        let of = |run: &str| only(&place.results(run), &["tables", "trajectories", "unfolding"]);
        assert_same(&of("2A"), &of("6A"));
        assert_same(&of("2A"), &of("0A"));
    }
}

/// Columns of the state at the row, without averages since the last row.
fn instantaneous() -> impl Iterator<Item = &'static str> {
    let system = System::default();
    let of_state: Vec<_> =
        system.observables(&sop_gpu_dynamics(20.0)).filter(|one| !one.is_average()).collect();
    ["step", "time_ns", "stage"].into_iter().chain(of_state.into_iter().map(Observable::column))
}

#[test]
fn output_intervals_do_not_change_the_trajectory() {
    // The stop rule is tested at steps of the stage, which do not depend on rows.
    let input = PULL.replace("80_000", "30_000");
    let place = Place::with_input(&input);
    let run = |name: &str, table: u64, trajectory: u64| {
        let table = format!("output.table.every_steps={table}");
        let trajectory = format!("output.trajectory.every_steps={trajectory}");
        let arguments =
            ["run", "input.toml", "-o", name, "--quiet", "--set", &table, "--set", &trajectory];
        place.beadwork_of(&arguments).expect(0);
    };
    run("often", 100, 500);
    run("seldom", 700, 3000);
    for member in 0..3 {
        let (often, seldom) = (place.table("often", member), place.table("seldom", member));
        let place_of = |table: &Table, step: &str| {
            // A minimisation ends at the step at which the next stage begins; the row of the minimisation comes first.
            table.column("step").iter().position(|cell| *cell == step)
        };
        let mut common = 0;
        for (row, step) in seldom.column("step").into_iter().enumerate() {
            let Some(other) = place_of(&often, step) else { continue };
            common += 1;
            for column in instantaneous() {
                let (a, b) = (seldom.column(column)[row], often.column(column)[other]);
                assert_eq!(a, b, "{column} at step {step} of member {member}");
            }
        }
        // The start, the minimum, and each multiple of 700 up to 40 000, at which the other table has rows too.
        assert_eq!(common, 2 + 40_000 / 700);
        assert_eq!(seldom.rows.len(), common);
    }
}

#[test]
fn a_replica_alone_equals_the_replica_among_many() {
    let place = Place::with_input(&PULL.replace("replicas = 3", "replicas = 1"));
    place.beadwork("run input.toml -o alone --quiet").expect(0);
    place.beadwork("run input.toml -o many --quiet --set ensemble.replicas=5").expect(0);
    let of_first = ["tables/member-0000", "trajectories/member-0000"];
    assert_same(
        &only(&place.results("alone"), &of_first),
        &only(&place.results("many"), &of_first),
    );
    // Members differ from each other.
    assert_ne!(
        place.table("many", 0).column("extension_nm"),
        place.table("many", 1).column("extension_nm")
    );
}

#[test]
fn a_sweep_makes_the_product() {
    let input = PULL
        .replace("[ensemble]\nreplicas = 3", "[ensemble]\nreplicas = 2\n\n[ensemble.sweep]\n\"dynamics.temperature\" = [\"280 K\", \"300 K\"]\n\"pull.stiffness\" = [\"50 pN/nm\", \"100 pN/nm\", \"200 pN/nm\"]")
        .replace("steps = 80_000", "steps = 4_000");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o sweep --quiet").expect(0);
    let members = Table::parse(&place.read("sweep/members.csv"));
    assert_eq!(members.rows.len(), 2 * 3 * 2);
    assert_eq!(
        members.column("point"),
        ["0", "0", "1", "1", "2", "2", "3", "3", "4", "4", "5", "5"]
    );
    assert_eq!(members.column("replica_of_point"), ["0", "1"].repeat(6));
    let stiffness = members.column("pull.stiffness");
    assert_eq!(
        stiffness[..6],
        ["50 pN/nm", "50 pN/nm", "100 pN/nm", "100 pN/nm", "200 pN/nm", "200 pN/nm"]
    );
    let temperature = members.column("dynamics.temperature");
    assert!(temperature[..6].iter().all(|cell| *cell == "280 K"));
    assert!(temperature[6..].iter().all(|cell| *cell == "300 K"));
    // Each of the 12 members ends differently, because the springs differ.
    let last: Vec<String> = (0..12)
        .map(|member| {
            place.table("sweep", member).column("extension_nm").last().unwrap().to_string()
        })
        .collect();
    let different: std::collections::BTreeSet<_> = last.iter().collect();
    assert_eq!(different.len(), 12);
}

#[test]
fn continuing_a_finished_run_changes_nothing() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let before = place.results("run");
    let modified = || fs::metadata(place.path("run/tables/member-0000.csv")).unwrap().modified();
    let time = modified().unwrap();
    let answer = place.beadwork("resume run --quiet").expect(0).stdout;
    assert!(answer.contains("plots are in run"), "{answer}");
    assert!(!answer.contains("steps/s"), "nothing was computed: {answer}");
    place.beadwork("run input.toml -o run --continue --quiet").expect(0);
    assert_same(&before, &place.results("run"));
    assert_eq!(modified().unwrap(), time);
    // Continuing with another input is refused and changes nothing.
    let said = place.beadwork("run input.toml -o run --continue --set random.seed=7").expect(2);
    let differs = "run holds a run of another input (there random.seed is 20101, not 7): choose another --output";
    said.complains(&[differs]);
    place.write("helix.pdb", &format!("REMARK mine\n{}", place.read("helix.pdb")));
    let said = place.beadwork("run input.toml -o run --continue").expect(2);
    said.complains(&["another input (there inputs/helix.pdb is another file): choose"]);
    assert_same(&before, &place.results("run"));
}

/// Runs an input in one folder, and its resolved form in another.
fn resolved_again(input: &str) {
    let place = Place::with_input(input);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let elsewhere = Place::new();
    fs::remove_file(elsewhere.path("helix.pdb")).unwrap();
    fs::create_dir(elsewhere.path("inputs")).unwrap();
    fs::copy(place.path("first/inputs/helix.pdb"), elsewhere.path("inputs/helix.pdb")).unwrap();
    fs::copy(place.path("first/resolved.toml"), elsewhere.path("again.toml")).unwrap();
    elsewhere.beadwork("run again.toml -o second --quiet").expect(0);
    let mut expected = place.results("first");
    let mut found = elsewhere.results("second");
    // Only the copy of the original input may differ.
    assert!(expected.remove("input.toml") != found.remove("input.toml"));
    assert_same(&expected, &found);
}

#[test]
fn the_resolved_input_gives_the_same_run() {
    resolved_again(PULL);
    let sweep = "sweep = { mode = \"zip\", \"dynamics.timestep\" = [\"20 ps\", \"10 ps\"], \"pull.stiffness\" = [\"50 pN/nm\", \"70 pN/nm\"] }";
    let sweep = format!("replicas = 2\n{sweep}");
    resolved_again(&PULL.replace("replicas = 3", &sweep).replace("80_000", "3_000"));
}
