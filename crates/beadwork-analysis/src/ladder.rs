//! Temperatures for replica exchange: equal acceptance, or the fastest flow of replicas.
//!
//! kB = 1; temperatures rise.

mod error_function;

use crate::Error;
use error_function::{complementary, inverse_complementary};

/// Temperatures between which all neighbours should swap alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// In rising order, in the unit given.
    pub temperatures: Vec<f64>,
    /// The part of the attempts between each two neighbours that should succeed.
    pub acceptance: f64,
}

/// Temperatures in a constant ratio from the lowest to the highest, both included.
///
/// # Errors
/// [`Error::Samples`] for fewer than two, or unless 0 < lowest < highest.
pub fn geometric(lowest: f64, highest: f64, count: usize) -> Result<Vec<f64>, Error> {
    check(&[lowest, highest], count)?;
    place(&[0.0, 1.0], &[lowest.ln(), highest.ln()], count)
        .map(|logarithms| between(&logarithms, f64::exp, lowest, highest))
}

/// A ladder between the same ends whose neighbours swap equally often, from the acceptance measured
/// between those of another.
///
/// Neighbours with normally distributed energies of variance C T² swap with probability
/// erfc(½∫√C dln T) (Rathore, Chopra and de Pablo, J. Chem. Phys. 122, 024111, 2005): the inverse of erfc
/// makes of each acceptance a length, and lengths add up. Within an interval length goes with ln T.
///
/// # Errors
/// [`Error::Samples`] for fewer than two temperatures, ones that do not rise, an acceptance that is not
/// above 0 and at most 1 (where none succeeded, closer temperatures have to be measured), or if all
/// are 1.
pub fn equal_acceptance(
    temperatures: &[f64],
    acceptance: &[f64],
    count: usize,
) -> Result<Ladder, Error> {
    check(temperatures, count)?;
    let measured = acceptance.iter().all(|acceptance| *acceptance > 0.0 && *acceptance <= 1.0);
    if !measured || acceptance.len() + 1 != temperatures.len() {
        return refused("give an acceptance in (0, 1] for each two neighbours");
    }
    let lengths: Vec<f64> = acceptance.iter().map(|a| inverse_complementary(*a)).collect();
    equal_lengths(temperatures, &lengths, count)
}

/// A ladder whose neighbours swap equally often, from the heat capacity C = β² (⟨E²⟩ − ⟨E⟩²) of the whole
/// system at temperatures that span it: as [`equal_acceptance`], with ½∫√C dln T by trapezia.
///
/// # Errors
/// [`Error::Samples`] for fewer than two temperatures, ones that do not rise, or heat capacities that
/// are negative, not finite, all 0, or not as many.
pub fn from_heat_capacity(
    temperatures: &[f64],
    heat_capacity: &[f64],
    count: usize,
) -> Result<Ladder, Error> {
    check(temperatures, count)?;
    let sound = heat_capacity.iter().all(|value| *value >= 0.0 && value.is_finite());
    if !sound || heat_capacity.len() != temperatures.len() {
        return refused("give a heat capacity, positive or 0, for each temperature");
    }
    let intervals = temperatures.windows(2).zip(heat_capacity.windows(2));
    let length = |(t, c): (&[f64], &[f64])| 0.25 * (c[0].sqrt() + c[1].sqrt()) * (t[1] / t[0]).ln();
    equal_lengths(temperatures, &intervals.map(length).collect::<Vec<f64>>(), count)
}

/// The temperatures between the same ends that replicas travel fastest on, from the part f of replicas
/// on each rung that were at the bottom last ([`RoundTrips::flow`](crate::round_trips::RoundTrips)).
///
/// The density of temperatures goes with √(Δf/ΔT/ΔT), constant in each interval ΔT (Katzgraber, Trebst,
/// Huse and Troyer, J. Stat. Mech. P03018, 2006), so that each interval gets temperatures by √Δf. First f
/// is made to fall: runs of rungs where it does not are replaced by their mean (pool adjacent
/// violators), with straight lines between the middles of runs, and a hundredth of even flow is mixed
/// in. Repeat with longer runs until the ladder stays.
///
/// # Errors
/// [`Error::Samples`] for fewer than two temperatures, ones that do not rise, or an f that is not in 0…1
/// or not as many: run until each rung has seen replicas of both kinds.
pub fn from_flow(temperatures: &[f64], flow: &[f64], count: usize) -> Result<Vec<f64>, Error> {
    check(temperatures, count)?;
    if flow.len() != temperatures.len() || !flow.iter().all(|f| (0.0..=1.0).contains(f)) {
        return refused("give a part of replicas, 0 to 1, for each temperature");
    }
    let last = flow.len() - 1;
    let falling = falling(flow);
    let mixed = |rung: usize| 0.99 * falling[rung] + 0.01 * (1.0 - rung as f64 / last as f64);
    let lengths: Vec<f64> = (0..last).map(|rung| (mixed(rung) - mixed(rung + 1)).sqrt()).collect();
    let placed = place(&cumulative(&lengths), temperatures, count)?;
    Ok(between(&placed, |temperature| temperature, temperatures[0], temperatures[last]))
}

