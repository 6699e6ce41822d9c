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

/// Molecules with the same sequence of types, of more than one bead.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Species {
    /// `A3B7`.
    pub name: String,
    /// The beads of all these molecules.
    pub beads: Vec<u32>,
    /// The places in `beads` of each molecule.
    pub molecules: Vec<Range<usize>>,
}

/// The kinds of molecules, those with the most beads first.
pub(super) fn of_system(system: &System) -> Vec<Species> {
    let labels = system.type_labels();
    let mut kinds: BTreeMap<Vec<u16>, Species> = BTreeMap::new();
    for molecule in system.particles.beads_of_molecules().iter().filter(|beads| beads.len() > 1) {
        let types: Vec<u16> =
            molecule.iter().map(|&bead| system.particles.types[bead as usize]).collect();
        let new = |types: &Vec<u16>| Species {
            name: name(&labels, types),
            beads: Vec::new(),
            molecules: Vec::new(),
        };
        let kind = kinds.entry(types).or_insert_with_key(new);
        kind.molecules.push(kind.beads.len()..kind.beads.len() + molecule.len());
        kind.beads.extend(molecule);
    }
    let mut kinds: Vec<Species> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.beads.len()));
    kinds.truncate(MOST);
    kinds
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
    use beadwork_model::{Pair, Particles};

    use super::*;

    /// Beads of some molecules with bonds between these pairs.
    fn system(molecules: &[u32], bonds: &[(usize, usize)]) -> System {
        let mut particles = Particles::of_one_type(
            vec![Default::default(); molecules.len()],
            vec![[0.0; 3]; molecules.len()],
        );
        particles.molecules = molecules.to_vec();
        let mut system = System { particles, ..System::default() };
        let potential = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
        let pairs: Vec<Pair<FeneBond>> =
            bonds.iter().map(|&(i, j)| Pair { i, j, potential }).collect();
        system.interactions.bonded = vec![pairs.into()];
        system
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
