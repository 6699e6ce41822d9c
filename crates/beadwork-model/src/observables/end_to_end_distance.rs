//! The distance between the ends of a chain.

/// Distance between the first bead and the last; 0 if there are no beads.
pub fn end_to_end_distance(positions: &[[f64; 3]]) -> f64 {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return 0.0 };
    (0..3).map(|axis| (last[axis] - first[axis]).powi(2)).sum::<f64>().sqrt()
}
