//! Harmonic wells: the discrete laws of both schemes, the temperature estimate, restraints.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{External, Restrain};
use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Integrator, Interactions};

use crate::support::{
    CASES, assert_joint, coordinates, deviation, dynamics, member, system, trapped,
};

/// The factor of x in each step, and the stationary variance in units of kT/k, for a = k h/ξ.
///
/// First order: x′ = (1 − a) x + B, with ⟨B²⟩ = 2a.
/// Second order: x′ = (1 − a + a²/2) x + (1 − a/2) B. With c the factor, 1 − c² is
/// a (1 − a/2)(2 − a + a²/2), so that the variance is (1 − a/2)/(1 − a/2 + a²/4).
pub fn discrete_law(integrator: Integrator, a: f64) -> (f64, f64) {
    match integrator {
        Integrator::Brownian => (1.0 - a, 1.0 / (1.0 - a / 2.0)),
        _ => (1.0 - a + a * a / 2.0, (1.0 - a / 2.0) / (1.0 - a / 2.0 + a * a / 4.0)),
    }
}

/// kT = ξ = 1 and k = 4, so that h = a/4 and kT/k = 1/4.
const STIFFNESS: f64 = 4.0;

#[test]
fn variance_and_correlation_of_oscillators_follow_the_discrete_law() {
    let system = trapped(1_000, STIFFNESS);
    let mut variances = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        for (seed, a) in [0.1, 0.5, 1.5].into_iter().enumerate() {
            let (factor, variance) = discrete_law(case.0, a);
            let variance = variance / STIFFNESS;
            let seed = 10 * number as u64 + seed as u64;
            let mut run = member(&system, dynamics(case, a / STIFFNESS), vec![], seed);
            // After n steps the start has decayed by factor²ⁿ.
            run.advance(200).unwrap();
            assert!(factor.powi(400) < 1e-13);
            // Products x(t) x(t + n) for n = 0, 1, 3, 7, averaged over times, one value a
            // coordinate: independent samples.
            let lags = [0, 1, 3, 7];
            let windows = 40;
            let mut products = vec![vec![0.0; 3_000]; lags.len()];
            for _ in 0..windows {
                let first = coordinates(&run);
                let mut lag = 0;
                for (products, &next) in products.iter_mut().zip(&lags) {
                    run.advance(next - lag).unwrap();
                    lag = next;
                    let now = coordinates(&run);
                    for ((product, x), y) in products.iter_mut().zip(&first).zip(&now) {
                        *product += x * y / f64::from(windows);
                    }
                }
                run.advance(5).unwrap();
            }
            for (products, &lag) in products.iter().zip(&lags) {
                let error = deviation(products, variance * factor.powi(lag as i32));
                if lag == 0 {
                    variances.push(error);
                }
            }
        }
    }
    assert_joint(&variances);
}

/// The bounds above distinguish the schemes from each other and from continuous time.
#[test]
fn the_discrete_laws_differ() {
    let (_, first) = discrete_law(Integrator::Brownian, 0.1);
    let (_, second) = discrete_law(Integrator::BrownianSecondOrder, 0.1);
    // 120,000 squares, of which some 20,000 are independent, have an error of 1 %; the laws differ by 5 %.
    assert!(first > 1.05 && second < 1.0 && second > 0.997);
}

/// ξ⟨Δx²⟩/2h. First order: Δx = −a x + B, so (a²/(1 − a/2) + 2a)/2a = 1/(1 − a/2), which is
/// T + h⟨F²⟩/2ξ an axis. Second order: Δx = (c − 1) x + (1 − a/2) B.
#[test]
fn the_temperature_estimate_counts_the_drift() {
    let system = trapped(500, STIFFNESS);
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        for (seed, a) in [0.02, 0.5].into_iter().enumerate() {
            let (factor, variance) = discrete_law(case.0, a);
            let noise: f64 = match case.0 {
                Integrator::Brownian => 1.0,
                _ => 1.0 - a / 2.0,
            };
            let expected = (factor - 1.0).powi(2) * variance / (2.0 * a) + noise * noise;
            if case.0 == Integrator::Brownian {
                let square_force = 3.0 * STIFFNESS * variance;
                let step = a / STIFFNESS;
                assert!((expected - (1.0 + step * square_force / 6.0)).abs() < 1e-12);
            }
            let seed = 100 + 10 * number as u64 + seed as u64;
            let mut run = member(&system, dynamics(case, a / STIFFNESS), vec![], seed);
            run.advance(1_000).unwrap();
            run.measure().unwrap();
            // Blocks of 400 steps, 8 correlation times or more: independent but for 1e-4.
            let estimates: Vec<f64> = (0..20)
                .map(|_| {
                    run.advance(400).unwrap();
                    run.measure().unwrap().get(Observable::Temperature).unwrap() * BOLTZMANN
                })
                .collect();
            deviations.push(deviation(&estimates, expected));
        }
    }
    assert_joint(&deviations);
}

