//! Estimates whose errors come from leaving out one block of data after another.

/// The smallest number of blocks that an error is computed from: with eight, it is itself known to
/// 1/√14, about a quarter.
pub const LEAST_BLOCKS: usize = 8;

/// A number and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number, from all data.
    pub value: f64,
    /// Its standard error in the same unit; `None` where the data are too few to tell.
    pub error: Option<f64>,
}

impl Estimate {
    /// The value from all data with the error of the jackknife: `left_out[i]` is the same number
    /// without block i, and σ² = (m − 1)/m Σ (θᵢ − θ̄)² (Efron, *The Jackknife, the Bootstrap and Other
    /// Resampling Plans*, 1982, eq. 3.5).
    ///
    /// Blocks have to be independent and of about equal length. With fewer than [`LEAST_BLOCKS`], or
    /// a value that is not finite among them, there is no error.
    pub fn jackknife(value: f64, left_out: &[f64]) -> Self {
        let blocks = left_out.len() as f64;
        let centre = left_out.iter().sum::<f64>() / blocks;
        let squares: f64 = left_out.iter().map(|theta| (theta - centre).powi(2)).sum();
        let error = ((blocks - 1.0) / blocks * squares).sqrt();
        let enough = left_out.len() >= LEAST_BLOCKS && error.is_finite();
        Self { value, error: enough.then_some(error) }
    }

    /// How many standard errors the value lies above `expected`; `None` without an error.
    pub fn deviation(&self, expected: f64) -> Option<f64> {
        self.error.map(|error| (self.value - expected) / error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{mean, standard_error};

    /// Of a mean, the jackknife is the standard error exactly.
    #[test]
    fn a_mean_has_its_standard_error() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let sum: f64 = values.iter().sum();
        let left_out: Vec<f64> = values.iter().map(|value| (sum - value) / 7.0).collect();
        let estimate = Estimate::jackknife(mean(&values).unwrap(), &left_out);
        assert!((estimate.error.unwrap() - standard_error(&values).unwrap()).abs() < 1e-14);
        let deviation = estimate.deviation(estimate.value - 2.0 * estimate.error.unwrap());
        assert!((deviation.unwrap() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn seven_blocks_are_too_few() {
        assert_eq!(Estimate::jackknife(1.0, &[1.0; 7]), Estimate { value: 1.0, error: None });
        assert_eq!(Estimate::jackknife(1.0, &[1.0; 8]).error, Some(0.0));
        assert_eq!(Estimate::jackknife(1.0, &[f64::NAN; 8]).error, None);
    }
}
