//! Statistics with thresholds that follow from sample size and significance, for tests with fixed seeds.

use std::f64::consts::SQRT_2;

use statrs::function::{erf, gamma};

/// The standard normal distribution function at `x`, to 10⁻¹⁰.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erf::erfc(-x / SQRT_2)
}

/// The standard normal quantile of `probability`, which lies in (0, 1).
pub fn normal_quantile(probability: f64) -> f64 {
    -SQRT_2 * erf::erfc_inv(2.0 * probability)
}

/// The probability that χ² with `degrees_of_freedom` exceeds `statistic`, which is not negative.
pub fn chi_square_p_value(statistic: f64, degrees_of_freedom: f64) -> f64 {
    if statistic == 0.0 {
        return 1.0;
    }
    gamma::gamma_ur(degrees_of_freedom / 2.0, statistic / 2.0)
}

/// The Kolmogorov–Smirnov statistic: the largest distance between the samples' distribution and `cdf`.
///
/// Sorts the samples, of which there is at least one and none is NaN.
pub fn ks_statistic(samples: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let count = samples.len() as f64;
    samples.iter().enumerate().fold(0.0, |largest: f64, (rank, sample)| {
        let expected = cdf(*sample);
        let below = expected - rank as f64 / count;
        let above = (rank + 1) as f64 / count - expected;
        largest.max(below).max(above)
    })
}

/// The Kolmogorov–Smirnov statistic of samples that were counted in bins, at the edges of the bins. `cdf_at(n)` is the
/// distribution at the lower edge of bin n, so at the upper edge of the last one for n the number of bins.
pub fn ks_statistic_of_counts(counts: &[u64], cdf_at: impl Fn(usize) -> f64) -> f64 {
    let all: u64 = counts.iter().sum();
    let mut below = 0;
    let distances = counts.iter().enumerate().map(|(bin, count)| {
        let distance = (below as f64 / all as f64 - cdf_at(bin)).abs();
        below += count;
        distance
    });
    distances.fold(0.0, f64::max)
}

/// The value that [`ks_statistic`] of `count` independent samples exceeds with probability `significance`.
///
/// From Kolmogorov's limit, P(√n D > λ) = 2 Σ (−1)ᵏ⁺¹ exp(−2k²λ²), whose threshold is slightly too large for finite n.
/// Valid for `significance` between 10⁻³⁰⁰ and ½.
pub fn ks_threshold(count: usize, significance: f64) -> f64 {
    let exceedance = |scaled: f64| -> f64 {
        (1..=20)
            .map(|k| {
                let k = f64::from(k);
                let sign = if k % 2.0 == 1.0 { 2.0 } else { -2.0 };
                sign * (-2.0 * k * k * scaled * scaled).exp()
            })
            .sum()
    };
    let (mut low, mut high) = (0.5, 20.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if exceedance(middle) > significance {
            low = middle;
        } else {
            high = middle;
        }
    }
    high / (count as f64).sqrt()
}

/// The mean of independent samples, of which there are at least two, and its standard error.
pub fn mean_and_standard_error(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// The standard error of the mean of correlated samples, from the scatter of the means of blocks of `block` samples.
///
/// A last block that is not full is left out; at least two blocks are needed. Valid if a block is many correlation
/// times long.
pub fn blocked_standard_error(samples: &[f64], block: usize) -> f64 {
    let means: Vec<f64> =
        samples.chunks_exact(block).map(|chunk| chunk.iter().sum::<f64>() / block as f64).collect();
    mean_and_standard_error(&means).1
}

/// Asserts that a mean with its standard error agrees with `expected` within `sigmas` standard errors.
///
/// # Panics
/// If it does not, or any of the numbers is NaN.
#[track_caller]
pub fn assert_mean((mean, standard_error): (f64, f64), expected: f64, sigmas: f64) {
    let deviation = (mean - expected) / standard_error;
    assert!(
        deviation.abs() <= sigmas,
        "the mean {mean} ± {standard_error} is {deviation:.2} standard errors from {expected}, allowed are {sigmas}"
    );
}

/// Pearson's correlation coefficient of two equally long lists, both of which vary.
///
/// # Panics
/// If the lengths differ.
#[track_caller]
pub fn correlation(first: &[f64], second: &[f64]) -> f64 {
    assert_eq!(first.len(), second.len(), "only lists of the same length can be correlated");
    let count = first.len() as f64;
    let first_mean = first.iter().sum::<f64>() / count;
    let second_mean = second.iter().sum::<f64>() / count;
    let (mut product, mut first_square, mut second_square) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (a, b) = (a - first_mean, b - second_mean);
        product += a * b;
        first_square += a * a;
        second_square += b * b;
    }
    product / (first_square * second_square).sqrt()
}

