//! Which beads are a molecule, and molecules that faces of a box cut.

use std::collections::{BTreeSet, HashMap};

use beadwork_model::Boundary;
use beadwork_structure::Configuration;

use crate::document::{Node, Value};
use crate::section::Section;

/// The number of each bead's molecule, from 0 in the order of first beads. Beads that the file gives no number are a molecule if
/// its bonds connect them. Without numbers and bonds in the file, beads that lists in `bonds` connect are a molecule; all beads
/// are one if `bonds` joins beads in another way, and each bead is one if there are no bonds at all.
pub(super) fn numbers(section: &Section<'_>, file: &Configuration) -> Vec<u32> {
    let beads = file.len();
    let has_none = |molecule: u32| Some(molecule) == file.no_molecule;
    let numbered =
        file.molecules.as_ref().filter(|of_beads| of_beads.iter().any(|&m| !has_none(m)));
    let Some(of_beads) = numbered else {
        return match (file.bonds.is_empty(), section.has("bonds")) {
            (true, false) => (0..beads as u32).collect(),
            (true, true) => match listed_bonds(section) {
                Some(pairs) => connected(beads, pairs.into_iter()),
                None => vec![0; beads],
            },
            (false, _) => connected(beads, file.bonds.iter().map(|(pair, _)| *pair)),
        };
    };
    let mut last: HashMap<u32, usize> = HashMap::new();
    let mut pairs = Vec::new();
    for (bead, &molecule) in
        of_beads.iter().enumerate().filter(|(_, molecule)| !has_none(**molecule))
    {
        if let Some(before) = last.insert(molecule, bead) {
            pairs.push([before, bead]);
        }
    }
    let are_free = |[i, j]: &[usize; 2]| has_none(of_beads[*i]) && has_none(of_beads[*j]);
    let bonds = file.bonds.iter().map(|(pair, _)| *pair).filter(are_free);
    connected(beads, pairs.into_iter().chain(bonds))
}

/// The pairs that `bonds` lists; `None` if an entry joins beads in another way.
fn listed_bonds(section: &Section<'_>) -> Option<Vec<[usize; 2]>> {
    let mut pairs = Vec::new();
    for entry in section.node("bonds")?.list()? {
        for pair in entry.get("between")?.list()? {
            let bead = |node: &Node| match node.value {
                Value::Integer(bead) => usize::try_from(bead).ok(),
                _ => None,
            };
            pairs.push(match pair.list()? {
                [i, j] => [bead(i)?, bead(j)?],
                _ => return None,
            });
        }
    }
    Some(pairs)
}

/// Pairs that are bonded as far as one can know before `bonds` is read: those of the file, those that `bonds` lists, or those that
/// follow each other in a molecule.
pub(super) fn known_bonds(
    section: &Section<'_>,
    file: &Configuration,
    molecules: &[u32],
) -> Vec<(usize, usize)> {
    let is_along_chains =
        |entry: &Node| entry.get("between").is_none_or(|node| node.text() == Some("chain"));
    let entries = section.node("bonds").and_then(Node::list).unwrap_or_default();
    let pairs = match listed_bonds(section) {
        _ if !file.bonds.is_empty() => file.bonds.iter().map(|(pair, _)| *pair).collect(),
        Some(listed) => listed,
        None if entries.iter().any(is_along_chains) => runs::<2>(molecules),
        None => Vec::new(),
    };
    let exist = |[i, j]: &[usize; 2]| (*i).max(*j) < file.len();
    pairs.into_iter().filter(exist).map(|[i, j]| (i, j)).collect()
}

/// Numbers the groups of beads that pairs connect, in the order of their first beads.
fn connected(beads: usize, pairs: impl Iterator<Item = [usize; 2]>) -> Vec<u32> {
    let mut first: Vec<usize> = (0..beads).collect();
    fn root(first: &mut [usize], mut bead: usize) -> usize {
        while first[bead] != bead {
            first[bead] = first[first[bead]];
            bead = first[bead];
        }
        bead
    }
    // Lists of the input are checked later.
    for [i, j] in pairs.filter(|[i, j]| (*i).max(*j) < beads) {
        let (a, b) = (root(&mut first, i), root(&mut first, j));
        first[a.max(b)] = a.min(b);
    }
    let mut next = 0;
    let mut numbers = vec![0; beads];
    for bead in 0..beads {
        let root = root(&mut first, bead);
        numbers[bead] = match root == bead {
            true => {
                next += 1;
                next - 1
            }
            // The root is the first bead of its group.
            false => numbers[root],
        };
    }
    numbers
}

