//! Elastic polymers and replica exchange: what they mean, and what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside of them")]

mod common;

use std::path::Path;

use beadwork_input::{Addition, Request, TEMPLATE_ELASTIC_POLYMER, TrajectoryKind};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::units::{self, Dimension};
use beadwork_model::{Generator, Integrator, Model, Precision, StageKind};
use common::{SMALL, assert_fixed_point, complaint, folder, parse, parse_with, write};

/// Each chain at one temperature.
const PLAIN: &str = r#"
[system]
model = "elastic-polymer"
monomers = 4
[sampling]
temperature = 0.5
[[stage]]
sweeps = 10
"#;

/// Chains that exchange temperatures.
const LADDER: &str = r#"
[system]
model = "elastic-polymer"
monomers = 13
[exchange]
temperatures = [0.2, 0.4, 1]
every_sweeps = 50
ladders = 2
[[stage]]
name = "first"
sweeps = 200
tune = true
[[stage]]
name = "then"
sweeps = 300
"#;

/// A protein that exchanges temperatures.
const PROTEIN: &str = r#"
[system]
structure = { file = "a.pdb", chains = "A" }
[exchange]
temperatures = { from = "280 K", to = "420 K", count = 3 }
every = "10 ns"
ladders = 4
[[stage]]
minimise = { steps = 5 }
[[stage]]
name = "run"
duration = "1 us"
"#;

fn read(text: &str) -> Request {
    let folder = folder();
    let request =
        parse(folder.path(), text).unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    request
}

fn chain(request: &Request, point: usize) -> ElasticPolymer {
    let Model::ElasticPolymer(polymer) = request.points[point].system.model else {
        panic!("{:?}", request.points[point].system.model)
    };
    polymer
}

#[test]
fn every_default_of_a_chain_is_spelled_out() {
    let request = read(PLAIN);
    assert_eq!(
        request.resolved,
        r#"[system]
model = "elastic-polymer"
monomers = 4
depth = 1.0
bond_length = 0.7
diameter = "automatic"
cutoff = 2.5
bond_stiffness = 40.0
bond_limit = 0.3

[sampling]
displacement = 0.1
temperature = 0.5
precision = "single"

[[stage]]
name = "stage-1"
sweeps = 10
tune = false

[ensemble]
replicas = 1

[random]
seed = 20101
generator = "philox4x32-10"

[output]
folder = "runs/in"
table = { every_sweeps = 1000 }
checkpoint = "60 s"
parquet = false

[run]
on_failure = "continue"
"#
    );
    assert_eq!(chain(&request, 0), ElasticPolymer::new(4));
    let point = &request.points[0];
    assert!(point.exchange.is_none() && point.starts.is_none());
    assert_eq!(point.system.positions[3], [3.0 * 0.7, 0.0, 0.0]);
    let protocol = &point.protocol;
    let dynamics = &protocol.dynamics;
    assert_eq!((dynamics.temperature, dynamics.timestep, dynamics.skin), (0.5, 1.0, 0.0));
    assert_eq!((dynamics.friction, dynamics.integrator), (1.0, Integrator::Brownian));
    assert_eq!(dynamics.precision, Precision::Single);
    assert_eq!(
        protocol.stages[0].kind,
        StageKind::Sample { sweeps: 10, displacement: Some(0.1), tune_every: None }
    );
    assert_eq!((protocol.seed, &protocol.ends), (20101, &(vec![0], vec![3])));
    assert_eq!(protocol.randomness, Generator::Philox4x32x10.into());
    assert_eq!((request.replicas, request.output.table_every), (1, 1000));
    assert!(request.warnings.is_empty(), "{:?}", request.warnings);
}

