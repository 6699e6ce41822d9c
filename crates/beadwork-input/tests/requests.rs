//! The meaning of requests: values, defaults, the resolved form, sweeps and overrides.

use std::path::Path;
use std::sync::Arc;

use crate::common::{
    SMALL, assert_fixed_point, complaint, folder, parse, parse_with, pdb, snake, write,
};
use beadwork_input::{
    OnFailure, Request, TEMPLATE_INDENTATION, TEMPLATE_OSCILLATORS, TEMPLATE_SOP, TrajectoryKind,
};
use beadwork_model::externals::External;
use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork_model::observables::Observable;
use beadwork_model::potentials::{FeneBond, NativeContact, SixthPowerRepulsion};
use beadwork_model::units::{self, Dimension, PICONEWTONS_PER_FORCE};
use beadwork_model::{
    Distribution, Generator, Integrator, Model, Precision, Randomness, Scheme, StageKind,
};

#[test]
fn everything_has_a_default_that_is_spelled_out() {
    let folder = folder();
    let request = parse(folder.path(), SMALL).unwrap();
    assert_eq!(
        request.resolved,
        r#"[system]
model = "sop"
structure = { file = "inputs/a.pdb", chains = "A", select = "all" }
contacts = { cutoff = "8 A", side_chain_hydrogens = true, energy = "1.5 kcal/mol" }
bonds = { stiffness = "20 kcal/(mol A^2)", limit = "2 A", disulfides = true }
repulsion = { strength = "1 kcal/mol", diameter = "3.8 A", cutoff = "20 A" }

[dynamics]
integrator = "brownian"
temperature = "300 K"
friction = "8.685e6 pN ps/nm"
timestep = "20 ps"
precision = "single"
skin = "4 A"

[[stage]]
name = "run"
steps = 10
fixed = "none"
drives = []
stop = []
stop_every = 1000

[ensemble]
replicas = 1

[random]
seed = 20101
generator = "philox4x32-10"
scheme = "counter"
distribution = "box-muller"
accept_flaws = false

[output]
folder = "runs/in"
table = { every_steps = 1000 }
checkpoint = "60 s"
parquet = false
ends = "drive"

[analysis]
stages = "automatic"
window = "automatic"
prominence = "40 pN"

[run]
on_failure = "continue"
"#
    );
    assert_fixed_point(&request);
    let point = &request.points[0];
    assert_eq!(point.system.beads(), 12);
    assert_eq!(point.system.counts.bonds, 11);
    assert_eq!(point.protocol.ends, (vec![0], vec![11]));
    assert_eq!(point.protocol.dynamics.integrator, Integrator::Brownian);
    assert_eq!(point.protocol.dynamics.precision, Precision::Single);
    assert_eq!(point.protocol.dynamics.timestep, 20.0);
    assert_eq!(point.protocol.randomness, Generator::Philox4x32x10.into());
    assert!(point.settings.is_empty() && point.starts.is_none());
    assert_eq!(request.output.folder, Path::new("runs/in"));
    assert_eq!(request.output.checkpoint_seconds, 60.0);
    assert_eq!(request.output.trajectory, None);
    assert_eq!(request.analysis.window, None);
    let prominence = request.analysis.prominence.unwrap() * PICONEWTONS_PER_FORCE;
    assert!((prominence - 40.0).abs() < 1e-12);
    assert_eq!(request.run.on_failure, OnFailure::Continue);
    assert_eq!(request.files[0].from, folder.path().join("a.pdb"));
    let long = "the table's interval is longer than the run: only the start will be in it";
    assert_eq!(request.warnings, [long]);
}

const LARGE: &str = r#"
[system]
model = "sop"
structure = { file = "sub/a.pdb", chains = ["A", "B"], select = "not (chain B and last)", model = 1 }
contacts = { file = "c.csv", energy = "0.9 kcal/mol" }
bonds = { stiffness = "1000 pN/nm", limit = "1.9 A", disulfides = false, extra = "b.csv" }
repulsion = { strength = "2 kcal/mol", diameter = "4 A", cutoff = "15 A" }
start = { file = "start/x_{replica}.pdb", first = 7 }

[dynamics]
integrator = "brownian-second-order"
temperature = "0.6 kcal/mol"
friction = "12500 kcal ps/(mol A^2)"
timestep = "0.01 ns"
precision = "double"
skin = "0.3 nm"

[[stage]]
minimise = { tolerance = "0.1 kcal/(mol A)", steps = 50 }

[[stage]]
name = "pull"
duration = "1 us"
fixed = "index 3"
stop = ["extension > 2.5 nm", "native_contacts < 2"]
drives = [
    { kind = "spring", fixed = "first", pulled = "residue 12 and chain A", stiffness = "35 pN/nm", speed = "2.5 um/s", direction = [1, 0, -1], update_every = 10 },
    { kind = "force", fixed = "none", pulled = "last", force = "-1.5 pN", direction = [0.0, 0.5, 0.0] },
    { kind = "force-ramp", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "2.5 um/s" },
    { kind = "restrain", select = "chain B", stiffness = "0 pN/nm" },
]

[ensemble]
replicas = 2

[random]
seed = 9223372036854775807
generator = "saru"
scheme = "one-per-thread"
distribution = "ziggurat"
accept_flaws = true

[output]
folder = "else where/é"
table = { every = "100 ps" }
trajectory = { every_steps = 500, format = "dcd" }
checkpoint = "2000 ms"
parquet = true
ends = ["chain A", "index 12"]

[analysis]
window = "10 us"
prominence = "12.5 pN"

