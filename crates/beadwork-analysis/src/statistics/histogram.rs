//! Counts of values in bins of equal width.

use crate::Error;

/// The largest number of bins of a histogram.
pub const MOST_BINS: usize = 100_000;

/// Counts of values in adjacent bins of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Edges of the bins in rising order, one more than there are bins, in the unit of the values;
    /// empty when there are no values.
    pub edges: Vec<f64>,
    /// Number of values in each bin; a bin holds its lower edge and not its upper one.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Counts the values in bins of the given width, one edge of which is `origin`, from the
    /// smallest to the largest value. Values that are not finite are left out.
    ///
    /// # Errors
    /// [`Error::BinWidth`] when `width` is not positive and finite, `origin` is not finite, or more
    /// than [`MOST_BINS`] bins would be needed.
    pub fn with_bin_width(values: &[f64], width: f64, origin: f64) -> Result<Self, Error> {
        let refused = || Error::BinWidth { width, origin, most: MOST_BINS };
        if !(width > 0.0 && width.is_finite() && origin.is_finite()) {
            return Err(refused());
        }
        let Some((least, greatest)) = range(values) else { return Ok(Self::default()) };
        let first = ((least - origin) / width).floor();
        let bins = ((greatest - origin) / width).floor() - first + 1.0;
        if !(bins <= MOST_BINS as f64 && first.is_finite()) {
            return Err(refused());
        }
        let bins = bins as usize;
        let edges = (0..=bins).map(|bin| origin + (first + bin as f64) * width).collect();
        let mut counts = vec![0; bins];
        for value in values.iter().filter(|value| value.is_finite()) {
            let bin = ((value - origin) / width).floor() - first;
            counts[(bin as usize).min(bins - 1)] += 1;
        }
        Ok(Self { edges, counts })
    }

    /// Counts the values in bins of the width of Freedman and Diaconis,
    /// 2 (interquartile range) n^(−1/3), at least one bin. Values that are not finite are left out.
    ///
    /// When half of the values are equal, the width is a √n-th of the range; when all are, there is
    /// one bin of width 1 around them.
    pub fn automatic(values: &[f64]) -> Self {
        let Some((least, greatest)) = range(values) else { return Self::default() };
        let count = values.iter().filter(|value| value.is_finite()).count();
        let width =
            automatic_width(values).unwrap_or(1.0).max((greatest - least) / MOST_BINS as f64 * 2.0);
        let origin = if least == greatest { least - 0.5 * width } else { least };
        Self::with_bin_width(values, width, origin).unwrap_or_else(|_| {
            // Values so large that a bin cannot be told from its neighbour.
            Self { edges: vec![least, greatest.next_up()], counts: vec![count] }
        })
    }
}

/// The width of a bin after Freedman and Diaconis (Z. Wahrscheinlichkeitstheorie 57, 453, 1981), or
/// a √n-th of the range when half of the values are equal; `None` when all are.
pub(crate) fn automatic_width(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let spread = sorted.last()? - sorted.first()?;
    let interquartile = quantile(&sorted, 0.75)? - quantile(&sorted, 0.25)?;
    let width = match interquartile > 0.0 {
        true => 2.0 * interquartile / count.cbrt(),
        false => spread / count.sqrt(),
    };
    (width > 0.0 && width.is_finite()).then_some(width)
}

/// The quantile of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let place = fraction * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    values.iter().copied().filter(|value| value.is_finite()).fold(None, |range, value| {
        let (least, greatest) = range.unwrap_or((value, value));
        Some((value.min(least), value.max(greatest)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_half_open_and_start_at_the_origin() {
        let values = [1.0, 2.0, 2.5, 6.0, f64::NAN, -0.5];
        let histogram = Histogram::with_bin_width(&values, 2.0, 0.0).unwrap();
        assert_eq!(histogram.edges, [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(histogram.counts, [1, 1, 2, 0, 1]);
        let shifted = Histogram::with_bin_width(&values, 2.0, 1.0).unwrap();
        assert_eq!(shifted.edges, [-1.0, 1.0, 3.0, 5.0, 7.0]);
        assert_eq!(shifted.counts, [1, 3, 0, 1]);
    }

    #[test]
    fn automatic_width_is_that_of_freedman_and_diaconis() {
        // 0..=8: quartiles 2 and 6, n = 9, so the width is 8/∛9 = 3.846 and 0..8 needs three bins.
        let values: Vec<f64> = (0..=8).map(f64::from).collect();
        let histogram = Histogram::automatic(&values);
        assert!((histogram.edges[1] - 8.0 / 9f64.cbrt()).abs() < 1e-12);
        assert_eq!(histogram.counts, [4, 4, 1]);
    }

    #[test]
    fn few_or_equal_values_have_one_bin() {
        assert_eq!(Histogram::automatic(&[]), Histogram::default());
        let equal = Histogram::automatic(&[3.0; 4]);
        assert_eq!((equal.edges, equal.counts), (vec![2.5, 3.5], vec![4]));
        // Half equal: range 8 over √4.
        let half = Histogram::automatic(&[0.0, 0.0, 0.0, 8.0, 0.0]);
        assert_eq!(half.counts.iter().sum::<usize>(), 5);
        let huge = Histogram::automatic(&[1e300, 1e300, -1e300]);
        assert_eq!(huge.counts.iter().sum::<usize>(), 3);
        let close = Histogram::automatic(&[1e300, 1e300f64.next_up()]);
        assert_eq!(close.counts.iter().sum::<usize>(), 2);
    }

    #[test]
    fn an_outlier_does_not_ask_for_a_million_bins() {
        let mut values: Vec<f64> = (0..100).map(|index| f64::from(index) * 1e-9).collect();
        values.push(1e9);
        assert!(Histogram::automatic(&values).counts.len() <= MOST_BINS);
    }

    #[test]
    fn impossible_widths_are_refused() {
        for (width, origin) in [(0.0, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (1.0, f64::INFINITY)] {
            assert!(Histogram::with_bin_width(&[1.0], width, origin).is_err(), "{width}");
        }
        assert!(Histogram::with_bin_width(&[0.0, 1.0], 1e-9, 0.0).is_err());
    }
}
