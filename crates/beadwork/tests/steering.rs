//! Runs that are stepped in pieces: what a new segment begins from, and what is refused.

use std::sync::atomic::AtomicBool;

use beadwork::engine::{Control, Devices, Ending, Progress};
use beadwork::input::Request;
use beadwork::model::observables::Observable;
use beadwork::running::{self, Beginning};
use beadwork::steering::{Change, Steered};

use crate::common::Place;

/// Two trimers with bonds of two types; the second type comes first in the input.
const TYPED: &str = "t\n\n6 atoms\n1 atom types\n4 bonds\n3 bond types\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nAtoms # bond\n\n1 1 1 1 5 5\n2 1 1 2 5 5\n3 1 1 3 5 5\n4 2 1 10 5 5\n5 2 1 12 5 5\n6 2 1 14 5 5\n\nBonds\n\n1 1 1 2\n2 1 2 3\n3 3 4 5\n4 3 5 6\n";

const SYSTEM: &str = r#"[system]
model = "beads"
units = "reduced"
START
BONDS
exclude = 0

[dynamics]
integrator = "langevin"
collision_rate = 1.0
timestep = 0.005
precision = "double"

[[stage]]
name = "relax"
steps = 50

[[stage]]
name = "sample"
steps = 100

[output]
table = { every_steps = 10 }
"#;

const OF_FILE: &str = "bonds = [ { kind = \"fene\", stiffness = 10.0, limit = 4.0, between = \"file\", number = 3 }, { kind = \"harmonic\", stiffness = 100.0, length = 1.0, between = \"file\", number = 1 } ]";

fn request(place: &Place, start: &str, bonds: &str) -> Request {
    place.write("typed.data", TYPED);
    let text = SYSTEM.replace("START", start).replace("BONDS", bonds);
    place.write("input.toml", &text);
    beadwork::input::load(&place.path("input.toml"), &[]).unwrap()
}

fn folder(place: &Place, name: &str) -> std::path::PathBuf {
    std::fs::create_dir(place.path(name)).unwrap();
    place.path(name)
}

/// Steps a segment, in memory or in its folder.
fn advance(steered: &mut Steered, steps: Option<u64>) -> Ending {
    advance_on(&Devices::Cpu, steered, steps)
}

fn advance_on(devices: &Devices, steered: &mut Steered, steps: Option<u64>) -> Ending {
    let until = steered.ask_for(steps).unwrap();
    let interrupted = AtomicBool::new(false);
    let control =
        Control { until, devices: devices.clone(), ..Control::on_processors(&interrupted, 2) };
    let progress = Progress::default();
    let outcome = match steered.session().unwrap() {
        Some(session) => session.run(&control, &progress).unwrap(),
        None => steered.run(&control, &progress).unwrap(),
    };
    // Stages that a rule ended count as whole.
    assert!(progress.settled.get() >= steered.steps_until(steered.target()));
    outcome.ending
}

/// What tells a file from one that takes its place.
fn number_of(path: &std::path::Path) -> u64 {
    let found = std::fs::metadata(path).unwrap();
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    return found.len();
}

fn potential_energy(steered: &Steered) -> f64 {
    let measured = steered.measure(steered.members().unwrap());
    measured[0].as_ref().unwrap().get(Observable::PotentialEnergy).unwrap()
}

/// A minimisation, held beads, and a pull with a rule.
const HELIX: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "minimise"
minimise = { tolerance = "0.001 kcal/(mol A)", steps = 500 }

[[stage]]
name = "equilibrate"
steps = 3_050
drives = [ { kind = "restrain", select = "residue 2-5", stiffness = "50 pN/nm" } ]

[[stage]]
name = "pull"
steps = 9_000
stop = "extension > 3.5 nm"
stop_every = 700
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "100 pN/nm", speed = "50 um/s" },
]

[ensemble]
replicas = 5

[output]
table = { every_steps = 500 }
"#;

/// Chains on ladders, with moves that are fitted.
const LADDERS: &str = r#"
[system]
model = "elastic-polymer"
monomers = 13

[exchange]
temperatures = { from = 0.2, to = 1.2, count = 6 }
every_sweeps = 40
ladders = 3

[[stage]]
name = "equilibrate"
sweeps = 5_060
tune = true

[[stage]]
name = "sample"
sweeps = 9_000

[output]
table = { every_sweeps = 600 }
"#;

