//! The size of a molecule.

use crate::sums::{sum, sums};

/// Root mean square distance of the beads from their centre, Å; all beads have equal weight.
pub fn radius_of_gyration(positions: &[[f64; 3]]) -> f64 {
    let beads = positions.len();
    let count = beads as f64;
    let centre: [f64; 3] = sums(beads, beads, |centre, bead| {
        for axis in 0..3 {
            centre[axis] += positions[bead][axis] / count;
        }
    });
    let [sum] = sums(beads, beads, |[sum], bead| {
        for axis in 0..3 {
            *sum += (positions[bead][axis] - centre[axis]).powi(2);
        }
    });
    // A sum of no squares is +0.
    ((0.0 + sum) / count).sqrt()
}

/// The same with beads weighted by their masses, about the centre of mass.
pub fn radius_of_gyration_by_mass(
    positions: &[[f64; 3]],
    masses: impl Iterator<Item = f64>,
) -> f64 {
    let masses: Vec<f64> = masses.collect();
    let beads = positions.len().min(masses.len());
    let total = sum(beads, masses.len(), |bead| masses[bead]);
    let weight = |bead: usize| masses[bead] / total;
    let centre: [f64; 3] = sums(beads, beads, |centre, bead| {
        for axis in 0..3 {
            centre[axis] += weight(bead) * positions[bead][axis];
        }
    });
    let square = |bead: usize| -> f64 {
        (0..3).map(|axis| (positions[bead][axis] - centre[axis]).powi(2)).sum()
    };
    sum(beads, beads, |bead| weight(bead) * square(bead)).sqrt()
}
