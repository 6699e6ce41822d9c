//! Inputs of bead models: what they mean, in both units and from each kind of start, and refusals.

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
const BUILT: &str = r#"[system]
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

fn read(text: &str) -> Request {
    let request = parse(Path::new("."), text).unwrap_or_else(|error| panic!("{error}"));
    assert_fixed_point(&request);
    request
}

fn system(text: &str) -> System {
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

/// The refusal of an input with a change: what to replace, and by what.
fn refusal(replace: &str, by: &str) -> String {
    assert!(BUILT.contains(replace), "no {replace}");
    let text = BUILT.replacen(replace, by, 1);
    complaint(&parse(Path::new("."), &text).unwrap_err())
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

const LAMMPS: &str = "two molecules

6 atoms
4 bonds
2 atom types
1 bond types

0 5 xlo xhi
0 6 ylo yhi
0 7 zlo zhi

Masses

1 1.5 # A
2 3 # B

Atoms # molecular

2 1 1 1 0.5 0.5 0 0 0
1 1 1 0.2 0.5 0.5 0 0 0
3 1 2 0.1 0.5 0.5 1 0 0
4 2 1 3 3 3 0 0 0
5 2 1 3.5 3 3 0 0 0
6 2 2 4 3 3 0 0 0

Bonds

1 1 1 2
2 1 2 3
3 1 4 5
4 1 5 6
";

#[test]
fn a_lammps_file_gives_beads_box_images_masses_and_bonds() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "two.data", LAMMPS);
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "two.data" }
box = "file"
bonds = [ { kind = "harmonic", stiffness = { AA = 10.0, AB = 20.0, BB = 10.0 }, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
duration = 0.1
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let system = &point.system;
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [5.0, 6.0, 7.0] });
    // Bead 3 has crossed a face.
    assert_eq!(system.particles.positions[2], [5.1, 0.5, 0.5]);
    assert_eq!(system.masses(0..3).collect::<Vec<_>>(), [1.5, 1.5, 3.0]);
    assert_eq!(system.bonds(), [(0, 1), (1, 2), (3, 4), (4, 5)]);
    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    assert_eq!(bonds[1].potential.stiffness, 20.0);
    // A collision rate of 0.5 makes frictions of half the masses.
    assert_eq!(system.types[1].friction, Some(1.5));
    assert_eq!(point.protocol.stages[0].steps(), 10);
    assert_eq!(request.files[0].name, "inputs/two.data");
    let odd = text.replace("kind = \"harmonic\"", "kind = \"harmonic\", number = 3");
    let said = complaint(&parse(folder.path(), &odd).unwrap_err());
    assert!(said.contains("is no type of the start file, which has 1"), "{said}");
    let some = text.replace("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 1]]");
    let warnings = parse(folder.path(), &some).unwrap().warnings;
    assert!(warnings[0].contains("acts on 3 of the 4 bonds"), "{warnings:?}");
    let undecided = text.replace("box = \"file\"\n", "");
    let said = complaint(&parse(folder.path(), &undecided).unwrap_err());
    assert!(said.contains("has a box of 5 x 6 x 7: write box = \"file\""), "{said}");
}

/// Without image flags, a molecule that a face of the box cuts is joined along its bonds.
#[test]
fn molecules_that_faces_cut_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let lines = LAMMPS.lines().map(|line| match line.strip_suffix(" 0 0") {
        // Beads have image flags of three numbers.
        Some(bead) => format!("{}\n", &bead[..bead.len() - 2]),
        None => format!("{line}\n"),
    });
    let text: String = lines.collect();
    write(folder.path(), "two.data", &text.replace("3 1 2 0.1", "3 1 2 4.9"));
    let input = r#"[system]
model = "beads"
units = "reduced"
start = "two.data"
box = "file"
bonds = [ { kind = "harmonic", stiffness = 10.0, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
steps = 10
"#;
    let request = parse(folder.path(), input).unwrap();
    let positions = &request.points[0].system.particles.positions;
    assert!((positions[2][0] + 0.1).abs() < 1e-12, "{positions:?}");
    assert_eq!(positions[5], [4.0, 3.0, 3.0]);
}

#[test]
fn each_replica_may_have_a_start_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for replica in 0..2 {
        let text = format!(
            "2\nframe 0\nA 0 0 0\nA {} 0 0\n2\nframe 1\nA 0 0 0\nA 0 {} 0\n",
            replica + 1,
            replica + 3
        );
        write(folder.path(), &format!("start_{replica}.xyz"), &text);
    }
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "start_{replica}.xyz", frame = -1 }

