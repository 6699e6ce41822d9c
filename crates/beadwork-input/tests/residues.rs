//! Inputs of proteins with a bead for each residue, and of integrators with velocities: their meaning, and refusals.

use std::path::Path;

use crate::common::{SMALL, assert_fixed_point, complaint, parse, parse_with, write};
use beadwork_input::{Request, TEMPLATE_RESIDUES};
use beadwork_model::force_fields::residues::{ResidueModel, Residues};
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Integrator, Model};

const PLAIN: &str =
    "[system]\nmodel = \"residues\"\nsequence = \"GSKHE\"\n\n[[stage]]\nsteps = 10\n";
const FASTA: &str = ">one first\nGSKHE\n>two\nGSGSGSK\n>three\nAAEEK\n";

fn read(text: &str) -> Request {
    let request = parse(Path::new("."), text).unwrap_or_else(|error| panic!("{error}"));
    assert_fixed_point(&request);
    request
}

fn residues(request: &Request, point: usize) -> Residues {
    match request.points[point].system.model {
        Model::Residues(residues) => residues,
        model => panic!("{model:?}"),
    }
}

fn with_fasta() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "proteins.fasta", FASTA);
    let text = PLAIN.replace("\"GSKHE\"", "{ file = \"proteins.fasta\" }");
    (folder, text)
}

/// The refusal of an input with a change: what to replace, and by what.
fn refusal(text: &str, replace: [&str; 2]) -> String {
    assert!(text.contains(replace[0]), "{text} has no {}", replace[0]);
    let text = text.replacen(replace[0], replace[1], 1);
    complaint(&parse(Path::new("."), &text).unwrap_err())
}

#[test]
fn every_default_of_residues_is_spelled_out() {
    let request = read(PLAIN);
    let expected = r#"[system]
model = "residues"
force_field = "calvados3"
sequence = "GSKHE"
solution = { ionic_strength = "0.15 M", ph = 7.0, temperature = "automatic" }
charged_ends = "both"

[dynamics]
integrator = "langevin"
temperature = "298 K"
collision_rate = "0.01 /ps"
timestep = "10 fs"
precision = "single"
skin = "4 A"
"#;
    let (found, _) = request.resolved.split_at(expected.len().min(request.resolved.len()));
    assert_eq!(found, expected);
    let point = &request.points[0];
    let dynamics = &point.protocol.dynamics;
    assert_eq!((dynamics.integrator, dynamics.timestep), (Integrator::Langevin, 0.01));
    let built = residues(&request, 0);
    assert_eq!(built.model, ResidueModel::Calvados3);
    assert!((built.solution.temperature - 298.0).abs() < 1e-9);
    // γ m, with masses in Da and frictions in kcal ps/(mol Å²).
    for kind in &point.system.types {
        let rate = kind.friction.unwrap() / kind.mass * 418.4;
        assert!((rate - 0.01).abs() < 1e-15, "{kind:?}");
    }
}

#[test]
fn water_follows_the_temperature_of_the_dynamics_unless_it_has_its_own() {
    let text =
        format!("{PLAIN}[ensemble.sweep]\n\"dynamics.temperature\" = [\"280 K\", \"300 K\"]\n");
    let request = read(&text);
    let own = |point: usize| residues(&request, point).solution.temperature;
    assert!((own(0) - 280.0).abs() < 1e-9 && (own(1) - 300.0).abs() < 1e-9);
    let fixed = text.replace("[[stage]]", "solution = { temperature = \"298 K\" }\n[[stage]]");
    let request = read(&fixed);
    assert_eq!(request.points[0].system, request.points[1].system);
    let cold = request.points[0].protocol.dynamics.temperature / BOLTZMANN;
    assert!((cold - 280.0).abs() < 1e-9);
}

#[test]
fn replicas_that_exchange_temperatures_need_the_temperature_of_the_water() {
    let exchange = "[exchange]\ntemperatures = [\"280 K\", \"300 K\"]\nevery_steps = 5\n[[stage]]";
    let text = PLAIN.replace("[[stage]]", exchange);
    let refused = complaint(&parse(Path::new("."), &text).unwrap_err());
    assert!(refused.contains("temperature = \"298 K\", at which water screens"), "{refused}");
    let request =
        read(&text.replace("[exchange]", "solution = { temperature = \"290 K\" }\n[exchange]"));
    assert_eq!(request.points[0].exchange.as_ref().unwrap().temperatures.len(), 2);
}