#[test]
fn restrained_beads_have_the_variance_of_a_trap_around_their_start() {
    let beads = 1_000;
    let start: Vec<[f64; 3]> =
        (0..beads).map(|bead| [bead as f64 / 16.0, 5.0 - bead as f64 / 32.0, -7.5]).collect();
    let system = system(start.clone(), Interactions::default());
    let restrain = Restrain { beads: (0..beads).collect(), stiffness: STIFFNESS };
    let mut deviations = Vec::new();
    for (seed, case) in CASES.into_iter().enumerate() {
        let a = 0.3;
        let (factor, variance) = discrete_law(case.0, a);
        let externals = vec![External::Restrain(restrain.clone())];
        let mut run = member(&system, dynamics(case, a / STIFFNESS), externals, 300 + seed as u64);
        run.advance(100).unwrap();
        assert!(factor.powi(200) < 1e-13);
        let mut squares = vec![0.0; 3 * beads];
        let mut means = vec![0.0; 3 * beads];
        for _ in 0..40 {
            run.advance(10).unwrap();
            let now = coordinates(&run);
            for (index, x) in now.iter().enumerate() {
                let away = x - start[index / 3][index % 3];
                squares[index] += away * away / 40.0;
                means[index] += away / 40.0;
            }
        }
        deviations.push(deviation(&squares, variance / STIFFNESS));
        deviation(&means, 0.0);
    }
    assert_joint(&deviations);
}

/// A restraint and a trap that describe the same well must give the same force.
#[test]
fn a_restraint_and_a_trap_are_the_same_force() {
    let trapped = trapped(50, STIFFNESS);
    let free = system(vec![[0.0; 3]; 50], Interactions::default());
    for case in CASES {
        let restrain = Restrain { beads: (0..50).collect(), stiffness: STIFFNESS };
        let end = |system: &Arc<_>, externals| {
            let mut run = member(system, dynamics(case, 0.05), externals, 4);
            run.advance(500).unwrap();
            coordinates(&run)
        };
        // In f32 an external's force is rounded once and a trap's twice.
        let bound = match case.1 {
            beadwork_model::Precision::Single => 1e-5,
            beadwork_model::Precision::Double => 1e-13,
        };
        let [by_trap, by_drive] =
            [end(&trapped, vec![]), end(&free, vec![External::Restrain(restrain)])];
        for (a, b) in by_trap.iter().zip(&by_drive) {
            assert!((a - b).abs() < bound, "{case:?}: {a} {b}");
        }
    }
}

/// Compares the columns of oscillators from their start on, then correlations, for each scheme, precision and number of
/// dimensions.
#[test]
fn oscillators_follow_the_law_of_their_scheme() {
    let a = 0.2;
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        for dimensions in [Dimensions::One, Dimensions::Three] {
            // 4,001 particles leave axes unused in one dimension.
            let particles =
                Oscillators { particles: 4_001, dimensions, stiffness: STIFFNESS, start: 2.0 };
            let system = Arc::new(particles.build());
            let dynamics = dynamics(case, a / STIFFNESS);
            let law = particles.law(&dynamics);
            let (factor, variance) = discrete_law(case.0, a);
            assert!((law.factor - factor).abs() < 1e-15);
            assert!((law.stationary().unwrap() / variance * STIFFNESS - 1.0).abs() < 1e-14);
            let seed = 500 + 2 * number as u64 + u64::from(dimensions == Dimensions::One);
            let mut run = member(&system, dynamics, vec![], seed);
            let counted = |run: &Member| {
                let mut all = coordinates(run);
                all.truncate(particles.coordinates());
                all
            };
            for steps in [1, 4, 10, 50] {
                run.advance(steps - run.step_number()).unwrap();
                let now = counted(&run);
                let steps = steps as f64;
                let (mean, variance) = (law.mean(steps), law.variance(steps));
                deviations.push(deviation(&now, mean));
                let squares: Vec<f64> = now.iter().map(|x| x * x).collect();
                deviations.push(deviation(&squares, mean * mean + variance));

                let row = run.measure().unwrap();
                let average = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
                let (mean, square) = (average(&now), average(&squares));
                let close = |observable: Observable, expected: f64| {
                    let found = row.get(observable).unwrap();
                    assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()));
                };
                close(Observable::Mean, mean / 10.0);
                close(Observable::MeanSquare, square / 100.0);
                close(Observable::SpreadTemperature, STIFFNESS * square / BOLTZMANN);
                let axes = if dimensions == Dimensions::One { 1.0 } else { 3.0 };
                close(Observable::ParticleEnergy, axes * STIFFNESS * square / 2.0);
                assert_eq!(row.get(Observable::MeanX).is_some(), axes == 3.0);
                assert_eq!(row.get(Observable::NativeContacts), None);
            }
            run.advance(50).unwrap();
            let first = counted(&run);
            for lag in [0, 1, 5] {
                run.advance(100 + lag - run.step_number()).unwrap();
                let products: Vec<f64> =
                    first.iter().zip(counted(&run)).map(|(x, y)| x * y).collect();
                deviations
                    .push(deviation(&products, law.stationary().unwrap() * law.power(lag as f64)));
            }
        }
    }
    // The samples of one run at several times are correlated, so there is no joint bound: each must be within 4.
    assert_eq!(deviations.len(), 8 * 11);
}
