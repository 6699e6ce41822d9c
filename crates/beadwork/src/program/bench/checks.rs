//! Whether what was measured was physics: means with errors, and how far they may be apart.

use beadwork::analysis::statistics::{mean, standard_error};
use serde::Serialize;

/// A mean and how well it is known.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Independent values behind it, if there were a finite number.
    pub values: Option<usize>,
}

impl Estimate {
    /// A value that is known.
    pub fn exact(value: f64) -> Estimate {
        Estimate { mean: value, error: 0.0, values: None }
    }

    /// The mean of independent values; `None` of fewer than two.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let (mean, error) = (mean(values)?, standard_error(values)?);
        Some(Estimate { mean, error, values: Some(values.len()) })
    }

    /// The mean of series that are correlated in themselves, not with each other: each is cut into
    /// blocks, so many that there are at least [`LEAST_BLOCKS`] in all.
    pub fn of_series(series: &[Vec<f64>]) -> Option<Estimate> {
        let each = LEAST_BLOCKS.div_ceil(series.len().max(1));
        let blocks: Vec<f64> = series
            .iter()
            .flat_map(|values| {
                let length = (values.len() / each).max(1);
                values.chunks_exact(length).filter_map(mean)
            })
            .collect();
        Estimate::of(&blocks)
    }

    /// a + factor · b of two independent estimates.
    pub fn plus(self, factor: f64, other: Estimate) -> Estimate {
        let values = match (self.values, other.values) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Estimate {
            mean: self.mean + factor * other.mean,
            error: self.error.hypot(factor * other.error),
            values,
        }
    }
}

/// Blocks with which an error is known to a sixth of itself.
const LEAST_BLOCKS: usize = 20;
/// Standard errors that two means may be apart: chance exceeds it once in 16,000 cases.
const ALLOWED: f64 = 4.0;

/// One thing that must hold.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is compared with what.
    pub quantity: String,
    /// What the run gave.
    pub found: f64,
    /// Its standard error; absent where the comparison is exact.
    pub found_error: Option<f64>,
    /// What it should be.
    pub expected: f64,
    /// The standard error of that, if it was measured.
    pub expected_error: Option<f64>,
    /// How far apart, in standard errors, or as a part where there are none.
    pub deviation: f64,
    /// How far they may be apart.
    pub allowed: f64,
    /// Whether they are not farther.
    pub holds: bool,
}

impl Check {
    /// Two means must agree within their errors.
    pub fn of_means(quantity: &str, found: Estimate, expected: Estimate) -> Check {
        let difference = found.plus(-1.0, expected);
        let deviation = difference.mean / difference.error;
        let allowed = student(difference.values);
        Check {
            quantity: quantity.to_string(),
            found: found.mean,
            found_error: Some(found.error),
            expected: expected.mean,
            expected_error: (expected.error > 0.0).then_some(expected.error),
            deviation,
            allowed,
            // A deviation that is no number does not hold.
            holds: deviation.abs() <= allowed,
        }
    }

    /// Two numbers must agree but for a part `allowed` of `scale`.
    pub fn of_numbers(
        quantity: &str,
        found: f64,
        expected: f64,
        scale: f64,
        allowed: f64,
    ) -> Check {
        let deviation = (found - expected) / scale;
        Check {
            quantity: quantity.to_string(),
            found,
            found_error: None,
            expected,
            expected_error: None,
            deviation,
            allowed,
            holds: deviation.abs() <= allowed,
        }
    }
}

/// The number of standard errors, estimated from so many values, that chance exceeds as rarely as
/// [`ALLOWED`] ones of a normal distribution.
///
/// Abramowitz and Stegun 26.7.5: the quantile of Student's t from the normal one, here to third
/// order in one over the degrees of freedom.
fn student(values: Option<usize>) -> f64 {
    let Some(values) = values else { return ALLOWED };
    let freedom = values.saturating_sub(1).max(1) as f64;
    let x = ALLOWED;
    let first = (x.powi(3) + x) / 4.0;
    let second = (5.0 * x.powi(5) + 16.0 * x.powi(3) + 3.0 * x) / 96.0;
    let third = (3.0 * x.powi(7) + 19.0 * x.powi(5) + 17.0 * x.powi(3) - 15.0 * x) / 384.0;
    x + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

/// The middle of some values and their extremes.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub lowest: f64,
    /// The greatest.
    pub highest: f64,
    /// All, in the order in which they were measured.
    pub values: Vec<f64>,
}

impl Spread {
    /// Of at least one value.
    pub fn of(values: Vec<f64>) -> Spread {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        let last = sorted.len().saturating_sub(1);
        Spread {
            median: 0.5 * (at(last / 2) + at(last.div_ceil(2))),
            lowest: at(0),
            highest: at(last),
            values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_series() {
        // Four series of ten values make twenty blocks of two.
        let series: Vec<Vec<f64>> = (0..4).map(|_| (0..10).map(f64::from).collect()).collect();
        let estimate = Estimate::of_series(&series).unwrap();
        assert_eq!((estimate.mean, estimate.values), (4.5, Some(20)));
        // Block means 0.5, 2.5, 4.5, 6.5, 8.5 four times over: variance 8·20/19.
        assert!((estimate.error - (8.0_f64 / 19.0).sqrt()).abs() < 1e-12);
        assert!(Estimate::of_series(&[vec![1.0]]).is_none());
        assert!(Estimate::of_series(&[]).is_none());
    }

    #[test]
    fn means_may_be_four_errors_apart() {
        let found = |mean| Estimate { mean, error: 3.0, values: None };
        let expected = Estimate { mean: 10.0, error: 4.0, values: None };
        assert!(Check::of_means("x", found(29.9), expected).holds);
        assert!(!Check::of_means("x", found(30.1), expected).holds);
        assert!(!Check::of_means("x", found(f64::NAN), expected).holds);
        let nothing = Estimate { mean: 1.0, error: 0.0, values: None };
        assert!(!Check::of_means("x", nothing, nothing).holds);
    }

    #[test]
    fn few_values_may_be_farther_apart() {
        // Quantiles of Student's t at a two-sided probability of 6.334e-5.
        assert_eq!(student(None), 4.0);
        assert!((student(Some(20)) - 5.118).abs() < 0.02, "{}", student(Some(20)));
        assert!((student(Some(101)) - 4.178).abs() < 0.005, "{}", student(Some(101)));
    }

    #[test]
    fn numbers_are_compared_by_their_scale() {
        assert!(Check::of_numbers("x", 1.0, 1.001, 100.0, 1e-4).holds);
        assert!(!Check::of_numbers("x", 1.0, 1.02, 100.0, 1e-4).holds);
    }

    #[test]
    fn medians_of_odd_and_even_numbers() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((spread.median, spread.lowest, spread.highest), (2.0, 1.0, 3.0));
        assert_eq!(Spread::of(vec![4.0, 1.0, 2.0, 3.0]).median, 2.5);
    }
}
