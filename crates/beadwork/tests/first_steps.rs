//! `check` steps runs a few times from their start, and says which would fail at once.

use crate::common::{Place, json_of};

/// Two beads that overlap: steps of 0.005 throw them apart, and steps of some 1e-7 do not.
const OVERLAP: &str = r#"[system]
model = "beads"
units = "reduced"
box = [10, 10, 10]
start = "near.xyz"
pairs = [ { kind = "wca", depth = 1.0, diameter = 1.0 } ]

[dynamics]
integrator = "langevin"
collision_rate = 1.0
timestep = 0.005

[[stage]]
steps = 20

[ensemble]
replicas = 2

[ensemble.sweep]
"dynamics.timestep" = [TIMESTEPS]

[output]
table = { every_steps = 10 }
"#;

/// A sweep over so many time steps that are sound, and a last one that is not.
fn sweep(sound: usize) -> Place {
    let timesteps = (1..=sound).map(|number| format!("{number}e-7"));
    let timesteps: Vec<String> = timesteps.chain(["0.005".to_string()]).collect();
    let place = Place::with_input(&OVERLAP.replace("TIMESTEPS", &timesteps.join(", ")));
    place.write("near.xyz", "2\nbeads\nA 1 1 1\nA 1.45 1 1\n");
    place
}

