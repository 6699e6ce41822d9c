//! Inputs and files that no person writes: they are refused in a moment, in one sentence, with the exit code of bad input.

use std::fs;
use std::process::Command;

use crate::common::Place;

fn beads(sides: &str, system: &str, rest: &str) -> String {
    format!(
        r#"
[system]
model = "beads"
units = "reduced"
box = {sides}
{system}

[dynamics]
integrator = "langevin"
temperature = 1.0
collision_rate = 0.5
timestep = 0.005

[[stage]]
steps = 20
{rest}
"#
    )
}

const CHAINS: &str = r#"build = { molecule = "A3", count = 10 }
bonds = [ { kind = "harmonic", stiffness = 4.0, length = 0.0 } ]"#;

#[test]
fn boxes_of_absurd_sides_are_refused_by_check() {
    let place = Place::new();
    let pairs = |cutoff: &str| {
        format!(
            "build = {{ molecule = \"A\", count = 12 }}\npairs = [ {{ kind = \"lennard-jones\", depth = 1e-6, diameter = 1.0, cutoff = {cutoff} }} ]"
        )
    };
    for (sides, system, complaint) in [
        ("[6, 6, 1e-30]", CHAINS, "more than 1e6 times the shortest"),
        ("[1e100, 1e-100, 1]", CHAINS, "a side is between 1e-30 and 1e30"),
        ("[1e308, 1e308, 1e308]", CHAINS, "must be less than 1e100, but is 1e308"),
        ("[1e-320, 1e-320, 1e-320]", CHAINS, "must be 0 or more than 1e-100, but is 1e-320"),
        ("[1e-40, 1e-40, 1e-40]", CHAINS, "a side is between 1e-30 and 1e30"),
        ("[1e7, 6, 6]", CHAINS, "more than 1e6 times the shortest"),
        ("[281474976710656, 6, 6]", &pairs("2.5"), "more than 1e6 times the shortest"),
        ("[1e12, 1e12, 1e12]", &pairs("2.5"), "more than 1e6 times the largest cutoff"),
        ("[6, 6, 6]", &pairs("1e-320"), "must be 0 or more than 1e-100"),
        ("[6, 6, 6]", &pairs("1e-90"), "more than 1e6 times the largest cutoff"),
        ("[6, 6, 6]", &pairs("1e200"), "must be less than 1e100"),
    ] {
        place.write("input.toml", &beads(sides, system, ""));
        for command in ["check input.toml", "run input.toml -o run -q"] {
            place.beadwork(command).expect(2).complains(&[complaint]);
        }
        assert!(!place.path("run").exists());
    }
}

#[test]
fn a_long_thin_box_that_is_sound_runs_to_its_report() {
    let place = Place::new();
    let output = "[output]\ntable = { every_steps = 10 }\ntrajectory = { every_steps = 10, format = \"gsd\" }\n";
    for sides in ["[4e5, 5, 5]", "[4e5, 4e5, 5]"] {
        place.write("input.toml", &beads(sides, CHAINS, output));
        let said = place.beadwork("run input.toml -o run -q --device cpu");
        assert!(matches!(said.code, Some(0 | 3)), "{}", said.stderr);
        assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
        fs::remove_dir_all(place.path("run")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn special_files_are_refused_before_they_are_read() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.path("pipe")).status();
    let has_pipe = made.is_ok_and(|status| status.success());
    fs::create_dir(place.path("folder")).unwrap();
    fs::File::create(place.path("huge")).unwrap().set_len(1 << 43).unwrap();
    let mut files = vec![("/dev/zero", "a device"), ("folder", "a folder")];
    if has_pipe {
        files.push(("pipe", "a pipe"));
    }
    let refused = "only ordinary files are read";
    for (file, kind) in &files {
        let complaint = format!("it is {kind}, and {refused}");
        for command in
            [format!("check {file}"), format!("run {file} -o r -q"), format!("import {file}")]
        {
            place.beadwork(&command).expect(2).complains(&[&complaint]);
        }
    }
    files.push(("huge", ""));
    for (file, kind) in &files {
        let complaint = match *kind {
            "" => "that such a file may have".to_string(),
            kind => format!("it is {kind}, and {refused}"),
        };
        for system in [
            format!("[system]\nstructure = \"{file}\"\n"),
            format!(
                "[system]\nmodel = \"residues\"\nsequence = {{ file = \"{file}\", name = \"x\" }}\n"
            ),
            format!(
                "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nstart = \"{file}\"\n[dynamics]\ntemperature = 1.0\ncollision_rate = 1.0\ntimestep = 0.01\n"
            ),
        ] {
            place.write("input.toml", &format!("{system}[[stage]]\nsteps = 10\n"));
            place.beadwork("check input.toml").expect(2).complains(&[&complaint]);
        }
    }
    place.beadwork("check huge").expect(2).complains(&["that such a file may have"]);
}

#[cfg(unix)]
#[test]
fn special_files_in_a_run_folder_are_refused() {
    let place = Place::new();
    let output = "[output]\ntable = { every_steps = 5 }\ntrajectory = { every_steps = 5, format = \"dcd\" }\n";
    place.write("input.toml", &beads("[6, 6, 6]", CHAINS, output));
    place.beadwork("run input.toml -o run -q --device cpu").expect(0);
    place.beadwork("extend run --steps 10").expect(0);
    for name in [
        "run/run.json",
        "run/resolved.toml",
        "run/tables/member-0000.csv",
        "run/trajectories/member-0000.dcd",
        "run/checkpoints/member-0000.ckpt",
    ] {
        let (path, kept) = (place.path(name), place.path("kept"));
        fs::rename(&path, &kept).unwrap();
        if !Command::new("mkfifo").arg(&path).status().is_ok_and(|made| made.success()) {
            return;
        }
        let said = place.beadwork("resume run -q");
        assert!(matches!(said.code, Some(2 | 4)), "{name}: {said:?}");
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
    place.beadwork("resume run -q").expect(0);
}

/// A density of 800 in place of 8: no list of 4 GB is made to say so.
#[test]
fn crowded_boxes_are_not_stepped_by_check() {
    let fluid = "build = { molecule = \"A\", density = 800 }\npairs = [ { kind = \"dpd\", repulsion = 25.0, cutoff = 1.0 } ]";
    let place = Place::with_input(&beads("[4, 4, 4]", fluid, ""));
    let said = place.beadwork("check input.toml").expect(0).stdout;
    for part in [
        "Duration     not estimated: the list of near pairs would take about 4 GB\n",
        "Warning      the list of near pairs would take about 4 GB, so no step was tried",
        "Warning      the box has 800 beads in a cube whose sides are the cutoff",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let memory = said.lines().find(|line| line.starts_with("Memory ")).unwrap();
    assert!(memory.contains("about 38"), "{memory}");
    let sound = Place::with_input(&beads("[4, 4, 4]", &fluid.replace("800", "8"), ""));
    let said = sound.beadwork("check input.toml").expect(0).stdout;
    assert!(!said.contains("list of near pairs") && !said.contains("the box has"), "{said}");
}