/// Pieces of a step, up to rows, exchanges and ends of stages, and between them.
fn pieces_equal_the_whole(devices: &Devices) {
    let beads = SYSTEM.replace("START", "start = \"typed.data\"\nbox = \"file\"");
    for (number, input) in
        [&beads.replace("BONDS", OF_FILE), HELIX, LADDERS].into_iter().enumerate()
    {
        let place = Place::with_input(input);
        place.write("typed.data", TYPED);
        let steered = |name: &str| {
            let request = beadwork::input::load(&place.path("input.toml"), &[]).unwrap();
            Steered::in_memory(request, &folder(&place, name)).unwrap()
        };
        let (mut whole, mut pieces) = (steered("whole"), steered("pieces"));
        assert_eq!(advance_on(devices, &mut whole, None), Ending::Finished);
        for steps in [0, 1, 9, 30, 10, 450, 1_500, 1_050, 10, 2_003].map(Some) {
            if steps.is_some_and(|steps| pieces.target() + steps < whole.length()) {
                assert_eq!(advance_on(devices, &mut pieces, steps), Ending::Paused, "{number}");
                let members = pieces.members().unwrap();
                assert!(members.iter().all(|one| one.state.dynamics_step == pieces.target()));
            }
        }
        assert_eq!(advance_on(devices, &mut pieces, None), Ending::Finished);
        let states = [&whole, &pieces].map(|one| {
            let members = one.members().unwrap().into_iter();
            members.map(|now| now.state).collect::<Vec<_>>()
        });
        assert_eq!(states[0], states[1], "{number}");
        if number == 1 {
            // Five members, each with the steps of its minimisation.
            assert_eq!([0, 70].map(|end| whole.steps_until(end)), [0, 2_850]);
        }
        for member in 0..whole.plan().members.len() {
            let [one, other] = [&whole, &pieces].map(|it| it.memory().unwrap().member(member));
            assert!(one.rows.len() > 10 && one == other, "{number}, member {member}");
        }
    }
}

#[test]
fn pieces_equal_the_whole_on_the_processor() {
    pieces_equal_the_whole(&Devices::Cpu);
}

#[test]
fn pieces_equal_the_whole_on_a_gpu() {
    match beadwork::cuda::Device::open(0) {
        Ok(card) => pieces_equal_the_whole(&Devices::Cuda(vec![card])),
        Err(error) => println!("skipped: no CUDA device ({})", error.code()),
    }
}

/// Start files of a new segment have no bonds, so its input lists those of the file before, each entry with its own.
#[test]
fn bonds_of_a_start_file_are_listed_in_the_next_segment() {
    let place = Place::new();
    let first = request(&place, "start = \"typed.data\"\nbox = \"file\"", OF_FILE);
    let mut steered = Steered::in_memory(first, &folder(&place, "first")).unwrap();
    assert_eq!([0, 20, 50, 120, 1_000].map(|end| steered.steps_until(end)), [0, 20, 50, 120, 150]);
    // Within the second stage, 30 steps before its end.
    assert_eq!(advance(&mut steered, Some(120)), Ending::Paused);
    let next = steered.next(&folder(&place, "staging"), &Change::default()).unwrap();
    let own = steered.plan().members[0].system.clone();
    assert_eq!(next.points[0].system.interactions.bonded, own.interactions.bonded);
    assert!(next.resolved.contains("between = [[3, 4], [4, 5]]"), "{}", next.resolved);
    assert!(next.resolved.contains("between = [[0, 1], [1, 2]]"), "{}", next.resolved);
    let stages = &next.points[0].protocol.stages;
    assert_eq!((stages.len(), stages[0].name.as_str(), stages[0].steps()), (1, "sample", 30));
    assert_ne!(next.points[0].protocol.seed, steered.plan().members[0].protocol.seed);
    let mut second = Steered::in_memory(next, &folder(&place, "second")).unwrap();
    let [before, after] = [&steered, &second].map(|one| one.members().unwrap().remove(0).state);
    assert_eq!(before.extra.motion.unwrap().velocities, after.extra.motion.unwrap().velocities);
    let [before, after] = [&steered, &second].map(potential_energy);
    assert!((before - after).abs() < 1e-9 * before.abs(), "{before} {after}");
    // The third segment begins from the files of the second one.
    assert_eq!(advance(&mut second, None), Ending::Finished);
    let third = second.next(&folder(&place, "staging-2"), &Change::default()).unwrap();
    assert_eq!(third.points[0].system.interactions.bonded, own.interactions.bonded);
    assert_eq!(third.points[0].protocol.stages[0].steps(), 30);
}