#[test]
fn a_chain_of_ones_own() {
    let request = read(
        r#"
[system]
model = "elastic-polymer"
monomers = 5
depth = 2
bond_length = 1
cutoff = 3
bond_stiffness = 30.5
bond_limit = 0.25
[sampling]
displacement = 1
temperature = 2
precision = "double"
[[stage]]
sweeps = 7
tune = true
[[stage]]
sweeps = 1
[ensemble]
replicas = 3
[random]
seed = 5
generator = "philox4x32-10"
[output]
table = { every_sweeps = 3 }
trajectory = { every_sweeps = 7 }
parquet = true
"#,
    );
    let polymer = chain(&request, 0);
    let diameter = ElasticPolymer::new(5).pairs.diameter / 0.7;
    assert!((polymer.pairs.diameter - diameter).abs() < 1e-15);
    assert_eq!(polymer.pairs.cutoff, 3.0 * polymer.pairs.diameter);
    assert_eq!((polymer.pairs.depth, polymer.bonds.stiffness), (2.0, 30.5));
    assert_eq!((polymer.bonds.length, polymer.bonds.limit), (1.0, 0.25));
    let protocol = &request.points[0].protocol;
    assert_eq!(protocol.dynamics.precision, Precision::Double);
    assert_eq!(
        protocol.stages[0].kind,
        StageKind::Sample { sweeps: 7, displacement: Some(1.0), tune_every: Some(100) }
    );
    assert_eq!(request.output.trajectory, Some((7, TrajectoryKind::Dcd)));
    assert!(request.resolved.contains("{ every_sweeps = 7, format = \"dcd\" }"));
    assert_eq!((request.replicas, protocol.seed, request.output.parquet), (3, 5, true));
    let given = PLAIN.replace("monomers = 4", "monomers = 4\ndiameter = 0.5");
    assert_eq!(chain(&read(&given), 0).pairs.diameter, 0.5);
}

#[test]
fn a_ladder_has_a_replica_for_each_temperature() {
    let request = read(LADDER);
    let point = &request.points[0];
    let exchange = point.exchange.as_ref().unwrap();
    assert_eq!((exchange.temperatures.as_slice(), exchange.every), (&[0.2, 0.4, 1.0][..], 50));
    assert_eq!((request.replicas, request.members()), (6, 6));
    assert_eq!(point.protocol.dynamics.temperature, 0.2);
    let kinds: Vec<_> = point.protocol.stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(
        kinds,
        [
            StageKind::Sample { sweeps: 200, displacement: Some(0.1), tune_every: Some(50) },
            StageKind::Sample { sweeps: 300, displacement: None, tune_every: None }
        ]
    );
    assert!(!request.resolved.contains("[ensemble]"), "{}", request.resolved);
    let ladder = "[exchange]\ntemperatures = [0.2, 0.4, 1]\nevery_sweeps = 50\nladders = 2\n";
    assert!(request.resolved.contains(ladder), "{}", request.resolved);
    // A run that is shorter than the interval, one that is fitted to its end.
    assert!(request.warnings.is_empty());
    let odd = |path: &str, value: &str| {
        let request = parse_with(folder().path(), LADDER, &[(path, value)]).unwrap();
        assert_fixed_point(&request);
        request.warnings.join("; ")
    };
    assert_eq!(
        odd("exchange.every_sweeps", "501"),
        "no temperatures are ever exchanged: [exchange] does so every 501 sweeps, and the run has 500"
    );
    assert!(
        odd("then.tune", "true")
            .starts_with("the last stage, whose averages are the answer, has tune = true:")
    );
}

#[test]
fn a_range_is_geometric() {
    let text = LADDER.replace("[0.2, 0.4, 1]", "{ from = 0.15, to = 1.5, count = 16 }");
    let request = read(&text);
    let rungs = &request.points[0].exchange.as_ref().unwrap().temperatures;
    assert_eq!((rungs.len(), rungs[0], rungs[15], request.replicas), (16, 0.15, 1.5, 32));
    for pair in rungs.windows(2) {
        assert!((pair[1] / pair[0] - 10f64.powf(1.0 / 15.0)).abs() < 1e-12);
    }
    assert!(request.resolved.contains("{ from = 0.15, to = 1.5, count = 16 }"));
}

#[test]
fn proteins_exchange_temperatures_too() {
    let request = read(PROTEIN);
    let point = &request.points[0];
    let exchange = point.exchange.as_ref().unwrap();
    let kelvin = |number: f64| number * units::BOLTZMANN;
    assert_eq!(
        exchange.temperatures[0],
        units::parse("280 K", Dimension::Temperature).unwrap().value
    );
    assert!((exchange.temperatures[1] - kelvin((280.0f64 * 420.0).sqrt())).abs() < 1e-12);
    assert_eq!(point.protocol.dynamics.temperature, exchange.temperatures[0]);
    assert_eq!((exchange.every, request.replicas), (500, 12));
    assert!(!request.resolved.contains("temperature = "), "{}", request.resolved);
    let listed = PROTEIN
        .replace("{ from = \"280 K\", to = \"420 K\", count = 3 }", "[\"0.5 kcal/mol\", \"300 K\"]")
        .replace("every = \"10 ns\"", "every_steps = 7");
    let request = read(&listed);
    let exchange = request.points[0].exchange.clone().unwrap();
    assert_eq!((exchange.temperatures[0], exchange.every, request.replicas), (0.5, 7, 8));
    let late = PROTEIN.replace("10 ns", "1.1 us");
    assert_eq!(
        read(&late).warnings,
        [
            "no temperatures are ever exchanged: [exchange] does so every 55000 steps, and the run has 50000"
        ]
    );
}

