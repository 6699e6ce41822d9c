//! Inputs of bead models: what they mean, in both units and in sweeps.

use std::path::Path;

use crate::common::{assert_fixed_point, complaint, parse, parse_with, write};
use beadwork_input::{Request, TEMPLATE_BEADS, TEMPLATE_OSCILLATORS, TrajectoryKind};
use beadwork_model::observables::Observable;
use beadwork_model::potentials::pair::{
    AshbaughHatch, DebyeHuckel, DpdConservative, ForceShiftedLennardJones, LennardJones, Morse,
    PairTable, PairTerm, SixthPowerRepulsion, WangFrenkel,
};
use beadwork_model::potentials::{
    CosineAngle, FeneBond, HarmonicBond, NativeContact, PairNoise, PairPotential,
};
use beadwork_model::units::COULOMB;
use beadwork_model::{Boundary, ForceUnit, Integrator, System, Units};

/// Two molecules of three beads in a box.
pub const BUILT: &str = r#"[system]
model = "beads"
units = "reduced"
box = [6, 6, 6]
build = { molecule = "A2B", count = 2 }
types = [ { name = "A", mass = 1.0 }, { name = "B", mass = 2.0 } ]
bonds = [ { kind = "harmonic", stiffness = 4.0, length = 0.5 } ]
pairs = [ { kind = "dpd", repulsion = { AA = 25.0, BB = 30.0, AB = 50.0 }, cutoff = 1.0, friction = 4.5 } ]
exclude = 0

[dynamics]
integrator = "velocity-verlet"
timestep = 0.04

[[stage]]
steps = 10
"#;

pub fn read(text: &str) -> Request {
    let request = parse(Path::new("."), text).unwrap_or_else(|error| panic!("{error}"));
    assert_fixed_point(&request);
    request
}

pub fn system(text: &str) -> System {
    read(text).points[0].system.as_ref().clone()
}

/// A table of the only pair term.
fn only_table<F>(system: &System) -> &PairTable<F>
where
    for<'a> &'a PairTable<F>: TryFrom<&'a PairTerm>,
{
    assert_eq!(system.interactions.pairs.len(), 1);
    system.interactions.pairs_by().unwrap()
}

/// The input with another list of pairs, in reduced units.
fn with_pairs(pairs: &str) -> String {
    let lines = BUILT.lines().map(|line| match line.starts_with("pairs") {
        true => format!("pairs = [ {pairs} ]\n"),
        false => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn every_default_of_beads_is_spelled_out() {
    let request = read(BUILT);
    let system = &request.points[0].system;
    let unit = ForceUnit::of(system).unit;
    let expected = format!(
        r#"[system]
model = "beads"
units = "reduced"
build = {{ molecules = [{{ molecule = "A2B", count = 2 }}], placement = "lattice" }}
box = [6, 6, 6]
types = [
    {{ name = "A", mass = 1.0 }},
    {{ name = "B", mass = 2.0 }},
]
pairs = [{{ kind = "dpd", repulsion = {{ AA = 25.0, AB = 50.0, BB = 30.0 }}, cutoff = 1.0, friction = 4.5, noise = "uniform" }}]
bonds = [{{ kind = "harmonic", between = "chain", stiffness = 4.0, length = 0.5 }}]
exclude = 0
force_unit = "2^{:.0}"

[dynamics]
integrator = "velocity-verlet"
temperature = 1.0
collision_rate = 0.0
timestep = 0.04
precision = "single"
skin = 0.4
"#,
        unit.log2()
    );
    assert!(request.resolved.starts_with(&expected), "{}", request.resolved);
    assert_eq!(unit.log2().fract(), 0.0);
}

/// Points of a sweep have units of their own, and the resolved form has room for one.
#[test]
fn a_sweep_over_units_of_forces_is_read_again() {
    let bond = |stiffness: f64| {
        format!("[ {{ kind = \"harmonic\", stiffness = {stiffness}, length = 0.5 }} ]")
    };
    let short = BUILT.replace("timestep = 0.04", "timestep = 0.001");
    for (other, is_named) in [(4.01, true), (4e4, false)] {
        let bonds = [bond(4.0), bond(other)].join(", ");
        let request = read(&format!("{short}\n[ensemble.sweep]\n\"system.bonds\" = [{bonds}]\n"));
        let [one, two] = [0, 1].map(|point| ForceUnit::of(&request.points[point].system).unit);
        assert_eq!(one == two, is_named);
        assert_eq!(request.resolved.contains("force_unit = "), is_named, "{}", request.resolved);
    }
}

#[test]
fn the_template_of_beads_is_an_input() {
    let request = read(TEMPLATE_BEADS);
    let point = &request.points[0];
    assert_eq!(point.system.beads(), 12 * 16 + 1344);
    assert_eq!(point.system.counts.bonds, 12 * 15);
    assert!(request.warnings.is_empty(), "{:?}", request.warnings);
}

#[test]
fn built_molecules_have_types_masses_bonds_and_pairs() {
    let system = system(BUILT);
    assert_eq!((system.beads(), system.units), (6, Units::Reduced));
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [6.0; 3] });
    assert_eq!(system.particles.types, [0, 0, 1, 0, 0, 1]);
    assert_eq!(system.particles.molecules, [0, 0, 0, 1, 1, 1]);
    assert_eq!(system.masses(0..3).collect::<Vec<_>>(), [1.0, 1.0, 2.0]);
    assert_eq!(system.bonds(), [(0, 1), (1, 2), (3, 4), (4, 5)]);
    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    assert_eq!(bonds[0].potential, HarmonicBond { stiffness: 4.0, length: 0.5 });
    let soft: &PairTable<DpdConservative> = only_table(&system);
    let strengths =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| soft.between(a, b).potential.strength);
    assert_eq!(strengths, [25.0, 50.0, 50.0, 30.0]);
    let thermostat = system.interactions.thermostat.as_ref().unwrap();
    assert_eq!(thermostat.noise, PairNoise::Uniform);
    assert_eq!(thermostat.table.between(0, 1).potential.friction, 4.5);
}

