//! A configuration as a data file of LAMMPS, and what such a file cannot say.

use std::collections::HashMap;

use beadwork_io::{LammpsAtom, LammpsData, LammpsTerms};
use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::{Angle, Pair, System, Units};

use super::snapshots::Snapshot;
use super::special_bonds;

/// Å/ps in Å/fs, LAMMPS' unit of velocities in the style `real`.
const FEMTOSECONDS_PER_PICOSECOND: f64 = 1000.0;

/// Room around beads in open space, Å or reduced.
const MARGIN: f64 = 1.0;

/// A style with its coefficients.
type Coefficients = (&'static str, Vec<f64>);

/// Groups of N beads, each with what acts on them.
type Groups<const N: usize> = Vec<([usize; N], Coefficients)>;

/// The file, and what it does not say, a sentence each.
pub(super) fn data(system: &System, snapshot: &Snapshot, title: &str) -> (LammpsData, Vec<String>) {
    let (style, per_time) = match system.units {
        Units::Real => ("real", 1.0 / FEMTOSECONDS_PER_PICOSECOND),
        Units::Reduced => ("lj", 1.0),
    };
    let all = &system.interactions;
    let bonds = all.bonded.iter().map(|term| (term.pairs().len(), bonds_of(term)));
    let triples: Vec<_> = all.angles.iter().map(angles_of).collect();
    let of_term = |(triples, kind): (&Vec<_>, &u32)| vec![*kind; triples.len()];
    let angle_types: Vec<u32> = triples.iter().zip(&all.angle_types).flat_map(of_term).collect();
    let angles = triples.into_iter().map(|triples| (triples.len(), Some(triples)));
    let names = system.type_labels().into_iter();
    let moving = |velocities: &Vec<[f64; 3]>| {
        velocities.iter().map(|velocity| velocity.map(|v| v * per_time)).collect()
    };
    let mut data = LammpsData {
        title: format!("LAMMPS data file by {title}, units = {style}"),
        remarks: Vec::new(),
        bounds: bounds(system, &snapshot.positions),
        types: names.zip(system.types.iter().map(|kind| kind.mass)).collect(),
        atoms: atoms(system, &snapshot.positions),
        velocities: snapshot.velocities.as_ref().map(moving),
        bonds: terms(bonds, &all.bond_types),
        angles: terms(angles, &angle_types),
    };
    let unsaid = unsaid(system, &data);
    data.remarks = [described(system), unsaid.clone()].concat();
    (data, unsaid)
}

fn described(system: &System) -> Vec<String> {
    let units = match system.units {
        Units::Real => "units real: A, A/fs, g/mol, kcal/mol, elementary charges",
        Units::Reduced => "units lj: those of the input",
    };
    let boundary = match system.boundary.sides() {
        Some(_) => "boundary p p p",
        None => "open space: boundary s s s; the bounds are those of the atoms with some room",
    };
    [units, "atom_style full", boundary].map(String::from).to_vec()
}

fn unsaid(system: &System, data: &LammpsData) -> Vec<String> {
    let all = &system.interactions;
    let mut notes = Vec::new();
    let pairs: Vec<&str> = all.pairs.iter().map(|term| term.name()).collect();
    if !pairs.is_empty() {
        notes.push(format!(
            "pair terms ({}) are not in the file: a script says them by pair_style and pair_coeff; resolved.toml has their numbers",
            pairs.join(", ")
        ));
    }
    if all.thermostat.is_some() {
        notes.push("drag and noise between pairs are not in the file: a script says them by pair_style dpd or dpd/tstat".to_string());
    }
    let contacts = all.bonded.iter().filter(|term| bonds_of(term).is_none());
    let contacts: usize = contacts.map(|term| term.pairs().len()).sum();
    if contacts > 0 {
        notes.push(format!(
            "{contacts} native contacts are left out: no bond style has their formula"
        ));
    }
    let listed =
        [("bonds", data.bonds.lack_coefficients()), ("angles", data.angles.lack_coefficients())];
    for (what, _) in listed.into_iter().filter(|(_, lack)| *lack) {
        notes.push(format!(
            "coefficients of {what} are not in the file, since not every type has one set of them: resolved.toml has their numbers"
        ));
    }
    // Without bonds and exclusions LAMMPS leaves nothing out.
    let bonds: Vec<[usize; 2]> = data.bonds.terms.iter().map(|(_, beads)| *beads).collect();
    if all.act_on_pairs() && !(bonds.is_empty() && all.excluded.is_empty()) {
        notes.push(special_bonds::note(system.beads(), &bonds, &all.excluded));
    }
    if !all.singles.is_empty() {
        notes.push("fields on single beads are not in the file".to_string());
    }
    notes.push("drives, temperature and time step are not in the file".to_string());
    notes
}

fn bounds(system: &System, positions: &[[f64; 3]]) -> [[f64; 2]; 3] {
    if let Some(sides) = system.boundary.sides() {
        return sides.map(|side| [-side / 2.0, side / 2.0]);
    }
    [0, 1, 2].map(|axis| {
        let along = || positions.iter().map(|position| position[axis]);
        let (low, high) =
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
        match low <= high {
            true => [low - MARGIN, high + MARGIN],
            false => [-MARGIN, MARGIN],
        }
    })
}

fn atoms(system: &System, positions: &[[f64; 3]]) -> Vec<LammpsAtom> {
    let particles = &system.particles;
    let atom = |(bead, &position): (usize, &[f64; 3])| {
        let wrapped = [0, 1, 2].map(|axis| match system.boundary.sides() {
            Some(sides) => inside(position[axis], sides[axis]),
            None => (position[axis], 0),
        });
        LammpsAtom {
            molecule: particles.molecules[bead] + 1,
            kind: u32::from(particles.types[bead]) + 1,
            charge: particles.charge(bead),
            position: wrapped.map(|(position, _)| position),
            image: wrapped.map(|(_, image)| image),
        }
    };
    positions.iter().enumerate().map(atom).collect()
}

/// A coordinate from −½ of the side up to, but not including, ½, and its image.
fn inside(x: f64, side: f64) -> (f64, i64) {
    let image = (x / side + 0.5).floor();
    let place = (x - image * side).max(-side / 2.0);
    // Rounding may reach the upper face.
    match place < side / 2.0 {
        true => (place, image as i64),
        false => (-side / 2.0, image as i64 + 1),
    }
}

/// Terms with their types: those that files gave them, or else one for each set of coefficients. Each term comes with the number
/// of its groups of beads, which `given` counts too, and is `None` if it is left out.
fn terms<const N: usize>(
    all: impl Iterator<Item = (usize, Option<Groups<N>>)>,
    given: &[u32],
) -> LammpsTerms<N> {
    let mut known: HashMap<(&'static str, Vec<u64>), u32> = HashMap::new();
    let mut found: Vec<Option<Coefficients>> = Vec::new();
    let mut are_uniform = true;
    let mut terms = Vec::new();
    let mut before = 0;
    for (count, groups) in all {
        for (place, (beads, coefficients)) in groups.into_iter().flatten().enumerate() {
            let bits = coefficients.1.iter().map(|number| number.to_bits()).collect();
            let next = known.len() as u32;
            let by_numbers = || *known.entry((coefficients.0, bits)).or_insert(next);
            let kind = given.get(before + place).copied().unwrap_or_else(by_numbers);
            if found.len() <= kind as usize {
                found.resize(kind as usize + 1, None);
            }
            are_uniform &=
                *found[kind as usize].get_or_insert_with(|| coefficients.clone()) == coefficients;
            terms.push((kind + 1, beads));
        }
        before += count;
    }
    let types = found.len() as u32;
    let coefficients = found.into_iter().collect::<Option<Vec<_>>>().filter(|_| are_uniform);
    let coefficients = coefficients.unwrap_or_default();
    LammpsTerms { types, terms, coefficients }
}

/// The pairs of a term with the bond styles of LAMMPS; `None` if no style has its formula. K of LAMMPS is half of the stiffness of a
/// harmonic bond, and the whole one of a FENE bond. `fene/expand` is that of bonds around a length, without a repulsion if its
/// depth and diameter are 0.
fn bonds_of(term: &BondedTerm) -> Option<Groups<2>> {
    fn all<F>(
        pairs: &[Pair<F>],
        style: &'static str,
        numbers: impl Fn(&F) -> Vec<f64>,
    ) -> Option<Groups<2>> {
        let bond = |pair: &Pair<F>| ([pair.i, pair.j], (style, numbers(&pair.potential)));
        Some(pairs.iter().map(bond).collect())
    }
    match term {
        BondedTerm::HarmonicBond(pairs) | BondedTerm::ElasticNetworkSpring(pairs) => {
            all(pairs, "harmonic", |bond| vec![bond.stiffness / 2.0, bond.length])
        }
        BondedTerm::FeneBond(pairs) => all(pairs, "fene/expand", |bond| {
            vec![bond.stiffness, bond.limit, 0.0, 0.0, bond.length]
        }),
        BondedTerm::RepulsiveFeneBond(pairs) => {
            all(pairs, "fene", |bond| vec![bond.stiffness, bond.limit, bond.depth, bond.diameter])
        }
        BondedTerm::NativeContact(_) => None,
    }
}

/// The triples of a term with the angle styles of LAMMPS, whose K is half of the stiffness, but for `cosine`, and whose angles are
/// in degrees.
fn angles_of(term: &AngleTerm) -> Groups<3> {
    fn all<F>(
        triples: &[Angle<F>],
        style: &'static str,
        numbers: impl Fn(&F) -> Vec<f64>,
    ) -> Groups<3> {
        triples.iter().map(|one| (one.beads, (style, numbers(&one.potential)))).collect()
    }
    match term {
        AngleTerm::HarmonicAngle(triples) => {
            all(triples, "harmonic", |angle| vec![angle.stiffness / 2.0, angle.angle.to_degrees()])
        }
        AngleTerm::CosineAngle(triples) => all(triples, "cosine", |angle| vec![angle.stiffness]),
        AngleTerm::CosineSquaredAngle(triples) => all(triples, "cosine/squared", |angle| {
            vec![angle.stiffness / 2.0, angle.cosine.acos().to_degrees()]
        }),
    }
}