[run]
on_failure = "stop"
"#;

fn large_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut alphas = snake('A', 12);
    alphas.extend(
        snake('B', 5)
            .into_iter()
            .map(|(chain, number, [x, y, z])| (chain, number, [x, y, z + 30.0])),
    );
    write(folder.path(), "sub/a.pdb", &pdb(&alphas));
    write(folder.path(), "c.csv", "bead_i,bead_j,length_nm,energy_kcal_mol\n0,7,0.45,\n1,6,,2.5\n");
    write(folder.path(), "b.csv", "chain_i,residue_i,chain_j,residue_j\nB,1,B,4\n");
    alphas.pop();
    for replica in [7, 8] {
        alphas[0].2[2] = f64::from(replica);
        write(folder.path(), &format!("start/x_{replica}.pdb"), &pdb(&alphas));
    }
    folder
}

#[test]
fn every_setting_can_be_given() {
    let folder = large_folder();
    let request = parse(folder.path(), LARGE).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let system = &point.system;
    assert_eq!((system.beads(), system.counts.chains), (16, 2));
    assert_eq!((system.counts.bonds, system.counts.extra_bonds), (15, 1));
    let contacts = system.interactions.bonded_by::<NativeContact>();
    assert_eq!(contacts.len(), 2);
    // Beads 0 and 7 lie one above the other; the list says 0.45 nm. Beads 1 and 6 are 3.8 Å apart.
    assert_eq!((contacts[0].potential.depth, contacts[0].potential.length), (0.9, 4.5));
    assert_eq!(contacts[1].potential.depth, 2.5);
    assert!((contacts[1].potential.length - 3.8).abs() < 1e-12);
    let stiffness = units::parse("1000 pN/nm", Dimension::Stiffness).unwrap().value;
    assert_eq!(system.interactions.bonded_by::<FeneBond>()[0].potential.stiffness, stiffness);
    let repulsion = system.interactions.pairs_by::<SixthPowerRepulsion>().unwrap();
    assert_eq!(repulsion.between(0, 0).cutoff, 15.0);

    let protocol = &point.protocol;
    let (scheme, distribution) = (Scheme::OnePerThread, Distribution::Ziggurat);
    let randomness = Randomness::new(Generator::Saru, scheme, distribution).unwrap();
    assert_eq!((protocol.seed, protocol.randomness), (i64::MAX as u64, randomness));
    assert_eq!(protocol.dynamics.skin, 3.0);
    assert_eq!(protocol.dynamics.temperature, 0.6);
    assert_eq!(protocol.ends, ((0..12).collect(), vec![12]));
    assert_eq!(protocol.stages[0].name, "stage-1");
    assert_eq!(
        protocol.stages[0].kind,
        StageKind::Minimise { tolerance: 0.1, steps: 50, push_off: 0 }
    );
    let pull = &protocol.stages[1];
    assert_eq!(pull.kind, StageKind::Dynamics { steps: 100_000 });
    assert_eq!(pull.fixed, [0, 3]);
    assert_eq!(pull.stops.len(), 2);
    let [
        External::Spring(spring),
        External::Force(force),
        External::ForceRamp(ramp),
        External::Restrain(restrain),
    ] = pull.externals.as_slice()
    else {
        panic!("{:?}", pull.externals)
    };
    assert_eq!((spring.update_every, spring.ends.pulled.as_slice()), (10, &[11][..]));
    let half = 0.5f64.sqrt();
    let direction = spring.ends.direction.unwrap();
    assert!((direction[0] - half).abs() < 1e-15 && (direction[2] + half).abs() < 1e-15);
    assert_eq!(force.ends.direction, Some([0.0, 1.0, 0.0]));
    assert!(force.ends.fixed.is_empty() && force.force < 0.0);
    assert_eq!(ramp.rate, spring.stiffness * spring.speed);
    assert_eq!((restrain.beads.len(), restrain.stiffness), (4, 0.0));

    assert_eq!(request.output.table_every, 10);
    assert_eq!(request.output.trajectory, Some((500, TrajectoryKind::Dcd)));
    assert_eq!(request.output.checkpoint_seconds, 2.0);
    assert!(request.output.parquet);
    assert_eq!(request.analysis.window, Some(1e7));
    assert_eq!(request.run.on_failure, OnFailure::Stop);
    let starts = point.starts.as_ref().unwrap();
    assert_eq!(starts.iter().map(|start| start[0][2]).collect::<Vec<_>>(), [7.0, 8.0]);
    let names: Vec<_> = request.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        ["inputs/a.pdb", "inputs/c.csv", "inputs/b.csv", "inputs/x_7.pdb", "inputs/x_8.pdb"]
    );
    let roles: Vec<_> = point.selections.iter().map(|(role, _, _)| role.as_str()).collect();
    assert_eq!(roles[0], "stage \"pull\", fixed");
    assert!(roles.contains(&"stage \"pull\", drive 4, select"), "{roles:?}");
    assert_eq!(roles[roles.len() - 1], "[output], second end");
}

fn names(request: &Request) -> Vec<&str> {
    request.files.iter().map(|file| file.name.as_str()).collect()
}