/// Each formula with parameters by types; values of unlike types follow by the rules of Lorentz and Berthelot.
#[test]
fn every_pair_formula_is_read_with_its_parameters() {
    let read = |pairs: &str| system(&with_pairs(pairs));
    let found = read(
        "{ kind = \"lennard-jones\", depth = { A = 1.0, B = 4.0 }, diameter = { A = 0.8, B = 1.2, BA = 0.9 }, cutoff = 2.5 }",
    );
    let table: &PairTable<LennardJones> = only_table(&found);
    assert_eq!(table.between(0, 1).potential, LennardJones::shifted(2.0, 0.9, 2.5));
    assert_eq!(table.between(1, 1).potential, LennardJones::shifted(4.0, 1.2, 2.5));
    let found = read(
        "{ kind = \"lennard-jones\", depth = 1.0, diameter = { A = 0.8, B = 1.2 }, cutoff = { A-A = 2.0, AB = 2.5, BB = 3.0 }, shift = \"force\" }",
    );
    let table: &PairTable<ForceShiftedLennardJones> = only_table(&found);
    assert_eq!(table.between(1, 0).potential, ForceShiftedLennardJones::new(1.0, 1.0, 2.5));
    assert_eq!(table.between(1, 1).cutoff, 3.0);
    let found = read(
        "{ kind = \"lennard-jones\", depth = 1.0, diameter = 1.0, cutoff = 2.5, shift = \"none\" }",
    );
    let table: &PairTable<LennardJones> = only_table(&found);
    assert_eq!(table.between(0, 0).potential, LennardJones::cut(1.0, 1.0, 2.5));
    let found = read("{ kind = \"wca\", depth = 1.0, diameter = { A = 1.0, B = 0.5 } }");
    let table: &PairTable<LennardJones> = only_table(&found);
    let expected = LennardJones::weeks_chandler_andersen(1.0, 0.75);
    assert_eq!(table.between(0, 1).potential, expected);
    assert_eq!(table.between(0, 1).cutoff, expected.cutoff);
    let found = read(
        "{ kind = \"ashbaugh-hatch\", depth = 0.2, diameter = 1.0, stickiness = { A = 0.2, B = 0.6 }, cutoff = 3.0 }",
    );
    let table: &PairTable<AshbaughHatch> = only_table(&found);
    assert_eq!(table.between(0, 1).potential, AshbaughHatch::shifted(0.2, 1.0, 0.4, 3.0));
    let found =
        read("{ kind = \"wang-frenkel\", depth = 0.2, diameter = 1.0, cutoff = 3.0, mu = 2 }");
    let table: &PairTable<WangFrenkel> = only_table(&found);
    assert_eq!(table.between(0, 1).potential, WangFrenkel::new(0.2, 1.0, 3.0, 2, 1));
    let found =
        read("{ kind = \"morse\", depth = 2.0, steepness = 3.0, length = 1.1, cutoff = 2.8 }");
    let table: &PairTable<Morse> = only_table(&found);
    assert_eq!(table.between(0, 1).potential, Morse::shifted(2.0, 3.0, 1.1, 2.8));
    let found = read("{ kind = \"sixth-power\", strength = 2.0, diameter = 1.5, cutoff = 2.9 }");
    let table: &PairTable<SixthPowerRepulsion> = only_table(&found);
    let expected = SixthPowerRepulsion { strength: 2.0, diameter: 1.5 };
    assert_eq!(table.between(1, 1).potential, expected);
    let found = read(
        "{ kind = \"dpd-thermostat\", friction = { AA = 1.0, AB = 2.0, BB = 0.0 }, cutoff = 1.0, noise = \"normal\" }",
    );
    let thermostat = found.interactions.thermostat.as_ref().unwrap();
    assert_eq!((found.interactions.pairs.len(), thermostat.noise), (0, PairNoise::Normal));
    assert_eq!(thermostat.table.between(1, 1).cutoff, 0.0);
}

