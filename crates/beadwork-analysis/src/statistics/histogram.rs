//! Counts of values in bins of equal width.

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
    /// Counts the values in at most [`MOST_BINS`] bins of the given width, one edge of which is `origin`, from the
    /// smallest to the largest value; `None` if no such bins exist. Values that are not finite are left out.
    pub fn with_bin_width(values: &[f64], width: f64, origin: f64) -> Option<Self> {
        if !(width > 0.0 && width.is_finite() && origin.is_finite()) {
            return None;
        }
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (least, greatest) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        if least > greatest {
            return Some(Self::default());
        }
        let first = ((least - origin) / width).floor();
        let bins = ((greatest - origin) / width).floor() - first + 1.0;
        if !(bins <= MOST_BINS as f64 && first.is_finite()) {
            return None;
        }
        let bins = bins as usize;
        let edges = (0..=bins).map(|bin| origin + (first + bin as f64) * width).collect();
        let mut counts = vec![0; bins];
        for value in finite() {
            let bin = ((value - origin) / width).floor() - first;
            counts[(bin as usize).min(bins - 1)] += 1;
        }
        Some(Self { edges, counts })
    }
}

/// The width of a bin after Freedman and Diaconis (Z. Wahrscheinlichkeitstheorie 57, 453, 1981), or
/// range/√n if half of the values are equal; `None` if all are equal.
pub fn automatic_width(values: &[f64]) -> Option<f64> {
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

/// The value below which a fraction of sorted values lies, interpolated linearly; `None` when there are no values.
pub fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let place = fraction * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}