/// A file with two paths is read once; files of one name get different names; a series keeps its placeholder.
#[test]
fn files_have_names_of_their_own() {
    let folder = folder();
    for (number, file) in [
        "sub/a.pdb",
        "x_1.pdb",
        "s/x_0.pdb",
        "s/x_1.pdb",
        "r0/end.pdb",
        "r1/end.pdb",
        "x_2.pdb",
        "t/x_2.pdb",
        "t/x_3.pdb",
    ]
    .iter()
    .enumerate()
    {
        let mut alphas = snake('A', 12);
        alphas[0].2[2] = 0.1 * number as f64;
        write(folder.path(), file, &pdb(&alphas));
    }
    let read = |structure: &str, starts: &str| {
        let sweep = format!(
            "mode = \"zip\"\n\"system.structure\" = {structure}\n\"system.start\" = {starts}"
        );
        let text = format!(
            "[system]\nstructure = \"x_1.pdb\"\n[[stage]]\nsteps = 10\n[ensemble]\nreplicas = 2\n[ensemble.sweep]\n{sweep}\n"
        );
        let request = parse(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        assert_fixed_point(&request);
        request
    };
    let chain_a = "{ file = \"a.pdb\", chains = \"A\" }";
    let request = read(&format!("[{chain_a}, {chain_a}]"), "[\"sub/a.pdb\", \"x_1.pdb\"]");
    assert_eq!(names(&request), ["inputs/a.pdb", "inputs/a-2.pdb", "inputs/x_1.pdb"]);
    assert_eq!(request.files[1].from, folder.path().join("sub/a.pdb"));

    let request =
        read("[\"x_1.pdb\", \"x_1.pdb\"]", "[\"s/x_{replica}.pdb\", \"r{replica}/end.pdb\"]");
    let series = ["inputs/x_0-2.pdb", "inputs/x_1-2.pdb", "inputs/end_0.pdb", "inputs/end_1.pdb"];
    assert_eq!(names(&request)[0], "inputs/x_1.pdb");
    assert_eq!(names(&request)[1..], series);
    assert!(request.resolved.contains("\"inputs/x_{replica}-2.pdb\""), "{}", request.resolved);

    // A file that was read alone before already has the name that its series needs.
    let request = read("[\"s/x_1.pdb\", \"s/x_1.pdb\"]", "[\"s/x_{replica}.pdb\", \"s/x_1.pdb\"]");
    assert_eq!(names(&request), ["inputs/x_1.pdb", "inputs/x_0.pdb"]);
    assert!(request.resolved.contains("\"inputs/x_{replica}.pdb\""), "{}", request.resolved);
    // Read alone, t/x_3.pdb gets a name that its series cannot have, so it is listed twice.
    let request = read(
        "[\"t/x_3.pdb\", \"x_2.pdb\"]",
        "[\"x_2.pdb\", { file = \"t/x_{replica}.pdb\", first = 2 }]",
    );
    assert_eq!(
        names(&request),
        ["inputs/x_3.pdb", "inputs/x_2.pdb", "inputs/x_2-2.pdb", "inputs/x_3-2.pdb"]
    );
    assert_eq!(request.files[2].from, folder.path().join("t/x_2.pdb"));
}

/// Values keep quotes, backslashes, line breaks and all digits; the spaces around a quantity are left out.
#[test]
fn values_are_written_as_they_were_read() {
    let output = r#"folder = "quote \" and \\ and \n""#;
    let request = parse(
        folder().path(),
        &format!("{SMALL}[output]\n{output}\n[dynamics]\nskin = \" 3.10  A\"\n"),
    )
    .unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.output.folder, Path::new("quote \" and \\ and \n"));
    assert!(request.resolved.contains("skin = \"3.10  A\""), "{}", request.resolved);
}

#[test]
fn stop_rules_are_in_the_units_of_the_table() {
    let stops =
        "steps = 10\nstop = [\"extension > 25 nm\", \" native_contacts<30\", \"force > 100 pN\"]";
    let request = parse(folder().path(), &SMALL.replace("steps = 10", stops)).unwrap();
    let stops = &request.points[0].protocol.stages[0].stops;
    let expected = [
        (Observable::Extension, true, 25.0),
        (Observable::NativeContacts, false, 30.0),
        (Observable::Force, true, 100.0),
    ];
    assert_eq!(stops.len(), 3);
    for (stop, (observable, above, threshold)) in stops.iter().zip(expected) {
        assert_eq!((stop.column.clone(), stop.above), (observable.into(), above));
        assert!((stop.threshold - threshold).abs() < 1e-12, "{}", stop.text);
    }
}

/// The input of [`SMALL`] with these drives and a rule.
fn pulled_by(drives: &str, stop: &str) -> String {
    SMALL.replace("steps = 10", &format!("steps = 10\ndrives = [ {drives} ]\n{stop}"))
}

const LEFT: &str = r#"{ kind = "spring", name = "left", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "1 um/s" }"#;
const CLAMP: &str = r#"{ kind = "force", fixed = "none", pulled = "last", force = "10 pN", direction = [0, 0, 1] }"#;
const HOLD: &str = r#"{ kind = "restrain", select = "first", stiffness = "1 pN/nm" }"#;

/// A direction that is written needs no line between the centres, wherever they are.
#[test]
fn a_bead_in_the_middle_of_others_is_pulled_along_a_direction() {
    let folder = folder();
    let drive = |keys: &str| {
        let drive = format!(
            "{{ kind = \"spring\", fixed = \"index 0 2\", pulled = \"index 1\", stiffness = \"35 pN/nm\", speed = \"1 um/s\"{keys} }}"
        );
        parse(folder.path(), &pulled_by(&drive, ""))
    };
    let error = drive("").unwrap_err().to_string();
    let written = "so no line between them says in which direction to pull: write one";
    assert!(error.contains(written), "{error}");
    assert!(drive(", direction = [0, 0, 1]").is_ok());
}

