//! Kinds of molecules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use beadwork_model::System;
use beadwork_session::Error;

use crate::frames;
use crate::in_boxes::fill_box;
use crate::rows::PointMembers;

/// The most kinds that an answer has.
const MOST: usize = 8;
/// Longer names are cut.
const LONGEST_NAME: usize = 24;

/// Molecules with the same sequence of types and the same bonds, of more than one bead.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Species {
    /// `A3B7`, `A30 ring`, `A2B10 branched`. No two kinds have the same.
    pub name: String,
    /// The beads of all these molecules.
    pub beads: Vec<u32>,
    /// The places in `beads` of each molecule.
    pub molecules: Vec<Range<usize>>,
}

/// The types of a molecule's beads, and its bonds by places in it.
type Structure = (Vec<u16>, Vec<(u32, u32)>);

/// The kinds of molecules, those with the most beads first.
pub(super) fn of_system(system: &System) -> Vec<Species> {
    let labels = system.type_labels();
    let molecules = system.particles.beads_of_molecules();
    let bonds = bonds_in_molecules(system);
    let of_molecules = bonds.chunk_by(|a, b| a.0 == b.0).map(|bonds| (bonds[0].0, bonds));
    let of_molecules: BTreeMap<u32, &[(u32, u32, u32)]> = of_molecules.collect();
    let mut kinds: BTreeMap<Structure, Species> = BTreeMap::new();
    for (number, molecule) in (0..).zip(molecules.iter()).filter(|(_, beads)| beads.len() > 1) {
        let bonds = of_molecules.get(&number).copied().unwrap_or_default();
        let bonds = bonds.iter().map(|&(_, i, j)| (i, j)).collect();
        let types: Vec<u16> =
            molecule.iter().map(|&bead| system.particles.types[bead as usize]).collect();
        let new = |(types, bonds): &Structure| Species {
            name: name(&labels, types) + shape(types.len(), bonds),
            beads: Vec::new(),
            molecules: Vec::new(),
        };
        let kind = kinds.entry((types, bonds)).or_insert_with_key(new);
        kind.molecules.push(kind.beads.len()..kind.beads.len() + molecule.len());
        kind.beads.extend(molecule);
    }
    let mut kinds: Vec<Species> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.beads.len()));
    kinds.truncate(MOST);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for kind in &mut kinds {
        let times = times.entry(kind.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            let _ = write!(kind.name, " {times}");
        }
    }
    kinds
}

/// The bonds within molecules, in ascending order: the molecule, and the places of the two beads in it, the lower one first.
fn bonds_in_molecules(system: &System) -> Vec<(u32, u32, u32)> {
    let mut places = vec![0; system.beads()];
    for molecule in system.particles.beads_of_molecules().iter() {
        for (place, &bead) in (0..).zip(molecule) {
            places[bead as usize] = place;
        }
    }
    let molecules = &system.particles.molecules;
    let within = system.bonds().into_iter().filter(|&(i, j)| molecules[i] == molecules[j]);
    let mut bonds: Vec<(u32, u32, u32)> = within
        .map(|(i, j)| (molecules[i], places[i].min(places[j]), places[i].max(places[j])))
        .collect();
    bonds.sort_unstable();
    bonds.dedup();
    bonds
}

/// How bonds join the beads of a molecule, unless they make a line or there are none.
fn shape(beads: usize, bonds: &[(u32, u32)]) -> &'static str {
    let mut partners = vec![0; beads];
    for &(i, j) in bonds {
        partners[i as usize] += 1;
        partners[j as usize] += 1;
    }
    match bonds.len() {
        0 => "",
        _ if partners.iter().any(|&count| count > 2) => " branched",
        count if count == beads && beads > 2 => " ring",
        _ => "",
    }
}

