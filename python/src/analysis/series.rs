//! Correlated values and errors of their means.

use beadwork::analysis::autocorrelation::{integrated_time, time_of_mean};
use beadwork::analysis::average::Average;
use pyo3::prelude::*;

use super::Values;
use crate::threads::alone_without_python;

/// Time, its error, window, samples, whether the series is long enough, and the inefficiency.
type PyTime = (f64, f64, usize, usize, bool, f64);

/// The integrated autocorrelation time of independent series, in intervals between values; that of their mean if `of_mean`.
#[pyfunction]
pub fn autocorrelation(
    py: Python<'_>,
    series: Vec<Values<'_>>,
    of_mean: bool,
) -> PyResult<Option<PyTime>> {
    let series = slices(&series)?;
    let time = alone_without_python(py, || {
        Ok(match of_mean {
            true => time_of_mean(&series),
            false => integrated_time(&series),
        })
    })?;
    Ok(time.map(|time| {
        let inefficiency = time.inefficiency();
        (time.time, time.error, time.window, time.samples, time.long_enough, inefficiency)
    }))
}

/// A mean, its standard error, the number of independent values, and whether the error is more than a lower bound.
type Mean = (f64, Option<f64>, f64, bool);

/// The mean of series of values.
#[pyfunction]
pub fn average(py: Python<'_>, series: Vec<Values<'_>>) -> PyResult<Option<Mean>> {
    let series = slices(&series)?;
    let average = alone_without_python(py, || Ok(Average::of(&series)))?;
    Ok(average.map(|found| (found.mean, found.error, found.independent, found.is_known)))
}

fn slices<'a>(series: &'a [Values<'_>]) -> PyResult<Vec<&'a [f64]>> {
    series.iter().map(|values| Ok(values.as_slice()?)).collect()
}
