//! Paths to values of an input, in sweeps and on the command line.

use crate::common::{
    LADDER, SMALL, assert_fixed_point, complaint, folder, parse, parse_with, pdb, snake, write,
};
use crate::refusals::pulling;

#[test]
fn overrides_point_at_the_command_line() {
    let folder = folder();
    for (path, value, expected) in [
        (
            "dynamics.temperature",
            "300",
            "[input/wrong-type] --set:1:24 <300> [dynamics]: `temperature` must be a temperature such as \"300 K\" or \"0.6 kcal/mol\", found the number 300",
        ),
        (
            "dynamics.temperature",
            "300 pN",
            "[model/quantity] --set:1:24 <300 pN> [dynamics]: `temperature`: \"300 pN\" is a force",
        ),
        (
            "dynamic.temperature",
            "300 K",
            "[input/path] --set:1:1 <dynamic.temperature> `dynamic.temperature`: no section or stage is called \"dynamic\"; did you mean \"dynamics\"?",
        ),
        (
            "dynamics.temp",
            "300 K",
            "[input/unknown-key] --set:1:1 <dynamics.temp> unknown key `temp` in [dynamics]",
        ),
        ("run.steps", "[1", "[input/syntax] --set:1:"),
    ] {
        let error = parse_with(folder.path(), SMALL, &[(path, value)]).unwrap_err();
        let found = complaint(&error);
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
}

/// Stages: one with a default name, and one that pulls, holds and pushes.
const STAGES: &str = r#"
[system]
structure = "a.pdb"
[dynamics]
diffusion = "1 nm^2/ns"
[[stage]]
steps = 10
[[stage]]
name = "pull"
duration = "1 us"
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "1 pN/nm", speed = "1 um/s" },
    { kind = "restrain", select = "index 4", stiffness = "1 pN/nm" },
    { kind = "force", fixed = "first", pulled = "last", force = "1 pN" },
]
"#;

#[test]
fn paths_reach_sections_stages_and_drives() {
    let folder = folder();
    write(folder.path(), "b.pdb", &pdb(&snake('A', 9)));
    for (path, value, part) in [
        ("dynamics.temperature", "\"310 K\"", "temperature = \"310 K\"\ndiffusion"),
        ("system.structure", "b.pdb", "structure = { file = \"inputs/b.pdb\", select"),
        ("system.structure.chains", "A", "file = \"inputs/a.pdb\", chains = \"A\""),
        ("system.bonds.disulfides", "false", "disulfides = false"),
        ("stage-1.steps", "7", "name = \"stage-1\"\nsteps = 7\n"),
        ("stage-1.duration", "1 ns", "name = \"stage-1\"\nduration = \"1 ns\"\nfixed"),
        ("dynamics.friction", "2 pN ps/nm", "temperature = \"300 K\"\nfriction = \"2 pN ps/nm\""),
        ("pull.steps", "7", "name = \"pull\"\nsteps = 7\nfixed"),
        ("pull.speed", "2 um/s", "stiffness = \"1 pN/nm\", speed = \"2 um/s\""),
        ("pull.force", "2 pN", "pulled = \"last\", force = \"2 pN\" }"),
        ("pull.drives.2.stiffness", "2 pN/nm", "select = \"index 4\", stiffness = \"2 pN/nm\" }"),
        ("pull.drives.1.fixed", "index 1", "kind = \"spring\", fixed = \"index 1\""),
        ("pull.stage.fixed", "index 2", "duration = \"1 us\"\nfixed = \"index 2\""),
        ("stage-1.fixed", "first", "steps = 10\nfixed = \"first\""),
        ("stage-1.stage.fixed", "first", "steps = 10\nfixed = \"first\""),
        ("ensemble.sweep.pull.speed", "[\"3 um/s\"]", "\"pull.speed\" = [\"3 um/s\"]"),
        ("ensemble.replicas", "3", "[ensemble]\nreplicas = 3"),
    ] {
        let request = parse_with(folder.path(), STAGES, &[(path, value)]);
        let resolved = request.unwrap_or_else(|error| panic!("{path}: {error}")).resolved;
        assert!(resolved.contains(part), "{path}: {resolved}");
    }
    let request = parse_with(folder.path(), LADDER, &[("then.sweeps", "7000")]).unwrap();
    assert!(request.resolved.contains("name = \"then\"\nsweeps = 7000"), "{}", request.resolved);
    let said = parse_with(folder.path(), LADDER, &[("then.stop", "x")]).unwrap_err().to_string();
    assert!(said.contains("the stage has name, sweeps, tune, tune_temperatures"), "{said}");
}

