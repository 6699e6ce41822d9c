//! The distance between two ends.

use crate::drives::centre;

/// Distance, Å, between the centres of two groups of beads: the molecular extension R of P4.
pub fn extension(ends: &(Vec<usize>, Vec<usize>), positions: &[[f64; 3]]) -> f64 {
    let [a, b] = [&ends.0, &ends.1].map(|group| centre(group, positions));
    [0, 1, 2].map(|axis| (b[axis] - a[axis]).powi(2)).iter().sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_of_centres() {
        let positions = [[0.0; 3], [3.0, 2.0, 0.0], [3.0, 6.0, 0.0]];
        assert_eq!(extension(&(vec![0], vec![1, 2]), &positions), 5.0);
    }
}
