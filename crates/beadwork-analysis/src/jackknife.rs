//! Estimates whose errors come from leaving out one block of data after another.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The smallest number of blocks that an error is computed from. From eight blocks, the error
/// itself is known to 1/√14, about a quarter.
pub const LEAST_BLOCKS: usize = 8;

/// A number and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number, computed from all data.
    pub value: f64,
    /// The standard error in the same unit; `None` if there are too few data.
    pub error: Option<f64>,
    /// The degrees of freedom of the error, one less than the number of blocks.
    pub freedom: f64,
}

impl Estimate {
    /// The value from all data, with a jackknife error: `left_out[i]` is the value computed without block i, and σ² =
    /// (m − 1)/m Σ (θᵢ − θ̄)² (Efron, *The Jackknife, the Bootstrap and Other Resampling Plans*, 1982, eq. 3.5). With
    /// fewer than [`LEAST_BLOCKS`], or values that are not finite, there is no error.
    pub fn jackknife(value: f64, left_out: &[f64]) -> Self {
        let blocks = left_out.len() as f64;
        let centre = left_out.iter().sum::<f64>() / blocks;
        let squares: f64 = left_out.iter().map(|theta| (theta - centre).powi(2)).sum();
        let error = ((blocks - 1.0) / blocks * squares).sqrt();
        let enough = left_out.len() >= LEAST_BLOCKS && error.is_finite();
        Self { value, error: enough.then_some(error), freedom: blocks - 1.0 }
    }

    /// The mean of independent estimates. From [`LEAST_BLOCKS`] estimates on, its error comes from how they differ.
    /// With fewer, their errors are added in quadrature, with the degrees of freedom of Welch and Satterthwaite
    /// (Biometrics Bulletin 2, 110, 1946); `None` if an estimate has no error.
    pub fn mean(estimates: &[Self]) -> Self {
        let count = estimates.len() as f64;
        let total: f64 = estimates.iter().map(|estimate| estimate.value).sum();
        let value = total / count;
        if estimates.len() >= LEAST_BLOCKS {
            let without = estimates.iter().map(|one| (total - one.value) / (count - 1.0));
            return Self::jackknife(value, &without.collect::<Vec<f64>>());
        }
        let squares = estimates.iter().map(|one| Some((one.error?.powi(2), one.freedom)));
        let Some(squares) = squares.collect::<Option<Vec<(f64, f64)>>>() else {
            return Self { value, error: None, freedom: 0.0 };
        };
        let sum: f64 = squares.iter().map(|(square, _)| square).sum();
        let fourth: f64 = squares.iter().map(|(square, freedom)| square * square / freedom).sum();
        Self { value, error: Some(sum.sqrt() / count), freedom: sum * sum / fourth }
    }

    /// Half of the 95 % confidence interval, by Student's t; `None` if the error is unknown.
    pub fn half_interval(&self) -> Option<f64> {
        let factor = match StudentsT::new(0.0, 1.0, self.freedom) {
            // Here Student's t equals the normal distribution to six digits.
            _ if self.freedom > 1e7 => 1.959_963_985,
            Ok(law) => law.inverse_cdf(0.975),
            Err(_) => f64::INFINITY,
        };
        self.error.map(|error| factor * error)
    }

    /// How many standard errors the value lies above `expected`; `None` if the error is unknown.
    pub fn deviation(&self, expected: f64) -> Option<f64> {
        self.error.map(|error| (self.value - expected) / error)
    }
}