[dynamics]
integrator = "brownian"
friction = 1.0
timestep = 0.001

[[stage]]
steps = 10

[ensemble]
replicas = 2
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let starts = request.points[0].starts.as_ref().unwrap();
    assert_eq!([starts[0][1], starts[1][1]], [[0.0, 3.0, 0.0], [0.0, 4.0, 0.0]]);
    // Without bonds each bead is a molecule.
    assert_eq!(request.points[0].system.particles.molecules, [0, 1]);
}

/// Two molecules, one of them cut by the faces of the file's box along x, in 2 x 1 x 3 copies of the box.
#[test]
fn copies_of_a_box_lie_side_by_side_with_whole_molecules() {
    let folder = tempfile::tempdir().unwrap();
    let header =
        "Lattice=\"4 0 0 0 5 0 0 0 6\" Properties=species:S:1:pos:R:3:velo:R:3:molecule:I:1";
    let beads = "A 3.5 1 1 1 0 0 1\nB 0.25 1 1 2 0 0 1\nA 2 2 2 3 0 0 2\nB 2.5 2 2 4 0 0 2\n";
    write(folder.path(), "cell.xyz", &format!("4\n{header}\n{beads}"));
    let text = r#"[system]
model = "beads"
units = "reduced"
start = { file = "cell.xyz", repeat = [2, 1, 3], velocities = "file" }
box = "file"
bonds = [ { kind = "harmonic", stiffness = 10.0, length = 1.0 } ]

[dynamics]
collision_rate = 0.5
timestep = 0.01

[[stage]]
steps = 10
"#;
    let request = parse(folder.path(), text).unwrap();
    assert_fixed_point(&request);
    let point = &request.points[0];
    let system = &point.system;
    assert_eq!(system.boundary, Boundary::Periodic { lengths: [8.0, 5.0, 18.0] });
    assert_eq!(system.beads(), 24);
    let expected: Vec<u32> = (0..12).flat_map(|molecule| [molecule; 2]).collect();
    assert_eq!(system.particles.molecules, expected);
    let pairs: Vec<_> = system.interactions.bonded.iter().flat_map(|term| term.pairs()).collect();
    assert_eq!(pairs, (0..12).map(|k| (2 * k, 2 * k + 1)).collect::<Vec<_>>());
    let positions = &system.particles.positions;
    for &(i, j) in &pairs {
        let along = (positions[j][0] - positions[i][0]).abs();
        assert_eq!(along, if i % 4 == 0 { 0.75 } else { 0.5 }, "{i}: {positions:?}");
    }
    for (i, &one) in positions.iter().enumerate() {
        for (j, &other) in positions.iter().enumerate().skip(i + 1) {
            assert!(system.boundary.squared_distance(one, other) > 0.2, "beads {i} and {j}");
        }
    }
    let velocities = &point.velocities.as_ref().unwrap()[0];
    assert_eq!((velocities[3][0], velocities[21][0]), (4.0, 2.0));
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

/// Units are refused in `[analysis]` too, and the resolved form has none.
#[test]
fn reduced_analysis_has_no_units() {
    let with = |keys: &str| format!("{BUILT}\n[analysis]\n{keys}\n");
    let request = read(&with("window = 0.2\nprominence = 1.5"));
    assert_eq!(request.analysis.window, Some(0.2));
    assert_eq!(request.analysis.prominence, Some(1.5));
    assert!(request.resolved.contains("window = 0.2\nprominence = 1.5\n"), "{}", request.resolved);
    let longer = read(&with("window = 5.0"));
    let warning = "`window` of [analysis] is longer than any";
    assert!(longer.warnings.iter().any(|one| one.contains(warning)), "{:?}", longer.warnings);
    let usual = read(BUILT);
    assert_eq!((usual.analysis.window, usual.analysis.prominence), (None, None));
    let automatic = "window = \"automatic\"\nprominence = \"automatic\"\n";
    assert!(usual.resolved.contains(automatic), "{}", usual.resolved);
    for (keys, part) in [
        (
            "window = \"5 ps\"",
            "`window` must be a number without a unit such as 0.7, without quotes, found the text \"5 ps\"",
        ),
        ("prominence = \"40 pN\"", "`prominence` must be a number without a unit"),
        ("slope = [\"0 nm\", \"1 nm\"]", "`slope` must be a number without a unit"),
        ("slope = \"0 nm, 1 nm\"", "`slope` must be a number without a unit"),
        (
            "hertz = [1.0, 0.0]",
            "`hertz` must be two deformations without units such as [0.0, 3.0], of which the first is",
        ),
    ] {
        let said = complaint(&parse(Path::new("."), &with(keys)).unwrap_err());
        assert!(said.contains(part), "{keys}: {said}");
    }
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
fn mistakes_in_beads_are_explained() {
    let cases = [
        ("units = \"reduced\"", "units = \"lj\"", "may be \"real\", \"reduced\""),
        ("[6, 6, 6]", "[6, 6]", "three sides"),
        ("[6, 6, 6]", "[6, 0, 6]", "must be more than 0"),
        ("[6, 6, 6]", "[1.9, 6, 6]", "less than twice the largest cutoff"),
        ("[6, 6, 6]", "\"sphere\"", "three sides such as [20, 20, 20]"),
        ("box = [6, 6, 6]\n", "", "fills a box"),
        ("\"A2B\"", "\"2A\"", "types with numbers"),
        ("\"A2B\"", "\"A2C\"", "the type C, which `types` lacks"),
        ("count = 2", "count = 1_000_000_000", "a system has at most 2_147_483_647"),
        ("mass = 2.0", "mass = 0.0", "must be more than 0"),
        ("mass = 2.0", "mass = 2.0, friction = 1.0", "the key `friction` is missing"),
        ("name = \"B\"", "name = \"A\"", "that of an earlier type"),
        ("name = \"B\"", "name = \"B C\"", "must be a word without spaces"),
        (
            "repulsion = { AA = 25.0, BB = 30.0, AB = 50.0 }",
            "repulsion = { AA = 25.0, BB = 30.0 }",
            "no value for the types A and B: write `AB`",
        ),
        ("AB = 50.0", "AB = 50.0, BA = 50.0", "is the same as `AB`"),
        ("AB = 50.0", "AC = 50.0", "`AC` is no type of the beads"),
        ("cutoff = 1.0", "cutoff = 0.0", "must be more than 0"),
        ("cutoff = 1.0", "cutoff = \"1 nm\"", "a number without a unit"),
        ("kind = \"dpd\"", "kind = \"dpp\"", "does not know \"dpp\""),
        (
            "friction = 4.5 }",
            "friction = 4.5 }, { kind = \"dpd-thermostat\", friction = 1.0, cutoff = 1.0 }",
            "a second pair thermostat",
        ),
        (
            "\"velocity-verlet\"",
            "\"langevin\"\ncollision_rate = 1.0",
            "a pair thermostat needs the integrator \"velocity-verlet\"",
        ),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 0]]", "names bead 0 twice"),
        (
            "kind = \"harmonic\"",
            "kind = \"harmonic\", between = [[0, 6]]",
            "the last of the 6 beads is 5",
        ),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = [[0, 1, 2]]", "lists of 2 beads"),
        ("kind = \"harmonic\"", "kind = \"harmonic\", between = \"file\"", "no such list"),
        ("kind = \"harmonic\"", "kind = \"harmonic\", number = 1", "it chooses among the bonds"),
        (
            "kind = \"harmonic\"",
            "kind = \"harmonic\", within = 1.0",
            "it belongs to between = \"near\"",
        ),
        ("length = 0.5", "length = 5.0", "not more than twice the length"),
        (", length = 0.5", "", "the key `length` is missing"),
        ("exclude = 0", "exclude = 11", "at most 10 bonds"),
        ("exclude = 0\n", "", "exclude = 0 if they do"),
        (
            "exclude = 0",
            "exclude = 0\nangles = [ { kind = \"cosine\", stiffness = 1.0, between = [[0, 1, 1]] } ]",
            "names bead 1 twice",
        ),
        (
            "exclude = 0",
            "exclude = 0\nangles = [ { kind = \"harmonic\", stiffness = 1.0, angle = 200 } ]",
            "at most 180",
        ),
        ("exclude = 0", "exclude = 0\nforce_unit = \"2^-3\"", "follows from the system"),
        ("timestep = 0.04", "timestep = 1.5", "too long for the stiffest bond"),
        ("timestep = 0.04", "", "the key `timestep` is missing"),
        ("timestep = 0.04", "timestep = \"10 fs\"", "a number without a unit"),
        (
            "kind = \"harmonic\", stiffness = 4.0, length = 0.5",
            "kind = \"fene\", stiffness = 30.0, limit = 0.5",
            "their bond holds within 0 +/- 0.5 only: bonds of a lattice are as long as the density makes them: give `build` placement = \"random\"",
        ),
        (
            "steps = 10",
            "steps = 10\ndrives = [ { kind = \"force\", fixed = \"none\", direction = [1, 0, 0], pulled = \"last\", force = 1.0 } ]",
            "has drives, which need open space (force): leave them out",
        ),
        (
            "steps = 10",
            "steps = 10\ndrives = [ { kind = \"tip\", above = \"all\", radius = 9.0, stiffness = 5.0, friction = 50.0, speed = 0.1 } ]",
            "has drives, which need open space (tip): leave them out",
        ),
        (
            "steps = 10",
            "duration = 0.05",
            "is 0.05, which is 1.25 steps of 0.04: write 0.04 (1 step) or 0.08 (2 steps)",
        ),
    ];
    for (replace, by, part) in cases {
        let said = refusal(replace, by);
        assert!(said.contains(part), "{by}: {said}");
    }
}

