//! Estimates whose errors come from leaving out one block of data after another.

use statrs::distribution::{ContinuousCDF, StudentsT};

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
    /// The degrees of freedom of the error: blocks less one.
    pub freedom: f64,
}

/// Half of a 95 % confidence interval in standard errors with so many degrees of freedom: the 97.5 %
/// quantile of Student's t.
fn confidence_factor(freedom: f64) -> f64 {
    // Student's t is the normal distribution to six digits.
    if freedom > 1e7 {
        return 1.959_963_985;
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(0.975))
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
        Self { value, error: enough.then_some(error), freedom: blocks - 1.0 }
    }

    /// The mean of independent estimates. Its error comes from how they differ; of fewer than
    /// [`LEAST_BLOCKS`] it is theirs in quadrature, with the degrees of freedom of Welch and Satterthwaite
    /// (Biometrics Bulletin 2, 110, 1946), and `None` if one of them has none.
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

    /// Half of its 95 % confidence interval; `None` without an error.
    pub fn half_interval(&self) -> Option<f64> {
        self.error.map(|error| confidence_factor(self.freedom) * error)
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
        assert_eq!(Estimate::jackknife(1.0, &[1.0; 7]).error, None);
        assert_eq!(Estimate::jackknife(1.0, &[1.0; 8]).error, Some(0.0));
        assert_eq!(Estimate::jackknife(1.0, &[f64::NAN; 8]).error, None);
    }

    /// Quantiles of tables, and the interval of eight blocks that covers 95 % and not the 91 % of two errors.
    #[test]
    fn few_blocks_have_wide_intervals() {
        for (freedom, factor) in
            [(1.0, 12.706), (7.0, 2.3646), (15.0, 2.1314), (f64::INFINITY, 1.9600)]
        {
            assert!((confidence_factor(freedom) / factor - 1.0).abs() < 1e-4, "{freedom}");
        }
        let mut noise = crate::noise::Noise(9);
        let (mut inside, repeats) = (0.0, 4000);
        for _ in 0..repeats {
            let values: Vec<f64> = (0..8).map(|_| noise.normal()).collect();
            let sum: f64 = values.iter().sum();
            let left_out: Vec<f64> = values.iter().map(|value| (sum - value) / 7.0).collect();
            let estimate = Estimate::jackknife(sum / 8.0, &left_out);
            assert_eq!(estimate.freedom, 7.0);
            inside += f64::from(u8::from(estimate.value.abs() < estimate.half_interval().unwrap()));
        }
        // Four standard deviations of a share of 0.95.
        let share = inside / f64::from(repeats);
        assert!((share - 0.95).abs() < 4.0 * (0.95 * 0.05 / f64::from(repeats)).sqrt(), "{share}");
    }

    /// Equal errors add their degrees of freedom; where one is much larger, only its own count.
    #[test]
    fn means_of_estimates() {
        let of = |value, error| Estimate { value, error, freedom: 7.0 };
        let mean = Estimate::mean(&[of(1.0, Some(3.0)), of(2.0, Some(4.0))]);
        assert_eq!((mean.value, mean.error), (1.5, Some(2.5)));
        assert!((mean.freedom - 7.0 * 625.0 / 337.0).abs() < 1e-12);
        assert_eq!(Estimate::mean(&[of(1.0, Some(2.0)); 3]).freedom, 21.0);
        assert_eq!(Estimate::mean(&[of(1.0, Some(3.0)), of(2.0, None)]).error, None);
        // The variance of 0 to 7 is 6, its root over √8 the standard error.
        let many: Vec<Estimate> = (0..8).map(|value| of(f64::from(value), None)).collect();
        let mean = Estimate::mean(&many);
        assert!((mean.error.unwrap() - (6.0_f64 / 8.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean.freedom, 7.0);
    }
}
