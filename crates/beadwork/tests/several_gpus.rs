//! Runs on several GPUs at once. With fewer each test says "skipped".
#![cfg(unix)]

use std::collections::BTreeMap;

use crate::common::gpu::in_pieces;
use crate::common::{PRESS, PULL, Place, assert_same, json_of, only};

const CHAINS: &str = r#"
[system]
model = "elastic-polymer"
monomers = 13

[[stage]]
name = "equilibrate"
sweeps = 40_000
tune = true

[[stage]]
name = "sample"
sweeps = 800_000

[output]
table = { every_sweeps = 4_000 }
trajectory = { every_sweeps = 40_000, format = "dcd" }
checkpoint = "0.05 s"
"#;

const LADDERS: &str = r#"
[exchange]
temperatures = { from = 0.2, to = 1.2, count = 4 }
every_sweeps = 40
ladders = 5
"#;

const PROTEINS: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[exchange]
temperatures = { from = "250 K", to = "400 K", count = 3 }
every = "20 ns"
ladders = 5

[[stage]]
name = "sample"
steps = 600_000

[output]
table = { every_steps = 5_000 }
trajectory = { every_steps = 100_000, format = "xtc" }
checkpoint = "0.05 s"
"#;

/// The kinds of runs: name, input and number of members.
fn inputs() -> [(&'static str, String, usize); 6] {
    let lengths = "[ensemble.sweep]\n\"system.monomers\" = [13, 20]\n";
    let alone = "[sampling]\ntemperature = 0.4\n[ensemble]\nreplicas = 21\n";
    [
        ("pulled proteins", PULL.replace("replicas = 3", "replicas = 21"), 21),
        ("pressed proteins", PRESS.replace("replicas = 3", "replicas = 21"), 21),
        ("proteins on ladders", PROTEINS.to_string(), 15),
        ("chains", format!("{CHAINS}{alone}"), 21),
        ("chains on ladders", format!("{CHAINS}{LADDERS}"), 20),
        ("chains of two lengths", format!("{CHAINS}{LADDERS}{lengths}"), 40),
    ]
}

/// The number of GPUs, if there are several.
fn several() -> Option<usize> {
    let count = (0..).take_while(|&number| beadwork::cuda::Device::open(number).is_ok()).count();
    if count < 2 {
        println!("skipped: {count} CUDA device(s), and two are needed");
    }
    (count >= 2).then_some(count)
}

/// All files except those that record how the run was made.
fn results(place: &Place, run: &str, members: usize) -> BTreeMap<String, Vec<u8>> {
    let mut results = place.results(run);
    results.remove("run.json");
    let tables = only(&results, &["tables/"]);
    assert!((members..=2 * members).contains(&tables.len()), "{run}: {} tables", tables.len());
    results
}

#[test]
fn several_gpus_give_the_bytes_of_one() {
    let Some(count) = several() else { return };
    for (name, input, members) in inputs() {
        let place = Place::with_input(&input);
        let run = |device: &str, folder: &str| {
            let run = format!("run input.toml --quiet --device {device} -o {folder}");
            place.beadwork_with_gpus(&run).expect(0);
            let record = json_of(&place.read(&format!("{folder}/run.json")));
            (results(&place, folder, members), record["gpus"].as_array().unwrap().len())
        };
        let (expected, cards) = run("cuda:0", "one");
        assert_eq!(cards, 1, "{name}");
        for (device, folder, cards) in
            [("cuda:1", "other", 1), ("cuda:1,0", "both", 2), ("cuda", "all", count)]
        {
            let (found, used) = run(device, folder);
            assert_eq!(used, cards, "{name} on {device}");
            assert_same(&expected, &found);
        }
    }
}

/// A run does not depend on the cards: it continues on more or fewer of them.
#[test]
fn runs_continue_on_other_gpus() {
    if several().is_none() {
        return;
    }
    for (_, input, members) in inputs() {
        let place = Place::with_input(&input);
        place.beadwork_with_gpus("run input.toml --quiet --device cuda:0 -o whole").expect(0);
        let expected = results(&place, "whole", members);
        let on = |piece| {
            let device = ["cuda:0", "cuda:0,1", "cuda:1"][piece % 3];
            format!("run input.toml --device {device}")
        };
        let pieces = in_pieces(&place, on, 0);
        assert_same(&expected, &results(&place, &pieces, members));
    }
}