#[test]
fn a_sequence_comes_from_a_file_of_one_or_many() {
    let (folder, text) = with_fasta();
    let refused = complaint(&parse(folder.path(), &text).unwrap_err());
    assert!(refused.contains("the file has 3 sequences: choose one by `name`"), "{refused}");
    assert!(refused.contains("there are one, two, three"), "{refused}");
    let one = parse_with(folder.path(), &text, &[("system.sequence.name", "two")]).unwrap();
    assert_fixed_point(&one);
    assert_eq!(one.points[0].system.beads(), 7);
    let unknown = parse_with(folder.path(), &text, &[("system.sequence.name", "four")]);
    let refused = complaint(&unknown.unwrap_err());
    assert!(
        refused.contains("is in no record of the file; there are one, two, three"),
        "{refused}"
    );
}

#[test]
fn a_sweep_runs_all_sequences_of_a_file() {
    let (folder, text) = with_fasta();
    let all = format!("{text}[ensemble.sweep]\n\"system.sequence.name\" = \"all\"\n");
    let request = parse(folder.path(), &all).unwrap();
    assert_fixed_point(&request);
    let beads: Vec<usize> = request.points.iter().map(|point| point.system.beads()).collect();
    assert_eq!(beads, [5, 7, 5]);
    assert_eq!(request.points[2].settings_in_words(), "system.sequence.name = three");
    // Setting the file beside a sweep over its names changes what is read.
    write(folder.path(), "other.fasta", ">four\nGSKHEGS\n");
    let other = [("system.sequence", "{ file = \"other.fasta\" }")];
    let request = parse_with(folder.path(), &all, &other).unwrap();
    assert_eq!(request.points[0].settings_in_words(), "system.sequence.name = four");
    let dotted = all.replace("\"system.sequence.name\"", "system.sequence.name");
    assert_eq!(parse(folder.path(), &dotted).unwrap().points.len(), 3);
    let without = all.replace("{ file = \"proteins.fasta\" }", "\"GSKHE\"");
    let refused = complaint(&parse(folder.path(), &without).unwrap_err());
    assert!(refused.contains("needs the file of the sequences"), "{refused}");
}

#[test]
fn domains_are_held_in_the_shape_of_the_structure() {
    let folder = tempfile::tempdir().unwrap();
    let ubiquitin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/01-ubiquitin/1UBQ.pdb");
    std::fs::copy(ubiquitin, folder.path().join("1UBQ.pdb")).unwrap();
    let text = PLAIN.replace(
        "sequence = \"GSKHE\"",
        "structure = { file = \"1UBQ.pdb\", chains = \"A\" }\ndomains = [[1, 72]]",
    );
    let request = parse(folder.path(), &text).unwrap();
    assert_fixed_point(&request);
    let system = &request.points[0].system;
    // 75 bonds and 324 springs leave no pair potential between these beads.
    assert_eq!((system.beads(), system.interactions.excluded.len()), (76, 75 + 324));
    let refused = |replace: [&str; 2]| {
        let text = text.replacen(replace[0], replace[1], 1);
        complaint(&parse(folder.path(), &text).unwrap_err())
    };
    let outside = refused(["[[1, 72]]", "[[1, 80]]"]);
    assert!(
        outside.contains("is not within the sequence, whose residues count from 1 to 76"),
        "{outside}"
    );
    let words = refused(["[[1, 72]]", "\"1-72\""]);
    assert!(words.contains("must be a list of ranges of residues, such as [[11, 89]]"), "{words}");
    let other = refused(["model = \"residues\"", "model = \"residues\"\nforce_field = \"mpipi\""]);
    assert!(other.contains("are part of \"calvados3\" alone"), "{other}");
    let part = refused(["chains = \"A\"", "select = \"residue 1-40\""]);
    assert!(part.contains("chains of residues are whole"), "{part}");
}

