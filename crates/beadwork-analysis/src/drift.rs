//! Whether a quantity still drifts: compares the second half of its samples with the first.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::autocorrelation::{AutocorrelationTime, integrated_time};
use crate::jackknife::LEAST_BLOCKS;
use crate::statistics::{mean, standard_error};
use crate::thermodynamics::{MOST_BLOCKS, block_length};

/// The window of an autocorrelation time is at most this part of a half; centring the half then biases it little.
const LONGEST_WINDOW: f64 = 0.25;

/// How far the mean of the second half lies above that of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The difference of the two means, in the unit of the values.
    pub rise: f64,
    /// The standard error of the rise.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub freedom: f64,
}

impl Drift {
    /// The probability in equilibrium of a rise or fall by at least this many standard errors, from Student's t.
    pub fn probability(&self) -> f64 {
        let off = (self.rise / self.error).abs();
        match StudentsT::new(0.0, 1.0, self.freedom) {
            Ok(law) => 2.0 * law.cdf(-off),
            Err(_) => 1.0,
        }
    }
}

/// The drift of a quantity, from independent series of its values in the order of time.
///
/// With at least [`LEAST_BLOCKS`] series, the error comes from how their rises differ. With fewer, it comes from how
/// the blocks within a half differ: each half needs two blocks whose length is the [`block_length`] for the halves and
/// the autocorrelation time along `replicas`, and has sixteen at most, so that slow parts count that vibrations hide from the
/// time. `None` if halves are too short or the values are constant. Series with
/// one value, or less than a quarter as long as the longest, are left out: they would hide a drift of the others.
pub fn drift(series: &[&[f64]], replicas: Option<AutocorrelationTime>) -> Option<Drift> {
    let longest = series.iter().map(|all| all.len()).max()?;
    let halves: Vec<[&[f64]; 2]> = series
        .iter()
        .filter(|all| all.len() > 1 && 4 * all.len() >= longest)
        .map(|all| all.split_at(all.len() / 2).into())
        .collect();
    let means: Vec<[f64; 2]> = halves
        .iter()
        .map(|[first, second]| Some([mean(first)?, mean(second)?]))
        .collect::<Option<_>>()?;
    let rises: Vec<f64> = means.iter().map(|[first, second]| second - first).collect();
    let rise = mean(&rises)?;
    let count = rises.len() as f64;
    let (error, freedom) = if rises.len() >= LEAST_BLOCKS {
        (standard_error(&rises)?, count - 1.0)
    } else {
        let halves: Vec<&[f64]> = halves.into_iter().flatten().collect();
        let means: Vec<f64> = means.into_iter().flatten().collect();
        let length = block_length(time_of_halves(&halves, &means)?, replicas)?;
        let (mut squares, mut freedom, mut of_means) = (0.0, 0, 0.0);
        for (half, mean_of_half) in halves.iter().zip(means) {
            let blocks = (half.len() / length).min(MOST_BLOCKS);
            if blocks < 2 {
                return None;
            }
            let edge = |block: usize| block * half.len() / blocks;
            for block in (0..blocks).map(|block| &half[edge(block)..edge(block + 1)]) {
                // The variance of a block's mean falls with its length.
                squares += block.len() as f64 * (mean(block)? - mean_of_half).powi(2);
            }
            freedom += blocks - 1;
            of_means += (half.len() as f64).recip();
        }
        ((squares / freedom as f64 * of_means).sqrt() / count, freedom as f64)
    };
    (error > 0.0 && error.is_finite()).then_some(Drift { rise, error, freedom })
}

/// The autocorrelation time within halves, each centred on its own mean, so that a drift does not count as correlation.
fn time_of_halves(halves: &[&[f64]], means: &[f64]) -> Option<AutocorrelationTime> {
    let centred: Vec<Vec<f64>> = halves
        .iter()
        .zip(means)
        .map(|(half, mean)| half.iter().map(|value| value - mean).collect())
        .collect();
    let found = integrated_time(&centred)?;
    let shortest = halves.iter().map(|half| half.len()).min()? as f64;
    if !found.long_enough || found.window as f64 > LONGEST_WINDOW * shortest {
        return None;
    }
    // `integrated_time` corrects the bias of one mean; here each half has a mean of its own.
    let width = (2 * found.window + 1) as f64;
    let time = found.time * (1.0 + width / shortest) / (1.0 + width / found.samples as f64);
    Some(AutocorrelationTime { time, ..found })
}