#[test]
fn parts_of_selections_that_match_nothing_are_said() {
    let folder = folder();
    let warnings = |text: &str| parse(folder.path(), text).unwrap().warnings.join("\n");
    let drive = LEFT.replace("\"first\"", "\"index 0 200\"");
    for (text, said) in [
        (pulled_by(&drive, ""), "stage \"run\", drive 1, fixed: `index 200` selects no bead"),
        (
            SMALL.replace("chains = \"A\"", "select = \"residue 1-5, 80-90\""),
            "`select` of `structure` in [system]: `residue 80-90` selects no bead",
        ),
        (
            format!("{SMALL}[output]\nends = [\"chain A C D\", \"last\"]\n"),
            "[output], first end: `chain C`, `chain D` select no bead",
        ),
    ] {
        let found = warnings(&text);
        assert!(found.contains(said), "{found}");
    }
    assert!(!warnings(&pulled_by(LEFT, "")).contains("no bead"));
}

#[test]
fn rules_below_zero_and_beyond_all_forces_are_said() {
    let folder = folder();
    for (rule, why) in [
        ("extension < 0 nm", "extension is never below 0"),
        ("radius_of_gyration < 0 nm", "radius_of_gyration is never below 0"),
        ("native_contacts < 0", "native_contacts is never below 0"),
        ("force > 1e90 pN", "bonds break at some thousand pN; mind pN and N"),
    ] {
        let text = pulled_by(LEFT, &format!("stop = \"{rule}\""));
        let warnings = parse(folder.path(), &text).unwrap().warnings;
        let expected = format!("stage \"run\": \"{rule}\" will never hold: {why}");
        assert!(warnings.contains(&expected), "{expected}: {warnings:?}");
    }
    let text = pulled_by(LEFT, "stop = [\"extension < 1 nm\", \"force > 900 pN\"]");
    let warnings = parse(folder.path(), &text).unwrap().warnings.join("\n");
    assert!(!warnings.contains("will never hold"), "{warnings}");
}

/// Beads of a chain A and, 30 Å away, a chain B: each has native contacts of its own, and nothing is between them.
#[test]
fn rules_on_contacts_that_hold_at_once_or_never_are_said() {
    let folder = folder();
    let tip = "{ kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\" }";
    let text = |drives: &str, rule: &str| {
        format!(
            "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\ndrives = [{drives}]\nstop = \"{rule}\"\n"
        )
    };
    let warnings = |text: &str| -> Vec<String> {
        let request = parse(folder.path(), text);
        let request = request.unwrap_or_else(|error| panic!("{text}: {}", complaint(&error)));
        let all = request.warnings.into_iter();
        all.filter(|warning| warning.contains("native contact(s)")).collect()
    };
    let request = parse(folder.path(), &text("", "native_contacts < 1")).unwrap();
    let system = &request.points[0].system;
    let all = system.interactions.bonded_by::<NativeContact>().len();
    assert!(all > 1, "{all}");
    for (drives, rule, said) in [
        ("", "native_contacts > 0", format!("holds from the start, where {all} native contact(s) hold")),
        ("", "native_contacts > 999", format!("will never hold: there are {all} native contact(s) in all")),
        (tip, "contacts_between_chains < 1", "holds from the start, where 0 native contact(s) between chains hold: the stage may end at once".to_string()),
        (tip, "contacts_between_chains > 0", "will never hold: there are 0 native contact(s) between chains in all".to_string()),
    ] {
        let warnings = warnings(&text(drives, rule));
        let expected = format!("stage \"s\": \"{rule}\" {said}");
        assert!(warnings.len() == 1 && warnings[0].starts_with(&expected), "{expected}: {warnings:?}");
    }
    assert!(warnings(&text("", "native_contacts < 1")).is_empty());
    // Pulling may have broken contacts, so that they come back in the second stage.
    let refold = "[[stage]]\nname = \"refold\"\nsteps = 1000\nstop = \"native_contacts > 1\"\n";
    let pulled = text(LEFT, "native_contacts < 1") + refold;
    assert!(warnings(&pulled).is_empty(), "{:?}", warnings(&pulled));
}

/// Drives that pull have columns of their own where there are several, or where one has a name.
#[test]
fn several_drives_have_columns_of_their_own() {
    let folder = folder();
    let columns = |drives: &str| -> Vec<String> {
        let request = parse(folder.path(), &pulled_by(drives, "")).unwrap();
        let point = &request.points[0];
        point.protocol.pull_columns().iter().map(|one| one.column_in(point.system.units)).collect()
    };
    assert!(columns(CLAMP).is_empty());
    let of_left = [
        "extension_left_nm",
        "force_left_pN",
        "mean_force_left_pN",
        "base_travel_left_nm",
        "work_left_pN_nm",
    ];
    assert_eq!(columns(LEFT), of_left);
    // Only springs have a base; drives are counted from 1, those that do not pull too.
    let of_third = ["extension_3_nm", "force_3_pN", "mean_force_3_pN", "work_3_pN_nm"];
    let expected = [of_left.as_slice(), of_third.as_slice()].concat();
    assert_eq!(columns(&format!("{LEFT}, {HOLD}, {CLAMP}")), expected);
}

