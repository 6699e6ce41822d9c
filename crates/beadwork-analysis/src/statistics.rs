//! Means, errors of means, running averages and histograms.

mod histogram;

pub use histogram::{Histogram, MOST_BINS, automatic_width};

/// The arithmetic mean; `None` when there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    // Differences from the first value: the mean of equal values is then exact.
    let sum: f64 = values.iter().map(|value| value - first).sum();
    Some(first + sum / values.len() as f64)
}

/// The standard deviation of the sample, with n − 1 in the denominator; `None` when there are fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let sum: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((sum / (values.len() - 1) as f64).sqrt())
}

/// The standard error of the mean of independent values, σ/√n; `None` when there are fewer than two. Values that follow each
/// other in time are rarely independent: see [`integrated_time`](crate::autocorrelation::integrated_time).
pub fn standard_error(values: &[f64]) -> Option<f64> {
    Some(standard_deviation(values)? / (values.len() as f64).sqrt())
}

/// The running average over `points` values, over whole windows only: element i averages the elements
/// from i to i + `points` − 1 and belongs to their middle, element i + ⌊`points`/2⌋.
///
/// Values that are not finite are left out of the windows; a window without any finite value gives NaN. `points` of 0 counts
/// as 1.
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
