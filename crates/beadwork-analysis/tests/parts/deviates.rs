//! Tails of sums of squares and of products.

use beadwork_analysis::deviates::{of_correlation, of_sum_of_squares};
use beadwork_analysis::oscillators::{Averaged, Decay, sums_of_products};

use crate::noise::Noise;

/// Values from tables: χ² of `count` degrees exceeds x with the probability that a normal number exceeds z.
#[test]
fn tails_of_sums_of_squares_are_those_of_tables() {
    for (sum, count, z) in [
        // Upper tails of 10⁻³ and 10⁻⁶ begin at 10.828 and 23.928 for one number; 10⁻³ at 29.588 for ten.
        (10.8276, 1.0, 3.0902),
        (23.9281, 1.0, 4.7534),
        (29.5883, 10.0, 3.0902),
        (149.4493, 100.0, 3.0902),
        // Lower tails of 10⁻³.
        (1.5708e-6, 1.0, -3.0902),
        (1.4787, 10.0, -3.0902),
    ] {
        let found = of_sum_of_squares(sum, count, 0.0);
        assert!((found - z).abs() < 0.04, "{sum} {count}: {found}");
    }
    // For one number of mean 6, (6 ± z)² has the tails of the normal number itself.
    for z in [-4.0_f64, -2.0, 2.0, 3.0, 5.0] {
        let found = of_sum_of_squares((6.0 + z).powi(2), 1.0, 36.0);
        assert!((found - z).abs() < 0.03, "{z}: {found}");
    }
    assert!(of_sum_of_squares(10.001, 10.0, 0.0).abs() < 0.15);
}

/// The mean square of n uncorrelated samples is distributed as χ²/n.
#[test]
fn uncorrelated_samples_at_lag_zero_are_sums_of_squares() {
    let decay = Decay { variance: 3.0, factor: 1e-9 };
    let averaged = Averaged { lag: 0, origins: 20, series: 1 };
    for sum in [3.0, 10.0, 30.0, 60.0] {
        let found = of_correlation(&decay, averaged, 3.0 * sum / 20.0);
        let expected = of_sum_of_squares(sum, 20.0, 0.0);
        assert!((found - expected).abs() < 1e-3, "{sum}: {found} {expected}");
    }
}

/// Counts averages of one series beyond three limits. Deviates exceed them as often as normal numbers, plain standard
/// errors far more often.
#[test]
fn few_samples_raise_no_more_alarms_than_a_normal_number() {
    const TRIALS: usize = 20_000;
    const LIMIT: f64 = 3.0902;
    let (rho, length) = (0.8_f64, 200);
    let decay = Decay { variance: 2.0, factor: rho };
    let strength = (decay.variance * (1.0 - rho * rho)).sqrt();
    let mut noise = Noise(11);
    let lags = [0, 2, 12];
    let (mut rare, mut beyond) = ([0; 3], [0; 3]);
    for _ in 0..TRIALS {
        let mut now = decay.variance.sqrt() * noise.normal();
        let mut frames = Vec::new();
        for _ in 0..length {
            frames.push(vec![now as f32]);
            now = rho * now + strength * noise.normal();
        }
        for (place, sum) in sums_of_products(&frames, &lags).into_iter().enumerate() {
            let (lag, origins) = (lags[place], length - lags[place]);
            let averaged = Averaged { lag, origins, series: 1 };
            let value = sum / origins as f64;
            let plain = (value - decay.at(lag)) / decay.error(averaged);
            beyond[place] += usize::from(plain.abs() > LIMIT);
            // A deviate beyond the limit is always beyond 1.5 standard errors; the others need no computation.
            if plain.abs() > 1.5 {
                let deviate = of_correlation(&decay, averaged, value);
                rare[place] += usize::from(deviate.abs() > LIMIT);
            }
        }
    }
    // Expected are 2 in 1000, 40 of 20,000, within four standard errors of such a count.
    for (lag, count) in lags.iter().zip(rare) {
        assert!((15..=65).contains(&count), "lag {lag}: {rare:?}");
    }
    assert!(beyond.iter().all(|count| *count > 80), "{beyond:?}");
}
