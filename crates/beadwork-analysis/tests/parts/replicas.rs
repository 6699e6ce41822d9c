//! Autocorrelation times along exchanged replicas.

use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::replicas::{RungHistory, autocorrelation_time};
use beadwork_analysis::statistics::mean;

use crate::autocorrelation::autoregression;
use crate::noise::Noise;

/// Replicas are shuffled over the rungs at each row. Their values have a correlation of their own and spread three
/// times as wide at each rung as at the one below. Returns the values by replica and by rung.
pub fn exchanged(
    noise: &mut Noise,
    rungs: usize,
    factor: f64,
    length: usize,
) -> (Vec<RungHistory>, Vec<Vec<f64>>) {
    let mut own: Vec<_> =
        (0..rungs).map(|_| autoregression(noise, factor, length).into_iter()).collect();
    let mut replicas = vec![Vec::new(); rungs];
    let mut series = vec![Vec::new(); rungs];
    for _ in 0..length {
        let mut order: Vec<(f64, usize)> =
            (0..rungs).map(|replica| (noise.normal(), replica)).collect();
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (rung, (_, replica)) in order.into_iter().enumerate() {
            let value = own[replica].next().unwrap();
            let value = 100.0 * rung as f64 + 3f64.powi(rung as i32) * value;
            replicas[replica].push((rung, value));
            series[rung].push(value);
        }
    }
    (replicas, series)
}

#[test]
fn correlations_along_replicas_are_hidden_at_a_temperature() {
    let mut noise = Noise(31);
    // φ = 0.98 gives 49.5 rows. A replica visits a given rung once in eight rows: ½ + 49/8 at one rung.
    let (replicas, series) = exchanged(&mut noise, 8, 0.98, 8_000);
    let found = autocorrelation_time(8, &replicas).unwrap();
    assert!((found.time - 49.5).abs() < 4.0 * found.error && found.error < 7.0, "{found:?}");
    assert!(found.long_enough && found.samples <= 64_000, "{found:?}");
    let seen: Vec<f64> = series.iter().map(|of| integrated_time(&[of]).unwrap().time).collect();
    let at_rungs = mean(&seen).unwrap();
    assert!(at_rungs < 0.7 * (0.5 + 49.0 / 8.0), "a window of six times misses most: {seen:?}");
}

#[test]
fn replicas_that_never_mix_give_only_a_lower_bound() {
    let mut noise = Noise(32);
    let stay = |noise: &mut Noise, replica: usize| -> RungHistory {
        let values = autoregression(noise, 0.5, 400);
        values.into_iter().map(|x| (0, x + 4.0 * replica as f64)).collect()
    };
    let replicas: Vec<_> = (0..4).map(|replica| stay(&mut noise, replica)).collect();
    assert!(!autocorrelation_time(1, &replicas).unwrap().long_enough);
    // Replicas that each stay on a rung of their own may be in equilibrium there.
    let apart: Vec<RungHistory> = replicas
        .iter()
        .enumerate()
        .map(|(rung, rows)| rows.iter().map(|&(_, value)| (rung, value)).collect())
        .collect();
    let found = autocorrelation_time(4, &apart).unwrap();
    assert!((found.time - 1.5).abs() < 4.0 * found.error, "{found:?}");
}

#[test]
fn empty_or_constant_series_have_no_time() {
    assert_eq!(autocorrelation_time(2, &[]), None);
    assert_eq!(autocorrelation_time(1, &[vec![(0, 2.0); 90]]), None);
}