/// f with 1 and 0 at its ends that nowhere rises.
fn falling(flow: &[f64]) -> Vec<f64> {
    let last = flow.len() - 1;
    // Runs of rungs: sum, number, and the sum of their places.
    let mut runs: Vec<[f64; 3]> = Vec::new();
    for (rung, f) in flow.iter().enumerate() {
        let f = if rung == 0 {
            1.0
        } else if rung == last {
            0.0
        } else {
            *f
        };
        let mut run = [f, 1.0, rung as f64];
        while let Some(before) = runs.pop_if(|before| before[0] * run[1] <= run[0] * before[1]) {
            (0..3).for_each(|part| run[part] += before[part]);
        }
        runs.push(run);
    }
    let (mut places, mut values) = (vec![0.0], vec![1.0]);
    for [sum, number, rungs] in runs {
        let place = rungs / number;
        if place > 0.0 && place < last as f64 {
            places.push(place);
            values.push(sum / number);
        }
    }
    places.push(last as f64);
    values.push(0.0);
    (0..=last).map(|rung| interpolate(&places, &values, rung as f64)).collect()
}

fn refused<T>(reason: &str) -> Result<T, Error> {
    Err(Error::Samples { reason: reason.to_owned() })
}

fn check(temperatures: &[f64], count: usize) -> Result<(), Error> {
    let rising = temperatures.windows(2).all(|pair| pair[0] < pair[1]);
    let positive = temperatures.iter().all(|t| *t > 0.0 && t.is_finite());
    match temperatures.len() >= 2 && count >= 2 && rising && positive {
        true => Ok(()),
        false => refused("a ladder has two or more temperatures, positive and rising"),
    }
}

fn equal_lengths(temperatures: &[f64], lengths: &[f64], count: usize) -> Result<Ladder, Error> {
    let logarithms: Vec<f64> = temperatures.iter().map(|temperature| temperature.ln()).collect();
    let cumulative = cumulative(lengths);
    let placed = place(&cumulative, &logarithms, count)?;
    let last = temperatures.len() - 1;
    let acceptance = complementary(cumulative[last] / (count - 1) as f64);
    let temperatures = between(&placed, f64::exp, temperatures[0], temperatures[last]);
    Ok(Ladder { temperatures, acceptance })
}

fn cumulative(lengths: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = lengths.iter().map(|length| {
        sum += length;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// The values where a length that rises along them is 0, 1/(count − 1), … of the whole.
fn place(length: &[f64], values: &[f64], count: usize) -> Result<Vec<f64>, Error> {
    let whole = length.last().copied().unwrap_or(0.0);
    if !(whole > 0.0 && whole.is_finite()) {
        return refused("nothing tells where temperatures are needed: all lie equally close");
    }
    let target = |rung: usize| whole * rung as f64 / (count - 1) as f64;
    Ok((0..count).map(|rung| interpolate(length, values, target(rung))).collect())
}

/// Temperatures with their ends as given, to the last bit.
fn between(values: &[f64], unit: impl Fn(f64) -> f64, lowest: f64, highest: f64) -> Vec<f64> {
    let last = values.len() - 1;
    let temperature = |(rung, value): (usize, &f64)| match rung {
        0 => lowest,
        _ if rung == last => highest,
        _ => unit(*value),
    };
    values.iter().enumerate().map(temperature).collect()
}

/// y at x between points whose x rise.
fn interpolate(x: &[f64], y: &[f64], at: f64) -> f64 {
    let above = x.partition_point(|x| *x < at).clamp(1, x.len() - 1);
    let part = (at - x[above - 1]) / (x[above] - x[above - 1]);
    y[above - 1] + part * (y[above] - y[above - 1])
}

#[cfg(test)]
mod tests;
