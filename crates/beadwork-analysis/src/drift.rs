//! Whether a quantity still tends somewhere: the second half of its samples against the first.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::autocorrelation::integrated_time;
use crate::jackknife::LEAST_BLOCKS;
use crate::statistics::{mean, standard_error};

/// By how much the mean of the second half lies above that of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// In the unit of the values.
    pub rise: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom that the error is known with.
    pub freedom: f64,
}

impl Drift {
    /// The probability of a rise or fall in equilibrium that is as many standard errors, by Student's t.
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
/// Of at least [`LEAST_BLOCKS`] series each has a rise, and the error comes from how these differ. Of fewer the halves are
/// taken to be stationary, each about its own mean, and the error is σ²(2τ)/n of every half. `None` where halves are
/// shorter than it takes to know τ, or nothing changes.
pub fn drift(series: &[&[f64]]) -> Option<Drift> {
    let halves: Vec<[&[f64]; 2]> =
        series.iter().map(|all| all.split_at(all.len() / 2).into()).collect();
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
        let centred: Vec<Vec<f64>> = halves
            .iter()
            .zip(&means)
            .flat_map(|(halves, means)| halves.iter().zip(means))
            .map(|(half, mean)| half.iter().map(|value| value - mean).collect())
            .collect();
        let centred: Vec<&[f64]> = centred.iter().map(Vec::as_slice).collect();
        let time = integrated_time(&centred).filter(|time| time.long_enough)?;
        let squares: f64 = centred.iter().map(|half| half.iter().map(|x| x * x).sum::<f64>()).sum();
        let independent = time.effective_samples() - centred.len() as f64;
        // Of independent values that many fewer than there are means know the variance.
        let variance = squares / time.samples as f64 * time.effective_samples() / independent;
        let of_halves: f64 =
            centred.iter().map(|half| time.inefficiency() / half.len() as f64).sum();
        ((variance * of_halves).sqrt() / count, independent)
    };
    (error > 0.0 && error.is_finite() && freedom > 0.0).then_some(Drift { rise, error, freedom })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::autocorrelation::tests::autoregression;
    use crate::noise::Noise;

    fn made(noise: &mut Noise, ladders: usize, length: usize, slope: f64) -> Vec<Vec<f64>> {
        let one = |_| {
            let values = autoregression(noise, 0.8, length).into_iter().enumerate();
            values.map(|(n, x)| x - 7.0 + slope * n as f64 / length as f64).collect()
        };
        (0..ladders).map(one).collect()
    }

    fn found(series: &[Vec<f64>]) -> Option<Drift> {
        drift(&series.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// In equilibrium probabilities are uniform, also where they are small: of one, four and nine series.
    #[test]
    fn stationary_series_have_no_drift() {
        let mut noise = Noise(5);
        for (ladders, length) in [(1, 2_000), (4, 600), (9, 200)] {
            let repeats = 2_000;
            let probabilities: Vec<f64> = (0..repeats)
                .map(|_| found(&made(&mut noise, ladders, length, 0.0)).unwrap().probability())
                .collect();
            // Binomial; of 0.005 there are 10 with a standard deviation of 3.2.
            for level in [0.005, 0.1, 0.5] {
                let below = probabilities.iter().filter(|p| **p < level).count() as f64;
                let expected = level * f64::from(repeats);
                let spread = (expected * (1.0 - level)).sqrt();
                let off = (below - expected) / spread;
                assert!(off.abs() < 4.5, "{ladders} series: {below} of {expected} below {level}");
            }
        }
    }

    /// A rise by 1 from end to end is one by ½ from half to half.
    #[test]
    fn a_trend_is_seen() {
        let mut noise = Noise(6);
        for (ladders, length) in [(1, 8_000), (4, 2_000), (9, 1_000)] {
            let drift = found(&made(&mut noise, ladders, length, 1.0)).unwrap();
            // σ = 1 and τ = 4.5: an error of √(4 · 9/n) about, n all values.
            let error = (36.0 / (ladders * length) as f64).sqrt();
            assert!((drift.error / error - 1.0).abs() < 0.8, "{drift:?} of {error}");
            assert!((drift.rise - 0.5).abs() < 4.5 * error, "{drift:?}");
            assert!(drift.probability() < 1e-3, "{drift:?}");
        }
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[&[1.0]]), None);
        assert_eq!(drift(&[&[1.0; 200]]), None);
        assert_eq!(
            drift(&[[1.0, 2.0].as_slice(); 9]),
            None,
            "all rise by 1 exactly, without an error"
        );
        assert_eq!(found(&made(&mut Noise(7), 1, 60, 0.0)), None);
        let exact = Drift { rise: 4.0, error: 2.0, freedom: 7.0 };
        // Two-sided tail of t = 2 with seven degrees of freedom.
        assert!((exact.probability() - 0.0856).abs() < 1e-4, "{}", exact.probability());
    }
}