/// The value that the magnitude of any of `comparisons` correlation coefficients of `count` independent pairs exceeds
/// with probability at most `significance` (Bonferroni).
///
/// A coefficient of independent pairs is close to normal with standard deviation 1/√n; `count` should be 1000 or more.
pub fn correlation_threshold(count: usize, significance: f64, comparisons: usize) -> f64 {
    -normal_quantile(significance / (2.0 * comparisons as f64)) / (count as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    #[test]
    fn normal_distribution_has_its_table_values() {
        assert_close(normal_cdf(0.0), 0.5, 1e-15);
        assert_close(normal_cdf(1.0), 0.841_344_746_068_543, 1e-10);
        assert_close(normal_cdf(-3.0), 0.001_349_898_031_630_095, 1e-10);
        assert_close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-9);
        assert_close(normal_quantile(normal_cdf(-4.5)), -4.5, 1e-9);
    }

    #[test]
    fn counts_in_bins_have_the_distance_at_edges() {
        // Bins [0, 1), [1, 2), [2, 3) of a uniform distribution on [0, 3]; of four samples three are in the first.
        let distance = ks_statistic_of_counts(&[3, 1, 0], |edge| edge as f64 / 3.0);
        assert_close(distance, 0.75 - 1.0 / 3.0, 1e-15);
    }

    #[test]
    fn chi_square_has_its_table_values() {
        assert_close(chi_square_p_value(3.841_458_821, 1.0), 0.05, 1e-9);
        assert_close(chi_square_p_value(23.209_251_16, 10.0), 0.01, 1e-9);
        assert_close(chi_square_p_value(124.342_113_4, 100.0), 0.05, 1e-8);
        // Two degrees of freedom: exp(−χ²/2).
        assert_close(chi_square_p_value(2.0, 2.0), (-1.0_f64).exp(), 1e-14);
        assert_eq!(chi_square_p_value(0.0, 5.0), 1.0);
    }

    #[test]
    fn kolmogorov_smirnov_has_its_table_values() {
        for (significance, scaled) in
            [(0.10, 1.2238), (0.05, 1.3581), (0.01, 1.6276), (0.001, 1.9495)]
        {
            assert_close(ks_threshold(10_000, significance), scaled / 100.0, 5e-7);
        }
    }

    #[test]
    fn kolmogorov_smirnov_measures_the_largest_distance() {
        // The samples are the middles of n cells, each 1/2n away from the diagonal.
        let mut even = [0.625, 0.125, 0.875, 0.375];
        assert_close(ks_statistic(&mut even, |x| x), 0.125, 1e-15);
        // Both samples are 0.1: the distribution jumps from 0 to 1 where 0.1 is expected.
        assert_close(ks_statistic(&mut [0.1, 0.1], |x| x), 0.9, 1e-15);
        assert_close(ks_statistic(&mut [0.9, 0.9], |x| x), 0.9, 1e-15);
    }

    #[test]
    fn errors_of_the_mean_agree_with_hand_computation() {
        // The variance of 1, 2, 3, 4 is 5/3; divided by 4.
        let (mean, error) = mean_and_standard_error(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean, 2.5);
        assert_close(error, (5.0_f64 / 12.0).sqrt(), 1e-15);
        // Blocks 1.5 and 3.5, variance 2 over 2; the fifth sample fills no block.
        assert_close(blocked_standard_error(&[1.0, 2.0, 3.0, 4.0, 100.0], 2), 1.0, 1e-15);
    }

    #[test]
    fn a_mean_within_its_bound_is_accepted() {
        assert_mean((1.3, 0.1), 1.0, 3.01);
    }

    #[test]
    #[should_panic(expected = "allowed are 2.99")]
    fn a_mean_beyond_its_bound_is_refused() {
        assert_mean((1.3, 0.1), 1.0, 2.99);
    }

    #[test]
    #[should_panic(expected = "NaN")]
    fn an_undefined_mean_is_refused() {
        assert_mean((f64::NAN, 0.1), 1.0, 3.0);
    }

    #[test]
    fn correlation_agrees_with_hand_computation() {
        assert_close(correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), 1.0, 1e-15);
        assert_close(correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0, 1e-15);
        assert_close(correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, -1.0, -1.0, 1.0]), 0.0, 1e-15);
        // Deviations (−1, 0, 1) and (−4, 2, 2)/3: covariance 2, squares 2 and 24/9.
        assert_close(correlation(&[1.0, 2.0, 3.0], &[1.0, 3.0, 3.0]), 0.75_f64.sqrt(), 1e-15);
    }

    #[test]
    fn correlation_threshold_is_a_normal_quantile() {
        assert_close(correlation_threshold(10_000, 0.05, 1), 0.019_599_64, 1e-8);
        assert_close(
            correlation_threshold(10_000, 0.05, 5),
            correlation_threshold(10_000, 0.01, 1),
            1e-15,
        );
    }
}
