//! Averages at one temperature and their errors.

use beadwork_analysis::replicas::autocorrelation_time;
use beadwork_analysis::thermodynamics::{Basis, Thermodynamics, at_temperature};
use beadwork_analysis::{Estimate, Samples};

use crate::autocorrelation::autoregression;
use crate::noise::Noise;
use crate::replicas::exchanged;

/// Three samples by hand: E = 1, 2, 6 and A = 2, 2, 5 have covariances 14/3, 3 and 2.
#[test]
fn moments_of_three_samples() {
    let (energies, values) = ([1001.0, 1002.0, 1006.0], [2.0, 2.0, 5.0]);
    let samples = Samples { energies: &energies, observables: vec![&values] };
    let found = at_temperature(2.0, 7, &[samples], &[]).unwrap();
    assert_eq!((found.energy.value, found.energy.error), (1003.0, None));
    let close = |estimate: Estimate, exact: f64| (estimate.value - exact).abs() < 1e-12;
    assert!(close(found.heat_capacity_per_bead, 14.0 / 3.0 / 4.0 / 7.0));
    assert!(close(found.observables[0].mean, 3.0));
    assert!(close(found.observables[0].fluctuation, 2.0));
    assert!(close(found.observables[0].temperature_derivative, 3.0 / 4.0));
    assert!(matches!(found.basis, Basis::TooShort { .. }));
}

/// Gaussian energies of variance 4 and A = E/2 + noise of variance 1, both correlated in time. At T
/// = 2 with one bead, C = 1, ⟨A²⟩ − ⟨A⟩² = 2, d⟨A⟩/dT = ½.
fn correlated(noise: &mut Noise, length: usize) -> (Vec<f64>, Vec<f64>) {
    let energy = autoregression(noise, 0.8, length);
    let own = autoregression(noise, 0.9, length);
    let values = energy.iter().zip(own).map(|(energy, own)| energy + own).collect();
    (energy.iter().map(|energy| 2.0 * energy - 500.0).collect(), values)
}

fn deviations(found: &Thermodynamics) -> [f64; 5] {
    let observable = found.observables[0];
    [
        found.energy.deviation(-500.0).unwrap(),
        found.heat_capacity_per_bead.deviation(1.0).unwrap(),
        observable.mean.deviation(0.0).unwrap(),
        observable.fluctuation.deviation(2.0).unwrap(),
        observable.temperature_derivative.deviation(0.5).unwrap(),
    ]
}

/// Over 60 repeats, squared deviations in units of the stated error average to about one.
#[test]
fn errors_of_blocks_are_those_of_the_process() {
    let mut noise = Noise(17);
    let mut squares = [0.0; 5];
    for _ in 0..60 {
        let (energies, values) = correlated(&mut noise, 40_000);
        let samples = Samples { energies: &energies, observables: vec![&values] };
        let found = at_temperature(2.0, 1, &[samples], &[]).unwrap();
        assert!(matches!(found.basis, Basis::Blocks { count: 16, length: 2500 }));
        let each = deviations(&found);
        assert!(each.iter().all(|z| z.abs() < 4.5), "{each:?}");
        squares.iter_mut().zip(each).for_each(|(sum, z)| *sum += z * z / 60.0);
    }
    // For sixteen blocks t² averages to 15/13; the mean of 60 scatters by √(3.4/60) = 0.24.
    assert!(squares.iter().all(|square| (square - 15.0 / 13.0).abs() < 4.0 * 0.24), "{squares:?}");
}

#[test]
fn eight_ladders_are_left_out_one_by_one() {
    let mut noise = Noise(23);
    let series: Vec<_> = (0..16).map(|_| correlated(&mut noise, 2000)).collect();
    let ladders: Vec<Samples> = series
        .iter()
        .map(|(energies, values)| Samples { energies, observables: vec![values] })
        .collect();
    let found = at_temperature(2.0, 1, &ladders, &[]).unwrap();
    assert_eq!(found.basis, Basis::Ladders(16));
    assert!(deviations(&found).iter().all(|z| z.abs() < 4.5), "{found:?}");
    // τ = 4.5 intervals, 32,000 values, σ² = 4: the error is √(2 τ σ²/n) = 0.0335, known to 1/√30.
    let error = found.energy.error.unwrap();
    assert!((error / 0.0335 - 1.0).abs() < 4.0 / 30f64.sqrt(), "{error}");
    // Two ladders are cut into blocks.
    let two = at_temperature(2.0, 1, &ladders[..2], &[]).unwrap();
    assert!(matches!(two.basis, Basis::Blocks { count: 8.., .. }), "{:?}", two.basis);
    let short: Vec<Samples> = ladders[..2].iter().map(|all| all.blocks(20).remove(0)).collect();
    let short = at_temperature(2.0, 1, &short, &[]).unwrap();
    assert!(matches!(short.basis, Basis::TooShort { needed: 10.. }));
    assert_eq!(short.observables[0].mean.error, None);
}

/// Correlations along the replicas cause errors at a temperature that its own series does not show. No errors are
/// stated if these correlations are too long.
#[test]
fn errors_of_exchanged_replicas() {
    let mut noise = Noise(41);
    let (repeats, rungs) = (200, 8);
    // τ = 199.5: eight blocks of five times τ are 7,980 rows.
    let mut squares = |length: usize, is_known: bool| {
        let mut sum = 0.0;
        for _ in 0..repeats {
            let (walks, series) = exchanged(&mut noise, rungs, 0.995, length);
            let times = [autocorrelation_time(rungs, &walks)];
            let samples = [Samples { energies: &series[0], observables: vec![] }];
            let of_walks = at_temperature(1.0, 1, &samples, &times).unwrap();
            assert_eq!(of_walks.energy.error.is_some(), is_known, "{times:?}");
            let found = at_temperature(1.0, 1, &samples, &[]).unwrap();
            sum += found.energy.deviation(0.0).unwrap_or(0.0).powi(2) / f64::from(repeats);
        }
        sum
    };
    // For sixteen blocks t² averages to 15/13; to 1.44 if blocks miss a fifth of the squared error; to about 1.5 since times that
    // come out short make shorter blocks. The mean scatters by 0.18.
    let enough = squares(16_000, true);
    assert!((enough - 1.5).abs() < 4.0 * 0.18, "{enough}");
    // Blocks of length τ miss more than half of the square.
    let few = squares(3_200, false);
    assert!(few > 1.5 + 4.0 * 0.18, "{few}");
}

#[test]
fn nothing_to_average_is_refused() {
    for samples in [vec![], vec![Samples::default()]] {
        assert_eq!(at_temperature(1.0, 1, &samples, &[]).unwrap_err().code(), "analysis/samples");
    }
}