#[test]
fn sweeps_of_chains() {
    let lengths = "\n[ensemble.sweep]\n\"system.bond_length\" = [0.7, 1]\n\"sampling.displacement\" = [0.1, 0.2]\n";
    let request = read(&format!("{PLAIN}{lengths}"));
    assert_eq!(request.points.len(), 4);
    // A diameter that is not written follows the length of bonds at each point.
    let [short, long] = [chain(&request, 0), chain(&request, 2)];
    assert_eq!(short.pairs, ElasticPolymer::new(4).pairs);
    assert!((long.pairs.diameter * 0.7 - short.pairs.diameter).abs() < 1e-15);
    let displacement = |point: usize| match request.points[point].protocol.stages[0].kind {
        StageKind::Sample { displacement, .. } => displacement.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 1, 2, 3].map(displacement), [0.1, 0.2, 0.1, 0.2]);

    let ladders = "\n[ensemble.sweep]\n\"system.monomers\" = [13, 55]\n\"exchange.temperatures\" = [[0.1, 0.2], { from = 0.3, to = 0.5, count = 2 }]\n";
    let request = read(&format!("{LADDER}{ladders}"));
    assert_eq!((request.points.len(), request.replicas, request.members()), (4, 4, 16));
    assert_eq!(chain(&request, 3).monomers, 55);
    assert_eq!(request.points[3].exchange.as_ref().unwrap().temperatures, [0.3, 0.5]);
    assert!(request.resolved.contains("[ensemble]\n\n[ensemble.sweep]\n"), "{}", request.resolved);
    let folder = folder();
    let set =
        [("exchange.temperatures", "{ from = 0.2, to = 0.8, count = 3 }"), ("first.sweeps", "9")];
    let request = parse_with(folder.path(), LADDER, &set).unwrap();
    assert_eq!(request.points[0].exchange.as_ref().unwrap().temperatures[2], 0.8);
    assert_eq!(request.points[0].protocol.steps(), 309);
}

/// Monomers on a line, as a PDB file that a run writes at its end.
fn line(positions: &[f64]) -> String {
    let mut text = String::new();
    for (index, x) in positions.iter().enumerate() {
        let number = index + 1;
        text += &format!(
            "ATOM  {number:5}  M   MON A{number:4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00\n",
            0.0, 0.0
        );
    }
    text + "END\n"
}

#[test]
fn chains_start_from_files() {
    let folder = folder();
    write(folder.path(), "s_0.pdb", &line(&[0.0, 0.7, 1.4, 2.0]));
    write(folder.path(), "s_1.pdb", &line(&[5.0, 5.9, 6.4, 7.1]));
    let set = [("system.start", "s_{replica}.pdb"), ("ensemble.replicas", "2")];
    let request = parse_with(folder.path(), PLAIN, &set).unwrap();
    assert_fixed_point(&request);
    let starts = request.points[0].starts.as_ref().unwrap();
    assert_eq!((starts.len(), starts[1][3]), (2, [7.1, 0.0, 0.0]));
    assert_eq!(request.files.len(), 2);
    // A replica of a ladder has a file of its own, too.
    let short = LADDER.replace("monomers = 13", "monomers = 4\nstart = \"s_{replica}.pdb\"");
    for replica in 2..6 {
        write(folder.path(), &format!("s_{replica}.pdb"), &line(&[0.0, 0.7, 1.4, 2.1]));
    }
    assert_eq!(parse(folder.path(), &short).unwrap().points[0].starts.as_ref().unwrap().len(), 6);

    write(folder.path(), "s_1.pdb", &line(&[5.0, 5.9, 6.95, 7.1]));
    let refused = |set: &[(&str, &str)]| {
        let error = parse_with(folder.path(), PLAIN, set).unwrap_err();
        complaint(&error).replace(&folder.path().display().to_string(), "DIR")
    };
    assert_eq!(
        refused(&set),
        "[input/start] --set:1:16 <s_{replica}.pdb> [system]: in the start of replica 1, DIR/s_1.pdb, the bond of beads 1 and 2 is 1.050 long, and bonds hold within 0.7 +/- 0.3 only: give a start whose bonds hold, or leave `start` out for a straight chain"
    );
    assert!(refused(&[("system.start", "s_1.pdb")]).contains("in the start of all replicas, DIR"));
    write(folder.path(), "s_0.pdb", &line(&[0.0, 0.7, 1.4]));
    assert_eq!(
        refused(&set),
        "[input/start] --set:1:16 <s_{replica}.pdb> [system]: the start file DIR/s_0.pdb has 3 atoms and the chain 4 monomers: give a file with an atom for each"
    );
}

