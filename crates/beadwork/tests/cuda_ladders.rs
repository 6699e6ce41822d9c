//! Chains, and ladders of chains and proteins, on a GPU. Without one each test says "skipped: no CUDA device".
#![cfg(unix)]

use crate::common::gpu::{has_gpu, in_pieces, rows, survives_kills};
use crate::common::{Place, Table, assert_same, json_of, only, time_of};

const LADDERS: &str = r#"
[exchange]
temperatures = { from = 0.2, to = 1.2, count = 6 }
every_sweeps = 40
ladders = 3
"#;

const CHAINS: &str = r#"
[system]
model = "elastic-polymer"
monomers = 13

[[stage]]
name = "equilibrate"
sweeps = 50_060
tune = true

[[stage]]
name = "sample"
sweeps = 400_000

[output]
table = { every_sweeps = 600 }
trajectory = { every_sweeps = 50_000, format = "dcd" }
checkpoint = "0.05 s"
"#;

const PROTEINS: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[exchange]
temperatures = { from = "250 K", to = "400 K", count = 5 }
every = "20 ns"
ladders = 2

[[stage]]
name = "minimise"
minimise = { tolerance = "0.001 kcal/(mol A)", steps = 500 }

[[stage]]
name = "sample"
steps = 120_500

[output]
table = { every_steps = 500 }
trajectory = { every_steps = 10_000, format = "xtc" }
checkpoint = "0.05 s"
"#;

/// An input of chains on ladders.
fn ladders(chains: &str) -> String {
    format!("{chains}{LADDERS}")
}

/// Runs that are stopped by the time limit, or killed and continued with other threads, leave the bytes of an
/// uninterrupted run.
fn stopped_runs_equal_whole_ones(input: &str, settings: &str) {
    let place = Place::with_input(input);
    let command = format!("run input.toml --device cuda {settings}");
    let time = time_of(|| {
        place.beadwork_with_gpus(&format!("{command} -o whole --quiet")).expect(0);
    });
    assert_eq!(json_of(&place.read("whole/run.json"))["device"], "cuda");
    let whole = place.results("whole");
    let pieces = in_pieces(&place, |_| command.clone(), 0);
    assert_same(&whole, &place.results(&pieces));
    survives_kills(&place, &command, &whole, time);
}

#[test]
fn stopped_ladders_of_chains_equal_whole_ones() {
    if has_gpu() {
        stopped_runs_equal_whole_ones(&ladders(CHAINS), "");
        stopped_runs_equal_whole_ones(&ladders(CHAINS), "--set sampling.precision=double");
        // At placements of temperatures the card must wait for the host.
        let placed = "tune = true\ntune_temperatures = \"acceptance\"";
        stopped_runs_equal_whole_ones(&ladders(CHAINS).replace("tune = true", placed), "");
    }
}

#[test]
fn stopped_ladders_of_proteins_equal_whole_ones() {
    if has_gpu() {
        stopped_runs_equal_whole_ones(PROTEINS, "");
    }
}

#[test]
fn stopped_chains_equal_whole_ones() {
    if has_gpu() {
        let alone = "[sampling]\ntemperature = 0.4\n[ensemble]\nreplicas = 40\n";
        stopped_runs_equal_whole_ones(&format!("{CHAINS}{alone}"), "");
    }
}

/// The files of a ladder do not depend on other ladders.
#[test]
fn other_ladders_change_no_trajectory() {
    if !has_gpu() {
        return;
    }
    for (input, replicas) in [(ladders(CHAINS), 6), (PROTEINS.to_string(), 5)] {
        let place = Place::with_input(&input);
        let run = |folder: &str, settings: &str| {
            let run = format!("run input.toml --device cuda --quiet -o {folder} {settings}");
            place.beadwork_with_gpus(&run).expect(0);
            rows(&place, folder)
        };
        let alone = run("alone", "--set exchange.ladders=1");
        let all = run("many", "--set exchange.ladders=40");
        let firsts: Vec<String> = (0..replicas)
            .flat_map(|n| [format!("tables/member-{n:04}"), format!("trajectories/member-{n:04}")])
            .collect();
        let firsts: Vec<&str> = firsts.iter().map(String::as_str).collect();
        assert_same(&alone, &only(&all, &firsts));
        assert_ne!(all["tables/member-0000.csv"], all[&format!("tables/member-{replicas:04}.csv")]);
    }
}

/// In double precision rounding changes no decision within some hundred thousand moves, so the card's chains differ
/// from the processor's only in the last digits.
#[test]
fn chains_agree_with_the_processor() {
    if !has_gpu() {
        return;
    }
    let place = Place::with_input(&ladders(CHAINS).replace("400_000", "9_940"));
    for device in ["cpu", "cuda"] {
        let run = format!(
            "run input.toml -o {device} --quiet --device {device} --set sampling.precision=double"
        );
        place.beadwork_with_gpus(&run).expect(0);
    }
    for member in 0..18 {
        let [cpu, cuda] = ["cpu", "cuda"].map(|run| place.table(run, member));
        assert_eq!((&cpu.columns, cpu.rows.len()), (&cuda.columns, cuda.rows.len()));
        for column in ["sweep", "stage", "rung", "temperature", "acceptance", "contacts"] {
            assert_eq!(cpu.column(column), cuda.column(column), "member {member}, {column}");
        }
        for (a, b) in cpu.numbers("energy").iter().zip(cuda.numbers("energy")) {
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "member {member}: {a} and {b}");
        }
    }
    let exchanges = ["cpu", "cuda"].map(|run| place.read(&format!("{run}/exchange.csv")));
    assert_eq!(exchanges[0], exchanges[1]);
    let exchanges = Table::parse(&exchanges[0]);
    let accepted = exchanges.column("accepted");
    let accepted = accepted.iter().filter_map(|cell| cell.parse::<u64>().ok());
    assert!(accepted.sum::<u64>() > 1_000);
}
