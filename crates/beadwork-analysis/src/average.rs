//! Means of correlated values with their standard errors.

use crate::autocorrelation::time_of_mean;
use crate::statistics::{mean, standard_deviation};

/// The least number of independent values for which an error is more than a lower bound. So many values of a series are a hundred
/// autocorrelation times.
pub const FEWEST_INDEPENDENT: f64 = 50.0;

/// The mean of correlated values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// The mean, in the unit of the values.
    pub mean: f64,
    /// The standard error of the mean; `None` for a single value and for equal values.
    pub error: Option<f64>,
    /// As many independent values would have the same error.
    pub independent: f64,
    /// Whether the series are long enough for their autocorrelation time, and finite; otherwise the error is a lower bound or not
    /// known.
    pub is_known: bool,
}

impl Average {
    /// The mean of all values of one or more independent series, each in the order of time, with its standard error
    /// s/√(n/2τ − ½) from the [`time_of_mean`] τ. Half an independent value is taken off, since s is the spread about the mean
    /// of these n values. `None` without values.
    ///
    /// ```
    /// use beadwork_analysis::average::Average;
    /// let found = Average::of(&[[1.0, 2.0, 1.5, 1.5]]).ok_or("no values")?;
    /// assert_eq!(found.mean, 1.5);
    /// // Four values are too few to tell their autocorrelation time.
    /// assert!(!found.is_known);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn of(series: &[impl AsRef<[f64]>]) -> Option<Average> {
        let all: Vec<f64> = series.iter().flat_map(|one| one.as_ref()).copied().collect();
        let count = all.len() as f64;
        let time = time_of_mean(series);
        let independent = time.map_or(count, |time| count / time.inefficiency());
        let spread = standard_deviation(&all).filter(|_| time.is_some());
        let mean = mean(&all)?;
        Some(Average {
            mean,
            error: spread.map(|spread| spread / (independent - 0.5).max(0.5).sqrt()),
            independent,
            is_known: time.map_or(mean.is_finite(), |time| time.long_enough),
        })
    }

    /// Whether the error is a lower bound although the values are many enough: correlations had not died out within half of the
    /// longest series. Otherwise an error that is not known is one of too few values for their autocorrelation time.
    pub fn is_cut_short(&self) -> bool {
        !self.is_known && self.error.is_some() && self.independent >= FEWEST_INDEPENDENT
    }

    /// A number that was computed from all blocks of one or more series, with the error that the numbers without one block
    /// each imply. `left_out` has these, in the order of time. Pseudo-values m θ − (m − 1) θᵢ stand for the blocks (Efron,
    /// *The Jackknife, the Bootstrap and Other Resampling Plans*, 1982, chapter 2); their correlation counts as in
    /// [`Average::of`], so blocks may be short. `None` without blocks.
    pub fn jackknife(value: f64, left_out: &[Vec<f64>]) -> Option<Average> {
        let blocks = left_out.iter().map(Vec::len).sum::<usize>() as f64;
        let pseudo = |theta: &f64| blocks * value - (blocks - 1.0) * theta;
        let series: Vec<Vec<f64>> =
            left_out.iter().map(|series| series.iter().map(pseudo).collect()).collect();
        Some(Average { mean: value, ..Average::of(&series)? })
    }

    /// The average of a smooth function of the values: `value` is the function at the mean, and `slope` its derivative there.
    pub fn through(self, value: f64, slope: f64) -> Average {
        Average { mean: value, error: self.error.map(|error| error * slope.abs()), ..self }
    }
}