#[test]
fn rules_watch_drives_by_their_names() {
    let folder = folder();
    let stop = "stop = [\"extension_left > 25 nm\", \"work_2 > 3 pN nm\"]";
    let request = parse(folder.path(), &pulled_by(&format!("{LEFT}, {CLAMP}"), stop)).unwrap();
    let stops = &request.points[0].protocol.stages[0].stops;
    let words: Vec<String> = stops.iter().map(|rule| rule.column.word()).collect();
    assert_eq!(words, ["extension_left", "work_2"]);
    assert!((stops[0].threshold - 25.0).abs() < 1e-12);
    for (stop, problem) in [
        ("extension_right > 1 nm", "nothing is called \"extension_right\""),
        ("base_travel_2 > 1 nm", "nothing is called \"base_travel_2\""),
        ("mean_force_left > 1 pN", "mean_force_left is an average between rows"),
    ] {
        let text = pulled_by(&format!("{LEFT}, {CLAMP}"), &format!("stop = \"{stop}\""));
        let found = parse(folder.path(), &text).unwrap_err().to_string();
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn names_of_drives_are_refused_where_columns_would_clash() {
    let folder = folder();
    for (drives, problem) in [
        (format!("{LEFT}, {LEFT}"), "another drive of the stage is called \"left\" too"),
        (LEFT.replace("left", "2"), "must begin with a letter"),
        (LEFT.replace("left", &"l".repeat(41)), "has 41 letters, and is part of the names"),
        (LEFT.replace("left", "a b"), "letters, digits, - and _"),
        (HOLD.replace("select", "name = \"a\", select"), "`name`"),
    ] {
        let found = parse(folder.path(), &pulled_by(&drives, "")).unwrap_err().to_string();
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn times_in_any_unit_are_whole_steps() {
    for (time, timestep, steps) in
        [("20 us", "20 ps", 1_000_000), ("4 ms", "20 ps", 200_000_000), ("0.3 ns", "0.1 ps", 3000)]
    {
        let overrides = [("run.duration", time), ("dynamics.timestep", timestep)];
        let request = parse_with(folder().path(), SMALL, &overrides).unwrap();
        assert_eq!(request.points[0].protocol.steps(), steps, "{time}");
    }
}

const SWEPT: &str = r#"
[system]
structure = { file = "a.pdb", chains = "A" }
[[stage]]
name = "pull"
steps = 1000
drives = [{ kind = "spring", fixed = "first", pulled = "last", stiffness = "35 pN/nm" }]
[ensemble]
replicas = 3
[ensemble.sweep]
"pull.speed" = ["0.5 um/s", "2.5 um/s"]
"system.contacts.energy" = ["1 kcal/mol", "beta"]
"#;

fn speed(point: &beadwork_input::Point) -> f64 {
    match &point.protocol.stages[0].externals[0] {
        External::Spring(spring) => spring.speed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_product_varies_its_last_path_fastest_and_shares_systems() {
    let folder = folder();
    let request = parse(folder.path(), SWEPT).unwrap();
    assert_fixed_point(&request);
    assert_eq!((request.points.len(), request.members()), (4, 12));
    let values: Vec<_> = request
        .points
        .iter()
        .map(|point| (point.settings[0].1.as_str(), point.settings[1].1.as_str()))
        .collect();
    assert_eq!(
        values,
        [
            ("0.5 um/s", "1 kcal/mol"),
            ("0.5 um/s", "beta"),
            ("2.5 um/s", "1 kcal/mol"),
            ("2.5 um/s", "beta")
        ]
    );
    let value = |text| units::parse(text, Dimension::Speed).unwrap().value;
    assert_eq!(speed(&request.points[1]), value("0.5 um/s"));
    assert_eq!(speed(&request.points[2]), value("2.5 um/s"));
    let [a, b, c, d] = request.points.as_slice() else { panic!() };
    assert!(Arc::ptr_eq(&a.system, &c.system) && Arc::ptr_eq(&b.system, &d.system));
    assert_eq!(a.system.interactions.bonded_by::<NativeContact>()[0].potential.depth, 1.0);
    assert_eq!(b.system.interactions.bonded_by::<NativeContact>()[0].potential.depth, 0.0);
    // Force peaks are searched in all rows, however few, so no warning about averages.
    assert!(!request.warnings.iter().any(|warning| warning.contains("averages")));
    let (point, replica) = request.member(7);
    assert_eq!((point.settings[0].1.as_str(), replica), ("2.5 um/s", 1));
}

#[test]
fn zip_pairs_and_files_can_be_swept() {
    let folder = folder();
    write(folder.path(), "deep/a.pdb", &pdb(&snake('A', 9)));
    let text = "[system]\nstructure = \"a.pdb\"\n[[stage]]\nsteps = 5\n[ensemble.sweep]\nmode = \"zip\"\nsystem.structure.file = [\"a.pdb\", \"deep/a.pdb\"]\nstage-1.steps = [7, 9]\n";
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points.len(), 2);
    assert_eq!(request.points[0].system.beads(), 20);
    assert_eq!(request.points[1].system.beads(), 9);
    assert_eq!(request.points[1].protocol.steps(), 9);
    assert_eq!(request.points[1].settings[0].1, "inputs/a-2.pdb");
    assert!(
        request
            .resolved
            .contains("\"system.structure.file\" = [\"inputs/a.pdb\", \"inputs/a-2.pdb\"]"),
        "{}",
        request.resolved
    );
}

#[test]
fn whole_structures_and_kinds_of_stages_can_be_swept() {
    let folder = folder();
    let text = "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"go\"\nsteps = 5\n[ensemble.sweep]\nsystem.structure = [{ file = \"a.pdb\", chains = \"B\" }, \"a.pdb\"]\n\"go.duration\" = [\"1 ns\", \"2 ns\"]\n\"random.seed\" = [1, 2]\n";
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points.len(), 8);
    assert_eq!(request.points[0].system.beads(), 8);
    assert_eq!(request.points[7].system.beads(), 20);
    assert_eq!(request.points[7].protocol.seed, 2);
    assert_eq!(request.points[2].protocol.steps(), 100);
    assert_eq!(request.points[0].settings[0].1, "{ file = \"inputs/a.pdb\", chains = \"B\" }");
}

#[test]
fn overrides_reach_everything_and_are_resolved() {
    let folder = folder();
    let request = parse_with(
        folder.path(),
        SWEPT,
        &[
            ("pull.steps", "77"),
            ("dynamics.temperature", "310 K"),
            ("ensemble.replicas", "5"),
            ("output.folder", "runs/other"),
            ("ensemble.sweep.pull.speed", "[\"1 um/s\"]"),
            ("system.structure.chains", "B"),
        ],
    )
    .unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.members(), 10);
    assert_eq!(request.points[0].protocol.steps(), 77);
    assert_eq!(request.points[0].system.beads(), 8);
    assert_eq!(request.output.folder, Path::new("runs/other"));
    assert!(request.resolved.contains("temperature = \"310 K\""));
}

#[test]
fn all_replicas_can_share_one_start() {
    let folder = folder();
    write(folder.path(), "s.pdb", &pdb(&snake('A', 12)));
    let request =
        parse_with(folder.path(), SMALL, &[("system.start", "s.pdb"), ("ensemble.replicas", "4")])
            .unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points[0].starts.as_ref().unwrap().len(), 1);
}

#[test]
fn warnings_come_once_and_name_their_point() {
    let folder = folder();
    // Two residues are missing from the middle of the chain: a gap of three bonds.
    let broken: Vec<_> =
        snake('A', 12).into_iter().filter(|(_, number, _)| ![2, 3].contains(number)).collect();
    write(folder.path(), "a.pdb", &pdb(&broken));
    let text = format!(
        "{SMALL}\n[output]\ntable = {{ every_steps = 5 }}\n[ensemble.sweep]\n\"dynamics.friction\" = [\"8.685e6 pN ps/nm\", \"7.0e5 pN ps/nm\"]\n"
    );
    let request = parse(folder.path(), &text).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.warnings.len(), 2, "{:?}", request.warnings);
    assert!(request.warnings[0].starts_with("a.pdb: 1 break(s), 2 residue(s) missing"));
    assert!(
        request.warnings[1]
            .starts_with("dynamics.friction = 7.0e5 pN ps/nm: the time step of 20 ps is too large")
    );
}

/// Stages of 1,000 steps of 20 ps with drives and keys that do nothing in them.
#[test]
fn values_without_effect_are_said() {
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let warnings = |keys: &str, drives: &str, rest: &str| {
        let text = format!(
            "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\n{keys}\ndrives = [{drives}]\n{rest}"
        );
        let request = parse(folder.path(), &text);
        let request = request.unwrap_or_else(|error| panic!("{drives}: {}", complaint(&error)));
        assert_fixed_point(&request);
        request.warnings.join("\n")
    };
    let spring = "{ kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"50 pN/nm\", speed = \"1 um/s\" }";
    let ramp =
        "{ kind = \"force-ramp\", fixed = \"first\", pulled = \"last\", rate = \"0 pN/us\" }";
    let restrain = "{ kind = \"restrain\", select = \"first\", stiffness = \"1 pN/nm\" }";
    let surface = "{ kind = \"surface\", below = \"all\" }";
    let tip = "{ kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\" }";
    let with = |drive: &str, keys: &str| drive.replace(" }", &format!(", {keys} }}"));
    let of_drive = |drive: String, said: &str| {
        let warnings = warnings("", &drive, "");
        let expected = format!("stage \"s\": drive 1: {said}");
        assert!(warnings.contains(&expected), "{expected}: {warnings}");
    };
    of_drive(spring.replace("50 pN", "0 pN"), "it has no force, since its `stiffness` is 0");
    of_drive(restrain.replace("1 pN", "0 pN"), "it has no force, since its `stiffness` is 0");
    of_drive(ramp.to_string(), "it has no force, since its rate is 0");
    let force = "{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"0 pN\" }";
    of_drive(force.to_string(), "it has no force, since its `force` is 0");
    of_drive(with(spring, "update_every = 2000"), "its base never moves: `update_every` is 2000");
    of_drive(with(tip, "turn_after_steps = 1000"), "its base never turns: it would after 1000");
    let cycles = "turn_after_steps = 100, cycles = 9";
    of_drive(with(tip, cycles), "the stage ends in cycle 5 of 9 (`cycles`): one takes 200 steps");
    // 1 nm/us for 600 steps of 20 ps out, and 400 of 600 steps back.
    let back = "its base does not come back: 1 cycle(s) take 24.0 ns (1200 steps), and at the end of the stage, after 20.0 ns (1000 steps), it is 4.0e-6 nm out";
    of_drive(with(tip, "turn_after_steps = 600"), back);
    let rest = "turn_after_steps = 200, rest_steps = 800";
    of_drive(with(tip, rest), "its base does not come back: 1 cycle(s) take 24.0 ns");
    let cycles = "turn_after_steps = 300, cycles = 2";
    of_drive(with(tip, cycles), "its base does not come back: 2 cycle(s) take 24.0 ns");
    for keys in ["turn_after_steps = 500", "turn_after_steps = 100, cycles = 5"] {
        let said = warnings("", &with(tip, keys), "");
        assert!(!said.contains("come back"), "{keys}: {said}");
    }
    of_drive(with(tip, "moves_every = 2000"), "the tip never moves: it would after 2000 steps");
    // 50 pN/nm over 20 ns at 1 nm/ns.
    let fast = tip.replace("8.7e7", "8.7e4").replace("1 um/s", "1_000_000 um/s");
    let contact = "the tip can hardly come into contact: `contact_force` is 2000.00 pN, and its cantilever has at most 1000.00 pN after 20.00 nm; give a longer `duration`, or";
    of_drive(with(&fast, "contact_force = \"2000 pN\""), contact);
    // A base that does not come to the structure needs time first.
    let said = warnings("", tip, "");
    assert!(said.contains("the base cannot bring the tip"), "{said}");
    assert!(!said.contains("can hardly come into contact"), "{said}");
    // 10 steps of 20 ps at 50 pN/nm take a tip of 1e4 pN ps/nm all the way to its base.
    let loose = tip.replace("8.7e7", "1e4");
    let text = format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\ndrives = [{loose}]\n"
    );
    let refused = complaint(&parse(folder.path(), &text).unwrap_err());
    assert!(refused.contains("give it a friction of at least 2.1e4 pN ps/nm, or"), "{refused}");
    parse(folder.path(), &text.replace("1e4", "2.1e4")).unwrap();
    let twice = format!("{surface}, {surface}");
    let rule = "stop = \"extension > 90 nm\"\nstop_every = 2000";
    let cold = "[dynamics]\ntemperature = \"0 K\"\n";
    let thermal = with(tip, "thermal = true");
    for (keys, drives, rest, said) in [
        ("", twice.as_str(), "", "stage \"s\": drive 2: it equals drive 1, so that both"),
        (
            "stop_every = 500",
            spring,
            "",
            "stage \"s\": `stop_every` has no effect without a `stop`",
        ),
        (rule, spring, "", "its rules are never checked: `stop_every` is 2000 steps, and the"),
        ("fixed = \"first\"", restrain, "", "since the stage holds all of its beads"),
        ("", thermal.as_str(), cold, "`thermal` has no effect at a temperature of 0"),
        (
            "",
            spring,
            "[analysis]\nwindow = \"1 us\"\n",
            "`window` of [analysis] is longer than any",
        ),
        (
            "",
            tip,
            "[analysis]\nslope = [\"0 nm\", \"1 nm\"]\n",
            "`slope` of [analysis] ends at 1.00 nm, which no deformation reaches: the base travels 2.0e-5 nm at most",
        ),
    ] {
        let warnings = warnings(keys, drives, rest);
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
    // What acts is not said.
    let sound = warnings("stop = \"extension > 90 nm\"", spring, "");
    for part in ["effect", "never", "drive 1"] {
        assert!(!sound.contains(part), "{sound}");
    }
}

/// The templates of proteins and shells have a structure that is built in.
#[test]
fn the_template_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let request = beadwork_input::parse(TEMPLATE_SOP, "titin.toml", folder.path(), &[]).unwrap();
    assert_fixed_point(&request);
    assert_eq!(request.points[0].system.beads(), 76);
    assert_eq!(request.points[0].protocol.stages.len(), 2);
    assert_eq!(request.points[0].protocol.steps(), 61_000_000);
    assert_eq!(request.output.folder, Path::new("runs/titin"));
    assert_eq!(request.warnings, [""; 0]);
    let names: Vec<&str> = request.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["inputs/ubiquitin.pdb"]);
    assert!(request.resolved.contains("file = \"inputs/ubiquitin.pdb\""), "{}", request.resolved);

    let shell = beadwork_input::parse(TEMPLATE_INDENTATION, "in.toml", folder.path(), &[]).unwrap();
    assert_eq!(shell.points[0].system.beads(), 60 * 141);
}