#[test]
fn charges_make_types_and_act_by_debye_huckel() {
    let text = with_pairs(
        "{ kind = \"debye-huckel\", strength = 3.0, screening_length = 0.5, cutoff = 2.0 }",
    );
    let charged = text.replace("mass = 2.0", "mass = 2.0, charge = -2.0");
    let found = system(&charged);
    assert_eq!(found.particles.charges, [0.0, 0.0, -2.0, 0.0, 0.0, -2.0]);
    let table: &PairTable<DebyeHuckel> = only_table(&found);
    assert_eq!(table.between(1, 1).potential, DebyeHuckel::shifted(12.0, 2.0, 2.0));
    assert_eq!((table.between(0, 0).cutoff, table.between(1, 1).cutoff), (0.0, 2.0));
    // Without the term charges do nothing, and the input says so.
    let mute = read(&BUILT.replace("mass = 2.0", "mass = 2.0, charge = -2.0"));
    assert!(mute.warnings[0].starts_with("beads have charges, and no term"), "{:?}", mute.warnings);
    // In real units the permittivity gives the strength.
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "two.csv", "x,y,z,type,charge,mass\n0,0,0,N,1,10\n6,0,0,N,-1,10\n");
    let text = r#"[system]
model = "beads"
start = "two.csv"
pairs = [ { kind = "debye-huckel", permittivity = 80.0, screening_length = "1 nm", cutoff = "3 nm" } ]

[dynamics]
timestep = "10 fs"

[[stage]]
steps = 10
"#;
    let request = parse(folder.path(), text).unwrap();
    let system = &request.points[0].system;
    // Beads of one name with two charges are of two types.
    assert_eq!(system.particles.types, [0, 1]);
    let energy = system.energies(&system.particles.positions).charges;
    let expected = DebyeHuckel::shifted(-COULOMB / 80.0, 0.1, 30.0).energy(36.0);
    assert_eq!(energy, expected);
    assert_eq!(request.points[0].protocol.dynamics.integrator, Integrator::Langevin);
}

