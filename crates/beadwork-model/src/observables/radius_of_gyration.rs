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

/// The same with beads weighted by their masses, about the centre of mass.
pub fn radius_of_gyration_by_mass(
    positions: &[[f64; 3]],
    masses: impl Iterator<Item = f64> + Clone,
) -> f64 {
    let total: f64 = masses.clone().sum();
    let weighted = || masses.clone().map(|mass| mass / total).zip(positions);
    let mean = |axis: usize| weighted().map(|(weight, position)| weight * position[axis]).sum();
    let centre: [f64; 3] = [0, 1, 2].map(mean);
    let square = |position: &[f64; 3]| -> f64 {
        (0..3).map(|axis| (position[axis] - centre[axis]).powi(2)).sum()
    };
    weighted().map(|(weight, position)| weight * square(position)).sum::<f64>().sqrt()
}
