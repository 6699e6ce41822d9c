//! Statistics of repeats and samples: medians, means with errors, and checks.

use beadwork_analysis::statistics::{mean, standard_error};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    pub mean: f64,
    pub error: f64,
    /// The number of independent values from which the error was estimated; `None` if the error is known.
    pub values: Option<usize>,
}

impl Estimate {
    pub fn exact(value: f64) -> Estimate {
        Estimate { mean: value, error: 0.0, values: None }
    }

    /// The mean of independent values; `None` for fewer than two.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let (mean, error) = (mean(values)?, standard_error(values)?);
        Some(Estimate { mean, error, values: Some(values.len()) })
    }

    /// The mean of independent series, each of which is correlated in itself. Each series is cut into blocks, at least
    /// [`LEAST_BLOCKS`] in all.
    pub fn of_series(series: &[Vec<f64>]) -> Option<Estimate> {
        let each = LEAST_BLOCKS.div_ceil(series.len().max(1));
        let blocks_of = |values: &Vec<f64>| {
            let length = (values.len() / each).max(1);
            values.chunks_exact(length).filter_map(mean).collect::<Vec<f64>>()
        };
        Estimate::of(&series.iter().flat_map(blocks_of).collect::<Vec<f64>>())
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

/// With this many blocks an error is known to a sixth.
const LEAST_BLOCKS: usize = 20;
/// Allowed difference of two means in standard errors, and the probability that chance exceeds it.
const ALLOWED: f64 = 4.0;
const RARE: f64 = 6.334e-5;

#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub quantity: String,
    pub found: f64,
    /// Its standard error; `None` if the comparison is exact.
    pub found_error: Option<f64>,
    pub expected: f64,
    /// The standard error of the expected value, if it was measured.
    pub expected_error: Option<f64>,
    /// The deviation in standard errors or, without errors, as a fraction of the scale.
    pub deviation: f64,
    pub allowed: f64,
    pub holds: bool,
    /// A sentence that says what is wrong, if more is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl Check {
    fn new(quantity: &str, found: f64, expected: f64, deviation: f64, allowed: f64) -> Check {
        Check {
            quantity: quantity.to_string(),
            found,
            found_error: None,
            expected,
            expected_error: None,
            deviation,
            allowed,
            // NaN fails the comparison.
            holds: deviation.abs() <= allowed,
            remark: None,
        }
    }

    /// Two means must agree within their errors.
    pub fn of_means(quantity: &str, found: Estimate, expected: Estimate) -> Check {
        let difference = found.plus(-1.0, expected);
        let deviation = difference.mean / difference.error;
        let allowed = allowed_errors(difference.values);
        Check {
            found_error: Some(found.error),
            expected_error: (expected.error > 0.0).then_some(expected.error),
            ..Check::new(quantity, found.mean, expected.mean, deviation, allowed)
        }
    }

    /// Two numbers must agree within a fraction `allowed` of `scale`.
    pub fn of_numbers(
        quantity: &str,
        found: f64,
        expected: f64,
        scale: f64,
        allowed: f64,
    ) -> Check {
        Check::new(quantity, found, expected, (found - expected) / scale, allowed)
    }

    /// A number must be zero, within rounding of up to `allowed`.
    pub fn of_difference(quantity: &str, found: f64, allowed: f64) -> Check {
        Check::of_numbers(quantity, found, 0.0, 1.0, allowed)
    }

    /// Two results must be equal; `wrong` describes a difference.
    pub fn of_equality(quantity: &str, wrong: Option<String>) -> Check {
        let differs = if wrong.is_some() { 1.0 } else { 0.0 };
        Check { remark: wrong, ..Check::of_difference(quantity, differs, 0.0) }
    }
}

/// The largest magnitude; NaN if any number is NaN.
pub fn largest(differences: impl IntoIterator<Item = f64>) -> f64 {
    let larger = |worst: f64, difference: f64| match worst.is_nan() || difference.is_nan() {
        true => f64::NAN,
        false => worst.max(difference.abs()),
    };
    differences.into_iter().fold(0.0, larger)
}

/// Allowed standard errors, estimated from `values` values: chance exceeds them as rarely as [`ALLOWED`] known ones.
fn allowed_errors(values: Option<usize>) -> f64 {
    let freedom = values.map_or(f64::INFINITY, |values| values.saturating_sub(1).max(1) as f64);
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom.is_finite() => student.inverse_cdf(1.0 - RARE / 2.0),
        _ => ALLOWED,
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
    /// All values, in the order of measurement.
    pub values: Vec<f64>,
}

impl Spread {
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
        // Four series have the block means 0.5, 2.5, 4.5, 6.5, 8.5 each: variance 8·20/19.
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
        // Quantiles of Student's t at the two-sided probability.
        assert_eq!(allowed_errors(None), 4.0);
        for (values, expected) in [(20, 5.101_978), (101, 4.176_608)] {
            let found = allowed_errors(Some(values));
            assert!((found - expected).abs() < 1e-6, "{found}");
        }
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
