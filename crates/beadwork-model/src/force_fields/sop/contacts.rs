//! Which beads touch: a search by cells, so that its time grows with the number of beads.

use std::collections::HashMap;

use beadwork_structure::{Atom, Structure};

use super::Beads;
use crate::energies::squared_distance;

/// The rule by distance.
pub(super) struct Rule {
    /// Å: beads closer than this touch; none do at 0.
    pub cutoff: f64,
    /// Å: residues touch too when any two atoms of their side chains are closer.
    pub side_chain_cutoff: Option<f64>,
    /// Whether hydrogens count as such atoms.
    pub side_chain_hydrogens: bool,
}

/// Pairs (i < j, ascending, unique) of beads that touch and are in different chains or more than
/// two apart.
pub(super) fn touching(structure: &Structure, beads: &Beads, rule: &Rule) -> Vec<(usize, usize)> {
    let alphas = Cells::new(beads.positions.iter().copied().enumerate(), rule.cutoff);
    let side_chains = rule.side_chain_cutoff.map(|cutoff| {
        let atoms = side_chain_atoms(structure, beads, rule.side_chain_hydrogens);
        let owned = atoms
            .iter()
            .enumerate()
            .flat_map(|(bead, atoms)| atoms.iter().map(move |&position| (bead, position)));
        let cells = Cells::new(owned, cutoff);
        (atoms, cells, cutoff * cutoff)
    });
    let mut pairs = Vec::new();
    let mut partners = Vec::new();
    for (i, &position) in beads.positions.iter().enumerate() {
        let allowed = |j: usize| j > i && (beads.chains[i] != beads.chains[j] || j - i > 2);
        partners.clear();
        let near = alphas.near(position).filter(|(j, other)| {
            allowed(*j) && squared_distance(position, *other).sqrt() < rule.cutoff
        });
        partners.extend(near.map(|(j, _)| j));
        if let Some((atoms, cells, square)) = &side_chains {
            for &atom in &atoms[i] {
                let near = cells
                    .near(atom)
                    .filter(|(j, other)| allowed(*j) && squared_distance(atom, *other) < *square);
                partners.extend(near.map(|(j, _)| j));
            }
        }
        partners.sort_unstable();
        partners.dedup();
        pairs.extend(partners.iter().map(|&j| (i, j)));
    }
    pairs
}

/// Positions, Å, of the side-chain atoms by bead.
fn side_chain_atoms(structure: &Structure, beads: &Beads, hydrogens: bool) -> Vec<Vec<[f64; 3]>> {
    let counts = |atom: &&Atom| {
        !matches!(atom.name.as_str(), "CA" | "N" | "C" | "O")
            && (hydrogens || !is_hydrogen(&atom.name, &atom.element))
    };
    let of_residue = |&residue: &usize| {
        let atoms = &structure.atoms[structure.residues[residue].atoms.clone()];
        atoms.iter().filter(counts).map(|atom| atom.position).collect()
    };
    beads.residues.iter().map(of_residue).collect()
}

/// By element, and where the file gives none by name: `HB2`, `1HG2`.
fn is_hydrogen(name: &str, element: &str) -> bool {
    match element {
        "" => name.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['H', 'D']),
        element => element == "H" || element == "D",
    }
}

/// Points with their owners, sorted into cubes.
struct Cells {
    /// Å: the edge.
    edge: f64,
    members: HashMap<[i64; 3], Vec<(usize, [f64; 3])>>,
}

impl Cells {
    /// For searches within `reach`, Å.
    fn new(points: impl Iterator<Item = (usize, [f64; 3])>, reach: f64) -> Cells {
        // A little longer than the reach: rounding must not put two points within reach of each
        // other two cells apart. At least 1 Å, for a reach of 0.
        let mut cells = Cells { edge: (reach * (1.0 + 1e-6)).max(1.0), members: HashMap::new() };
        for (owner, position) in points {
            cells.members.entry(cells.place(position)).or_default().push((owner, position));
        }
        cells
    }

    fn place(&self, position: [f64; 3]) -> [i64; 3] {
        position.map(|coordinate| (coordinate / self.edge).floor() as i64)
    }

    /// All points within reach of a place, some more than once where numbers end, and
    /// others.
    fn near(&self, position: [f64; 3]) -> impl Iterator<Item = (usize, [f64; 3])> {
        const OFFSETS: [i64; 3] = [-1, 0, 1];
        let [x, y, z] = self.place(position);
        let places = OFFSETS.into_iter().flat_map(move |dx| {
            OFFSETS.into_iter().flat_map(move |dy| {
                OFFSETS.into_iter().map(move |dz| {
                    [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz)]
                })
            })
        });
        places.filter_map(|place| self.members.get(&place)).flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a generator of the "minimal standard" kind (Park and Miller 1988) in a box that
    /// holds the origin, compared with the search of all pairs.
    #[test]
    fn cells_find_what_all_pairs_find() {
        let mut state = 1_u64;
        let mut coordinate = || {
            state = state * 48_271 % 2_147_483_647;
            60.0 * (state as f64 / 2_147_483_647.0) - 30.0
        };
        let mut beads = Beads::default();
        for number in 0..600 {
            beads.positions.push([coordinate(), coordinate(), coordinate()]);
            beads.chains.push(number / 50);
        }
        let structure = Structure {
            source: String::new(),
            atoms: Vec::new(),
            residues: Vec::new(),
            chains: Vec::new(),
            disulfides: Vec::new(),
            warnings: Vec::new(),
            models: 1,
        };
        for cutoff in [0.0, 1.5, 5.0, 8.0, 200.0] {
            let rule = Rule { cutoff, side_chain_cutoff: None, side_chain_hydrogens: true };
            let mut expected = Vec::new();
            for i in 0..600 {
                for j in i + 1..600 {
                    let square = squared_distance(beads.positions[i], beads.positions[j]);
                    if (i / 50 != j / 50 || j - i > 2) && square.sqrt() < cutoff {
                        expected.push((i, j));
                    }
                }
            }
            assert_eq!(expected.is_empty(), cutoff == 0.0, "{cutoff}");
            assert_eq!(touching(&structure, &beads, &rule), expected, "{cutoff}");
        }
    }

    #[test]
    fn places_beyond_all_cells_are_searched_once_each() {
        let far = [1e300, -1e300, 0.0];
        let cells = Cells::new([(0, far), (1, [0.0; 3])].into_iter(), 8.0);
        assert!(cells.near(far).all(|(owner, _)| owner == 0));
        assert!(cells.near(far).count() > 0);
    }
}
