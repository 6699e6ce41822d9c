//! Autocorrelation times along replicas that are exchanged over temperatures.

use crate::autocorrelation::{AutocorrelationTime, integrated_time};
use crate::statistics::{mean, standard_deviation};

/// A replica's series is averaged in bins to at most this many values. Times shorter than a bin do not matter here.
const MOST_VALUES: usize = 1024;

/// The rung of a replica, and the value of a quantity there, in the order of time.
pub type RungHistory = Vec<(usize, f64)>;

/// The autocorrelation time of a quantity along the replicas, in rows.
///
/// At one temperature successive values come from different replicas. The correlations within a replica appear there
/// only as a weak tail, below the noise of any single lag, and yet they make most of the error. Along a replica they are
/// plain (\[J\], Chodera et al., J. Chem. Theory Comput. 3, 26, 2007). Values are counted from the mean at the temperature
/// where they were measured, in units of the standard deviation there.
///
/// `rungs` is the number of temperatures. `None` where nothing changes.
pub fn autocorrelation_time(rungs: usize, replicas: &[RungHistory]) -> Option<AutocorrelationTime> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); rungs];
    replicas.iter().flatten().for_each(|&(rung, value)| values[rung].push(value));
    // A single value, or equal ones, have no scale.
    let scales: Vec<Option<(f64, f64)>> = values
        .iter()
        .map(|all| Some((mean(all)?, standard_deviation(all).filter(|of| *of > 0.0)?)))
        .collect();
    let longest = replicas.iter().map(Vec::len).max()?;
    let bin = longest.div_ceil(MOST_VALUES).max(1);
    let from_mean = |&(rung, value): &(usize, f64)| {
        scales[rung].map_or(0.0, |(centre, deviation)| (value - centre) / deviation)
    };
    let averaged = |replica: &RungHistory| -> Vec<f64> {
        let bins = replica.chunks_exact(bin);
        bins.map(|bin| bin.iter().map(from_mean).sum::<f64>() / bin.len() as f64).collect()
    };
    let chains: Vec<Vec<f64>> = replicas.iter().map(averaged).collect();
    let found = integrated_time(&chains)?;
    Some(AutocorrelationTime {
        time: found.time * bin as f64,
        error: found.error * bin as f64,
        window: found.window * bin,
        samples: found.samples * bin,
        ..found
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::autocorrelation::tests::autoregression;
    use crate::noise::Noise;

    /// Replicas that are thrown over the rungs anew at each row, of values with a correlation of their own, three times as wide at
    /// each rung as at the one before: by replica, and by rung.
    pub(crate) fn exchanged(
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
        // φ = 0.98: 49.5 rows. Replicas are at a rung once in eight rows, which makes ½ + 49/8 there.
        let (replicas, series) = exchanged(&mut noise, 8, 0.98, 8_000);
        let found = autocorrelation_time(8, &replicas).unwrap();
        assert!((found.time - 49.5).abs() < 4.0 * found.error && found.error < 7.0, "{found:?}");
        assert!(found.long_enough && found.samples <= 64_000, "{found:?}");
        let seen: Vec<f64> = series.iter().map(|of| integrated_time(&[of]).unwrap().time).collect();
        let at_rungs = mean(&seen).unwrap();
        assert!(at_rungs < 0.7 * (0.5 + 49.0 / 8.0), "a window of six times misses most: {seen:?}");
    }

    #[test]
    fn replicas_that_stay_are_correlated_for_ever() {
        let mut noise = Noise(32);
        let stay = |noise: &mut Noise, replica: usize| -> RungHistory {
            let values = autoregression(noise, 0.5, 400);
            values.into_iter().map(|x| (0, x + 4.0 * replica as f64)).collect()
        };
        let replicas: Vec<_> = (0..4).map(|replica| stay(&mut noise, replica)).collect();
        assert!(!autocorrelation_time(1, &replicas).unwrap().long_enough);
        // Replicas that each have a rung of their own may be in equilibrium there.
        let apart: Vec<RungHistory> = replicas
            .iter()
            .enumerate()
            .map(|(rung, rows)| rows.iter().map(|&(_, value)| (rung, value)).collect())
            .collect();
        let found = autocorrelation_time(4, &apart).unwrap();
        assert!((found.time - 1.5).abs() < 4.0 * found.error, "{found:?}");
    }

    #[test]
    fn nothing_has_no_time() {
        assert_eq!(autocorrelation_time(2, &[]), None);
        assert_eq!(autocorrelation_time(1, &[vec![(0, 2.0); 90]]), None);
    }
}
