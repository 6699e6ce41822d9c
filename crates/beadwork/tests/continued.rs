//! A run that begins where another one ended has noise of its own.

use std::fs;

use crate::common::{LADDERS, Place, assert_same, json_of, only};
use beadwork::io::{FrameFormat, frames};
use beadwork_testing::{correlation, correlation_threshold};

/// Free beads, whose displacements are their noise.
const FREE: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [10, 10, 10]
build = { molecule = "A", count = 50 }
pairs = [ { kind = "dpd", repulsion = 0.0, cutoff = 2.0 } ]

[dynamics]
integrator = "brownian"
temperature = 1.0
friction = 1.0
timestep = 0.01

[[stage]]
steps = 400

[output]
table = { every_steps = 100 }
trajectory = { every_steps = 400, format = "gsd" }
"#;

const BUILD: &str = "build = { molecule = \"A\", count = 50 }";
const SEED: u64 = 20101;

/// The free beads from a start file.
fn from(start: &str) -> String {
    FREE.replace(BUILD, &format!("start = {{ {start} }}"))
}

/// What each coordinate of each bead moved by, from the first frame to the last.
fn displacements(place: &Place, run: &str) -> Vec<f64> {
    let path = place.path(&format!("{run}/trajectories/member-0000.gsd"));
    let mut all: Vec<Vec<f32>> = Vec::new();
    frames::read(&path, FrameFormat::Gsd, |frame| all.push(frame.to_vec())).unwrap();
    let (first, last) = (&all[0], all.last().unwrap());
    first.iter().zip(last).map(|(first, last)| f64::from(last - first)).collect()
}

/// The seed of an input, and the notes about it.
fn seed_of(place: &Place, input: &str) -> (u64, Vec<String>) {
    place.write("asked.toml", input);
    let words = place.beadwork("check asked.toml --json").expect(0).stdout;
    let said = json_of(&words);
    let notes = said["notes"].as_array().unwrap();
    let notes = notes.iter().map(|note| note.as_str().unwrap().to_string()).collect();
    (said["seed"].as_u64().unwrap(), notes)
}

#[test]
fn noise_is_not_repeated() {
    let place = Place::with_input(FREE);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let last = "file = \"first/trajectories/member-0000.gsd\", frame = -1";
    place.write("second.toml", &from(last));
    let said = place.beadwork("run second.toml -o second --quiet").expect(0);
    said.complains(&["note: first/trajectories/member-0000.gsd is the output of a run", "20101"]);
    place.write("again.toml", &(from(last) + "[random]\nnoise = \"seed\"\n"));
    place.beadwork("run again.toml -o again --quiet").expect(0);

    let first = displacements(&place, "first");
    let with = |run| correlation(&first, &displacements(&place, run));
    assert!(with("again") > 0.99, "the same noise: {}", with("again"));
    // One of a million correlations of independent runs is larger.
    let most = correlation_threshold(first.len(), 1e-6, 1);
    assert!(with("second").abs() < most, "{} of at most {most}", with("second"));

    // The resolved input reproduces the run, in its folder and elsewhere.
    let resolved = place.read("second/resolved.toml");
    assert!(resolved.contains("noise = \"seed\"") && !resolved.contains("seed = 20101"));
    let files = |run: &str| only(&place.results(run), &["tables/", "trajectories/", "final/"]);
    place.beadwork("run second/resolved.toml -o in-place --quiet").expect(0);
    assert_same(&files("second"), &files("in-place"));
    fs::create_dir_all(place.path("moved/inputs")).unwrap();
    place.write("moved/resolved.toml", &resolved);
    let copy = "inputs/member-0000.gsd";
    fs::copy(place.path("second").join(copy), place.path("moved").join(copy)).unwrap();
    let said = place.beadwork("run moved/resolved.toml -o elsewhere --quiet").expect(0);
    assert!(!said.stderr.contains("output of a run"), "{}", said.stderr);
    assert_same(&files("second"), &files("elsewhere"));

    // A continued run goes on like any other.
    place.beadwork("run second.toml -o stopped --quiet --max-time 0s").expect(5);
    place.beadwork("resume stopped --quiet").expect(0);
    assert_same(&files("second"), &files("stopped"));
    place.beadwork("run second.toml -o second --continue --quiet").expect(0);

    // A third run differs from both, and going on keeps the seed.
    let (third, _) = seed_of(&place, &from("file = \"second/final/replica-0.xyz\""));
    let second = json_of(&place.read("second/run.json"))["seed"].as_u64().unwrap();
    assert!(third != second && second != SEED && third != SEED);
    place.beadwork("extend second --steps 400").expect(0);
    place.beadwork("resume second --quiet").expect(0);
    assert_eq!(json_of(&place.read("second/run.json"))["seed"], second);
}

