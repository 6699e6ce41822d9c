//! The expected value of the temperature from displacements.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use beadwork_model::observables::{expected_temperature_reading, temperature_from_displacements};
use beadwork_model::potentials::{FeneBond, HarmonicTrap, NativeContact};
use beadwork_model::{Dynamics, Integrator, Pair, Particles, Precision, Single, System};

fn dynamics(integrator: Integrator, timestep: f64) -> Dynamics {
    let (temperature, friction, skin) = (0.6, 12_500.0, 0.0);
    let precision = Precision::Single;
    Dynamics { integrator, temperature, friction, timestep, precision, skin }
}

fn of_beads(positions: Vec<[f64; 3]>) -> System {
    let particles = Particles { positions, ..Particles::default() };
    System { particles, ..System::default() }
}

#[test]
fn inverts_the_variance_of_the_noise() {
    // Each axis has variance 2 kT h/ξ = 2 · 0.6 · 20/12000 = 0.002 Å²; ten moves of three axes.
    let estimate = temperature_from_displacements(10.0 * 3.0 * 0.002, 10.0, 12_000.0, 20.0);
    assert!((estimate - 0.6).abs() < 1e-15);
}

/// Beads in equal wells have one mode, for which the formulas of the schemes are exact.
#[test]
fn one_mode_has_the_reading_of_the_scheme() {
    let trap = |bead| {
        let potential = HarmonicTrap { stiffness: 125.0, centre: [0.0; 3] };
        Single { bead, potential }
    };
    let mut system = of_beads(vec![[0.0; 3]; 2]);
    let reading = |system: &System, integrator, timestep| {
        expected_temperature_reading(system, &dynamics(integrator, timestep))
    };
    assert_eq!(reading(&system, Integrator::Brownian, 20.0), Some(1.0));
    system.interactions.singles = vec![vec![trap(0), trap(1)].into()];
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
    let mut system = of_beads(vec![[0.0; 3], [3.8, 0.0, 0.0], [0.0, 6.0, 0.0]]);
    let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
    let contact = NativeContact { depth: 1.5, length: 6.0 };
    *system.interactions.bonded_by_mut() = vec![Pair { i: 0, j: 1, potential: bond }];
    *system.interactions.bonded_by_mut() = vec![Pair { i: 0, j: 2, potential: contact }];
    // The edges are perpendicular: modes of 2 · 20 and 2 · 72 · 1.5/36 = 2 · 3, and seven modes of rate zero.
    let a = [40.0, 6.0].map(|rate: f64| rate * 20.0 / 25_000.0);
    let ratio = (a[0] * a[0] + a[1] * a[1]) / (a[0] + a[1]);
    let expected = 1.0 + (a[0] + a[1]) / 9.0 / (1.0 - ratio);
    let found =
        expected_temperature_reading(&system, &dynamics(Integrator::Brownian, 20.0)).unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}
