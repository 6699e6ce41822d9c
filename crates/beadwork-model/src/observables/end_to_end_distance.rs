//! The distance between the ends of a chain.

/// Distance between the first bead and the last; 0 of no beads.
pub fn end_to_end_distance(positions: &[[f64; 3]]) -> f64 {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return 0.0 };
    (0..3).map(|axis| (last[axis] - first[axis]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_of_first_and_last() {
        assert_eq!(end_to_end_distance(&[[1.0; 3], [9.0; 3], [1.0, 4.0, 5.0]]), 5.0);
        assert_eq!(end_to_end_distance(&[]), 0.0);
    }
}
