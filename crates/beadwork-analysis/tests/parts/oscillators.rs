//! Correlations of oscillators and their errors.

use beadwork_analysis::oscillators::{Averaged, Decay, joint_bound, sums_of_products};
use beadwork_analysis::statistics::standard_deviation;

use crate::noise::Noise;

#[test]
fn bounds_are_those_of_the_normal_distribution() {
    // Two-sided tails of 10⁻³ begin at 3.2905, of 10⁻⁶ at 4.8916.
    assert!((joint_bound(1) - 3.29).abs() < 0.03);
    assert!((joint_bound(1000) - 4.892).abs() < 0.01);
}

/// For independent numbers, the squared error is 2 V²/K at lag 0 and V²/K at other lags.
#[test]
fn errors_of_uncorrelated_samples_have_a_closed_form() {
    let decay = Decay { variance: 3.0, factor: 0.0 };
    let error = |lag| decay.error(Averaged { lag, origins: 50, series: 2 });
    assert!((error(0) - 3.0 * (2.0_f64 / 100.0).sqrt()).abs() < 1e-12);
    assert!((error(4) - 3.0 * (1.0_f64 / 100.0).sqrt()).abs() < 1e-12);
}

#[test]
fn correlations_and_their_errors_are_those_of_the_process() {
    let (rho, coordinates, length) = (0.8_f64, 400, 300);
    let decay = Decay { variance: 2.0, factor: rho };
    let strength = (decay.variance * (1.0 - rho * rho)).sqrt();
    let mut noise = Noise(5);
    let mut now: Vec<f64> =
        (0..coordinates).map(|_| decay.variance.sqrt() * noise.normal()).collect();
    let mut frames = Vec::new();
    for _ in 0..length {
        frames.push(now.iter().map(|x| *x as f32).collect::<Vec<f32>>());
        now.iter_mut().for_each(|x| *x = rho * *x + strength * noise.normal());
    }
    let lags = [0, 1, 5, 20];
    // Each coordinate is averaged alone; their scatter then shows the error of one coordinate.
    for (place, &lag) in lags.iter().enumerate() {
        let origins = length - lag;
        let each: Vec<f64> = (0..coordinates)
            .map(|which| {
                let alone: Vec<Vec<f32>> = frames.iter().map(|f| vec![f[which]]).collect();
                sums_of_products(&alone, &lags)[place] / origins as f64
            })
            .collect();
        let expected = decay.error(Averaged { lag, origins, series: 1 });
        let found = standard_deviation(&each).unwrap();
        // A standard deviation from 400 values is known to 1/√800, less well here since products are not normal.
        assert!((found / expected - 1.0).abs() < 0.2, "{lag}: {found} {expected}");
        let all = sums_of_products(&frames, &lags)[place] / (origins * coordinates) as f64;
        let error = decay.error(Averaged { lag, origins, series: coordinates });
        assert!((all - decay.at(lag)).abs() < 4.0 * error, "{lag}: {all}");
    }
}
