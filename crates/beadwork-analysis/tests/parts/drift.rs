//! Drifts between halves, of stationary series and of trends.

use beadwork_analysis::drift::{Drift, drift};

use crate::autocorrelation::autoregression;
use crate::noise::Noise;

fn made(
    noise: &mut Noise,
    factor: f64,
    [ladders, length]: [usize; 2],
    slope: f64,
) -> Vec<Vec<f64>> {
    let one = |_| {
        let values = autoregression(noise, factor, length).into_iter().enumerate();
        values.map(|(n, x)| x - 7.0 + slope * n as f64 / length as f64).collect()
    };
    (0..ladders).map(one).collect()
}

fn found(series: &[Vec<f64>]) -> Option<Drift> {
    drift(&series.iter().map(Vec::as_slice).collect::<Vec<_>>(), None)
}

/// In equilibrium probabilities are uniform, even small ones. Blocks of ten autocorrelation times underestimate the
/// error by a twentieth, so small ones are more frequent; short series give no drift.
#[test]
fn stationary_series_have_no_drift() {
    let mut noise = Noise(5);
    let repeats = 5_000;
    // Number of ladders, values of each, their lag-1 correlation, and whether every repeat must yield a drift.
    for (ladders, length, factor, always) in [
        (1, 150, 0.5, false),
        (1, 2_000, 0.8, true),
        (2, 82, 0.5, false),
        (4, 41, 0.5, false),
        (4, 123, 0.8, false),
        (4, 600, 0.8, true),
        (7, 23, 0.5, false),
        (7, 107, 0.5, true),
        (7, 321, 0.8, true),
        (9, 200, 0.8, true),
    ] {
        let probabilities: Vec<f64> = (0..repeats)
            .filter_map(|_| found(&made(&mut noise, factor, [ladders, length], 0.0)))
            .map(|drift| drift.probability())
            .collect();
        let what = format!("{ladders} series of {length}, {factor}");
        assert!(!always || probabilities.len() > repeats * 99 / 100, "{what}");
        // Upper bounds: normal tails beyond 0.95 of the deviate of each level.
        for (level, most) in [(0.0005, 0.00094), (0.005, 0.0077), (0.1, 0.118), (0.5, 0.522)] {
            let below = probabilities.iter().filter(|p| **p < level).count() as f64;
            let part = below / repeats as f64;
            let spread = (level * (1.0 - level) / repeats as f64).sqrt();
            assert!(part < most + 4.5 * spread, "{what}: {part} below {level}");
            assert!(!always || part > level - 4.5 * spread, "{what}: {part} below {level}");
        }
    }
}

/// Vibrations that anti-correlate hide a slow part from the autocorrelation time, but not from the test.
#[test]
fn slow_parts_behind_vibrations_are_no_drift() {
    let mut noise = Noise(9);
    let repeats = 1_000;
    let drifts = (0..repeats).filter_map(|_| {
        let fast = autoregression(&mut noise, -0.6, 4_000);
        let slow = autoregression(&mut noise, 0.97, 4_000);
        let values: Vec<f64> =
            fast.iter().zip(slow).map(|(fast, slow)| fast + 0.3 * slow).collect();
        found(&[values])
    });
    let rare = drifts.filter(|drift| drift.probability() < 0.01).count() as f64;
    // Blocks of 125 values are 3.8 times the slow τ of 33 and miss an eighth of the square of the error: 0.018 in place of 0.01.
    assert!(rare < 18.0 + 4.5 * 18f64.sqrt(), "{rare}");
}

/// A rise by 1 from end to end is a rise by ½ from half to half.
#[test]
fn a_trend_is_found() {
    let mut noise = Noise(6);
    for (ladders, length) in [(1, 8_000), (4, 2_000), (9, 1_000)] {
        let drift = found(&made(&mut noise, 0.8, [ladders, length], 1.0)).unwrap();
        // σ = 1 and τ = 4.5 give an error of about √(4 · 9/n), n the number of all values.
        let error = (36.0 / (ladders * length) as f64).sqrt();
        assert!((drift.error / error - 1.0).abs() < 0.8, "{drift:?} of {error}");
        assert!((drift.rise - 0.5).abs() < 4.5 * error, "{drift:?}");
        assert!(drift.probability() < 1e-3, "{drift:?}");
    }
}

#[test]
fn too_few_or_constant_values_give_no_drift() {
    assert_eq!(drift(&[], None), None);
    assert_eq!(drift(&[&[1.0]], None), None);
    assert_eq!(drift(&[&[1.0; 200]], None), None);
    assert_eq!(
        drift(&[[1.0, 2.0].as_slice(); 9], None),
        None,
        "all rise by 1 exactly, without an error"
    );
    assert_eq!(found(&made(&mut Noise(7), 0.8, [1, 60], 0.0)), None);
    // A series that has only begun does not hide the drift of the others.
    let rising = made(&mut Noise(8), 0.8, [2, 4_000], 1.0);
    let begun = [rising.as_slice(), &[vec![3.0], vec![1.0, 2.0]]].concat();
    assert_eq!(found(&begun), found(&rising));
    assert!(found(&rising).unwrap().probability() < 1e-3);
    let exact = Drift { rise: 4.0, error: 2.0, freedom: 7.0 };
    // The two-sided tail beyond t = 2 with seven degrees of freedom.
    assert!((exact.probability() - 0.0856).abs() < 1e-4, "{}", exact.probability());
}