/// What an input takes from its start, and a new start would give otherwise.
#[test]
fn segments_that_would_mean_another_system_are_refused() {
    let place = Place::new();
    let harmonic =
        |rest: &str| format!("bonds = [ {{ kind = \"harmonic\", stiffness = 100.0, {rest} }} ]");
    let stars = "build = { molecule = \"A[B2][B2]B2\", count = 5 }\nbox = [8, 8, 8]";
    let file = "start = \"typed.data\"\nbox = \"file\"";
    let cases = [
        (stars, harmonic("length = 1.0, between = \"chain\""), "bonds or angles"),
        (file, harmonic("length = \"start\", between = \"file\""), "bonds or angles"),
        (file, harmonic("length = 1.0, between = \"near\", within = 1.5"), "bonds or angles"),
    ];
    for (number, (start, bonds, what)) in cases.into_iter().enumerate() {
        let request = request(&place, start, &bonds);
        let mut steered =
            Steered::in_memory(request, &folder(&place, &format!("home-{number}"))).unwrap();
        advance(&mut steered, Some(60));
        let mut change = Change::default();
        if bonds.contains("near") {
            // One bond is longer than the distance within which beads are joined.
            let mut positions = steered.members().unwrap().remove(0).state.positions;
            positions[0][0] -= 0.9;
            change.positions = Some(vec![positions]);
        }
        let staging = folder(&place, &format!("staging-{number}"));
        let error = steered.next(&staging, &change).unwrap_err();
        assert_eq!(error.code(), "run/steering", "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// A run that ends where it was stopped has the files of one that was as long from the beginning.
#[test]
fn a_run_that_was_cut_equals_a_short_one() {
    let place = Place::new();
    let text = |steps: u64| {
        let text = SYSTEM.replace("START", "start = \"typed.data\"\nbox = \"file\"");
        text.replace("BONDS", OF_FILE).replace("steps = 100", &format!("steps = {steps}"))
    };
    place.write("typed.data", TYPED);
    place.write("input.toml", &text(100));
    place.write("short.toml", &text(70));
    place.beadwork("run short.toml -o short --quiet").expect(0);
    let request = beadwork::input::load(&place.path("input.toml"), &[]).unwrap();
    let path = place.path("run");
    let asked = Beginning {
        folder: Some(&path),
        replicas: None,
        go_on: false,
        from_start: false,
        choice: &beadwork::device::Choice::Cpu,
        threads: 1,
    };
    drop(running::begin(request, &asked, |_| {}).unwrap());
    let mut steered = Steered::in_folder(&path).unwrap();
    let mut lists = Vec::new();
    for steps in [1, 49, 40, 30] {
        assert_eq!(advance(&mut steered, Some(steps)), Ending::Paused);
        lists.push(number_of(&place.path("run/members.csv")));
    }
    // The list changes where a stage has ended, and the last piece ends none.
    assert!(cfg!(not(unix)) || lists[0] != lists[2]);
    assert_eq!(lists[2], lists[3]);
    assert_eq!(crate::common::json_of(&place.read("run/run.json"))["ending"], "paused");
    steered.end().unwrap();
    assert_eq!(advance(&mut steered, Some(0)), Ending::Finished);
    place.beadwork("resume run --quiet").expect(0);
    place.beadwork("verify run").expect(0);
    for name in ["resolved.toml", "tables/member-0000.csv", "final/replica-0.xyz", "members.csv"] {
        let [cut, short] = ["run", "short"].map(|run| place.read(&format!("{run}/{name}")));
        assert_eq!(cut.replace("runs/input", "runs/short"), short, "{name}");
    }
    // A cut is no extension to which another one adds.
    place.beadwork("extend run --steps 30").expect(0);
    let mut steered = Steered::in_folder(&path).unwrap();
    assert_eq!(advance(&mut steered, Some(10)), Ending::Paused);
    steered.end().unwrap();
    let said = place.beadwork("extend run --steps 20").expect(0);
    assert!(said.stdout.contains("lengthened: 80 steps -> 100 steps"), "{}", said.stdout);
    assert!(!said.stderr.contains("was made longer before"), "{}", said.stderr);
}
