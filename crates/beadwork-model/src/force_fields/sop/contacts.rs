//! The search for native contacts in a structure.

use beadwork_structure::{Atom, Structure};

use super::beads::Beads;
use crate::near_pairs::{NearPairs, near_pairs};
use crate::particles::Boundary;

/// The rule by distance.
pub(super) struct Rule {
    /// Å: beads closer than this touch; at 0 no beads touch.
    pub cutoff: f64,
    /// Å: residues touch too when any two atoms of their side chains are closer.
    pub side_chain_cutoff: Option<f64>,
    /// Whether hydrogens count as side-chain atoms.
    pub side_chain_hydrogens: bool,
}

/// Beads whose contacts are counted for an estimate.
const COUNTED: usize = 200;

/// About how many pairs [`touching`] has: contacts of some beads, spread over all, are counted and not kept.
pub(super) fn estimated_number(structure: &Structure, beads: &Beads, rule: &Rule) -> f64 {
    let positions = &beads.positions;
    let count = positions.len();
    let near = NearPairs::new(Boundary::Open, count, |bead| positions[bead], rule.cutoff);
    let by_atoms = rule.side_chain_cutoff.map(|cutoff| {
        let atoms = side_chain_atoms(structure, beads, rule.side_chain_hydrogens);
        let near = NearPairs::new(Boundary::Open, atoms.len(), |atom| atoms[atom].1, cutoff);
        (cutoff, atoms, near)
    });
    // The last of the counted beads that each bead touched.
    let mut touched_by = vec![usize::MAX; count];
    let mut found = 0_usize;
    let counted = (0..count).step_by(count.div_ceil(COUNTED).max(1));
    for i in counted.clone() {
        let mut touch = |j: usize, square: f64, cutoff: f64| {
            let is_new = may_touch(beads, i, j) && square < cutoff * cutoff && touched_by[j] != i;
            if is_new {
                touched_by[j] = i;
                found += 1;
            }
        };
        let apart = |a, b| Boundary::Open.squared_distance(a, b);
        near.around(i, |j| touch(j, apart(positions[i], positions[j]), rule.cutoff));
        if let Some((cutoff, atoms, near)) = &by_atoms {
            let first = atoms.partition_point(|&(bead, _)| bead < i);
            for atom in (first..atoms.len()).take_while(|&atom| atoms[atom].0 == i) {
                let of_atom = |other: usize| apart(atoms[atom].1, atoms[other].1);
                near.around(atom, |other| touch(atoms[other].0, of_atom(other), *cutoff));
            }
        }
    }
    0.5 * found as f64 * count as f64 / counted.len().max(1) as f64
}

/// Whether two beads are in different chains or more than two apart.
fn may_touch(beads: &Beads, i: usize, j: usize) -> bool {
    beads.chains[i] != beads.chains[j] || i.abs_diff(j) > 2
}

/// Pairs (i < j, ascending, unique) of beads that touch and are in different chains or more than
/// two apart.
pub(super) fn touching(structure: &Structure, beads: &Beads, rule: &Rule) -> Vec<(usize, usize)> {
    let allowed = |i: usize, j: usize| j > i && may_touch(beads, i, j);
    let mut pairs = Vec::new();
    let positions = &beads.positions;
    near_pairs(
        Boundary::Open,
        positions.len(),
        |bead| positions[bead],
        rule.cutoff,
        |i, partners| {
            let touches = |&j: &usize| {
                allowed(i, j)
                    && Boundary::Open.squared_distance(positions[i], positions[j]).sqrt()
                        < rule.cutoff
            };
            pairs.extend(partners.iter().map(|&j| j as usize).filter(touches).map(|j| (i, j)));
        },
    );
    if let Some(cutoff) = rule.side_chain_cutoff {
        let atoms = side_chain_atoms(structure, beads, rule.side_chain_hydrogens);
        near_pairs(
            Boundary::Open,
            atoms.len(),
            |atom| atoms[atom].1,
            cutoff,
            |atom, partners| {
                let (i, position) = atoms[atom];
                let partners = partners.iter().map(|&partner| atoms[partner as usize]);
                let touch = partners.filter(|&(j, other)| {
                    allowed(i, j)
                        && Boundary::Open.squared_distance(position, other) < cutoff * cutoff
                });
                pairs.extend(touch.map(|(j, _)| (i, j)));
            },
        );
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The side-chain atoms, each with its bead and its position, Å; beads ascend.
fn side_chain_atoms(
    structure: &Structure,
    beads: &Beads,
    hydrogens: bool,
) -> Vec<(usize, [f64; 3])> {
    let counts = |atom: &&Atom| {
        !matches!(atom.name.as_str(), "CA" | "N" | "C" | "O")
            && (hydrogens || !is_hydrogen(&atom.name, &atom.element))
    };
    let residues = beads.residues.iter().enumerate();
    let atoms = residues.flat_map(|(bead, &residue)| {
        let atoms = &structure.atoms[structure.residues[residue].atoms.clone()];
        atoms.iter().filter(counts).map(move |atom| (bead, atom.position))
    });
    atoms.collect()
}

/// Reads the element, or, if the file has none, the atom name: `HB2`, `1HG2`.
fn is_hydrogen(name: &str, element: &str) -> bool {
    match element {
        "" => name.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['H', 'D']),
        element => element == "H" || element == "D",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of the "minimal standard" generator (Park and Miller 1988) in a box that holds the origin, compared with
    /// a search of all pairs.
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
            nucleic_chains: Vec::new(),
            warnings: Vec::new(),
            models: 1,
        };
        for cutoff in [0.0, 1.5, 5.0, 8.0, 200.0] {
            let rule = Rule { cutoff, side_chain_cutoff: None, side_chain_hydrogens: true };
            let mut expected = Vec::new();
            for i in 0..600 {
                for j in i + 1..600 {
                    let square =
                        Boundary::Open.squared_distance(beads.positions[i], beads.positions[j]);
                    if (i / 50 != j / 50 || j - i > 2) && square.sqrt() < cutoff {
                        expected.push((i, j));
                    }
                }
            }
            assert_eq!(expected.is_empty(), cutoff == 0.0, "{cutoff}");
            assert_eq!(touching(&structure, &beads, &rule), expected, "{cutoff}");
            let estimate = estimated_number(&structure, &beads, &rule);
            // A third of the beads is counted, so that chance moves the number by about its square root.
            let number = expected.len() as f64;
            let allowed = 6.0 * number.sqrt();
            assert!((estimate - number).abs() <= allowed, "{cutoff}: {estimate} {number}");
        }
    }
}
