//! Autocorrelation times of series with a known one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use beadwork_analysis::autocorrelation::{AutocorrelationTime, integrated_time, time_of_mean};
use beadwork_analysis::average::Average;
use beadwork_analysis::interruption;
use beadwork_analysis::statistics::standard_deviation;

use crate::noise::Noise;

/// x' = φ x + √(1 − φ²) n: unit variance, ρ(t) = φᵗ, τ = (1 + φ)/(2 (1 − φ)).
pub fn autoregression(noise: &mut Noise, factor: f64, length: usize) -> Vec<f64> {
    let mut value = noise.normal();
    let strength = (1.0 - factor * factor).sqrt();
    let step = |_| {
        value = factor * value + strength * noise.normal();
        value
    };
    (0..length).map(step).collect()
}

#[test]
fn times_of_autoregressions() {
    let mut noise = Noise(3);
    for factor in [0.0, 0.5, 0.9, 0.98] {
        let series = autoregression(&mut noise, factor, 1 << 18);
        let found = integrated_time(&[&series]).unwrap();
        let exact = 0.5 * (1.0 + factor) / (1.0 - factor);
        assert!((found.time - exact).abs() < 4.0 * found.error, "{factor}: {found:?} {exact}");
        assert!(found.error < 0.1 * exact && found.long_enough, "{found:?}");
        assert!((found.inefficiency() / (2.0 * exact) - 1.0).abs() < 0.3);
    }
    let alternating = autoregression(&mut noise, -0.6, 1 << 16);
    let found = integrated_time(&[&alternating]).unwrap();
    // The window ends at lag 3: the rest of Σ (−0.6)ᵗ is at most (0.6)⁴/1.6 = 0.081, for τ = 0.125.
    assert!((found.time - 0.125).abs() < 0.081 + 4.0 * found.error, "{found:?}");
    assert_eq!(found.inefficiency(), 1.0);
}

/// The scatter of the times of 256 series equals the error that each of them states; their mean is unbiased.
#[test]
fn errors_are_the_scatter() {
    let mut noise = Noise(8);
    let found: Vec<AutocorrelationTime> = (0..256)
        .map(|_| integrated_time(&[&autoregression(&mut noise, 0.8, 1 << 12)]).unwrap())
        .collect();
    let times: Vec<f64> = found.iter().map(|found| found.time).collect();
    let scatter = standard_deviation(&times).unwrap();
    let stated = found.iter().map(|found| found.error).sum::<f64>() / 256.0;
    // A standard deviation from 256 values is known to 1/√510; the bound is four of these.
    assert!((scatter / stated - 1.0).abs() < 4.0 / 510f64.sqrt(), "{scatter} {stated}");
    let mean = times.iter().sum::<f64>() / 256.0;
    assert!((mean - 4.5).abs() < 4.0 * scatter / 16.0 + 4.5 * (-6f64).exp(), "{mean}");
}

#[test]
fn chains_count_together_and_disagreement_is_correlation() {
    let mut noise = Noise(4);
    let chains: Vec<Vec<f64>> = (0..16).map(|_| autoregression(&mut noise, 0.7, 4096)).collect();
    let found = integrated_time(&chains).unwrap();
    assert_eq!(found.samples, 65_536);
    assert!((found.time - 1.7 / 0.6).abs() < 4.0 * found.error, "{found:?}");
    let apart: Vec<f64> = chains[0].iter().map(|value| value + 3.0).collect();
    assert!(!integrated_time(&[&apart, &chains[1]]).unwrap().long_enough);
}

#[test]
fn short_series_give_only_a_lower_bound() {
    let series = autoregression(&mut Noise(2), 0.99, 300);
    assert!(!integrated_time(&[&series]).unwrap().long_enough);
    let drift: Vec<f64> = (0..1000).map(f64::from).collect();
    assert!(!integrated_time(&[&drift]).unwrap().long_enough);
    assert_eq!(integrated_time(&[[]]), None);
    assert_eq!(integrated_time(&[&[1.0]]), None);
    assert_eq!(integrated_time(&[&[0.1; 100]]), None);
    assert_eq!(integrated_time(&[&[1.0, f64::NAN, 2.0]]), None);
}

#[test]
fn few_values_that_alternate_are_not_long_enough() {
    let few = [1.0, -1.2, 1.1, -1.0, 0.9, -1.1];
    for found in [integrated_time(&[few]), time_of_mean(&[few])] {
        let found = found.unwrap();
        assert!(found.time < 0.06 && !found.long_enough, "{found:?}");
    }
    assert!(!Average::of(&[few]).unwrap().is_known);
}

#[test]
fn means_of_what_is_not_finite_are_not_known() {
    for value in [f64::NAN, f64::INFINITY] {
        let found = Average::of(&[[1.0, value, 3.0]]).unwrap();
        assert!(!found.is_known && found.error.is_none() && !found.mean.is_finite(), "{found:?}");
    }
    assert!(Average::of(&[[2.0; 3]]).unwrap().is_known);
}

/// Too few values and series that end before their correlations do are told apart.
#[test]
fn a_window_that_was_not_reached_is_no_lack_of_values() {
    // 500 values of τ = 99.5 are a few independent ones.
    let slow = Average::of(&[autoregression(&mut Noise(2), 0.99, 500)]).unwrap();
    assert!(!slow.is_known && !slow.is_cut_short(), "{slow:?}");
    // The window of six times τ = ½ has three lags, and half of a series has two.
    let short = |count: usize| Average::of(&vec![[1.0, -1.0, 1.1, -1.1]; count]).unwrap();
    assert!(short(15).is_cut_short() && short(15).independent > 50.0, "{:?}", short(15));
    // Of sixteen series each is a block.
    assert!(short(16).is_known && !short(16).is_cut_short());
}

#[test]
fn a_wish_to_stop_ends_the_sum() {
    // A slow drift, whose window is long.
    let series: Vec<f64> = (0..1000).map(f64::from).collect();
    let whole = integrated_time(&[&series]).unwrap();
    let flag = Arc::new(AtomicBool::new(true));
    let stopped = std::thread::spawn(move || {
        interruption::follow(flag);
        integrated_time(&[&series]).unwrap()
    });
    assert!(whole.window > 0 && stopped.join().unwrap().window == 0);
}
