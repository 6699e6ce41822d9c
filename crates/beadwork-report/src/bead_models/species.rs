//! Kinds of molecules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use beadwork_model::System;

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