#[test]
fn messages_about_unknown_paths_name_candidates() {
    let folder = folder();
    for (path, part) in [
        ("temperature", "at least two parts"),
        ("dynamics..x", "a part of the path is empty"),
        (&"dynamics.".repeat(50_000), "a path has at most 20 parts"),
        ("dynamic.x", "no section or stage is called \"dynamic\"; did you mean \"dynamics\"?"),
        ("pul.speed", "did you mean \"pull\"?"),
        ("stage.steps", "no section or stage is called \"stage\""),
        ("stage-1.speed", "neither stage \"stage-1\" nor one of its drives has a key `speed`"),
        ("pull.sped", "a key `sped`; did you mean `speed`? The stage has name, duration,"),
        ("pull.step", "did you mean `steps`? The stage has"),
        (
            "pull.colour",
            "a key `colour`; the stage has name, duration, steps, minimise, fixed, drives, stop, stop_every, tune_temperatures, its drives direction, fixed, force, pulled, select, speed, stiffness, update_every",
        ),
        ("pull.stiffness", "write pull.drives.1.stiffness or pull.drives.2.stiffness"),
        (
            "pull.fixed",
            "write pull.drives.1.fixed or pull.drives.3.fixed for a drive's, or pull.stage.fixed for the stage's own",
        ),
        ("pull.stage.speed", "a key `stage`"),
        ("pull.drives.4.speed", "the stage has 3 drive(s)"),
        ("pull.drives.1", "comes the number or the name of a drive and a key"),
        ("pull.duration.x", "cannot be set in what is not a table"),
    ] {
        let error = parse_with(folder.path(), STAGES, &[(path, "1")]).unwrap_err();
        assert_eq!((error.code(), &*error.location().unwrap().name), ("input/path", "--set"));
        assert!(error.to_string().contains(part), "{path}: {error}");
    }
}

/// A path has the number of a drive or its name, and a sweep takes both for one path.
#[test]
fn paths_name_drives() {
    let folder = folder();
    let spring = |name: &str, speed: u32| {
        format!(
            "{{ kind = \"spring\", name = \"{name}\", fixed = \"first\", pulled = \"last\", stiffness = \"1 pN/nm\", speed = \"{speed} um/s\" }}"
        )
    };
    let drives = format!("[{}, {}]", spring("left", 1), spring("right", 2));
    let text = format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"pull\"\nsteps = 10\ndrives = {drives}\n"
    );
    let path = "pull.drives.right.speed";
    let resolved = parse_with(folder.path(), &text, &[(path, "7 um/s")]).unwrap().resolved;
    let of = |speed: u32| resolved.matches(&format!("speed = \"{speed} um/s\"")).count();
    assert_eq!([1, 2, 7].map(of), [1, 0, 1], "{resolved}");
    let said = parse_with(folder.path(), &text, &[("pull.speed", "7 um/s")]).unwrap_err();
    let both = "write pull.drives.left.speed or pull.drives.right.speed";
    assert!(said.to_string().contains(both), "{said}");
    let path = "pull.drives.rihgt.speed";
    let said = parse_with(folder.path(), &text, &[(path, "7 um/s")]).unwrap_err().to_string();
    assert!(said.contains("did you mean `pull.drives.2.speed`?"), "{said}");

    let sweep =
        format!("{text}[ensemble.sweep]\n\"pull.drives.left.speed\" = [\"3 um/s\", \"4 um/s\"]\n");
    let request = parse(folder.path(), &sweep).unwrap();
    let setting = |speed: &str| [("pull.drives.1.speed".to_string(), speed.to_string())];
    assert_eq!(request.points.len(), 2);
    assert_eq!(request.points[1].settings, setting("4 um/s"));
    assert_fixed_point(&request);
    let list = ("ensemble.sweep.pull.drives.1.speed", "[\"5 um/s\"]");
    let request = parse_with(folder.path(), &sweep, &[list]).unwrap();
    assert_eq!(request.points.len(), 1);
    assert_eq!(request.points[0].settings, setting("5 um/s"));
    let hidden = ("pull.drives.left.speed", "9 um/s");
    let said = parse_with(folder.path(), &sweep, &[hidden]).unwrap_err().to_string();
    assert!(said.contains("each point of the sweep sets \"pull.drives.1.speed\""), "{said}");
    let twice = format!("{sweep}\"pull.drives.1.speed\" = [\"3 um/s\"]\n");
    let said = parse(folder.path(), &twice).unwrap_err().to_string();
    assert!(said.contains("\"pull.drives.1.speed\" is there twice"), "{said}");
}