#[test]
fn what_residues_cannot_be_is_refused_with_a_remedy() {
    let cases = [
        (
            ["\"GSKHE\"", "\"GSXHE\""],
            "chain sequence: residue 3: 'X' is no amino acid of the model",
        ),
        (["\"GSKHE\"", "\"G\""], "chain sequence"),
        (["sequence = \"GSKHE\"\n", ""], "neither `sequence` nor `structure` is given"),
        (
            ["sequence", "domains = [[1, 3]]\nsequence"],
            "are held in the shape that they have in a structure",
        ),
        (
            ["sequence", "solution = { ionic_strength = \"-0.1 M\" }\nsequence"],
            "must not be negative",
        ),
        (
            ["sequence", "solution = { ionic_strength = \"0.1\" }\nsequence"],
            "a concentration such as",
        ),
        (
            ["sequence", "force_field = \"hps-urry\"\nsolution = { ph = 5.0 }\nsequence"],
            "charges and screening are fixed numbers of \"hps-urry\"",
        ),
        (["sequence", "force_field = \"calvados\"\nsequence"], "did you mean \"calvados3\"?"),
        (
            ["[[stage]]", "[dynamics]\ntimestep = \"90 fs\"\n[[stage]]"],
            "2 h sqrt(k/m) is 2.10, and from 2 on bonds gain energy until the run explodes; use at most 0.027 ps",
        ),
        (
            [
                "[[stage]]",
                "[dynamics]\nintegrator = \"brownian\"\ncollision_rate = \"1 /ps\"\n[[stage]]",
            ],
            "beads without velocities do not collide",
        ),
        (
            ["[[stage]]", "[dynamics]\ndiffusion = \"1 nm^2/ns\"\n[[stage]]"],
            "beads with velocities have a friction or a collision rate",
        ),
        (
            ["[[stage]]", "[dynamics]\ncollision_rate = \"0.1 ps\"\n[[stage]]"],
            "a rate such as \"0.01 /ps\"",
        ),
    ];
    let hot = ["[[stage]]", "[dynamics]\ntemperature = \"1000 K\"\n[[stage]]"];
    assert!(refusal(PLAIN, hot).contains("is far from that of liquid water"));
    let file = ["\"GSKHE\"", "\"my.fasta\""];
    assert!(refusal(PLAIN, file).contains("write sequence = { file = \"my.fasta\" }"));
    let bare = ["sequence", "solution = { temperature = 298 }\nsequence"];
    assert!(refusal(PLAIN, bare).contains("write its unit, in quotes"));
    for (replace, expected) in cases {
        let refused = refusal(PLAIN, replace);
        assert!(refused.contains(expected), "{refused}\nlacks: {expected}");
    }
}

#[test]
fn a_long_time_step_is_warned_of() {
    let text = PLAIN.replace("[[stage]]", "[dynamics]\ntimestep = \"40 fs\"\n[[stage]]");
    let warnings = read(&text).warnings;
    assert!(warnings.iter().any(|one| one.contains("2 h sqrt(k/m) is 0.9")), "{warnings:?}");
}

#[test]
fn proteins_of_any_model_may_have_velocities() {
    let folder = crate::common::folder();
    let text =
        SMALL.replace("[[stage]]", "[dynamics]\nintegrator = \"velocity-verlet\"\n[[stage]]");
    let request = parse(folder.path(), &text).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    assert_eq!(point.protocol.dynamics.integrator, Integrator::VelocityVerlet);
    assert!(!point.system.has_friction(&point.protocol.dynamics));
    let friction = text.replace("[[stage]]", "friction = \"10 pN ps/nm\"\n[[stage]]");
    let request = parse(folder.path(), &friction).unwrap();
    let point = &request.points[0];
    assert!(point.system.types.iter().all(|kind| kind.friction.is_none()));
    assert!(point.system.has_friction(&point.protocol.dynamics));
    let oscillators = "[system]\nmodel = \"oscillators\"\nparticles = 5\n[dynamics]\nintegrator = \"langevin\"\n[[stage]]\nsteps = 10\n";
    let refused = complaint(&parse(folder.path(), oscillators).unwrap_err());
    assert!(refused.contains("it may be \"brownian\", \"brownian-second-order\""), "{refused}");
}

#[test]
fn the_template_can_be_read() {
    let request = read(TEMPLATE_RESIDUES);
    assert_eq!(request.members(), 4);
    assert!(request.warnings.is_empty(), "{:?}", request.warnings);
    let exchange = TEMPLATE_RESIDUES
        .replace("# [exchange]\n# temperatures", "[exchange]\ntemperatures")
        .replace("# every = \"10 ps\"", "every = \"10 ps\"")
        .replace("replicas = 4", "")
        .replace("temperature = \"298 K\"\ncollision", "collision")
        .replace("ph = 7.0 }", "ph = 7.0, temperature = \"298 K\" }");
    assert_eq!(read(&exchange).members(), 8);
}