#[test]
fn a_point_that_fails_at_once_is_named_with_its_settings() {
    let place = sweep(1);
    let said = place.beadwork("check input.toml").expect(3).stdout;
    let first = said.lines().next().unwrap();
    // The first replica of the second point is the third one of all.
    let start = "Fails        dynamics.timestep = 0.005: replica 2, step ";
    assert!(first.starts_with(start) && first.contains(", stage \"stage-1\": "), "{said}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(3).stdout);
    assert!(first.ends_with(json["fails"].as_str().unwrap()), "{json}");
    let failed = place.beadwork("run input.toml -o run --quiet").expect(3).stderr;
    assert!(failed.contains("failed: dynamics.timestep = 0.005: replica 2, step "), "{failed}");
    assert!(!failed.contains("replica 0, step "), "{failed}");
}

#[test]
fn eight_points_of_a_sweep_are_tried() {
    let said = sweep(7).beadwork("check input.toml").expect(3).stdout;
    assert!(said.starts_with("Fails        dynamics.timestep = 0.005: replica 14, "), "{said}");
    let said = sweep(8).beadwork("check input.toml").expect(0).stdout;
    assert!(!said.contains("Fails "), "{said}");
}

/// A bead that meets another one in the third step, which a rule may forestall.
const SHOT: &str = r#"[system]
model = "beads"
units = "reduced"
box = [10, 10, 10]
start = { file = "shot.xyz", velocities = "file" }
pairs = [ { kind = "wca", depth = 1.0, diameter = 1.0 } ]

[dynamics]
integrator = "langevin"
collision_rate = 0.001
timestep = 0.005

[[stage]]
steps = 20
RULE

[output]
table = { every_steps = 1 }
"#;

#[test]
fn a_rule_that_ends_the_stage_before_a_failure_is_heeded() {
    let place = Place::new();
    let beads = "A 1 1 1 0 0 0\nA 4.1 1 1 -200 0 0\n";
    place.write("shot.xyz", &format!("2\nProperties=species:S:1:pos:R:3:velo:R:3\n{beads}"));
    let rule = "stop = \"kinetic_energy > 0\"\nstop_every = 2";
    for (name, rule, code) in [("whole", "", 3), ("ended", rule, 0)] {
        place.write("input.toml", &SHOT.replace("RULE", rule));
        let said = place.beadwork("check input.toml").expect(code).stdout;
        assert_eq!(said.starts_with("Fails        replica 0, step "), code == 3, "{said}");
        place.beadwork(&format!("run input.toml -o {name} --quiet")).expect(code);
    }
}

/// A bead that meets another one in about the tenth step.
const LATE_SHOT: &str = r#"[system]
model = "beads"
units = "reduced"
box = [40, 40, 40]
start = { file = "shot.xyz", velocities = "file" }
pairs = [ { kind = "wca", depth = 1.0, diameter = 1.0 } ]

[dynamics]
integrator = "langevin"
collision_rate = 0.001
timestep = 0.005

STAGES

[output]
table = { every_steps = 2 }
"#;

fn late_shot(stages: &str) -> Place {
    let place = Place::with_input(&LATE_SHOT.replace("STAGES", stages));
    let beads = "A 1 1 1 0 0 0\nA 11.1 1 1 -200 0 0\n";
    place.write("shot.xyz", &format!("2\nProperties=species:S:1:pos:R:3:velo:R:3\n{beads}"));
    place
}

/// The steps that are timed are those of the run where its first stage is timed.
#[test]
fn a_first_stage_that_fails_while_it_is_timed_is_a_failure_of_the_run() {
    let place = late_shot("[[stage]]\nsteps = 40\n\n[[stage]]\nsteps = 40");
    let said = place.beadwork("check input.toml").expect(3).stdout;
    let first = said.lines().next().unwrap();
    let failure = first.strip_prefix("Fails        ").expect(first);
    assert!(failure.starts_with("replica 0, step "), "{said}");
    assert!(said.contains("Duration     not estimated: the run fails\n"), "{said}");
    assert!(!said.contains("the longest stage fails"), "{said}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(3).stdout);
    assert_eq!(json["fails"].as_str(), Some(failure));
    let failed = place.beadwork("run input.toml -o run --quiet").expect(3).stderr;
    let (step, _) = failure.split_once(", stage \"stage-1\": ").expect(failure);
    assert!(failed.contains(&format!("failed: {step}, stage \"stage-1\": ")), "{failed}");
}

/// A run that begins the longest stage elsewhere, or ends it by a rule before it fails, need not fail.
#[test]
fn a_failure_that_need_not_be_one_of_the_run_is_warned_of_with_its_point() {
    let ended = "[[stage]]\nsteps = 40\nstop = \"kinetic_energy > 0\"\nstop_every = 8";
    let later = "[[stage]]\nsteps = 2\n\n[[stage]]\nsteps = 40";
    for (stages, code) in [(ended, 0), (later, 3)] {
        let place = late_shot(&format!(
            "{stages}\n\n[ensemble.sweep]\n\"dynamics.timestep\" = [1e-7, 0.005]"
        ));
        let said = place.beadwork("check input.toml").expect(0).stdout;
        let warning = "Warning      dynamics.timestep = 0.005: the longest stage fails when it begins at the start: ";
        assert!(said.contains(warning), "{said}");
        assert!(said.contains("Duration     not estimated\n"), "{said}");
        let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
        assert!(json["fails"].is_null(), "{json}");
        place.beadwork("run input.toml -o run --quiet").expect(code);
    }
}

/// A stiffness that single precision cannot hold makes no finite force, in a minimisation neither.
#[test]
fn a_minimisation_that_fails_at_once_is_a_failure_of_the_run() {
    let place = Place::with_input(
        r#"[system]
model = "beads"
units = "reduced"
start = "bent.xyz"
box = "open"
bonds = [ { kind = "harmonic", between = "chain", stiffness = 10.0, length = 1.0 } ]
angles = [ { kind = "harmonic", stiffness = 1e39, angle = 120 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
minimise = { steps = 20 }

[[stage]]
steps = 10

[output]
table = { every_steps = 5 }
"#,
    );
    place.write("bent.xyz", "3\n\nA 0 0 0\nA 1 0 0\nA 1 1 0\n");
    let said = place.beadwork("check input.toml").expect(3).stdout;
    let start = "Fails        replica 0, step 0, stage \"stage-1\": the position of bead 0";
    assert!(said.starts_with(start), "{said}");
    place.beadwork("run input.toml -o run --quiet").expect(3);
    place.beadwork("check input.toml --set system.angles.1.stiffness=10").expect(0);
}

/// Three beads in a row at rest, of which the second stage would pull the middle one away from the centre of the others.
const MIDDLE: &str = r#"[system]
structure = "row.pdb"

[dynamics]
temperature = "0 K"

[[stage]]
name = "settle"
steps = 10

[[stage]]
name = "push"
steps = 10
drives = [ { kind = "force", fixed = "index 0 2", pulled = "index 1", force = "100 pN" } ]

[output]
table = { every_steps = 10 }
"#;

/// At the start it is refused; where an earlier stage leads there it is the end of that stage that fails.
#[test]
fn a_drive_without_a_direction_ends_the_stage_before() {
    let place = Place::with_input(MIDDLE);
    let bead = |number: usize| {
        let x = 3.8 * (number - 1) as f64;
        format!(
            "ATOM  {number:5}  CA  GLY A{number:4}    {x:8.3}   0.000   0.000  1.00  0.00           C\n"
        )
    };
    place.write("row.pdb", &(1..=3).map(bead).collect::<String>());
    let failed = place.beadwork("run input.toml -o run --quiet --no-plots").expect(3).stderr;
    let expected = "step 10, stage \"settle\": drive 1 of the next stage has no direction";
    assert!(failed.contains(expected), "{failed}");
    let first = MIDDLE.replace("[[stage]]\nname = \"settle\"\nsteps = 10\n", "");
    place.write("first.toml", &first);
    let refused = place.beadwork("check first.toml").expect(2).stderr;
    assert!(refused.contains("no line between them says in which direction"), "{refused}");
    place.write("along.toml", &MIDDLE.replace("100 pN\"", "100 pN\", direction = [0, 0, 1]"));
    place.beadwork("run along.toml -o along --quiet --no-plots").expect(0);
}