/// Runs of so many beads that follow each other in a molecule, molecule after molecule.
pub(super) fn runs<const N: usize>(molecules: &[u32]) -> Vec<[usize; N]> {
    let of_run = |first: usize| std::array::from_fn(|place| first + place);
    if molecules.is_sorted() {
        let windows = molecules.windows(N).enumerate();
        let same = windows.filter(|(_, run)| run.iter().all(|one| *one == run[0]));
        return same.map(|(first, _)| of_run(first)).collect();
    }
    let mut beads: Vec<Vec<usize>> = Vec::new();
    for (bead, &molecule) in molecules.iter().enumerate() {
        let molecule = molecule as usize;
        beads.resize_with(beads.len().max(molecule + 1), Vec::new);
        beads[molecule].push(bead);
    }
    let of_molecule = |beads: &Vec<usize>| -> Vec<[usize; N]> {
        beads.windows(N).map(|run| std::array::from_fn(|place| run[place])).collect()
    };
    beads.iter().flat_map(of_molecule).collect()
}

/// The box in which the positions of a start file have their place.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnBox {
    pub boundary: Boundary,
    /// Whether the file says which image of the box each bead has reached, so that it should have whole molecules.
    pub has_images: bool,
    /// Whether the start has one copy of this box.
    pub is_of_file_alone: bool,
}

impl OwnBox {
    /// Joins molecules that faces of the box cut: each bead of a bond moves to the image that is nearest to the other. Positions
    /// of beads that are at the nearest image already stay as they are.
    pub fn join_what_is_cut(&self, positions: &mut [[f64; 3]], bonds: &[(usize, usize)]) {
        join_along_bonds(positions, bonds, |position, anchor| {
            match self.boundary.separation(position, anchor) == difference(position, anchor) {
                true => position,
                false => self.boundary.near(position, anchor),
            }
        });
    }

    /// Joins the molecules that bonds show to be cut although the file has images, and returns how many. A molecule that is
    /// bonded to itself through the box has no images in which it is whole, so it stays as it is.
    pub fn join_in_spite_of_images(
        &self,
        positions: &mut [[f64; 3]],
        bonds: &[(usize, usize)],
    ) -> usize {
        let is_torn = |positions: &[[f64; 3]], &(i, j): &(usize, usize)| {
            differ(
                self.boundary.separation(positions[j], positions[i]),
                difference(positions[j], positions[i]),
            )
        };
        if !bonds.iter().any(|bond| is_torn(positions, bond)) {
            return 0;
        }
        let groups = connected(positions.len(), bonds.iter().map(|&(i, j)| [i, j]));
        let mut joined = positions.to_vec();
        self.join_what_is_cut(&mut joined, bonds);
        let torn_groups = |positions: &[[f64; 3]]| {
            let torn = bonds.iter().filter(|bond| is_torn(positions, bond));
            torn.map(|&(i, _)| groups[i]).collect::<BTreeSet<u32>>()
        };
        let (before, after) = (torn_groups(positions), torn_groups(&joined));
        let mended = |group: &u32| before.contains(group) && !after.contains(group);
        for ((position, joined), _) in
            positions.iter_mut().zip(&joined).zip(&groups).filter(|(_, group)| mended(group))
        {
            *position = *joined;
        }
        before.difference(&after).count()
    }

    /// A bond that is longer in another box, or in open space, than in the box of the file: it goes through that box.
    pub fn torn_in(
        &self,
        other: Boundary,
        positions: &[[f64; 3]],
        bonds: &[(usize, usize)],
    ) -> Option<(usize, usize)> {
        let is_torn = |&&(i, j): &&(usize, usize)| {
            let own = self.boundary.separation(positions[j], positions[i]);
            differ(own, other.separation(positions[j], positions[i]))
        };
        bonds.iter().find(is_torn).copied()
    }
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Whether separations are those of different images, not of rounding.
fn differ(a: [f64; 3], b: [f64; 3]) -> bool {
    (0..3).any(|axis| (a[axis] - b[axis]).abs() > 1e-6 * (1.0 + a[axis].abs() + b[axis].abs()))
}

/// Makes molecules whole: each bead of a bond moves to the place that `near` gives it, from its own and that of the other bead.
/// Molecules whose bonds form a ring around the box stay open at one bond.
pub(super) fn join_along_bonds(
    positions: &mut [[f64; 3]],
    bonds: &[(usize, usize)],
    near: impl Fn([f64; 3], [f64; 3]) -> [f64; 3],
) {
    let mut neighbours = vec![Vec::new(); positions.len()];
    for &(i, j) in bonds {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut joined = vec![false; positions.len()];
    let mut open = Vec::new();
    for first in 0..positions.len() {
        if joined[first] {
            continue;
        }
        joined[first] = true;
        open.push(first);
        while let Some(bead) = open.pop() {
            for &next in &neighbours[bead] {
                if !joined[next] {
                    joined[next] = true;
                    positions[next] = near(positions[next], positions[bead]);
                    open.push(next);
                }
            }
        }
    }
}
