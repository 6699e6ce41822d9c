//! Means, errors of means, running averages and histograms.

mod histogram;

pub use histogram::{Histogram, MOST_BINS, automatic_width, quantile};

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

/// The slope of the line through points (x, y) by least squares of y; `None` if there are no two different x.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let x = mean(&points.iter().map(|point| point.0).collect::<Vec<f64>>())?;
    let y = mean(&points.iter().map(|point| point.1).collect::<Vec<f64>>())?;
    let sum = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|point| value(point.0 - x, point.1 - y)).sum()
    };
    let spread = sum(&|x, _| x * x);
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}

/// The slope in x of the line through each `points` neighbouring values, over whole windows only as [`running_average`]; values are
/// `interval` apart in x. A window with a value that is not finite, and windows of fewer than two, give NaN.
///
/// The slope of n values at equal intervals is 12 Σ (k − (n − 1)/2) y_k/((n³ − n) Δx), which differences of running sums give.
pub fn running_slope(values: &[f64], points: usize, interval: f64) -> Vec<f64> {
    if points < 2 {
        return vec![f64::NAN; values.len()];
    }
    let count = points as f64;
    let middle = 0.5 * (count - 1.0);
    let offset = values.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
    // Up to each value: the sum of those before it, that of them times their places, and how many are not finite.
    let mut sums = vec![(0.0, 0.0, 0u32)];
    let (mut sum, mut moment, mut unknown) = (0.0, 0.0, 0);
    for (place, value) in values.iter().enumerate() {
        match value.is_finite() {
            true => {
                sum += value - offset;
                moment += place as f64 * (value - offset);
            }
            false => unknown += 1,
        }
        sums.push((sum, moment, unknown));
    }
    let slope_of = |place: usize| {
        let (before, after) = (sums[place], sums[place + points]);
        let about_middle = after.1 - before.1 - (place as f64 + middle) * (after.0 - before.0);
        match after.2 == before.2 {
            true => 12.0 * about_middle / ((count.powi(3) - count) * interval),
            false => f64::NAN,
        }
    };
    (0..(values.len() + 1).saturating_sub(points)).map(slope_of).collect()
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
