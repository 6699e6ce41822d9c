//! What pulls, presses and lifetimes say.

use beadwork::analysis as library;
use beadwork::analysis::bell_evans::{BellEvans, Estimator, MeasuredRate, Unfit};
use beadwork::analysis::indentation;
use beadwork::analysis::survival::Lifetime;
use beadwork::analysis::unfolding::{Criteria, Curve};
use numpy::PyArray1;
use pyo3::prelude::*;

use super::{PyEstimate, Values, estimate};
use crate::failure::Failure;
use crate::threads::alone_without_python;

/// Force, extension, time, contacts, fall, and sample of a peak.
type PyPeak = (f64, f64, f64, f64, f64, usize);

/// The peak before the largest fall, all peaks, and the loading rate.
type PyUnfolding = (Option<PyPeak>, Vec<PyPeak>, Option<f64>);

/// The peaks of a curve of time, extension, force and contacts, in ns, nm and pN.
#[pyfunction]
#[pyo3(signature = (time, extension, force, contacts, window, prominence, taut_extension))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the function that people call")]
pub fn unfolding(
    py: Python<'_>,
    time: Values<'_>,
    extension: Values<'_>,
    force: Values<'_>,
    contacts: Values<'_>,
    window: usize,
    prominence: f64,
    taut_extension: Option<f64>,
) -> PyResult<PyUnfolding> {
    let curve = Curve {
        time_ns: time.as_slice()?.to_vec(),
        extension_nm: extension.as_slice()?.to_vec(),
        force_pn: force.as_slice()?.to_vec(),
        contacts: contacts.as_slice()?.to_vec(),
    };
    let criteria = Criteria {
        window_points: window,
        prominence_pn: prominence,
        taut_extension_nm: taut_extension,
    };
    let found = alone_without_python(py, || Ok(library::unfolding::analyse(&curve, &criteria)))?;
    let peak = |peak: library::unfolding::Peak| {
        let library::unfolding::Peak { force_pn, extension_nm, time_ns, contacts, fall_pn, index } =
            peak;
        (force_pn, extension_nm, time_ns, contacts, fall_pn, index)
    };
    Ok((found.rupture.map(peak), found.peaks.into_iter().map(peak).collect(), found.loading_rate))
}

/// The fall in pN that the noise of a spring alone exceeds in fewer than one of a thousand curves.
#[pyfunction]
pub fn noise_fall(stiffness: f64, temperature: f64, window: usize, samples: usize) -> f64 {
    library::unfolding::noise_fall(
        library::unfolding::noise_floor(stiffness, temperature, window),
        samples,
    )
}

/// s, k₀, the errors of ln s and ln k₀, the lack of fit, rates and forces.
type PyBellEvans = (f64, f64, f64, f64, Option<f64>, usize, usize);

/// The law of Bell and Evans that fits forces at several loading rates, in pN and pN/s.
#[pyfunction]
pub fn bell_evans(
    py: Python<'_>,
    rates: Vec<f64>,
    forces: Vec<Vec<f64>>,
    most_probable: bool,
) -> PyResult<PyBellEvans> {
    let measured: Vec<MeasuredRate> = rates
        .into_iter()
        .zip(forces)
        .map(|(loading_rate, forces)| MeasuredRate { loading_rate, forces })
        .collect();
    let estimator = if most_probable { Estimator::MostProbable } else { Estimator::Mean };
    let fit = alone_without_python(py, || {
        let fit = library::bell_evans::fit(&measured, estimator);
        fit.map_err(|unfit| Failure::samples(reason(unfit)))
    })?;
    Ok((
        fit.law.thermal_force,
        fit.law.rate,
        fit.relative_error_of_distance,
        fit.error_of_log_rate,
        fit.lack_of_fit,
        fit.rates,
        fit.forces,
    ))
}

fn reason(unfit: Unfit) -> String {
    let why = match unfit {
        Unfit::FewRates { rates } => format!(
            "{rates} loading rate(s) have two forces or more, and {} are needed: give forces at more rates",
            library::bell_evans::FEWEST_RATES
        ),
        Unfit::NarrowRange { span } => format!(
            "the loading rates span a factor of {span:.3} only, and {} is the least: give rates farther apart",
            library::bell_evans::LEAST_SPAN
        ),
        Unfit::NotRising => "forces do not grow with the loading rate by more than chance explains: give more forces, or rates \
                             farther apart"
            .to_string(),
        Unfit::NotTheLaw { probability } => format!(
            "by chance forces that follow the law would deviate so much with a probability of {probability:.2e}: one barrier \
             does not explain them"
        ),
    };
    format!("no law of Bell and Evans fits: {why}")
}

/// The mean or most probable force, pN, of a law of s and k₀ at loading rates in pN/s.
#[pyfunction]
pub fn bell_evans_force<'py>(
    py: Python<'py>,
    thermal_force: f64,
    rate: f64,
    loading_rates: Values<'_>,
    most_probable: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let law = BellEvans { thermal_force, rate };
    let of = |&loading_rate: &f64| match most_probable {
        true => law.most_probable(loading_rate),
        false => law.mean(loading_rate),
    };
    Ok(PyArray1::from_vec(py, loading_rates.as_slice()?.iter().map(of).collect()))
}

/// Modulus, zero, deviation and points of Hertz's law.
#[pyfunction]
pub fn hertz(
    py: Python<'_>,
    depths: Values<'_>,
    forces: Values<'_>,
    radius: f64,
) -> PyResult<Option<(f64, f64, f64, usize)>> {
    let points = depths.as_slice()?.iter().copied().zip(forces.as_slice()?.iter().copied());
    let points: Vec<(f64, f64)> = points.collect();
    let found = py.detach(|| indentation::hertz(&points, radius));
    Ok(found.map(|found| (found.modulus, found.zero, found.deviation, found.points)))
}

/// Times, numbers at risk, shares and errors of a survival curve; the mean lifetime, and the median.
type PySurvival<'py> =
    ([Bound<'py, PyArray1<f64>>; 3], Bound<'py, PyArray1<i64>>, Option<PyEstimate>, Option<f64>);

/// The survival curve of lifetimes, some of which have not ended.
#[pyfunction]
pub fn survival<'py>(
    py: Python<'py>,
    times: Values<'_>,
    has_ended: Vec<bool>,
) -> PyResult<PySurvival<'py>> {
    let lifetimes = times.as_slice()?.iter().zip(has_ended);
    let lifetimes: Vec<Lifetime> =
        lifetimes.map(|(&time, has_ended)| Lifetime { time, has_ended }).collect();
    let curve = library::survival::survival(&lifetimes);
    let column = |of: fn(&library::survival::Survival) -> f64| {
        PyArray1::from_vec(py, curve.iter().map(of).collect())
    };
    let at_risk = curve.iter().map(|point| point.at_risk as i64).collect();
    Ok((
        [column(|point| point.time), column(|point| point.share), column(|point| point.error)],
        PyArray1::from_vec(py, at_risk),
        library::survival::mean_lifetime(&lifetimes).map(estimate),
        library::survival::median_lifetime(&curve),
    ))
}