/// In a run's folder, by a mark in the file, or because the input asks for it.
#[test]
fn starts_of_runs_are_recognised() {
    let place = Place::with_input(FREE);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let known = |input: &str| {
        let (seed, notes) = seed_of(&place, input);
        assert_eq!(notes.len(), usize::from(seed != SEED), "{notes:?}");
        (seed != SEED).then_some(seed)
    };
    assert_eq!(known(FREE), None);
    let xyz = place.read("first/final/replica-0.xyz");
    let own = known(&from("file = \"first/final/replica-0.xyz\""));
    assert!(own.is_some());
    // A copy has the same positions, so the same seed.
    place.write("copy.xyz", &xyz);
    assert_eq!(known(&from("file = \"copy.xyz\"")), own);
    // Another program wrote these, or a person. Asked for, the positions decide.
    place.write("plain.xyz", &xyz.replace("beadwork: replica", "replica"));
    assert_eq!(known(&from("file = \"plain.xyz\"")), None);
    let fresh = from("file = \"plain.xyz\"") + "[random]\nnoise = \"fresh\"\n";
    assert_eq!(known(&fresh), own);
    let other = fresh.replace("noise", "seed = 7\nnoise");
    assert!(![own, None].contains(&known(&other)));
    // What a run began with is no end of a run.
    place.write("next.toml", &from("file = \"copy.xyz\""));
    place.beadwork("run next.toml -o next --quiet --max-time 0s").expect(5);
    assert_eq!(known(&from("file = \"next/inputs/copy.xyz\"")), None);

    place.write("asked.toml", &(FREE.to_string() + "[random]\nnoise = \"fresh\"\n"));
    let said = place.beadwork("check asked.toml").expect(2);
    said.complains(&["this input reads none", "input/conflict"]);
    place.write("asked.toml", &(FREE.to_string() + "[random]\nnoise = \"new\"\n"));
    place
        .beadwork("check asked.toml")
        .expect(2)
        .complains(&["must be one of \"fresh\"", "input/bad-value"]);
    let words = {
        place.write("asked.toml", &from("file = \"copy.xyz\""));
        place.beadwork("check asked.toml").expect(0).stdout
    };
    assert!(words.contains("Note         copy.xyz is the output of a run"), "{words}");
}

/// Swept seeds become others, each of its own, and the resolved input has them.
#[test]
fn swept_seeds_become_others() {
    let place = Place::with_input(FREE);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let sweep = "[ensemble]\nsweep = { \"random.seed\" = [1, 2] }\n";
    place.write("next.toml", &(from("file = \"first/final/replica-0.xyz\"") + sweep));
    place.beadwork("run next.toml -o next --quiet").expect(0);
    let tables = |run: &str| only(&place.results(run), &["tables/", "final/"]);
    place.beadwork("run next/resolved.toml -o again --quiet").expect(0);
    assert_same(&tables("next"), &tables("again"));
    let members = place.read("next/members.csv");
    let seeds: Vec<&str> =
        members.lines().skip(1).map(|line| line.split(',').nth(3).unwrap()).collect();
    assert!(seeds.len() == 2 && seeds[0] != seeds[1] && !seeds.contains(&"1"), "{members}");
    let noise = "[ensemble]\nsweep = { \"random.noise\" = [\"seed\", \"fresh\"] }\n";
    place.write("next.toml", &(from("file = \"first/final/replica-0.xyz\"") + noise));
    place.beadwork("check next.toml").expect(2).complains(&["cannot be swept"]);
}

/// Proteins from `final/*.pdb`, as start or as structure, and chains.
#[test]
fn proteins_and_chains_too() {
    let place = Place::new();
    let protein = "[system]\nstructure = \"helix.pdb\"\n[[stage]]\nsteps = 400\n[ensemble]\nreplicas = 2\n[output]\ntable = { every_steps = 200 }\n";
    place.write("input.toml", protein);
    place.beadwork("run input.toml -o first --quiet").expect(0);
    let start = "structure = \"helix.pdb\"\nstart = \"first/final/replica-{replica}.pdb\"";
    let (all, notes) = seed_of(&place, &protein.replace("structure = \"helix.pdb\"", start));
    assert!(all != SEED && notes[0].contains("first/final/replica-0.pdb"), "{notes:?}");
    let (one, _) = seed_of(&place, &protein.replace("helix.pdb", "first/final/replica-1.pdb"));
    assert!(one != SEED && one != all);
    // Copies of inputs and topologies are no ends of runs.
    for name in ["first/inputs/helix.pdb", "first/topology.pdb", "helix.pdb"] {
        assert_eq!(seed_of(&place, &protein.replace("helix.pdb", name)), (SEED, vec![]), "{name}");
    }
    place.write("chain.toml", &LADDERS.replace("ladders = 3", "ladders = 1"));
    place.beadwork("run chain.toml -o chains --quiet").expect(0);
    let next = LADDERS
        .replace("ladders = 3", "ladders = 1")
        .replace("monomers = 6", "monomers = 6\nstart = \"chains/final/replica-{replica}.pdb\"");
    let (seed, notes) = seed_of(&place, &next);
    assert!(seed != SEED && notes.len() == 1, "{notes:?}");
}
