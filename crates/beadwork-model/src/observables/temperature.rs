//! The temperature that Brownian displacements speak of.

/// kB T, kcal/mol, from the sum of squared displacements of free beads over steps: ξ⟨Δx²⟩/(2h)
/// an axis (SOP-GPU's estimate).
///
/// It counts the drift too: its mean is T + h⟨F²⟩/(2ξ) with F one component of the force, that is
/// T + h⟨F·F⟩/(6ξ).
///
/// `squared_displacements` is Σ|Δr|², Å², over `moves` bead-steps.
pub fn temperature_from_displacements(
    squared_displacements: f64,
    moves: f64,
    friction: f64,
    timestep: f64,
) -> f64 {
    friction * squared_displacements / (6.0 * timestep * moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverts_the_variance_of_the_noise() {
        // Each axis has variance 2 kT h/ξ = 2 · 0.6 · 20/12000 = 0.002 Å²; ten moves of three axes.
        let estimate = temperature_from_displacements(10.0 * 3.0 * 0.002, 10.0, 12_000.0, 20.0);
        assert!((estimate - 0.6).abs() < 1e-15);
    }
}
