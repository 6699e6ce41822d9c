//! Inputs of elastic polymers: their meaning, and refusals.

use std::path::Path;

use crate::common::{
    LADDER, SMALL, assert_fixed_point, complaint, folder, parse, parse_with, read, refused, write,
};
use beadwork_input::{Addition, Request, TEMPLATE_ELASTIC_POLYMER, TrajectoryKind};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::{Generator, Integrator, Model, Precision, StageKind};

/// An input of chains, each at one temperature.
const PLAIN: &str = r#"
[system]
model = "elastic-polymer"
monomers = 4
[sampling]
temperature = 0.5
[[stage]]
sweeps = 10
"#;

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
    assert_eq!(point.system.particles.positions[3], [3.0 * 0.7, 0.0, 0.0]);
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
    assert_eq!(
        request.warnings,
        [
            "the run has one stage to average over, \"stage-1\", so the averages include the start of the run, where chains are straight: put a stage before it that is left out, [[stage]] with for example sweeps = 100 and tune = true",
            "the table's interval is longer than the run: only the start will be in it"
        ]
    );
}

#[test]
fn all_parameters_of_a_chain_can_be_given() {
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
fn sweeps_of_chains() {
    let lengths = "\n[ensemble.sweep]\n\"system.bond_length\" = [0.7, 1]\n\"sampling.displacement\" = [0.1, 0.2]\n";
    let request = read(&format!("{PLAIN}{lengths}"));
    assert_eq!(request.points.len(), 4);
    // A diameter that is not given follows the bond length of each point.
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
    assert_eq!(request.points[0].protocol.steps(), 2009);
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
    // A replica of a ladder may also have a file of its own.
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
    write(folder.path(), "s_1.pdb", &line(&[0.0, 0.7, 0.0, 0.7]));
    assert_eq!(
        refused(&set),
        "[input/start] --set:1:16 <s_{replica}.pdb> [system]: in the start of replica 1, DIR/s_1.pdb, beads 0 and 2 are 0 apart, and the energy of beads in one place is infinite: move them apart"
    );
    write(folder.path(), "s_1.pdb", &line(&[0.0, 0.7, 0.001, 0.7 + 0.001]));
    assert!(parse_with(folder.path(), PLAIN, &set).is_ok());
    write(folder.path(), "s_0.pdb", &line(&[0.0, 0.7, 1.4]));
    assert_eq!(
        refused(&set),
        "[input/start] --set:1:16 <s_{replica}.pdb> [system]: the start file DIR/s_0.pdb has 3 atoms and the chain 4 monomers: give a file with an atom for each"
    );
}

/// Parameters that do not make a sound chain, and temperatures that may be kelvin, give one warning each.
#[test]
fn numbers_that_make_no_chain_are_warned_of() {
    let warned = |settings: &[(&str, &str)]| {
        let warnings = parse_with(folder().path(), PLAIN, settings).unwrap().warnings;
        // The input has one stage, which is too short for its table.
        let of_rows = ["the run has one stage", "the table's interval"];
        let of_numbers = |one: &String| !of_rows.iter().any(|start| one.starts_with(start));
        warnings.into_iter().filter(of_numbers).collect::<Vec<_>>()
    };
    assert_eq!(warned(&[("sampling.temperature", "20.0")]), [""; 0]);
    assert_eq!(
        warned(&[("sampling.temperature", "300")]),
        [
            "the temperature 300 is 300 times the depth of a pair, 1, far above where chains collapse: are these kelvin? Temperatures are in units of the energy, k_B being 1"
        ]
    );
    assert_eq!(warned(&[("sampling.temperature", "300"), ("system.depth", "100")]), [""; 0]);
    for (setting, said) in [
        (("system.cutoff", "1.1"), "pairs repel only: the cutoff, 0.6860,"),
        (("system.bond_limit", "0.7"), "bonds of 0.7 +/- 0.7 may shrink to nothing"),
        (("system.diameter", "2.0"), "bonded monomers repel each other by 1.182e6 depths"),
        (("system.bond_stiffness", "0.0"), "bond_stiffness is 0"),
    ] {
        let found = warned(&[setting]);
        assert!(found.len() == 1 && found[0].starts_with(said), "{found:?}");
    }
}

/// The warning about rows, for chains at one temperature (as many as independent ladders), these stages and this
/// interval of the table; empty if there is none.
fn said_of_rows(stages: &[u64], every: u64, chains: u64) -> String {
    let stage = |(number, sweeps): (usize, &u64)| {
        format!("[[stage]]\nname = \"{}\"\nsweeps = {sweeps}\n", ["first", "then"][number])
    };
    let stages: String = stages.iter().enumerate().map(stage).collect();
    let text = format!(
        "[system]\nmodel = \"elastic-polymer\"\nmonomers = 2\n[sampling]\ntemperature = 1\n{stages}[ensemble]\nreplicas = {chains}\n[output]\ntable = {{ every_sweeps = {every} }}\n"
    );
    let request = beadwork_input::parse(&text, "in.toml", Path::new("."), &[]).unwrap();
    let of_rows = |warning: &String| !warning.starts_with("the run has one stage");
    request.warnings.into_iter().find(of_rows).unwrap_or_default()
}

#[test]
fn rows_are_counted_from_the_start_of_the_run() {
    // The 900 sweeps after the first 150 include the rows of sweeps 200, 300, … 1000.
    let said = |every, chains| said_of_rows(&[150, 900], every, chains);
    assert!(said(100, 1).contains("has 9 row(s) at each temperature, and"));
    assert!(said(100, 1).contains("for example table = { every_sweeps = 11 }"));
    assert!(said(100, 7).contains("has 7 × 9 row(s) at each temperature, and"));
    assert_eq!((said(100, 8), said(11, 1)), (String::new(), String::new()));
    // The row of sweep 1000 is in the second stage; there is no row of sweep 2000.
    assert_eq!(said(1000, 8), "");
    let said = |every| said_of_rows(&[1100, 899], every, 8);
    assert_eq!(
        said(1000),
        "stage \"then\", whose averages are the answer, has 899 sweeps and the table a row every 1_000, so that no row falls into it: write rows more often, for example table = { every_sweeps = 89 } in [output], or make the stage longer"
    );
    assert!(said(2000).starts_with("the table's interval is longer than the run"));
    assert!(said_of_rows(&[60], 1, 1).ends_with("eight blocks of ten: make the stage longer"));
}

/// Rows that fill no block of their ladder are left out: thirteen rows in each of seven ladders make seven blocks.
#[test]
fn blocks_are_counted_in_each_ladder() {
    assert!(said_of_rows(&[1300], 100, 7).contains("has 7 × 13 row(s) at each temperature, and errors usually need at least 7 × 20, for eight blocks of ten: "));
    for (chains, enough) in [(1, 80), (2, 40), (3, 30), (4, 20), (7, 20), (8, 1)] {
        assert_eq!(said_of_rows(&[100 * enough], 100, chains), "", "{chains}");
        assert_ne!(said_of_rows(&[100 * enough - 1], 100, chains), "", "{chains}");
    }
}

#[test]
fn following_the_advice_ends_the_warning() {
    let mut advised = 0;
    for chains in 1..=9 {
        for sweeps in [1, 79, 80, 81, 159, 899, 2000, 2001, 12_345] {
            for before in [1, 150, 300, 333, 1999] {
                for every in [1, 7, 75, 100, 640, 1001] {
                    let warning = said_of_rows(&[before, sweeps], every, chains);
                    let Some((_, advice)) = warning.split_once("every_sweeps = ") else { continue };
                    let digits = advice.split(' ').next().unwrap().replace('_', "");
                    let again = said_of_rows(&[before, sweeps], digits.parse().unwrap(), chains);
                    assert_eq!(again, "", "{warning}");
                    advised += 1;
                }
            }
        }
    }
    assert!(advised > 400, "{advised}");
}

/// The first stage that the warning advises is long enough to be of use.
#[test]
fn a_single_stage_is_warned_of() {
    let advice = |sweeps: u64| {
        let text = format!(
            "[system]\nmodel = \"elastic-polymer\"\nmonomers = 2\n[sampling]\ntemperature = 1\n[[stage]]\nsweeps = {sweeps}\n"
        );
        let request = beadwork_input::parse(&text, "in.toml", Path::new("."), &[]).unwrap();
        request.warnings[0].clone()
    };
    assert!(advice(10).ends_with("for example sweeps = 100 and tune = true"));
    assert!(advice(20_000).ends_with("for example sweeps = 2_000 and tune = true"));
}

#[test]
fn an_unknown_model_is_reported_before_other_errors() {
    let misspelt = PLAIN.replace("\"elastic-polymer\"", "\"elastic-polymr\"");
    let error = parse(folder().path(), &misspelt).unwrap_err();
    let said = complaint(&error);
    assert!(
        said.contains(
            "`model` does not know \"elastic-polymr\"; did you mean \"elastic-polymer\"?"
        ),
        "{said}"
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
    // Commented lines with an = show defaults, except these.
    let others = ["start = ", "temperature = ", "folder = ", "tune_temperatures = "];
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
    assert_eq!(longer.request.resolved, resolved(&LADDER.replace("2_000", "2_050")));
    assert_eq!(longer.lengths, [("2000 sweeps".to_string(), "2050 sweeps".to_string())]);
    let error = beadwork_input::extend(&path, None, &Addition::Time("1 us".into())).unwrap_err();
    assert_eq!(
        complaint(&error),
        "[input/conflict] a stage of sweeps takes no time and cannot be lengthened by \"1 us\": give a number of sweeps, by --sweeps"
    );
    let same = beadwork_input::extend(&path, None, &Addition::Sweeps(50)).unwrap();
    assert_eq!(same.request.resolved, longer.request.resolved);
}

#[test]
fn refuses_impossible_chains() {
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:2:1 <[system]> [system]: the key `monomers` is missing; write for example monomers = 13",
        ),
        (
            "monomers = 1",
            "[input/bad-value] in.toml:4:12 <1> [system]: `monomers` must be at least 2, but is 1; write for example monomers = 13",
        ),
        (
            "monomers = -3",
            "[input/bad-value] in.toml:4:12 <-3> [system]: `monomers` must be at least 2, but is -3; write for example monomers = 13",
        ),
        (
            "monomers = 2.5",
            "[input/wrong-type] in.toml:4:12 <2.5> [system]: `monomers` must be a whole number such as 13, without quotes, found the number 2.5",
        ),
        (
            "monomers = \"many\"",
            "[input/wrong-type] in.toml:4:12 <\"many\"> [system]: `monomers` must be a whole number such as 13, without quotes, found the text \"many\"",
        ),
        (
            "monomers = 10_001",
            "[input/bad-value] in.toml:4:12 <10_001> [system]: `monomers` must be at most 10_000, but is 10001: each move takes the energy with all other monomers, so that longer chains take too long",
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
            "[input/unknown-key] in.toml:5:1 <structure> unknown key `structure` in [system]: only runs of model = \"sop\" and \"residues\" have `structure`. Known keys: model, monomers, depth, bond_length, diameter, cutoff, bond_stiffness, bond_limit, start",
        ),
    ] {
        refused(PLAIN, "monomers = 4", new, expected);
    }
}

#[test]
fn refuses_impossible_sampling() {
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
fn refuses_keys_of_other_models() {
    for (new, expected) in [
        (
            "[dynamics]\n[[stage]]",
            "[input/conflict] in.toml:7:2 <dynamics> [dynamics] has no place in a run of \"elastic-polymer\": chains are sampled and not moved in time; write [sampling] with `displacement`, `temperature` and `precision`",
        ),
        (
            "[analysis]\nwindow = \"1 ns\"\n[[stage]]",
            "[input/conflict] in.toml:8:1 <window> [analysis]: `window` has no place here, because chains that are sampled have no forces",
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
            "[input/bad-value] in.toml:8:26 <0> `table` in [output]: `every_sweeps` must be at least 1, but is 0; write for example every_sweeps = 1000",
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
            "[input/bad-value] in.toml:8:10 <0> stage \"stage-1\": `sweeps` must be at least 1, but is 0; write for example sweeps = 1_000_000",
        ),
        (
            "sweeps = 300_000_000_000_000",
            "[input/steps] in.toml:8:10 <300_000_000_000_000> stage \"stage-1\": `sweeps` is 300000000000000 sweeps, more than the 2^48 = 281474976710656 that a run may have",
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
