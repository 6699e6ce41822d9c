//! Mean squared displacements of points in successive frames, and diffusion coefficients.

use crate::interruption;

/// Lags, in frames, from 1 to `longest`: about eight for each factor of two.
pub fn lags(longest: usize) -> Vec<usize> {
    let lag = |number: i32| 2_f64.powf(f64::from(number) / 8.0).round() as usize;
    let mut lags: Vec<usize> = (0..).map(lag).take_while(|&lag| lag <= longest).collect();
    lags.extend(Some(longest).filter(|&longest| longest > 0));
    lags.dedup();
    lags
}

/// ⟨|r(t₀ + t) − r(t₀)|²⟩ at each lag t, over all points and all origins t₀; `frames` have the same points, in single or double
/// precision. A lag must be shorter than the number of frames.
///
/// ```
/// use beadwork_analysis::displacements::mean_squares;
/// // A point that moves by 2 along x in each frame.
/// let frames: Vec<Vec<[f32; 3]>> = (0..5).map(|n| vec![[2.0 * n as f32, 1.0, 0.0]]).collect();
/// assert_eq!(mean_squares(&frames, &[1, 3]), [4.0, 36.0]);
/// ```
pub fn mean_squares<T: Copy>(frames: &[impl AsRef<[[T; 3]]>], lags: &[usize]) -> Vec<f64>
where
    f64: From<T>,
{
    let of_lag = |&lag: &usize| {
        let mut sum = 0.0;
        let mut count = 0;
        for (before, after) in frames.iter().zip(&frames[lag..]) {
            if interruption::is_wished() {
                break;
            }
            let (before, after) = (before.as_ref(), after.as_ref());
            let square = |(a, b): (&[T; 3], &[T; 3])| -> f64 {
                (0..3).map(|axis| (f64::from(b[axis]) - f64::from(a[axis])).powi(2)).sum()
            };
            sum += before.iter().zip(after).map(square).sum::<f64>();
            count += before.len();
        }
        sum / count as f64
    };
    lags.iter().map(of_lag).collect()
}

/// The diffusion coefficient D from mean squared displacements 6 D t + b, where b is what free flight or cages leave: a sixth
/// of the slope of the line of least squares through the times from a quarter of the longest on. Where these times are fewer than
/// three it is a sixth of the last mean over its time, which still has b in it: see [`is_slope`]. Times ascend; `None` without any.
pub fn diffusion(times: &[f64], squares: &[f64]) -> Option<f64> {
    let (last, square) = (*times.last()?, *squares.last()?);
    let late = || times.iter().zip(squares).filter(|(time, _)| **time >= 0.25 * last);
    if !is_slope(times) {
        return Some(square / (6.0 * last));
    }
    let count = late().count() as f64;
    let [time, mean] =
        [0, 1].map(|which| late().map(|(time, square)| [time, square][which]).sum::<f64>() / count);
    let covariance: f64 = late().map(|(t, s)| (t - time) * (s - mean)).sum();
    let variance: f64 = late().map(|(t, _)| (t - time).powi(2)).sum();
    Some(covariance / variance / 6.0)
}

/// Whether [`diffusion`] at these ascending times is that of a slope, for which three or more of them have to be late enough.
pub fn is_slope(times: &[f64]) -> bool {
    let last = times.last().copied().unwrap_or(0.0);
    times.iter().filter(|time| **time >= 0.25 * last).count() >= 3
}

/// The exponent of growth in the later half, ln(s(t)/s(t/2))/ln 2: 1 for diffusion, 2 for free flight, less in cages and within
/// chains. `None` if there are no two such times.
pub fn exponent(times: &[f64], squares: &[f64]) -> Option<f64> {
    let last = *times.last()?;
    let half = times.iter().rposition(|time| *time <= 0.5 * last)?;
    let growth = squares.last()? / squares[half];
    Some(growth.ln() / (last / times[half]).ln()).filter(|exponent| exponent.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lags_ascend_to_the_longest() {
        assert_eq!(lags(0), []);
        assert_eq!(lags(5), [1, 2, 3, 4, 5]);
        let many = lags(1000);
        assert!(many.is_sorted_by(|a, b| a < b) && many.last() == Some(&1000) && many.len() < 70);
    }

    #[test]
    fn slopes_do_not_count_what_short_times_leave() {
        let times: Vec<f64> = (1..40).map(f64::from).collect();
        let squares: Vec<f64> = times.iter().map(|time| 6.0 * 0.3 * time + 2.0).collect();
        assert!((diffusion(&times, &squares).unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(diffusion(&[2.0], &[24.0]), Some(2.0));
        assert_eq!(diffusion(&[], &[]), None);
        // Two times have no slope, however it would fit.
        assert_eq!(diffusion(&[1.0, 2.0], &[10.0, 24.0]), Some(2.0));
        assert_eq!(
            [&times[..0], &times[..2], &times[..3], &times[..]].map(is_slope),
            [false, false, true, true]
        );
        let flight: Vec<f64> = times.iter().map(|time| time * time).collect();
        assert!((exponent(&times, &flight).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(exponent(&[1.0], &[1.0]), None);
    }
}