#[test]
fn the_template_is_what_its_comments_say() {
    let request = read(TEMPLATE_ELASTIC_POLYMER);
    assert_eq!(chain(&request, 0), ElasticPolymer::new(13));
    let point = &request.points[0];
    let exchange = point.exchange.as_ref().unwrap();
    assert_eq!((exchange.temperatures.len(), request.replicas), (16, 32));
    assert_eq!(point.protocol.stages.len(), 2);
    assert_eq!(request.output.folder, Path::new("runs/in"));
    assert!(request.warnings.is_empty(), "{:?}", request.warnings);
    // What stands in comments with an = is at its default, but for these.
    let others = ["start = ", "temperature = ", "folder = "];
    let mut settings = 0;
    for line in TEMPLATE_ELASTIC_POLYMER.lines().filter_map(|line| line.strip_prefix("# ")) {
        let setting = line.split('#').next().unwrap().trim();
        let is_key = setting.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        if is_key && !others.iter().any(|other| setting.starts_with(other)) {
            assert!(request.resolved.contains(&format!("\n{setting}\n")), "{setting}");
            settings += 1;
        }
    }
    assert_eq!(settings, 8);
}

#[test]
fn stages_of_sweeps_can_be_lengthened() {
    let folder = folder();
    let path = folder.path().join("in.toml");
    let resolved = |text: &str| parse(folder.path(), text).unwrap().resolved;
    std::fs::write(&path, resolved(LADDER)).unwrap();
    let longer = beadwork_input::extend(&path, None, &Addition::Steps(50)).unwrap();
    assert_eq!(longer.request.resolved, resolved(&LADDER.replace("300", "350")));
    assert_eq!(longer.lengths, [("300 sweeps".to_string(), "350 sweeps".to_string())]);
    let error = beadwork_input::extend(&path, None, &Addition::Time("1 us".into())).unwrap_err();
    assert_eq!(
        complaint(&error),
        "[input/conflict] a stage of sweeps takes no time and cannot be lengthened by \"1 us\": give a number of sweeps, by --steps"
    );
}

/// The complaint about an input with `new` instead of `old`.
fn refused(text: &str, old: &str, new: &str, expected: &str) {
    assert!(text.contains(old), "{old}");
    let folder = folder();
    let text = text.replacen(old, new, 1);
    let Err(error) = parse(folder.path(), &text) else { panic!("nothing is wrong with {text}") };
    let found = complaint(&error);
    assert_eq!(found, expected, "\n{text}");
    assert!(
        beadwork_input::ERROR_CODES
            .iter()
            .chain(beadwork_model::ERROR_CODES)
            .any(|(code, _)| *code == error.code())
    );
}

#[test]
fn chains_that_cannot_be() {
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:2:1 <[system]> [system]: the key `monomers` is missing; write for example monomers = 13",
        ),
        (
            "monomers = 1",
            "[input/bad-value] in.toml:4:12 <1> [system]: `monomers` must be at least 2, but is 1: a bead alone has nothing to sample",
        ),
        (
            "monomers = 10_001",
            "[input/bad-value] in.toml:4:12 <10_001> [system]: `monomers` must be at most 10_000, but is 10001: each move looks at all other monomers, so that longer chains would not come anywhere",
        ),
        (
            "monomers = 4\ndepth = 0",
            "[input/bad-value] in.toml:5:9 <0> [system]: `depth` must be more than 0, but is 0",
        ),
        (
            "monomers = 4\nbond_length = \"0.7 nm\"",
            "[input/wrong-type] in.toml:5:15 <\"0.7 nm\"> [system]: `bond_length` must be a number without a unit such as 0.7, without quotes, found the text \"0.7 nm\"",
        ),
        (
            "monomers = 4\ndiameter = -1",
            "[input/bad-value] in.toml:5:12 <-1> [system]: `diameter` must be more than 0, but is -1",
        ),
        (
            "monomers = 4\ncutoff = inf",
            "[input/bad-value] in.toml:5:10 <inf> [system]: `cutoff` must be finite, but is inf",
        ),
        (
            "monomers = 4\nbond_stiffness = -1",
            "[input/bad-value] in.toml:5:18 <-1> [system]: `bond_stiffness` must not be negative, but is -1",
        ),
        (
            "monomers = 4\nbond_limit = 0",
            "[input/bad-value] in.toml:5:14 <0> [system]: `bond_limit` must be more than 0, but is 0",
        ),
        (
            "monomers = 4\nstructure = \"a.pdb\"",
            "[input/unknown-key] in.toml:5:1 <structure> unknown key `structure` in [system]. Known keys: model, monomers, depth, bond_length, diameter, cutoff, bond_stiffness, bond_limit, start",
        ),
    ] {
        refused(PLAIN, "monomers = 4", new, expected);
    }
}