#[test]
fn a_built_in_structure_is_no_file_beside_the_input() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ubiquitin.pdb", &pdb(&snake('A', 12)));
    let beads = |name: &str| {
        let text = TEMPLATE_SOP.replace("built-in:ubiquitin.pdb", name);
        let request = beadwork_input::parse(&text, "in.toml", folder.path(), &[])?;
        Ok::<_, beadwork_input::Error>(request.points[0].system.beads())
    };
    assert_eq!(beads("built-in:ubiquitin.pdb").unwrap(), 76);
    assert_eq!(beads("ubiquitin.pdb").unwrap(), 12);
    let error = beads("built-in:titin.pdb").unwrap_err();
    assert_eq!(error.code(), "input/unreadable-file");
    assert!(error.to_string().contains("\"built-in:ubiquitin.pdb\" and \"built-in:spmv.pdb\""));
}

/// The commented [exchange] replaces the lines that the template names.
#[test]
fn the_template_exchanges_temperatures_too() {
    let folder = tempfile::tempdir().unwrap();
    let (before, rest) = TEMPLATE_SOP.split_once("# [exchange]").unwrap();
    let (exchange, after) = rest.split_once("\n\n").unwrap();
    let pull = before.find("[[stage]]\nname = \"pull\"").unwrap();
    let before: Vec<&str> =
        before[..pull].lines().filter(|line| !line.starts_with("temperature")).collect();
    let exchange = exchange.replace("\n# ", "\n");
    let text = format!("{}\n[exchange]{exchange}\n\n{after}", before.join("\n"));
    let request = beadwork_input::parse(&text, "in.toml", folder.path(), &[]).unwrap();
    assert_fixed_point(&request);
    let exchange = request.points[0].exchange.as_ref().unwrap();
    assert_eq!((exchange.temperatures.len(), exchange.every, request.replicas), (16, 500, 16));
}

