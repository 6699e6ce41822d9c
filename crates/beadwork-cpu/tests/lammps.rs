//! Energies and forces of bead models against those of LAMMPS, in a periodic box and in open space. Beads are at random,
//! some of them on faces, edges and a corner. `validation/lammps/configurations` made what is compared here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside of them")]

use std::path::Path;
use std::sync::Arc;

use beadwork_cpu::{CpuPath, Group, Instructions, Member};
use beadwork_input::load;
use beadwork_model::units::{COULOMB, Units};
use beadwork_model::{Boundary, Dynamics, ForceUnit, Integrator, Precision, Protocol, System};
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/lammps");
/// Systems in the folder.
const SYSTEMS: usize = 10;
/// Rounding as a part of the largest force. Coordinates of up to 16 lengths (64 Å) are rounded by 2⁻⁵³ of that, and
/// the difference of two by twice as much; the steepest formulas, twelfth powers at 0.9 lengths (4.4 Å), multiply an
/// error of the distance by 15 per length (3 per Å): 5×10⁻¹⁴ for a pair. The bound leaves room for twenty such
/// pairs of a bead, and for their sums.
const DOUBLE: f64 = 1e-12;
/// The same with 2⁻²⁴: 3×10⁻⁵ for a pair. Few have forces near the largest one: room for two.
const SINGLE: f64 = 6e-5;