/// Each point sets one of two keys, which removes the other one.
#[test]
fn overrides_that_a_sweep_removes_are_refused() {
    let folder = folder();
    let text = format!("{SMALL}[ensemble.sweep]\n\"dynamics.diffusion\" = [\"0.5 nm^2/us\"]\n");
    let said = |path| {
        let read = parse_with(folder.path(), &text, &[(path, "4e6 pN ps/nm")]);
        read.unwrap_err().to_string()
    };
    let friction = said("dynamics.friction");
    assert!(friction.contains("each point of the sweep sets \"dynamics.diffusion\""), "{friction}");
    // A whole list has other keys beside the one that is swept.
    let text = format!("{STAGES}[ensemble.sweep]\n\"pull.speed\" = [\"3 um/s\", \"4 um/s\"]\n");
    let drives = "[{ kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"2 pN/nm\", speed = \"1 um/s\" }]";
    let request = parse_with(folder.path(), &text, &[("pull.drives", drives)]).unwrap();
    assert_eq!(request.points.len(), 2);
}

/// A stage's own key and that of a drive are two things, even if they have one name.
#[test]
fn a_stage_and_its_drives_may_both_be_swept() {
    let folder = folder();
    let of_drive = "\"pull.drives.1.fixed\" = [\"first\", \"index 1\"]\n";
    let of_stage = "\"pull.stage.fixed\" = [\"index 2\", \"index 3\"]\n";
    let text = format!("{STAGES}[ensemble.sweep]\n{of_drive}");
    let both = parse(folder.path(), &format!("{text}{of_stage}")).unwrap();
    assert_eq!(both.points.len(), 4);
    assert_fixed_point(&both);
    let set = ("pull.stage.fixed", "index 5");
    let request = parse_with(folder.path(), &text, &[set]).unwrap();
    assert!(request.resolved.contains("fixed = \"index 5\""), "{}", request.resolved);
    let text = format!("{STAGES}[ensemble.sweep]\n{of_stage}");
    let said = parse_with(folder.path(), &text, &[set]).unwrap_err().to_string();
    assert!(said.contains("each point of the sweep sets \"pull.stage.fixed\""), "{said}");
}

/// A ramp is given by its rate, or by stiffness and speed of the spring that it replaces.
#[test]
fn paths_set_a_ramp_as_it_is_written() {
    let code = |ramp: &str, path: &str, value: &str| {
        let text =
            pulling(&format!("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\"{ramp}"));
        let read = parse_with(folder().path(), &text, &[(path, value)]);
        read.map_or_else(|error| error.code(), |_| "read")
    };
    let (rate, spring) = (", rate = \"1 pN/ms\"", ", stiffness = \"1 pN/nm\", speed = \"1 um/s\"");
    for (ramp, path, value, expected) in [
        (rate, "pull.rate", "2 pN/ms", "read"),
        (rate, "pull.speed", "2 um/s", "input/path"),
        (spring, "pull.rate", "2 pN/ms", "input/path"),
        (spring, "pull.stiffness", "2 pN/nm", "read"),
        ("", "pull.rate", "2 pN/ms", "read"),
        (", stiffness = \"1 pN/nm\"", "pull.speed", "2 um/s", "read"),
        ("", "pull.speed", "2 um/s", "input/missing-key"),
        (rate, "pull.force", "1 pN", "input/path"),
    ] {
        assert_eq!(code(ramp, path, value), expected, "{ramp}, {path}");
    }
}

#[test]
fn refuses_too_many_start_files() {
    let folder = folder();
    let overrides = [("system.start", "x_{replica}.pdb"), ("ensemble.replicas", "200000")];
    let error = parse_with(folder.path(), SMALL, &overrides).unwrap_err();
    assert!(
        error.to_string().contains("`file` needs a file for each of 200000 replicas"),
        "{error}"
    );
}