/// What is alone in a box, in words, so that its beads are not even there: a bead, or a chain that leaves much of the box free.
/// The last frame of the first replica that has one decides, without frames the start.
pub(super) fn alone(of_point: &PointMembers<'_>) -> Result<Option<&'static str>, Error> {
    let system = &of_point.point.system;
    if system.boundary.sides().is_none() {
        return Ok(None);
    }
    if system.beads() == 1 {
        return Ok(Some("one bead"));
    }
    if !is_one_chain(system) {
        return Ok(None);
    }
    let frame = last_frame(of_point)?;
    let positions = frame.as_ref().unwrap_or(&system.particles.positions);
    let fills = fill_box(system.boundary, positions);
    Ok((!fills).then_some("one chain, which leaves much of it free"))
}

/// The positions in the last frame of the first replica that has one.
fn last_frame(of_point: &PointMembers<'_>) -> Result<Option<Vec<[f64; 3]>>, Error> {
    let Some((_, kind)) = of_point.request.output.trajectory else { return Ok(None) };
    for member in &of_point.members {
        let Some((frame, _)) = frames::last(of_point, member)? else { continue };
        let mut found = None;
        frames::read(member, kind, &[frame], |_, positions| found = Some(positions.to_vec()))?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Whether the system is one chain, ring or tree: one molecule whose bonds reach all of its beads, and no network, which would
/// have more bonds than beads.
fn is_one_chain(system: &System) -> bool {
    let beads = system.beads();
    let mut bonds = system.bonds();
    // Two terms may act on one pair.
    bonds.dedup();
    if system.particles.molecule_starts().count() != 1 || bonds.len() > beads {
        return false;
    }
    system.joined_by_bonds().within(usize::MAX, &[0]).len() == beads
}

/// Names of types, each with the number of beads in a row.
fn name(labels: &[String], types: &[u16]) -> String {
    let mut name = String::new();
    for run in types.chunk_by(|a, b| a == b) {
        let kind = &labels[usize::from(run[0])];
        // Types of LAMMPS are numbers: twenty beads of type 1 are `(1)20`.
        let ends_in_digit = kind.ends_with(|end: char| end.is_ascii_digit());
        let _ = match run.len() {
            beads if ends_in_digit => write!(name, "({kind}){beads}"),
            1 => write!(name, "{kind}"),
            beads => write!(name, "{kind}{beads}"),
        };
    }
    if name.chars().count() > LONGEST_NAME {
        let begin: String = name.chars().take(LONGEST_NAME - 8).collect();
        return format!("{begin}… ({} beads)", types.len());
    }
    name
}

#[cfg(test)]
mod tests {
    use beadwork_model::potentials::FeneBond;
    use beadwork_model::{Pair, ParticleType, Particles};

    use super::*;

    /// Beads of some molecules with bonds between these pairs.
    fn system(molecules: &[u32], bonds: &[(usize, usize)]) -> System {
        let mut particles = Particles::of_one_type(
            vec![Default::default(); molecules.len()],
            vec![[0.0; 3]; molecules.len()],
        );
        particles.molecules = molecules.to_vec();
        let types = vec![ParticleType::new("A", 1.0)];
        let mut system = System { particles, types, ..System::default() };
        let potential = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
        let pairs: Vec<Pair<FeneBond>> =
            bonds.iter().map(|&(i, j)| Pair { i, j, potential }).collect();
        system.interactions.bonded = vec![pairs.into()];
        system
    }

    /// A chain, a comb and a ring of the same types, and a second chain whose bonds are listed otherwise.
    #[test]
    fn bonds_tell_kinds_of_molecules_apart() {
        let molecules: Vec<u32> = (0..16).map(|bead| bead / 4).collect();
        let bonds = [
            (0, 1),
            (1, 2),
            (2, 3),
            (4, 5),
            (5, 6),
            (5, 7),
            (8, 9),
            (9, 10),
            (10, 11),
            (8, 11),
            (15, 14),
            (13, 12),
            (13, 14),
        ];
        let kinds = of_system(&system(&molecules, &bonds));
        let mut names: Vec<(&str, usize)> =
            kinds.iter().map(|kind| (kind.name.as_str(), kind.molecules.len())).collect();
        names.sort_unstable();
        assert_eq!(names, [("A4", 2), ("A4 branched", 1), ("A4 ring", 1)]);
        // Two combs of the same types.
        let molecules: Vec<u32> = (0..8).map(|bead| bead / 4).collect();
        let combs = [(0, 1), (1, 2), (1, 3), (4, 5), (4, 6), (4, 7)];
        let kinds = of_system(&system(&molecules, &combs));
        assert_eq!([&*kinds[0].name, &*kinds[1].name], ["A4 branched", "A4 branched 2"]);
    }

    #[test]
    fn chains_rings_and_trees_are_one_chain() {
        let line = [(0, 1), (1, 2), (2, 3)];
        let ring = [(0, 1), (0, 3), (1, 2), (2, 3)];
        let star = [(0, 1), (0, 2), (0, 3)];
        assert!(is_one_chain(&system(&[0; 4], &line)));
        assert!(is_one_chain(&system(&[0; 4], &ring)));
        assert!(is_one_chain(&system(&[0; 4], &star)));
        // A network, beads that no bond reaches, and several molecules.
        let network = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)];
        assert!(!is_one_chain(&system(&[0; 4], &network)));
        assert!(!is_one_chain(&system(&[0; 4], &[(0, 1), (0, 2), (1, 2)])));
        assert!(!is_one_chain(&system(&[0, 0, 1, 1], &[(0, 1), (2, 3)])));
    }
}
