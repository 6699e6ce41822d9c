//! Whether a quantity still drifts: the second half of its samples against the first.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::autocorrelation::{AutocorrelationTime, integrated_time};
use crate::jackknife::LEAST_BLOCKS;
use crate::statistics::{mean, standard_error};
use crate::thermodynamics::block_length;

/// The window of an autocorrelation time is at most this part of a half: the half's own mean then takes little of it.
const LONGEST_WINDOW: f64 = 0.25;

/// How far the mean of the second half lies above that of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// In the unit of the values.
    pub rise: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub freedom: f64,
}

impl Drift {
    /// The probability in equilibrium of a rise or fall of at least as many standard errors, by Student's t.
    pub fn probability(&self) -> f64 {
        let off = (self.rise / self.error).abs();
        match StudentsT::new(0.0, 1.0, self.freedom) {
            Ok(law) => 2.0 * law.cdf(-off),
            Err(_) => 1.0,
        }
    }
}

/// The drift of a quantity in some independent series of it, in the order of time.
///
/// With at least [`LEAST_BLOCKS`] series, the error comes from how their rises differ. With fewer, it comes from how the
/// blocks within a half differ: each half has at least two blocks, as long as [`block_length`] says for the halves and
/// the autocorrelation time along `replicas`. `None` where halves are too short for that, or nothing changes. Series of
/// fewer than two values, or less than a quarter as long as the longest, are left out, so that they do not hide a drift
/// of the others.
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
            let blocks = half.len() / length;
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

/// The autocorrelation time within halves, each about its own mean: a drift from one half to the next is no correlation.
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
    // The bias by the means, of which there is one for each half instead of one for all.
    let width = (2 * found.window + 1) as f64;
    let time = found.time * (1.0 + width / shortest) / (1.0 + width / found.samples as f64);
    Some(AutocorrelationTime { time, ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autocorrelation::tests::autoregression;
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

    /// In equilibrium probabilities are uniform, also where they are small. Blocks of ten autocorrelation times miss a
    /// twentieth of the error, which makes more of the small ones; short series have none.
    #[test]
    fn stationary_series_have_no_drift() {
        let mut noise = Noise(5);
        let repeats = 5_000;
        // Ladders, values of each and their correlation from one to the next; whether something is said of all.
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
            // Normal tails at 0.95 of where each level is.
            for (level, most) in [(0.0005, 0.00094), (0.005, 0.0077), (0.1, 0.118), (0.5, 0.522)] {
                let below = probabilities.iter().filter(|p| **p < level).count() as f64;
                let part = below / repeats as f64;
                let spread = (level * (1.0 - level) / repeats as f64).sqrt();
                assert!(part < most + 4.5 * spread, "{what}: {part} below {level}");
                assert!(!always || part > level - 4.5 * spread, "{what}: {part} below {level}");
            }
        }
    }

    /// A rise by 1 from end to end is one by ½ from half to half.
    #[test]
    fn a_trend_is_seen() {
        let mut noise = Noise(6);
        for (ladders, length) in [(1, 8_000), (4, 2_000), (9, 1_000)] {
            let drift = found(&made(&mut noise, 0.8, [ladders, length], 1.0)).unwrap();
            // σ = 1 and τ = 4.5: an error of √(4 · 9/n) about, n all values.
            let error = (36.0 / (ladders * length) as f64).sqrt();
            assert!((drift.error / error - 1.0).abs() < 0.8, "{drift:?} of {error}");
            assert!((drift.rise - 0.5).abs() < 4.5 * error, "{drift:?}");
            assert!(drift.probability() < 1e-3, "{drift:?}");
        }
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(drift(&[], None), None);
        assert_eq!(drift(&[&[1.0]], None), None);
        assert_eq!(drift(&[&[1.0; 200]], None), None);
        assert_eq!(
            drift(&[[1.0, 2.0].as_slice(); 9], None),
            None,
            "all rise by 1 exactly, without an error"
        );
        assert_eq!(found(&made(&mut Noise(7), 0.8, [1, 60], 0.0)), None);
        // One that has only begun takes nothing from the others.
        let rising = made(&mut Noise(8), 0.8, [2, 4_000], 1.0);
        let begun = [rising.as_slice(), &[vec![3.0], vec![1.0, 2.0]]].concat();
        assert_eq!(found(&begun), found(&rising));
        assert!(found(&rising).unwrap().probability() < 1e-3);
        let exact = Drift { rise: 4.0, error: 2.0, freedom: 7.0 };
        // Two-sided tail of t = 2 with seven degrees of freedom.
        assert!((exact.probability() - 0.0856).abs() < 1e-4, "{}", exact.probability());
    }
}