#[test]
fn an_input_is_loaded_with_its_files_beside_it() {
    let folder = folder();
    write(folder.path(), "my.toml", SMALL);
    let request = beadwork_input::load(&folder.path().join("my.toml"), &[]).unwrap();
    assert_eq!(request.output.folder, Path::new("runs/my"));
    let error = beadwork_input::load(Path::new("no such.toml"), &[]).unwrap_err();
    assert!(error.to_string().starts_with("the input no such.toml cannot be read"), "{error}");
}

#[test]
fn oscillators_are_written_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let request = parse(folder.path(), TEMPLATE_OSCILLATORS).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let Model::Oscillators(particles) = point.system.model else { panic!("{:?}", point.system) };
    let stiffness = units::parse("0.01 pN/nm", Dimension::Stiffness).unwrap().value;
    let expected =
        Oscillators { particles: 10_000, dimensions: Dimensions::Three, stiffness, start: 100.0 };
    assert_eq!(particles, expected);
    assert_eq!(point.system.particles.positions, vec![[100.0; 3]; 10_000]);
    // kT at 300 K is 4.142 pN nm, D 0.25 nm²/ns: 16.57 pN ns/nm.
    let friction = units::parse("16567.788 pN ps/nm", Dimension::Friction).unwrap().value;
    assert!((point.protocol.dynamics.friction / friction - 1.0).abs() < 1e-7);
    assert!(request.resolved.contains("[dynamics]\nintegrator = \"brownian\"\ntemperature = \"300 K\"\ndiffusion = \"0.25 nm^2/ns\"\n"), "{}", request.resolved);
    let line =
        "[system]\nmodel = \"oscillators\"\nparticles = 7\ndimensions = 1\n[[stage]]\nsteps = 5\n";
    let request = parse(folder.path(), line).unwrap();
    assert_fixed_point(&request);
    assert!(request.resolved.starts_with("[system]\nmodel = \"oscillators\"\nparticles = 7\ndimensions = 1\nstiffness = \"0 pN/nm\"\nstart = \"0 nm\"\n"), "{}", request.resolved);
    assert_eq!(request.points[0].system.beads(), 3);
}

