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
