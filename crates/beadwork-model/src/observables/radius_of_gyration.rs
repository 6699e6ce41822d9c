//! The size of a molecule.

/// Root mean square distance of the beads from their centre, Å; all beads have equal weight.
pub fn radius_of_gyration(positions: &[[f64; 3]]) -> f64 {
    let count = positions.len() as f64;
    let mut centre = [0.0; 3];
    for position in positions {
        for axis in 0..3 {
            centre[axis] += position[axis] / count;
        }
    }
    let mut sum = 0.0;
    for position in positions {
        for axis in 0..3 {
            sum += (position[axis] - centre[axis]).powi(2);
        }
    }
    (sum / count).sqrt()
}
