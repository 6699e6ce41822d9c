//! The most probable of some values.

use std::f64::consts::PI;

use crate::statistics::{quantile, standard_deviation};

/// The density is looked at in so many places before its highest one is refined.
const PLACES: usize = 256;

/// The value at which the density of `values` is highest. The density is a sum of normal distributions, one for each value, of the
/// width 0.9 min(σ, interquartile range/1.34) n^(−1/5) (Silverman, *Density Estimation*, 1986, eq. 3.31). `None` without
/// values; a value itself if all are equal to it.
pub fn most_probable(values: &[f64]) -> Option<f64> {
    let deviation = standard_deviation(values).unwrap_or(0.0);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    let quartiles = (quantile(&sorted, 0.75)? - quantile(&sorted, 0.25)?) / 1.34;
    let spread = if quartiles > 0.0 { deviation.min(quartiles) } else { deviation };
    let width = 0.9 * spread * (values.len() as f64).powf(-0.2);
    if width <= 0.0 {
        return Some(least);
    }
    let density = |at: f64| -> f64 {
        let one = |value: &f64| (-0.5 * ((at - value) / width).powi(2)).exp();
        sorted.iter().map(one).sum::<f64>() / (width * (2.0 * PI).sqrt())
    };
    let step = (most - least) / (PLACES - 1) as f64;
    let places = (0..PLACES).map(|place| least + place as f64 * step);
    let highest = places
        .map(|at| (at, density(at)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    // The top of the parabola through the place and its neighbours.
    let [before, after] = [-step, step].map(|shift| density(highest.0 + shift));
    let bend = before - 2.0 * highest.1 + after;
    let shift = if bend < 0.0 { 0.5 * step * (before - after) / bend } else { 0.0 };
    Some((highest.0 + shift.clamp(-step, step)).clamp(least, most))
}