#[test]
fn sampling_that_cannot_be() {
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:5:1 <[sampling]> [sampling]: the key `temperature` is missing; write for example temperature = 0.5",
        ),
        (
            "temperature = 0",
            "[input/bad-value] in.toml:6:15 <0> [sampling]: `temperature` must be more than 0, but is 0",
        ),
        (
            "temperature = \"300 K\"",
            "[input/wrong-type] in.toml:6:15 <\"300 K\"> [sampling]: `temperature` must be a number without a unit such as 0.7, without quotes, found the text \"300 K\"",
        ),
        (
            "temperature = 1\ndisplacement = 0",
            "[input/bad-value] in.toml:7:16 <0> [sampling]: `displacement` must be more than 0, but is 0",
        ),
        (
            "temperature = 1\ndisplacement = 0.71",
            "[input/bad-value] in.toml:7:16 <0.71> [sampling]: `displacement` must be at most a bond's length, 0.7, but is 0.71: longer moves tear bonds and are never accepted",
        ),
        (
            "temperature = 1\nspacing = 3",
            "[input/unknown-key] in.toml:7:1 <spacing> unknown key `spacing` in [sampling]. Known keys: displacement, temperature, precision",
        ),
    ] {
        refused(PLAIN, "temperature = 0.5", new, expected);
    }
    refused(
        LADDER,
        "[exchange]",
        "[sampling]\ntemperature = 1\n[exchange]",
        "[input/conflict] in.toml:6:1 <temperature> [sampling]: `temperature` has no place here, because [exchange] has the temperatures: leave it out",
    );
}