#[test]
fn bonds_angles_and_exclusions_follow_the_input() {
    let text = BUILT
        .replace("[6, 6, 6]", "[30, 30, 30]")
        .replace("count = 2 }", "count = 9 }")
        .replace("length = 0.5 }", "length = \"start\" }, { kind = \"native-contact\", between = [[0, 2]], depth = 1.5, length = 1.0 }")
        .replace("exclude = 0", "exclude = { bonds = 2, list = [[0, 5]] }\nangles = [ { kind = \"cosine\", stiffness = 2.0 } ]");
    let found = system(&text);
    let bonds = found.interactions.bonded_by::<HarmonicBond>();
    let at = |bead: usize| found.particles.positions[bead];
    let distance = found.boundary.squared_distance(at(0), at(1)).sqrt();
    assert_eq!(bonds[0].potential.length, distance);
    let contacts = found.interactions.bonded_by::<NativeContact>();
    assert_eq!((contacts[0].i, contacts[0].j, contacts[0].potential.depth), (0, 2, 1.5));
    let expected = [(0, 1), (0, 2), (0, 5), (1, 2), (3, 4), (3, 5), (4, 5), (6, 7)];
    assert_eq!(found.interactions.excluded[..8], expected);
    let beadwork_model::potentials::angle::AngleTerm::CosineAngle(angles) =
        &found.interactions.angles[0]
    else {
        panic!("{:?}", found.interactions.angles)
    };
    assert_eq!([angles[0].beads, angles[1].beads], [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(angles[0].potential, CosineAngle { stiffness: 2.0 });
    // The bond of Kremer and Grest: about no length, with a limit.
    let fene = BUILT.replace(
        "\"harmonic\", stiffness = 4.0, length = 0.5",
        "\"fene\", stiffness = 30.0, limit = 5.0",
    );
    let bonds = system(&fene);
    let bonds = bonds.interactions.bonded_by::<FeneBond>();
    assert_eq!(bonds[0].potential, FeneBond { stiffness: 30.0, limit: 5.0, length: 0.0 });
    // An elastic network of near beads of a molecule.
    let near = BUILT.replace(
        "\"harmonic\", stiffness = 4.0, length = 0.5",
        "\"elastic-network\", between = \"near\", within = 100.0, stiffness = 1.0, length = \"start\"",
    );
    assert_eq!(system(&near).counts.bonds, 6);
}

#[test]
fn reduced_times_drives_stops_and_ladders_have_no_units() {
    let text = r#"[system]
model = "beads"
units = "reduced"
build = { molecule = "A4", count = 1 }
box = [9, 9, 9]
bonds = [ { kind = "harmonic", stiffness = 10.0, length = 1.0 } ]

[dynamics]
collision_rate = 1.0
timestep = 0.01

[[stage]]
name = "cool"
minimise = { tolerance = 0.1 }

[[stage]]
name = "run"
duration = 5
stop = "radius_of_gyration > 3"

[exchange]
temperatures = [0.5, 1.0]
every = 0.5

[output]
table = { every = 0.1 }
trajectory = { every_steps = 5 }
"#;
    let request = read(&text.replace("stop = \"radius_of_gyration > 3\"\n", ""));
    let point = &request.points[0];
    assert_eq!(point.protocol.stages[1].steps(), 500);
    assert_eq!(request.output.table_every, 10);
    let exchange = point.exchange.as_ref().unwrap();
    assert_eq!((exchange.every, exchange.temperatures.as_slice()), (50, &[0.5, 1.0][..]));
    let alone = text.replace("[exchange]\ntemperatures = [0.5, 1.0]\nevery = 0.5\n", "");
    let request = read(&alone);
    let rule = &request.points[0].protocol.stages[1].stops[0];
    assert_eq!(rule.column, Observable::RadiusOfGyration.into());
    assert_eq!(rule.threshold, 3.0);
    let longer = parse_with(Path::new("."), &alone, &[("run.duration", "7.5")]).unwrap();
    assert_eq!(longer.points[0].protocol.stages[1].steps(), 750);
}

/// A sweep may name an entry of a list, as in `system.pairs.1.repulsion.AB`.
#[test]
fn sweeps_and_overrides_reach_entries_of_lists() {
    let text =
        format!("{BUILT}\n[ensemble.sweep]\n\"system.pairs.1.repulsion.AB\" = [40.0, 60.0]\n");
    let request = read(&text);
    let strength = |point: usize| {
        let table: &PairTable<DpdConservative> = only_table(&request.points[point].system);
        table.between(0, 1).potential.strength
    };
    assert_eq!([strength(0), strength(1)], [40.0, 60.0]);
    let with = |path: &str, value: &str| parse_with(Path::new("."), BUILT, &[(path, value)]);
    let found = with("system.box.2", "7").unwrap();
    let boundary = found.points[0].system.boundary;
    assert_eq!(boundary, Boundary::Periodic { lengths: [6.0, 7.0, 6.0] });
    for (path, part) in [
        (
            "system.pairs.2.friction",
            "`2` is not the number of an entry; the list has 1, counted from 1; did you mean `system.pairs.1.friction`?",
        ),
        ("system.pairs.repulsion.AB", "; did you mean `system.pairs.1.repulsion.AB`?"),
        ("system.pairs.repulsoin.AB", "; did you mean `system.pairs.1.repulsion.AB`?"),
        ("system.pairs.dpd.repulsion.AB", "; did you mean `system.pairs.1.repulsion.AB`?"),
        ("system.types.B.mass", "; did you mean `system.types.2.mass`?"),
        ("system.types.mass", "; did you mean `system.types.1.mass` or `system.types.2.mass`?"),
        ("system.build.3.count", "; did you mean `system.build.1.count`?"),
        ("system.pairs.0.friction", "`0` is not the number of an entry"),
        ("system.pairs.01.friction", "`01` is not the number of an entry"),
        ("system.pairs.friction", "`friction` is not the number of an entry"),
        ("system.box.1.x", "cannot be set in what is not a table"),
    ] {
        let error = with(path, "1").unwrap_err();
        assert_eq!(error.code(), "input/path", "{path}");
        assert!(error.to_string().contains(part), "{path}: {error}");
    }
    // Nothing is near, and so nothing is proposed.
    let error = with("system.pairs.zzz.yyy", "1").unwrap_err().to_string();
    assert!(error.contains("counted from 1") && !error.contains("did you mean"), "{error}");
    // A sweep says the same.
    let swept = format!("{BUILT}\n[ensemble.sweep]\n\"system.pairs.repulsion.AB\" = [40.0]\n");
    let error = parse(Path::new("."), &swept).unwrap_err().to_string();
    assert!(error.contains("did you mean `system.pairs.1.repulsion.AB`?"), "{error}");
}

#[test]
fn frames_of_beads_may_be_written_as_gsd() {
    let output = "\n[output]\ntrajectory = { every_steps = 5, format = \"gsd\" }\n";
    let request = read(&(BUILT.to_owned() + output));
    assert_eq!(request.output.trajectory, Some((5, TrajectoryKind::Gsd)));
    let text = TEMPLATE_OSCILLATORS.replacen("format = \"xtc\"", "format = \"gsd\"", 1);
    let said = complaint(&parse(Path::new("."), &text).unwrap_err());
    assert!(said.contains("cannot be \"gsd\", which is for model = \"beads\""), "{said}");
}

/// A path of a sweep means the same in the resolved form, where values may be written at greater length.
#[test]
fn sweeps_over_beads_are_read_again() {
    let text = BUILT.replace("AB = 50.0", "BA = 50.0");
    for (path, values) in [
        ("system.box", "[[6, 6, 6], [7, 6, 6]]"),
        ("system.box.1", "[6, 7]"),
        ("system.types.2.mass", "[1.0, 2.0]"),
        ("system.pairs.1.repulsion", "[25.0, { AA = 1.0, AB = 2.0, BB = 3.0 }]"),
        ("system.pairs.1.repulsion.BA", "[1.0, 2.0]"),
        ("system.pairs.1.cutoff", "[0.9, 1.0]"),
        ("system.pairs.1.noise", "[\"uniform\", \"normal\"]"),
        ("system.bonds.1.length", "[0.5, 0.6]"),
        ("system.exclude", "[0, 1]"),
        ("dynamics.temperature", "[1.0, 2.0]"),
        ("dynamics.collision_rate", "[0.0, 1.0]"),
        ("random.seed", "[1, 2]"),
    ] {
        let swept = format!("{text}\n[ensemble.sweep]\n\"{path}\" = {values}\n");
        let request = parse(Path::new("."), &swept);
        let request = request.unwrap_or_else(|error| panic!("{path}: {}", complaint(&error)));
        assert_fixed_point(&request);
        assert_eq!(request.points.len(), 2, "{path}");
    }
}