/// The last path of a product varies fastest; a zip pairs the lists.
#[test]
fn points_of_a_sweep_have_an_order() {
    let read = |mode: &str| {
        let sweep = "run.steps = [1, 2]\n\"dynamics.temperature\" = [\"300 K\", \"310 K\"]";
        let folder = folder();
        parse(folder.path(), &format!("{SMALL}[ensemble.sweep]\n{mode}{sweep}")).unwrap()
    };
    let points = |request: &Request| -> Vec<String> {
        let values =
            request.points.iter().map(|point| point.settings.iter().map(|(_, value)| value));
        values.map(|values| values.cloned().collect::<Vec<_>>().join(" ")).collect()
    };
    let product = read("");
    assert_eq!(product.replicas, 1);
    assert_eq!(points(&product), ["1 300 K", "1 310 K", "2 300 K", "2 310 K"]);
    let resolved = "[ensemble]\nreplicas = 1\n\n[ensemble.sweep]\nmode = \"product\"\n\"run.steps\" = [1, 2]\n";
    assert!(product.resolved.contains(resolved), "{}", product.resolved);
    assert_eq!(points(&read("mode = \"zip\"\n")), ["1 300 K", "2 310 K"]);
}

#[test]
fn refuses_sweeps_without_points() {
    for (text, part) in [
        ("[ensemble]\nsweep = 3", "must be a table of lists"),
        ("[ensemble.sweep]\n\"a.b\" = 3", "\"a.b\" must be a list of values, found the number 3"),
        ("[ensemble.sweep]\n\"a.b\" = []", "\"a.b\" has no values"),
        ("[ensemble.sweep]\n\"output.folder\" = [\"x\"]", "all points of a run share it"),
        ("[ensemble.sweep]\n\"a.b\" = [1]\na.b = [2]", "\"a.b\" is there twice"),
        ("[ensemble.sweep]\n\"pull.name\" = [\"a\", \"b\"]", "find a stage by its name"),
        ("[ensemble.sweep]\n\"a.b\" = [1, 2, 1]", "has the value 1 twice"),
        ("[ensemble.sweep]\n\"a.b\" = [1]\n\"a.b.c\" = [2]", "\"a.b\" set the same thing"),
        (
            "[ensemble.sweep]\n\"p.duration\" = [1]\n\"p.steps\" = [2]",
            "\"p.duration\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"exchange.every\" = [1]\n\"exchange.every_steps\" = [2]",
            "\"exchange.every\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.drives.1.speed\" = [1]\n\"p.speed\" = [2]",
            "\"p.drives.1.speed\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.stage.steps\" = [1]\n\"p.duration\" = [2]",
            "\"p.stage.steps\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"p.speed\" = [1]\n\"p.drives\" = [2]",
            "\"p.speed\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"dynamics.friction\" = [1]\n\"dynamics.diffusion\" = [2]",
            "\"dynamics.friction\" set the same thing",
        ),
        (
            "[ensemble.sweep]\n\"dynamics.collision_rate\" = [1]\n\"dynamics.friction\" = [2]",
            "\"dynamics.collision_rate\" set the same thing",
        ),
        (
            "[ensemble.sweep]\nmode = \"zip\"\n\"a.b\" = [1]\na.c = [2, 3]",
            "\"a.b\" has 1 values and \"a.c\" 2",
        ),
        ("[ensemble.sweep]\nmode = \"zap\"\n", "did you mean \"zip\"?"),
        ("[ensemble]\nreplicas = 9_000_000_000", "more than 1000000 members"),
    ] {
        let folder = folder();
        let error = parse(folder.path(), &format!("{SMALL}{text}")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.location().is_some());
    }
}
