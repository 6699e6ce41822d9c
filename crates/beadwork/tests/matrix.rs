//! The exactness matrix: threads × vector instructions × replicas × skins × interrupted or not. All
//! runs of a precision leave the same files, and their hash is known.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{Dice, Place, Said, time_of};
use beadwork_testing::few_or_many;
use sha2::{Digest, Sha256};

/// Pairs cross the cutoff all the time, so neighbour lists matter; a stop rule gives members different lengths; frames
/// hold all bits of single precision.
const INPUT: &str = r#"
[system]
structure = "helix.pdb"
repulsion = { cutoff = "11 A" }

[dynamics]
timestep = "20 ps"

[[stage]]
name = "minimise"
minimise = { tolerance = "0.01 kcal/(mol A)", steps = 150 }

[[stage]]
name = "equilibrate"
steps = 900

[[stage]]
name = "pull"
steps = 6_000
stop = "extension > 3.3 nm"
stop_every = 50
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "100 pN/nm", speed = "8000 um/s" },
]

[ensemble]
replicas = 13

[output]
table = { every_steps = 100 }
trajectory = { every_steps = 500, format = "dcd" }
checkpoint = "0.005 s"
"#;

/// Hashes of tables and trajectories of all 13 replicas; a change of either is value-breaking.
const EXPECTED: [(&str, &str); 2] =
    [("single", "e89ecaa33c45e739"), ("double", "b88f0e2089a7bcd4")];

/// The files of each replica.
fn files(place: &Place, run: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["tables", "trajectories"] {
        let folder = place.path(&format!("{run}/{folder}"));
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            files.insert(name(&path), fs::read(&path).unwrap());
        }
    }
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn run(place: &Place, arguments: &[&str], instructions: &str) -> Said {
    let mut command = place.command_of(arguments);
    let output = command.env("BEADWORK_INSTRUCTIONS", instructions).output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The instructions of the matrix that this machine has.
fn instructions() -> Vec<&'static str> {
    let place = Place::with_input(INPUT);
    let all = ["baseline", "avx2", "avx-512"];
    all.into_iter()
        .filter(|instructions| run(&place, &["check", "input.toml"], instructions).code == Some(0))
        .collect()
}

/// One way to run the input.
#[derive(Clone, Copy)]
struct Case<'a> {
    threads: &'a str,
    instructions: &'a str,
    replicas: &'a str,
    skin: &'a str,
}

/// Every case, or every fifth. Five does not divide the numbers of threads, instructions, replicas and skins, so a
/// fifth of the cases includes each of them.
fn cases(instructions: &[&'static str]) -> Vec<Case<'static>> {
    let mut all = Vec::new();
    for threads in ["1", "2", "7"] {
        for &instructions in instructions {
            for replicas in ["13", "8", "1"] {
                let case = |skin| Case { threads, instructions, replicas, skin };
                all.extend(["2 A", "6 A"].map(case));
            }
        }
    }
    all.into_iter().step_by(few_or_many(5, 1)).collect()
}

/// Interrupts a run up to three times, and continues it with other threads and instructions. Returns whether an
/// interruption came between its start and its end.
fn interrupt(
    place: &Place,
    arguments: &[&str],
    case: Case<'_>,
    folder: &str,
    mut limit: impl FnMut() -> String,
) -> bool {
    let first = limit();
    let mut said = run(place, &[arguments, &["--max-time", &first]].concat(), case.instructions);
    let mut caught = false;
    for _ in 0..2 {
        assert!(matches!(said.code, Some(0 | 5)), "{folder}: {}", said.stderr);
        let table = place.path(&format!("{folder}/tables/member-0000.csv"));
        let rows = fs::read_to_string(table).map_or(0, |table| table.lines().count());
        if said.code == Some(0) || rows > 2 {
            caught = said.code == Some(5);
            break;
        }
        let resume = ["resume", folder, "--quiet", "--max-time", &limit()];
        said = run(place, &resume, case.instructions);
    }
    let other = if case.threads == "1" { "2" } else { "1" };
    run(place, &["resume", folder, "--quiet", "--threads", other], "baseline").expect(0);
    caught
}

fn matrix(precision: &str, expected: &str) {
    let place = Place::with_input(INPUT);
    let mut reference: Option<BTreeMap<String, Vec<u8>>> = None;
    let (mut dice, mut caught_on_the_way) = (Dice(9), false);
    let instructions = instructions();
    assert!(instructions.contains(&"baseline"));
    for (number, case) in cases(&instructions).into_iter().enumerate() {
        let settings = [
            format!("dynamics.precision={precision}"),
            format!("dynamics.skin={}", case.skin),
            format!("ensemble.replicas={}", case.replicas),
        ];
        let mut whole = Duration::ZERO;
        for interrupted in [false, true] {
            let folder = format!("run-{number}-{interrupted}");
            let mut arguments =
                vec!["run", "input.toml", "-o", &folder, "--quiet", "--threads", case.threads];
            for setting in &settings {
                arguments.extend(["--set", setting]);
            }
            if interrupted {
                let limit = || format!("{}us", dice.below(whole / 2).as_micros());
                caught_on_the_way |= interrupt(&place, &arguments, case, &folder, limit);
            } else {
                whole = time_of(|| drop(run(&place, &arguments, case.instructions).expect(0)));
            }
            let found = files(&place, &folder);
            let reference = reference.get_or_insert_with(|| found.clone());
            for (name, bytes) in &found {
                let Case { threads, instructions, replicas, skin } = case;
                assert!(
                    reference.get(name) == Some(bytes),
                    "{name} of {folder} differs: {threads} thread(s), {instructions}, {replicas} replica(s), skin {skin}"
                );
            }
            fs::remove_dir_all(place.path(&folder)).unwrap();
        }
    }
    assert!(caught_on_the_way, "no run was interrupted between its start and its end");
    let reference = reference.unwrap();
    let tables = reference.keys().filter(|name| name.ends_with(".csv")).count();
    assert_eq!((tables, reference.len()), (26, 39), "a table, frames and a trajectory a replica");
    let mut hash = Sha256::new();
    for (name, bytes) in &reference {
        hash.update(name);
        hash.update(bytes);
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, expected, "{precision}");
}

#[test]
fn one_hash_in_single_precision() {
    let [(precision, expected), _] = EXPECTED;
    matrix(precision, expected);
}

#[test]
fn one_hash_in_double_precision() {
    let [_, (precision, expected)] = EXPECTED;
    matrix(precision, expected);
}