#[test]
fn what_other_models_have_is_refused() {
    for (new, expected) in [
        (
            "[dynamics]\n[[stage]]",
            "[input/conflict] in.toml:7:2 <dynamics> [dynamics] has no place in a run of \"elastic-polymer\": chains are sampled and not moved in time; write [sampling] with `displacement`, `temperature` and `precision`",
        ),
        (
            "[analysis]\n[[stage]]",
            "[input/conflict] in.toml:7:2 <analysis> [analysis] has no place in a run of \"elastic-polymer\": there are no forces to find; leave it out",
        ),
        (
            "[output]\nends = [\"first\", \"last\"]\n[[stage]]",
            "[input/conflict] in.toml:8:1 <ends> [output]: `ends` has no place in a run of \"elastic-polymer\": the table has the distance of the first monomer from the last; leave it out",
        ),
        (
            "[output]\ntrajectory = { every_sweeps = 5, format = \"xtc\" }\n[[stage]]",
            "[input/conflict] in.toml:8:43 <\"xtc\"> `trajectory` in [output]: `format` cannot be \"xtc\", whose steps of 0.001 nm are too coarse for reduced lengths: take \"dcd\"",
        ),
        (
            "[output]\ntrajectory = { every_sweeps = 3_000_000_000 }\n[[stage]]",
            "[input/bad-value] in.toml:8:31 <3_000_000_000> `trajectory` in [output]: `every_sweeps` must be below 2^31 sweeps, which is all that a DCD file can say: take a shorter interval",
        ),
        (
            "[output]\ntrajectory = {}\n[[stage]]",
            "[input/missing-key] in.toml:8:14 <{}> `trajectory` in [output]: the key `every_sweeps` is missing; write for example every_sweeps = 1000",
        ),
        (
            "[output]\ntable = { every_steps = 5 }\n[[stage]]",
            "[input/unknown-key] in.toml:8:11 <every_steps> unknown key `every_steps` in `table` in [output]; did you mean `every_sweeps`? Known keys: every_sweeps",
        ),
        (
            "[output]\ntable = { every_sweeps = 0 }\n[[stage]]",
            "[input/bad-value] in.toml:8:26 <0> `table` in [output]: `every_sweeps` must be at least 1, but is 0",
        ),
        (
            "[random]\ngenerator = \"xorwow\"\n[[stage]]",
            "[input/conflict] in.toml:8:13 <\"xorwow\"> [random]: `generator` is \"xorwow\", and moves are made of the words of \"philox4x32-10\" alone: leave it out",
        ),
        (
            "[random]\nscheme = \"counter\"\n[[stage]]",
            "[input/conflict] in.toml:8:1 <scheme> [random]: `scheme` has no place in a run of \"elastic-polymer\": moves are made of the words of philox4x32-10, numbered by sweep and move; leave it out",
        ),
    ] {
        refused(PLAIN, "[[stage]]", new, expected);
    }
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:7:1 <[[stage]]> stage \"stage-1\": the key `sweeps` is missing; write for example sweeps = 1_000_000",
        ),
        (
            "sweeps = 1e9",
            "[input/wrong-type] in.toml:8:10 <1e9> stage \"stage-1\": `sweeps` must be written without point or exponent: 1_000_000_000",
        ),
        (
            "sweeps = 0",
            "[input/bad-value] in.toml:8:10 <0> stage \"stage-1\": `sweeps` must be at least 1, but is 0",
        ),
        (
            "sweeps = 300_000_000_000_000",
            "[input/steps] in.toml:8:10 <300_000_000_000_000> stage \"stage-1\": `sweeps` is 300000000000000, more than the 2^48 = 281474976710656 sweeps that a run may have",
        ),
        (
            "sweeps = 281_474_976_710_656\n[[stage]]\nsweeps = 1",
            "[input/steps] in.toml:9:1 <[[stage]]> stage \"stage-2\": the run has more than 2^48 = 281474976710656 sweeps with this stage: make its stages shorter",
        ),
        (
            "sweeps = 5\nname = \"sampling\"",
            "[input/bad-value] in.toml:9:8 <\"sampling\"> stage \"sampling\": `name` cannot be \"sampling\", which is the name of a section",
        ),
        (
            "sweeps = 5\ntune = 7",
            "[input/wrong-type] in.toml:9:8 <7> stage \"stage-1\": `tune` must be true or false, without quotes, found the number 7",
        ),
        (
            "duration = \"1 us\"",
            "[input/conflict] in.toml:8:1 <duration> stage \"stage-1\": `duration` has no place in a run of \"elastic-polymer\": chains are sampled and not moved in time; write for example sweeps = 1_000_000",
        ),
        (
            "steps = 5",
            "[input/conflict] in.toml:8:1 <steps> stage \"stage-1\": `steps` has no place in a run of \"elastic-polymer\": chains are sampled and not moved in time; write for example sweeps = 1_000_000",
        ),
        (
            "minimise = {}",
            "[input/conflict] in.toml:8:1 <minimise> stage \"stage-1\": `minimise` has no place in a run of \"elastic-polymer\": chains come to low energies by sampling; leave it out, or begin with a stage with tune = true",
        ),
        (
            "sweeps = 5\nfixed = \"first\"",
            "[input/conflict] in.toml:9:1 <fixed> stage \"stage-1\": `fixed` has no place in a run of \"elastic-polymer\": every monomer is moved; leave it out",
        ),
        (
            "sweeps = 5\ndrives = []",
            "[input/conflict] in.toml:9:1 <drives> stage \"stage-1\": `drives` has no place in a run of \"elastic-polymer\": nothing pulls at chains that are sampled; leave it out",
        ),
        (
            "sweeps = 5\nstop = \"energy < 3\"",
            "[input/conflict] in.toml:9:1 <stop> stage \"stage-1\": `stop` has no place in a run of \"elastic-polymer\": a stage ends after its sweeps; leave it out",
        ),
    ] {
        refused(PLAIN, "sweeps = 10", new, expected);
    }
    refused(
        PLAIN,
        "[[stage]]\nsweeps = 10",
        "",
        "[input/missing-key] in.toml:1:1 <> there is no stage; write for example [[stage]] and sweeps = 1_000_000 below it",
    );
    refused(
        SMALL,
        "[[stage]]",
        "[sampling]\n[[stage]]",
        "[input/conflict] in.toml:4:2 <sampling> [sampling] has no place in a run of \"sop\": only elastic polymers are sampled; write [dynamics]",
    );
}