/// The advice of the first message is followed by no other.
#[test]
fn a_friction_of_a_type_needs_one_for_the_others() {
    let own = BUILT.replace("mass = 2.0", "mass = 2.0, friction = 1.0");
    let with = |line: &str| own.replace("timestep = 0.04", &format!("timestep = 0.04\n{line}"));
    let missing = complaint(&parse(Path::new("."), &own).unwrap_err());
    assert!(missing.contains("write for example friction = 1.0"), "{missing}");
    let types = system(&with("friction = 1.0")).types;
    assert_eq!([types[0].friction, types[1].friction], [None, Some(1.0)]);
    let rate = complaint(&parse(Path::new("."), &with("collision_rate = 1.0")).unwrap_err());
    assert!(rate.contains("cannot be used with a collision rate"), "{rate}");
}

#[test]
fn starts_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "same.xyz", "2\n\nA 1 1 1\nA 1 1 1\n");
    let charged: String = (0..1_001).map(|bead| format!("{bead},0,0,{bead}\n")).collect();
    write(folder.path(), "charged.csv", &format!("x,y,z,charge\n{charged}"));
    write(folder.path(), "cell.xyz", "2\nLattice=\"4 0 0 0 4 0 0 0 4\"\nA 1 1 1\nA 2 1 1\n");
    let input = |system: &str| {
        format!(
            "[system]\nmodel = \"beads\"\nunits = \"reduced\"\n{system}\n\n[dynamics]\ncollision_rate = 1.0\ntimestep = 0.01\n\n[[stage]]\nsteps = 10\n"
        )
    };
    let cases = [
        (
            "start = \"same.xyz\"\npairs = [ { kind = \"wca\", depth = 1.0, diameter = 1.0 } ]",
            "their energy exceeds 10^12",
        ),
        ("start = \"charged.csv\"", "more than 1000 combinations of type and charge"),
        ("start = \"same.xyz\"\nbox = \"file\"", "has no box"),
        ("start = { file = \"same.xyz\", frame = 3 }", "frame"),
        ("start = { file = \"same.xyz\", repeat = [2, 2, 2] }", "write box = \"file\""),
        ("start = { file = \"same.xyz\", repeat = [2, 2, 2] }\nbox = \"file\"", "has none"),
        (
            "start = { file = \"cell.xyz\", repeat = [10000, 10000, 10000] }\nbox = \"file\"",
            "2_000_000_000_000 beads",
        ),
        ("start = { file = \"same.xyz\", repeat = [2, 0, 2] }\nbox = \"file\"", "of 1 or more"),
        ("start = { file = \"same.xyz\", repeat = 2 }\nbox = \"file\"", "[2, 2, 2], found"),
        ("start = \"same.pbd\"", "same.pbd"),
        (
            "start = \"same.xyz\"\ntypes = [ { name = \"A\", mass = \"5 Da\" } ]",
            "found the text \"5 Da\"",
        ),
        ("", "there are no beads"),
    ];
    for (system, part) in cases {
        let said = complaint(&parse(folder.path(), &input(system)).unwrap_err());
        assert!(said.contains(part), "{system}: {said}");
    }
    // In real units a mass has no default.
    let real = input("start = \"same.xyz\"").replace("units = \"reduced\"\n", "");
    let real = real.replace("1.0", "\"1 /ps\"").replace("0.01", "\"10 fs\"");
    let said = complaint(&parse(folder.path(), &real).unwrap_err());
    assert!(said.contains("has the mass of type A"), "{said}");
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

/// A type that is not there is answered by those that are.
#[test]
fn selections_without_beads_name_the_types() {
    let text = format!("{BUILT}drives = [ {{ kind = \"restrain\", select = \"type Q\" }} ]\n");
    let problem = parse(Path::new("."), &text).unwrap_err().to_string();
    let expected = "the selection \"type Q\" matches no bead; there are types A, B; chains ";
    assert!(problem.contains(expected), "{problem}");
}
