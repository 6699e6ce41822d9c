//! The temperature estimated from Brownian displacements.

use crate::dynamics::{Dynamics, Integrator};
use crate::potentials::bonded::ListedPair;
use crate::potentials::{BondedTerm, HarmonicTrap};
use crate::system::System;

/// kB T, kcal/mol, from the sum of squared displacements of free beads over steps: ξ⟨Δx²⟩/(2h) for each axis (SOP-GPU's
/// estimate).
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

/// The expected value of [`temperature_from_displacements`] in equilibrium near the native structure, as a multiple of
/// the bath's temperature; `None` if the time step is too long for the bonds, and for integrators with velocities.
///
/// By equipartition a mode of stiffness λ has ⟨F²⟩ = λ kT to first order in a = λh/(2ξ). With the variance of x at a
/// finite step, the first-order scheme reads T/(1 − a), the second-order one T(1 − a)²/(1 − a + a²) = T(1 − a − a² +
/// …). Only the sums Σλ and Σλ² over modes are needed: the trace of the Hessian, and the sum of the squares of its
/// elements; the mean of a + a² + … is taken as that of a geometric series, ⟨a⟩/(1 − ⟨a²⟩/⟨a⟩). The Hessian is that of
/// bonds and contacts at their lengths in the native structure and of traps; repulsion would add some thousandths.
pub fn expected_temperature_reading(system: &System, dynamics: &Dynamics) -> Option<f64> {
    let terms = &system.interactions;
    let positions = &system.particles.positions;
    // Σλ and Σλ². A pair adds s nnᵀ to the blocks of both beads and −s nnᵀ between them.
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut blocks = vec![[[0.0; 3]; 3]; positions.len()];
    for ListedPair { beads: (i, j), stiffness, .. } in
        terms.bonded.iter().flat_map(BondedTerm::listed)
    {
        let line = [0, 1, 2].map(|axis| positions[j][axis] - positions[i][axis]);
        let Some(n) = crate::externals::unit(line) else { continue };
        for (a, b) in (0..9).map(|element| (element / 3, element % 3)) {
            let element = stiffness * n[a] * n[b];
            blocks[i][a][b] += element;
            blocks[j][a][b] += element;
        }
        sum += 2.0 * stiffness;
        squares += 2.0 * stiffness * stiffness;
    }
    for trap in terms.singles_by::<HarmonicTrap>() {
        (0..3).for_each(|axis| blocks[trap.bead][axis][axis] += trap.potential.stiffness);
        sum += 3.0 * trap.potential.stiffness;
    }
    squares += blocks.iter().flatten().flatten().map(|element| element * element).sum::<f64>();
    if sum == 0.0 {
        return Some(1.0);
    }
    let half_step = dynamics.timestep / (2.0 * dynamics.friction);
    let (first, ratio) = (half_step * sum / (3 * blocks.len()) as f64, half_step * squares / sum);
    let excess = (ratio < 1.0).then(|| first / (1.0 - ratio))?;
    match dynamics.integrator {
        Integrator::Brownian => Some(1.0 + excess),
        Integrator::BrownianSecondOrder => Some(1.0 - excess),
        Integrator::Langevin | Integrator::LangevinMiddle | Integrator::VelocityVerlet => None,
    }
}
