//! Autocorrelation times along replicas that are exchanged over temperatures.

use crate::autocorrelation::{AutocorrelationTime, integrated_time};
use crate::statistics::{mean, standard_deviation};

/// The most values of a replica's series. Longer series are averaged in bins, which hides correlations within a bin.
const MOST_VALUES: usize = 1024;

/// The rung of a replica and the value of a quantity at each row, in the order of time.
pub type RungHistory = Vec<(usize, f64)>;

/// The autocorrelation time of a quantity along the replicas, in rows.
///
/// At one temperature, successive values come from different replicas. Correlations within a replica appear there only
/// as a weak tail, but cause most of the error; the series of each replica shows them directly (\[J\]). From each value
/// the mean at its temperature is subtracted, and the difference divided by the standard deviation there. `rungs` is
/// the number of temperatures. `None` if all values are equal.
pub fn autocorrelation_time(rungs: usize, replicas: &[RungHistory]) -> Option<AutocorrelationTime> {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); rungs];
    replicas.iter().flatten().for_each(|&(rung, value)| values[rung].push(value));
    // A rung with one value, or with equal values, has no standard deviation to scale with.
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