/// A system in a boundary, with what LAMMPS found.
struct Case {
    name: String,
    system: Arc<System>,
    protocol: Protocol,
    energies: Value,
    forces: Vec<[f64; 3]>,
    largest: f64,
    /// By which part charges differ, because LAMMPS has another constant of nature.
    constant: f64,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(Path::new(FOLDER).join("reference.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();
    let systems = reference["systems"].as_object().unwrap();
    assert_eq!(systems.len(), SYSTEMS);
    let both = systems.iter().flat_map(|one| [("file", one), ("open", one)]);
    both.map(|(boundary, (name, found))| case(name, boundary, found)).collect()
}

fn case(name: &str, boundary: &str, found: &Value) -> Case {
    let path = Path::new(FOLDER).join(name).with_extension("toml");
    let request = load(&path, &[("system.box".into(), boundary.into())]).unwrap();
    let point = &request.points[0];
    let of_boundary = &found[if boundary == "open" { "open" } else { "periodic" }];
    let number = |value: &Value| value.as_f64().unwrap();
    let rows = of_boundary["forces"].as_array().unwrap();
    let forces: Vec<[f64; 3]> =
        rows.iter().map(|row| [0, 1, 2].map(|axis| number(&row[axis]))).collect();
    assert_eq!((forces.len(), boundary == "open"), (point.system.beads(), is_open(&point.system)));
    let largest = forces.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let constant =
        found.get("charge_constant").map_or(0.0, |one| (number(one) / COULOMB - 1.0).abs());
    // LAMMPS has 332.06371 kcal Å/mol.
    assert!(constant < 1.1e-8);
    Case {
        name: format!("{name}, {boundary}"),
        system: point.system.clone(),
        protocol: point.protocol.as_ref().clone(),
        energies: of_boundary["energies"].clone(),
        forces,
        largest,
        constant,
    }
}

fn is_open(system: &System) -> bool {
    system.boundary == Boundary::Open
}

impl Case {
    /// A member without noise whose largest force moves its bead by an eighth of a length in a step of Brownian dynamics.
    fn member(&self, precision: Precision, shift: [f64; 3]) -> Member {
        let dynamics = Dynamics {
            integrator: Integrator::Brownian,
            temperature: 0.0,
            friction: 1.0,
            timestep: self.timestep(),
            precision,
            skin: 0.3,
        };
        let protocol = Arc::new(Protocol { dynamics, ..self.protocol.clone() });
        let shifted = |at: &[f64; 3]| [0, 1, 2].map(|axis| at[axis] + shift[axis]);
        let start: Vec<_> = self.system.particles.positions.iter().map(shifted).collect();
        Member::new(self.system.clone(), protocol, 0, &start)
    }

    fn timestep(&self) -> f64 {
        0.125 / self.largest
    }

    /// Compares forces with LAMMPS's; `more` is a part of the largest force by which they may differ beyond rounding.
    fn compare(&self, forces: &[[f64; 3]], precision: Precision, more: f64, how: &str) {
        let rounding = if precision == Precision::Single { SINGLE } else { DOUBLE };
        let bound = (rounding + self.constant + more) * self.largest;
        // In a box each contribution is rounded to a unit.
        let unit = if is_open(&self.system) { 0.0 } else { ForceUnit::of(&self.system).unit };
        for (bead, (found, expected)) in forces.iter().zip(&self.forces).enumerate() {
            let bound = bound + 0.5 * unit * self.contributions(bead) as f64;
            for axis in 0..3 {
                let error = (found[axis] - expected[axis]).abs();
                let Case { name, largest, .. } = self;
                assert!(
                    error <= bound,
                    "{name}: bead {bead}, {how}, {precision:?}: {found:?}, LAMMPS {expected:?}, largest {largest}"
                );
            }
        }
    }

    /// At most so many terms act on a bead.
    fn contributions(&self, bead: usize) -> usize {
        let System { interactions, particles, boundary, .. } = self.system.as_ref();
        let at = |bead: usize| particles.positions[bead];
        // Lists of single precision may have a pair more at the cutoff, with a force of one rounding.
        let reach = (interactions.pair_cutoff() + 1e-3).powi(2);
        let near = |&other: &usize| boundary.squared_distance(at(bead), at(other)) < reach;
        let pairs = (0..self.system.beads()).filter(near).count() * interactions.pairs.len();
        let bonds = self.system.interactions.bonded.iter().flat_map(|term| term.pairs());
        // A bead of a chain is in three angles.
        pairs + bonds.filter(|&(i, j)| i == bead || j == bead).count() + 3
    }
}

fn instructions() -> impl Iterator<Item = Instructions> {
    Instructions::ALL.into_iter().filter(|one| one.is_available())
}

#[test]
fn energies_are_those_of_lammps() {
    for case in cases() {
        let found = case.system.energies(&case.system.particles.positions);
        let mut total = 0.0;
        for (kind, expected) in case.energies.as_object().unwrap() {
            let expected = expected.as_f64().unwrap();
            let (found, constant) = match kind.as_str() {
                "pairs" => (found.pairs, 0.0),
                "charges" => (found.charges, case.constant),
                "bonds" => (found.bonds, 0.0),
                "bonds and contacts" => (found.bonds + found.contacts, 0.0),
                "angles" => (found.angles, 0.0),
                other => panic!("unknown kind of energy {other}"),
            };
            total += found;
            // Terms of either sign are larger than their sum: at most the largest force over a length of one.
            let bound = DOUBLE * (expected.abs() + case.largest) + constant * expected.abs();
            let error = (found - expected).abs();
            assert!(error <= bound, "{}: {kind} {found}, LAMMPS {expected}", case.name);
            assert!(expected.abs() > 0.1, "{}: {kind} {expected}", case.name);
        }
        assert!((found.total() - total).abs() <= 1e-12 * total.abs(), "{}", case.name);
    }
}

#[test]
fn forces_are_those_of_lammps() {
    for case in cases() {
        for path in [CpuPath::Reference].into_iter().chain(instructions().map(CpuPath::PairSimd)) {
            for precision in Precision::ALL {
                let mut member = case.member(precision, [0.0; 3]).with_path(path);
                let forces = member.interaction_forces().unwrap();
                case.compare(&forces, precision, 0.0, &format!("{path:?}"));
            }
        }
    }
}

/// Replicas that are stepped together, each shifted in space by another vector: no force changes by it. Forces follow
/// from a step without noise.
#[test]
fn forces_of_replicas_in_company_are_those_of_lammps() {
    for case in cases() {
        for (instructions, precision) in
            instructions().flat_map(|one| Precision::ALL.map(|precision| (one, precision)))
        {
            let mut group = Group::new(instructions);
            let shift = |lane: usize| [0.37, -0.61, 0.23].map(|part| part * lane as f64);
            let lanes = 0..group.width(precision);
            // The scalar instructions have one lane.
            assert!(lanes.len() > 1 || instructions == Instructions::Scalar);
            let mut members: Vec<Member> =
                lanes.map(|lane| case.member(precision, shift(lane))).collect();
            assert!(members.iter().all(|member| Group::fit(&members[0], member)));
            let before: Vec<_> = members.iter().map(Member::positions).collect();
            let mut all: Vec<_> = members.iter_mut().collect();
            for outcome in group.advance(&mut all, 1) {
                assert_eq!(outcome, Ok(1));
            }
            for (lane, (member, before)) in members.iter().zip(&before).enumerate() {
                let after = member.positions();
                let boundary = case.system.boundary;
                let moved =
                    after.iter().zip(before).map(|(&to, &from)| boundary.separation(to, from));
                let forces: Vec<_> =
                    moved.map(|apart| apart.map(|x| x / case.timestep())).collect();
                // Both places are rounded, those of the largest coordinates the most.
                let largest = after.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
                let epsilon = if precision == Precision::Single { 2e-7 } else { 4e-16 };
                let how = format!("lane {lane}, {instructions:?}");
                case.compare(&forces, precision, epsilon * largest / 0.125, &how);
            }
        }
    }
}

/// What the files promise: places on faces, edges and corners, molecules across them, charges of beads, and both units.
#[test]
fn beads_lie_on_faces_and_molecules_cross_them() {
    let cases = cases();
    for case in cases.iter().filter(|case| !is_open(&case.system)) {
        let Boundary::Periodic { lengths } = case.system.boundary else { unreachable!() };
        let positions = &case.system.particles.positions;
        // Boxes of the files are around the origin, or begin there.
        let on_faces = |at: &[f64; 3]| {
            let half = |axis: usize| (2.0 * at[axis] / lengths[axis]).abs();
            (0..3).filter(|&axis| [0.0, 1.0, 2.0].contains(&half(axis))).count()
        };
        let mut counts = [0; 4];
        for at in positions {
            counts[on_faces(at)] += 1;
        }
        assert!(counts[1] >= 3 && counts[2] >= 2 && counts[3] >= 1, "{}: {counts:?}", case.name);
        let crosses = |(i, j): (usize, usize)| {
            let sides = |axis: usize| (positions[i][axis] / lengths[axis] - 0.5).floor();
            let other = |axis: usize| (positions[j][axis] / lengths[axis] - 0.5).floor();
            (0..3).any(|axis| sides(axis) != other(axis))
        };
        let bonds = case.system.interactions.bonded.iter().flat_map(|term| term.pairs());
        let bonds: Vec<_> = bonds.collect();
        assert!(bonds.is_empty() || bonds.into_iter().any(crosses), "{}", case.name);
    }
    assert!(cases.iter().any(|case| case.system.units == Units::Real));
    assert!(cases.iter().any(|case| case.system.units == Units::Reduced));
}
