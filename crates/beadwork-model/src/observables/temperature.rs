//! The temperature that Brownian displacements speak of.

use crate::protocol::{Dynamics, Integrator};
use crate::system::System;

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

/// What [`temperature_from_displacements`] is expected to read in equilibrium near the native structure, as a multiple of
/// the bath's temperature; `None` where the step is too long for the bonds.
///
/// By equipartition a mode of stiffness λ has ⟨F²⟩ = λ kT to first order in a = λh/(2ξ). With the spread that it has at
/// a finite step, the first-order scheme reads T/(1 − a), the second-order one T(1 − a)²/(1 − a + a²) = T(1 − a − a² + …).
/// Of the modes only sums are needed, Σλ and Σλ², which are the trace of the Hessian and the sum of the squares of its
/// elements: the mean of a + a² + … is taken as that of a geometric series, ⟨a⟩/(1 − ⟨a²⟩/⟨a⟩). The Hessian is that of
/// bonds and contacts at their lengths in the native structure and of traps; repulsion adds some thousandths of them.
pub fn expected_temperature_reading(system: &System, dynamics: &Dynamics) -> Option<f64> {
    let terms = &system.interactions;
    let fene = terms.fene_bonds.iter().map(|bond| (bond.i, bond.j, bond.potential.stiffness));
    let springs =
        terms.harmonic_bonds.iter().map(|bond| (bond.i, bond.j, bond.potential.stiffness));
    // The second derivative of ε[(r₀/r)¹² − 2(r₀/r)⁶] at r₀.
    let contacts = terms.native_contacts.iter().map(|contact| {
        let length = contact.potential.length;
        (contact.i, contact.j, 72.0 * contact.potential.depth / (length * length))
    });
    // Σλ and Σλ². A pair adds s nnᵀ to the blocks of both beads and −s nnᵀ between them.
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut blocks = vec![[[0.0; 3]; 3]; system.positions.len()];
    for (i, j, stiffness) in fene.chain(springs).chain(contacts) {
        let line = [0, 1, 2].map(|axis| system.positions[j][axis] - system.positions[i][axis]);
        let Some(n) = crate::drives::unit(line) else { continue };
        for (a, b) in (0..9).map(|element| (element / 3, element % 3)) {
            let element = stiffness * n[a] * n[b];
            blocks[i][a][b] += element;
            blocks[j][a][b] += element;
        }
        sum += 2.0 * stiffness;
        squares += 2.0 * stiffness * stiffness;
    }
    for trap in &terms.harmonic_traps {
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
    Some(match dynamics.integrator {
        Integrator::Brownian => 1.0 + excess,
        Integrator::BrownianSecondOrder => 1.0 - excess,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::potentials::{FeneBond, HarmonicTrap, NativeContact};
    use crate::protocol::Precision;
    use crate::system::{Pair, Trap};

    fn dynamics(integrator: Integrator, timestep: f64) -> Dynamics {
        let (temperature, friction, skin) = (0.6, 12_500.0, 0.0);
        let precision = Precision::Single;
        Dynamics { integrator, temperature, friction, timestep, precision, skin }
    }

    #[test]
    fn inverts_the_variance_of_the_noise() {
        // Each axis has variance 2 kT h/ξ = 2 · 0.6 · 20/12000 = 0.002 Å²; ten moves of three axes.
        let estimate = temperature_from_displacements(10.0 * 3.0 * 0.002, 10.0, 12_000.0, 20.0);
        assert!((estimate - 0.6).abs() < 1e-15);
    }

    /// Beads in equal wells have one mode, for which the formulas are those of the schemes.
    #[test]
    fn one_mode_reads_what_the_scheme_has() {
        let trap = |bead| {
            let potential = HarmonicTrap { stiffness: 125.0, centre: [0.0; 3] };
            Trap { bead, potential }
        };
        let mut system = System { positions: vec![[0.0; 3]; 2], ..System::default() };
        let reading = |system: &System, integrator, timestep| {
            expected_temperature_reading(system, &dynamics(integrator, timestep))
        };
        assert_eq!(reading(&system, Integrator::Brownian, 20.0), Some(1.0));
        system.interactions.harmonic_traps = vec![trap(0), trap(1)];
        // a = 125 · 20 / 25,000 = 0.1.
        let first = reading(&system, Integrator::Brownian, 20.0).unwrap();
        assert!((first - 1.0 / 0.9).abs() < 1e-12, "{first}");
        let second = reading(&system, Integrator::BrownianSecondOrder, 20.0).unwrap();
        assert!((second - 0.81 / 0.91).abs() < 0.003, "{second}");
        assert_eq!(reading(&system, Integrator::Brownian, 200.0), None);
    }

    /// A bond along x and a contact along y from the same bead: eigenvalues of stiffness times the matrices of edges.
    #[test]
    fn sums_of_modes_are_those_of_the_hessian() {
        let mut system = System {
            positions: vec![[0.0; 3], [3.8, 0.0, 0.0], [0.0, 6.0, 0.0]],
            ..System::default()
        };
        let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
        let contact = NativeContact { depth: 1.5, length: 6.0 };
        system.interactions.fene_bonds = vec![Pair { i: 0, j: 1, potential: bond }];
        system.interactions.native_contacts = vec![Pair { i: 0, j: 2, potential: contact }];
        // The edges are perpendicular: modes of 2 · 20 and 2 · 72 · 1.5/36 = 2 · 3, and seven of none.
        let a = [40.0, 6.0].map(|rate: f64| rate * 20.0 / 25_000.0);
        let ratio = (a[0] * a[0] + a[1] * a[1]) / (a[0] + a[1]);
        let expected = 1.0 + (a[0] + a[1]) / 9.0 / (1.0 - ratio);
        let found =
            expected_temperature_reading(&system, &dynamics(Integrator::Brownian, 20.0)).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}
