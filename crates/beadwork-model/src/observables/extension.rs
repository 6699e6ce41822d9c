//! The distance between two ends.

use crate::externals::centre;

/// Distance, Å, between the centres of two groups of beads: the molecular extension R of \[A\].
pub fn extension(from: &[usize], to: &[usize], positions: &[[f64; 3]]) -> f64 {
    let [a, b] = [from, to].map(|group| centre(group, |bead| positions[bead]));
    [0, 1, 2].map(|axis| (b[axis] - a[axis]).powi(2)).iter().sum::<f64>().sqrt()
}
