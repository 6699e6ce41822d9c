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
    /// The beads of each molecule.
    pub molecules: Vec<Range<usize>>,
}

/// The kinds of molecules, those with the most beads first.
pub(super) fn of_system(system: &System) -> Vec<Species> {
    let mut kinds: BTreeMap<&[u16], Vec<Range<usize>>> = BTreeMap::new();
    for molecule in system.particles.molecule_ranges().filter(|range| range.len() > 1) {
        kinds.entry(&system.particles.types[molecule.clone()]).or_default().push(molecule);
    }
    let of_kind =
        |(types, molecules): (&[u16], _)| Species { name: name(system, types), molecules };
    let mut kinds: Vec<Species> = kinds.into_iter().map(of_kind).collect();
    let beads = |kind: &Species| kind.molecules.iter().map(Range::len).sum::<usize>();
    kinds.sort_by_key(|kind| std::cmp::Reverse(beads(kind)));
    kinds.truncate(MOST);
    kinds
}

/// Names of types, each with the number of beads in a row.
fn name(system: &System, types: &[u16]) -> String {
    let mut name = String::new();
    for run in types.chunk_by(|a, b| a == b) {
        let kind = &system.types[usize::from(run[0])].name;
        let _ = match run.len() {
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