#[test]
fn exchanges_that_cannot_be() {
    let alone = "a replica exchanges its temperature with another one, so that at least 2 are needed; for a single one leave [exchange] out and write `temperature` in";
    let many = vec!["1"; 4097].join(", ");
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:5:1 <[exchange]> [exchange]: the key `temperatures` is missing; write for example temperatures = { from = 0.15, to = 1.5, count = 16 }".to_string(),
        ),
        (
            "temperatures = 0.3",
            "[input/wrong-type] in.toml:6:16 <0.3> [exchange]: `temperatures` must be a list of temperatures, or a table such as { from = 0.15, to = 1.5, count = 16 }, found the number 0.3".to_string(),
        ),
        (
            "temperatures = [0.3]",
            format!("[input/bad-value] in.toml:6:16 <[0.3]> [exchange]: `temperatures` has 1 temperature(s); {alone} [sampling]"),
        ),
        (
            "temperatures = [0.3, 0.2]",
            "[input/bad-value] in.toml:6:22 <0.2> `temperatures` in [exchange]: 0.2 comes after 0.3: write them in ascending order".to_string(),
        ),
        (
            "temperatures = [0.3, 0.30]",
            "[input/bad-value] in.toml:6:22 <0.30> `temperatures` in [exchange]: 0.3 comes after 0.3, which is as high: leave one out".to_string(),
        ),
        (
            "temperatures = [0, 0.3]",
            "[input/bad-value] in.toml:6:17 <0> `temperatures` in [exchange] must be more than 0 and finite, but is 0".to_string(),
        ),
        (
            "temperatures = [0.1, \"300 K\"]",
            "[input/wrong-type] in.toml:6:22 <\"300 K\"> `temperatures` in [exchange] must be a number without a unit such as 0.15, without quotes, found the text \"300 K\"".to_string(),
        ),
        (
            "temperatures = { from = 0, to = 2, count = 3 }",
            "[input/bad-value] in.toml:6:25 <0> `temperatures` in [exchange], `from` must be more than 0 and finite, but is 0".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = -2, count = 3 }",
            "[input/bad-value] in.toml:6:35 <-2> `temperatures` in [exchange], `to` must be more than 0 and finite, but is -2".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 0.1, count = 3 }",
            "[input/bad-value] in.toml:6:35 <0.1> `temperatures` in [exchange]: `to` must be more than `from`, since rungs ascend".to_string(),
        ),
        (
            "temperatures = { from = 1, to = 1.0000000000000002, count = 3 }",
            "[input/bad-value] in.toml:6:33 <1.0000000000000002> `temperatures` in [exchange]: `to` is so near to `from` that neighbours would have the same temperature".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1 }",
            "[input/missing-key] in.toml:6:16 <{ from = 0.1, to = 1 }> `temperatures` in [exchange]: the key `count` is missing; write for example count = 16".to_string(),
        ),
        (
            "temperatures = { to = 1, count = 4 }",
            "[input/missing-key] in.toml:6:16 <{ to = 1, count = 4 }> `temperatures` in [exchange]: the key `from` is missing; write for example from = 0.15".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 1 }",
            format!("[input/bad-value] in.toml:6:46 <1> `temperatures` in [exchange]: `count` is 1; {alone} [sampling]"),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 5_000 }",
            "[input/bad-value] in.toml:6:46 <5_000> `temperatures` in [exchange]: `count` is 5000; a ladder has at most 4096 temperatures: take fewer".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 4, spacing = \"linear\" }",
            "[input/unknown-key] in.toml:6:49 <spacing> unknown key `spacing` in `temperatures` in [exchange]. Known keys: from, to, count".to_string(),
        ),
        (
            &format!("temperatures = [{many}]"),
            format!("[input/bad-value] in.toml:6:16 <[{many}]> [exchange]: `temperatures` has 4097 temperatures; a ladder has at most 4096 temperatures: take fewer"),
        ),
    ] {
        refused(LADDER, "temperatures = [0.2, 0.4, 1]", new, &expected);
    }
    for (old, new, expected) in [
        (
            "every_sweeps = 50",
            "every_sweeps = 0",
            "[input/bad-value] in.toml:7:16 <0> [exchange]: `every_sweeps` must be at least 1, but is 0",
        ),
        (
            "every_sweeps = 50",
            "",
            "[input/missing-key] in.toml:5:1 <[exchange]> [exchange]: the key `every_sweeps` is missing; write for example every_sweeps = 1000",
        ),
        (
            "every_sweeps = 50",
            "every = \"10 ns\"",
            "[input/unknown-key] in.toml:7:1 <every> unknown key `every` in [exchange]. Known keys: temperatures, every_sweeps, ladders",
        ),
        (
            "ladders = 2",
            "ladders = 0",
            "[input/bad-value] in.toml:8:11 <0> [exchange]: `ladders` must be at least 1, but is 0",
        ),
        (
            "ladders = 2",
            "ladders = 400_000",
            "[input/sweep] in.toml:5:1 <[exchange]> [exchange]: 1 point(s) of 1200000 replicas are more than 1000000 members: ask for fewer",
        ),
        (
            "ladders = 2",
            "[ensemble]\nreplicas = 3",
            "[input/conflict] in.toml:9:1 <replicas> [ensemble]: `replicas` has no place beside [exchange], which has a replica for each temperature: leave it out, and write `ladders` in [exchange] for independent repetitions",
        ),
        (
            "ladders = 2",
            "[ensemble.sweep]\n\"exchange.ladders\" = [1, 2]",
            "[input/sweep] in.toml:8:1 <[ensemble.sweep]> [ensemble.sweep]: its points have 3 and 6 replicas, and all points of a run have as many: give each as many temperatures and as many `ladders`",
        ),
    ] {
        refused(LADDER, old, new, expected);
    }
    for (old, new, expected) in [
        (
            "every = \"10 ns\"",
            "",
            "[input/missing-key] in.toml:4:1 <[exchange]> [exchange]: how long is missing; write for example every = \"1 us\" or every_steps = 1000",
        ),
        (
            "every = \"10 ns\"",
            "every_steps = 0",
            "[input/bad-value] in.toml:6:15 <0> [exchange]: `every_steps` must be at least 1, but is 0",
        ),
        (
            "every = \"10 ns\"",
            "every = \"30 ps\"",
            "[input/steps] in.toml:6:9 <\"30 ps\"> [exchange]: `every` is \"30 ps\", which is 1.5 steps of 20 ps: write \"20 ps\" (1 step) or \"40 ps\" (2 steps)",
        ),
        (
            "from = \"280 K\"",
            "from = 280",
            "[input/wrong-type] in.toml:5:25 <280> `temperatures` in [exchange], `from` must be a temperature such as \"300 K\" or \"0.6 kcal/mol\", found the number 280",
        ),
        (
            "from = \"280 K\"",
            "from = \"280 pN\"",
            "[model/quantity] in.toml:5:25 <\"280 pN\"> `temperatures` in [exchange], `from`: \"280 pN\" is a force; expected a temperature such as \"300 K\" or \"0.6 kcal/mol\"",
        ),
        (
            "count = 3",
            "count = 1",
            "[input/bad-value] in.toml:5:56 <1> `temperatures` in [exchange]: `count` is 1; a replica exchanges its temperature with another one, so that at least 2 are needed; for a single one leave [exchange] out and write `temperature` in [dynamics]",
        ),
        (
            "[exchange]",
            "[dynamics]\ntemperature = \"300 K\"\n[exchange]",
            "[input/conflict] in.toml:5:1 <temperature> [dynamics]: `temperature` has no place here, because [exchange] has the temperatures: leave it out",
        ),
        (
            "[exchange]",
            "[dynamics]\ndiffusion = \"1 nm^2/ns\"\n[exchange]",
            "[input/conflict] in.toml:5:1 <diffusion> [dynamics]: `diffusion` has no place here, because with the temperatures of [exchange] it would make frictions that differ: write `friction` in its place",
        ),
        (
            "structure = { file = \"a.pdb\", chains = \"A\" }",
            "model = \"oscillators\"\nparticles = 3",
            "[input/conflict] in.toml:5:2 <exchange> [exchange] has no place in a run of \"oscillators\": its particles do not interact, so that no temperature helps another; leave it out, or sweep dynamics.temperature",
        ),
    ] {
        refused(PROTEIN, old, new, expected);
    }
}

/// What pulls is in no energy that exchanges are decided by.
#[test]
fn ladders_are_not_pulled() {
    let ladder = "[exchange]\ntemperatures = [\"280 K\", \"300 K\"]\nevery_steps = 2\n\n[[stage]]";
    let with =
        |drive: &str| format!("{}drives = [{{ {drive} }}]\n", SMALL.replace("[[stage]]", ladder));
    let place = folder();
    let pulled = with("kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"10 pN\"");
    let message = complaint(&parse(place.path(), &pulled).unwrap_err());
    let said = "stage \"run\": a drive that pulls has no place beside [exchange]";
    assert!(message.contains(said), "{message}");
    let held = with("kind = \"restrain\", select = \"first\", stiffness = \"1 kcal/(mol A^2)\"");
    assert!(parse(place.path(), &held).is_ok());
}
