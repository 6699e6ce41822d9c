//! Means, errors of means, running averages and histograms.

mod histogram;

pub(crate) use histogram::automatic_width;
pub use histogram::{Histogram, MOST_BINS};

/// The arithmetic mean, in the unit of the values; `None` when there are none.
pub fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    // Measured from the first value, so that equal values have exactly their own mean.
    let sum: f64 = values.iter().map(|value| value - first).sum();
    Some(first + sum / values.len() as f64)
}

/// The standard deviation of the sample, with n − 1 in the denominator, in the unit of the values;
/// `None` when there are fewer than two.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let sum: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((sum / (values.len() - 1) as f64).sqrt())
}

/// The standard error of the mean of independent values, σ/√n, in the unit of the values; `None`
/// when there are fewer than two.
///
/// Values that follow each other in time are rarely independent: see [`blocked_error`].
pub fn standard_error(values: &[f64]) -> Option<f64> {
    Some(standard_deviation(values)? / (values.len() as f64).sqrt())
}

/// The standard error of the mean of a correlated series, found by blocking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockedError {
    /// Standard error of the mean, in the unit of the values.
    pub error: f64,
    /// Number of values in a block.
    pub block_length: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Whether the blocks are long against the correlation; otherwise the series is too short and
    /// `error` is a lower bound.
    pub converged: bool,
}

/// The standard error of the mean of values that are correlated in time; `None` when there are
/// fewer than two.
///
/// Neighbours are averaged in pairs again and again (Flyvbjerg and Petersen, J. Chem. Phys. 91,
/// 461, 1989). The block length B taken is the first with B³ > 2 n g², where g is the ratio of the
/// squared error with these blocks to the one without (Lee et al., Phys. Rev. E 83, 066706, 2011).
pub fn blocked_error(values: &[f64]) -> Option<BlockedError> {
    let plain = standard_error(values)?;
    let mut blocks = values.to_vec();
    let mut block_length = 1usize;
    loop {
        let error = standard_error(&blocks)?;
        let inefficiency = if plain > 0.0 { (error / plain).powi(2) } else { 1.0 };
        let converged =
            (block_length as f64).powi(3) > 2.0 * values.len() as f64 * inefficiency.powi(2);
        if converged || blocks.len() < 4 {
            return Some(BlockedError { error, block_length, blocks: blocks.len(), converged });
        }
        blocks = blocks.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        block_length *= 2;
    }
}

/// The running average over `points` values, over whole windows only: element i averages the elements
/// from i to i + `points` − 1 and belongs to their middle, element i + ⌊`points`/2⌋.
///
/// The result is shorter than the input by `points` − 1, and empty where the input is shorter than a
/// window. Values that are not finite are left out of the windows; a window without any finite value
/// gives NaN. `points` of 0 counts as 1.
pub fn running_average(values: &[f64], points: usize) -> Vec<f64> {
    if points <= 1 {
        return values.to_vec();
    }
    let offset = values.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
    let mut sums = Vec::with_capacity(values.len() + 1);
    let (mut sum, mut count) = (0.0, 0u32);
    sums.push((sum, count));
    for value in values {
        if value.is_finite() {
            sum += value - offset;
            count += 1;
        }
        sums.push((sum, count));
    }
    let average = |(before, after): (&(f64, u32), &(f64, u32))| match after.1 - before.1 {
        0 => f64::NAN,
        count => offset + (after.0 - before.0) / f64::from(count),
    };
    sums.iter().zip(sums.iter().skip(points)).map(average).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    #[test]
    fn moments_of_five_numbers() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(mean(&values), Some(3.0));
        // Squares of the deviations: 4 + 1 + 0 + 1 + 4 = 10, over n − 1 = 4.
        assert_eq!(standard_deviation(&values), Some(2.5f64.sqrt()));
        assert!((standard_error(&values).unwrap() - 0.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn too_few_values_have_no_moments() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[7.0]), Some(7.0));
        assert_eq!(standard_deviation(&[7.0]), None);
        assert_eq!(standard_error(&[7.0]), None);
        assert_eq!(blocked_error(&[7.0]), None);
    }

    #[test]
    fn spread_survives_a_large_offset() {
        let values = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0];
        assert_eq!(standard_deviation(&values), Some(1.0));
    }

    #[test]
    fn blocks_of_independent_values_give_the_plain_error() {
        let mut noise = Noise(11);
        let values: Vec<f64> = (0..65_536).map(|_| noise.normal()).collect();
        let blocked = blocked_error(&values).unwrap();
        assert!(blocked.converged);
        // The error from m blocks has a relative standard deviation of 1/√(2(m − 1)); four of them.
        let tolerance = 4.0 / (2.0 * (blocked.blocks - 1) as f64).sqrt();
        assert!((blocked.error * 256.0 - 1.0).abs() < tolerance, "{blocked:?}");
    }

    #[test]
    fn blocks_of_a_correlated_series_give_its_error() {
        // x' = ρ x + √(1 − ρ²) n has unit variance and an error of √((1 + ρ)/(1 − ρ)/n).
        let (mut noise, correlation, n) = (Noise(5), 0.9f64, 1 << 18);
        let mut value = noise.normal();
        let values: Vec<f64> = (0..n)
            .map(|_| {
                value = correlation * value + (1.0 - correlation.powi(2)).sqrt() * noise.normal();
                value
            })
            .collect();
        let blocked = blocked_error(&values).unwrap();
        assert!(blocked.converged);
        let expected = (1.9 / 0.1 / f64::from(n)).sqrt();
        // A block of B values misses correlations of relative weight τ/B, τ = 1/(1 − ρ) = 10.
        let tolerance =
            4.0 / (2.0 * (blocked.blocks - 1) as f64).sqrt() + 10.0 / blocked.block_length as f64;
        assert!((blocked.error / expected - 1.0).abs() < tolerance, "{blocked:?}, {expected}");
        assert!(standard_error(&values).unwrap() < 0.3 * blocked.error);
    }

    #[test]
    fn a_series_shorter_than_its_correlation_is_not_converged() {
        let values: Vec<f64> = (0..64).map(f64::from).collect();
        assert!(!blocked_error(&values).unwrap().converged);
    }

    #[test]
    fn running_averages_are_of_whole_windows() {
        let values = [1.0, 2.0, 6.0, 8.0, 3.0];
        assert_eq!(running_average(&values, 3), [3.0, 16.0 / 3.0, 17.0 / 3.0]);
        assert_eq!(running_average(&values, 2), [1.5, 4.0, 7.0, 5.5]);
        assert_eq!(running_average(&values, 5), [4.0]);
        assert_eq!(running_average(&values, 1), values);
        assert_eq!(running_average(&values, 0), values);
        assert!(running_average(&values, 6).is_empty());
        assert!(running_average(&values, usize::MAX).is_empty());
        assert!(running_average(&[], 3).is_empty());
    }

    #[test]
    fn running_average_leaves_out_what_is_not_finite() {
        let averages = running_average(&[1.0, f64::NAN, 3.0, f64::INFINITY], 3);
        assert_eq!(averages, [2.0, 3.0]);
        assert!(running_average(&[f64::NAN; 3], 2).iter().all(|value| value.is_nan()));
    }
}
