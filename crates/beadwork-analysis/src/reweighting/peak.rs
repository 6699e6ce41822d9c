//! Finds the maximum of a curve.

use crate::{Estimate, interruption};

/// A maximum of a curve over the temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Its temperature, in the unit of the energies.
    pub temperature: Estimate,
    /// The value at the maximum; for the heat capacity C/N, a number.
    pub height: Estimate,
}

/// Intervals of the first grid; the search can miss a peak narrower than one interval.
const COARSE: usize = 96;
/// Intervals of each finer grid, which is centred on the highest point of the grid before.
const FINE: usize = 10;
/// Number of finer grids. The last has an interval of 1/1067 of the range; a parabola then locates the maximum.
const REFINEMENTS: usize = 2;

/// The top of the parabola through three values at equal distances: its offset from the middle one in units of this
/// distance, and its height.
pub fn parabola_top([below, middle, above]: [f64; 3]) -> (f64, f64) {
    let curvature = below - 2.0 * middle + above;
    // The parabola of a flat top has no maximum; the middle value stays.
    let shift = if curvature < 0.0 { 0.5 * (below - above) / curvature } else { 0.0 };
    (shift, middle - 0.25 * (below - above) * shift)
}

/// Position and height of the highest maximum of a smooth function between two ends; `None` if the
/// highest value is at an end or not finite.
pub(super) fn maximum(function: impl Fn(f64) -> f64, from: f64, to: f64) -> Option<(f64, f64)> {
    let (mut start, mut step, mut intervals) = (from, (to - from) / COARSE as f64, COARSE);
    let mut refinements = 0;
    loop {
        if interruption::is_wished() {
            return None;
        }
        let values: Vec<f64> =
            (0..=intervals).map(|index| function(start + step * index as f64)).collect();
        let highest = (0..=intervals).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
        if highest == 0 || highest == intervals || !values[highest].is_finite() {
            return None;
        }
        let place = start + step * highest as f64;
        if refinements == REFINEMENTS {
            let (shift, height) =
                parabola_top([values[highest - 1], values[highest], values[highest + 1]]);
            return Some((place + shift * step, height));
        }
        // The top lies within one interval of the highest point; half an interval more keeps it off the ends.
        (start, step, intervals) = (place - 1.5 * step, 3.0 * step / FINE as f64, FINE);
        refinements += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_of_known_curves() {
        // x e^{−x} has its maximum at 1.
        let (place, height) = maximum(|x| x * (-x).exp(), 0.2, 7.0).unwrap();
        assert!((place - 1.0).abs() < 1e-4 && (height - (-1f64).exp()).abs() < 1e-7, "{place}");
        // The interpolation is exact for a parabola, also between grid points.
        let (place, height) = maximum(|x| 3.0 - (x - 0.37).powi(2), 0.0, 1.0).unwrap();
        assert!((place - 0.37).abs() < 1e-9 && (height - 3.0).abs() < 1e-12, "{place} {height}");
        // Of two maxima, the higher one is found.
        let two = |x: f64| (-(x - 1.0).powi(2)).exp() + 1.1 * (-(x - 5.0).powi(2)).exp();
        assert!((maximum(two, 0.0, 6.0).unwrap().0 - 5.0).abs() < 1e-3);
    }

    #[test]
    fn the_end_of_a_range_is_no_peak() {
        assert_eq!(maximum(|x| x, 0.0, 1.0), None);
        assert_eq!(maximum(|x| -x, 0.0, 1.0), None);
        assert_eq!(maximum(|_| f64::NAN, 0.0, 1.0), None);
    }
}
