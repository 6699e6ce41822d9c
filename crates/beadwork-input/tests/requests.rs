//! The meaning of requests: values, defaults and the resolved form.

use std::path::Path;

use crate::common::{SMALL, assert_fixed_point, folder, parse, pdb, snake, write};
use beadwork_input::{OnFailure, TEMPLATE_OSCILLATORS, TEMPLATE_SOP, TrajectoryKind};
use beadwork_model::externals::External;
use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
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
