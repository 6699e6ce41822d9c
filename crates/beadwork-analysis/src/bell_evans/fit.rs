//! The law of Bell and Evans that fits forces at several loading rates, with errors by resampling.

use beadwork_random::generators::philox4x32;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::{BellEvans, most_probable, scaled_integral};
use crate::interruption;
use crate::statistics::{mean, quantile};

/// The forces of replicas that were loaded at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRate {
    /// pN/s.
    pub loading_rate: f64,
    /// pN, of each replica that gave way.
    pub forces: Vec<f64>,
}

/// What stands for the forces at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// Their mean, which the law knows exactly.
    Mean,
    /// The most probable force, by [`most_probable`].
    MostProbable,
}

/// The law that fits, with its errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The law.
    pub law: BellEvans,
    /// The standard error of the logarithm of s = kT/x, that is, of x in parts of x.
    pub relative_error_of_distance: f64,
    /// The standard error of ln k₀.
    pub error_of_log_rate: f64,
    /// The probability that forces which follow the law deviate so much from it; only for means.
    pub lack_of_fit: Option<f64>,
    /// The number of rates.
    pub rates: usize,
    /// The number of forces.
    pub forces: usize,
}

/// Why no law fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfit {
    /// Fewer than [`FEWEST_RATES`] rates have two forces or more.
    FewRates {
        /// How many have.
        rates: usize,
    },
    /// The rates span less than a factor of [`LEAST_SPAN`].
    NarrowRange {
        /// The factor.
        span: f64,
    },
    /// Forces do not grow with the rate beyond chance.
    NotRising,
    /// Forces grow, but not as the law says.
    NotTheLaw {
        /// The probability that forces which follow the law deviate so much from it.
        probability: f64,
    },
}

/// Two rates fix the two numbers of the law and leave nothing that could contradict it.
pub const FEWEST_RATES: usize = 3;
/// Over a smaller factor of rates the force grows by less than the thermal force.
pub const LEAST_SPAN: f64 = 2.0;
/// Laws are refused if they deviate as rarely as this by chance.
const RARE: f64 = 0.01;
/// Resampled sets of forces.
const RESAMPLED: u32 = 1000;
/// More than this share of sets that do not rise is beyond chance.
const MOST_NOT_RISING: f64 = 0.025;
const ITERATIONS: usize = 100;

/// Fits the law to forces by weighted least squares of their mean, or most probable, force at each rate. By the law all rates have
/// the same scatter, so a rate weighs as many forces as it has.
///
/// Errors come from 1,000 sets of forces resampled within each rate: n − 1 of its n forces, with replacement, whose mean has the
/// variance s²/n (Rao and Wu, J. Am. Stat. Assoc. 83, 231, 1988). An error is half the width of the middle 68.27 % of these. The
/// law is tested against the scatter within rates by the F test of lack of fit (Draper and Smith, *Applied Regression Analysis*,
/// §1.5). Rates with fewer than two forces are left out. The same forces give the same bits.
pub fn fit(rates: &[MeasuredRate], estimator: Estimator) -> Result<Fit, Unfit> {
    let has_two = |rate: &&MeasuredRate| rate.forces.len() > 1 && rate.loading_rate > 0.0;
    let used: Vec<&MeasuredRate> = rates.iter().filter(has_two).collect();
    let mut loading: Vec<f64> = used.iter().map(|rate| rate.loading_rate).collect();
    loading.sort_by(f64::total_cmp);
    loading.dedup();
    if loading.len() < FEWEST_RATES {
        return Err(Unfit::FewRates { rates: loading.len() });
    }
    let span = loading[loading.len() - 1] / loading[0];
    if span < LEAST_SPAN {
        return Err(Unfit::NarrowRange { span });
    }
    let of_all = |rate: &&MeasuredRate| point(rate, &rate.forces, estimator);
    let points: Vec<Point> = used.iter().map(of_all).collect();
    let law = least_squares(&points).ok_or(Unfit::NotRising)?;
    let (relative_error_of_distance, error_of_log_rate) =
        errors(&used, estimator).ok_or(Unfit::NotRising)?;
    let lack_of_fit = match estimator {
        Estimator::Mean => lack_of_fit(&used, &points, &law),
        Estimator::MostProbable => None,
    };
    if let Some(probability) = lack_of_fit.filter(|probability| *probability < RARE) {
        return Err(Unfit::NotTheLaw { probability });
    }
    let forces = used.iter().map(|rate| rate.forces.len()).sum();
    let rates = loading.len();
    Ok(Fit { law, relative_error_of_distance, error_of_log_rate, lack_of_fit, rates, forces })
}

/// The force of a rate.
#[derive(Clone, Copy)]
struct Point {
    /// ln r.
    log_rate: f64,
    force: f64,
    weight: f64,
    estimator: Estimator,
}

fn point(rate: &MeasuredRate, forces: &[f64], estimator: Estimator) -> Point {
    let force = match estimator {
        Estimator::Mean => mean(forces),
        Estimator::MostProbable => most_probable(forces),
    };
    Point {
        log_rate: rate.loading_rate.ln(),
        force: force.unwrap_or(f64::NAN),
        weight: rate.forces.len() as f64,
        estimator,
    }
}

impl Point {
    /// The force by the law with s and c = ln(k₀ s), in units of s, and its slope in c. In the mean g(u) = exp(a) E₁(a) with
    /// a = exp(u) and u = c − ln r, whose slope is a g − 1.
    fn expected(&self, c: f64) -> (f64, f64) {
        let u = c - self.log_rate;
        match self.estimator {
            Estimator::MostProbable => (-u, -1.0),
            Estimator::Mean => {
                let a = u.exp();
                let mean = scaled_integral(a);
                (mean, a * mean - 1.0)
            }
        }
    }
}

/// The law whose forces have the least squares; `None` if the forces do not grow with the rate.
fn least_squares(points: &[Point]) -> Option<BellEvans> {
    let weights: f64 = points.iter().map(|point| point.weight).sum();
    let weighted = |value: &dyn Fn(&Point) -> f64| {
        points.iter().map(|point| point.weight * value(point)).sum::<f64>() / weights
    };
    let (middle, force) = (weighted(&|point| point.log_rate), weighted(&|point| point.force));
    let spread = weighted(&|point| (point.log_rate - middle).powi(2));
    let slope = weighted(&|point| (point.log_rate - middle) * (point.force - force)) / spread;
    if !(slope > 0.0 && slope.is_finite()) {
        return None;
    }
    // The line is the law of the most probable force, and that of the mean where a is small.
    let offset = match points.first()?.estimator {
        Estimator::MostProbable => 0.0,
        Estimator::Mean => 0.577_215_664_901_532_9,
    };
    let (mut s, mut c) = (slope, middle - force / slope - offset);
    let squares =
        |s: f64, c: f64| weighted(&|point| (point.force - s * point.expected(c).0).powi(2));
    let mut best = squares(s, c);
    for _ in 0..ITERATIONS {
        // Gauss and Newton's step, halved until the squares fall.
        let sum = |value: &dyn Fn(f64, f64, f64) -> f64| {
            weighted(&|point| {
                let (shape, bend) = point.expected(c);
                value(shape, s * bend, point.force - s * shape)
            })
        };
        let [ss, sc, cc] = [
            sum(&|by_s, _, _| by_s * by_s),
            sum(&|by_s, by_c, _| by_s * by_c),
            sum(&|_, by_c, _| by_c * by_c),
        ];
        let [own_s, own_c] = [sum(&|by_s, _, rest| by_s * rest), sum(&|_, by_c, rest| by_c * rest)];
        let determinant = ss * cc - sc * sc;
        let step_s = (cc * own_s - sc * own_c) / determinant;
        let step_c = (ss * own_c - sc * own_s) / determinant;
        if !(step_s.is_finite() && step_c.is_finite()) {
            break;
        }
        let mut part = 1.0;
        let falls = loop {
            let (next_s, next_c) = (s + part * step_s, c + part * step_c);
            let next = if next_s > 0.0 { squares(next_s, next_c) } else { f64::INFINITY };
            if next < best {
                (s, c, best) = (next_s, next_c, next);
                break true;
            }
            part *= 0.5;
            if part < 1e-6 {
                break false;
            }
        };
        if !falls || (step_s / s).abs() + step_c.abs() < 1e-12 {
            break;
        }
    }
    Some(BellEvans { thermal_force: s, rate: c.exp() / s })
}

/// The standard errors of ln s and of ln k₀; `None` if too many resampled sets do not rise.
fn errors(rates: &[&MeasuredRate], estimator: Estimator) -> Option<(f64, f64)> {
    let (mut forces, mut escapes) = (Vec::new(), Vec::new());
    for set in 0..RESAMPLED {
        if interruption::is_wished() {
            break;
        }
        let resampled = rates.iter().zip(0..).map(|(rate, number)| {
            let count = rate.forces.len();
            let drawn: Vec<f64> =
                (1..count).map(|draw| rate.forces[choice(set, number, draw, count)]).collect();
            point(rate, &drawn, estimator)
        });
        if let Some(law) = least_squares(&resampled.collect::<Vec<_>>()) {
            forces.push(law.thermal_force.ln());
            escapes.push(law.rate.ln());
        }
    }
    let missing = 1.0 - forces.len() as f64 / f64::from(RESAMPLED);
    if missing > MOST_NOT_RISING {
        return None;
    }
    let half_width = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        Some(0.5 * (quantile(&values, 0.841_345)? - quantile(&values, 0.158_655)?))
    };
    half_width(forces).zip(half_width(escapes))
}

/// A number below `count` for a draw of a rate in a resampled set.
fn choice(set: u32, rate: u32, draw: usize, count: usize) -> usize {
    let [high, low, ..] = philox4x32::<10>([set, rate, draw as u32, 0], [0; 2]);
    let word = u64::from(high) << 32 | u64::from(low);
    // The upper half of the product of 128 bits: as even as 2⁶⁴ words can be dealt to `count` numbers.
    ((u128::from(word) * count as u128) >> 64) as usize
}

/// The probability that means which follow the law deviate from it so much, by the scatter within rates. `None` if all forces of
/// each rate are equal.
fn lack_of_fit(rates: &[&MeasuredRate], points: &[Point], law: &BellEvans) -> Option<f64> {
    let off = |(rate, point): (&&MeasuredRate, &Point)| {
        point.weight * (point.force - law.mean(rate.loading_rate)).powi(2)
    };
    let within = |(rate, point): (&&MeasuredRate, &Point)| -> f64 {
        rate.forces.iter().map(|force| (force - point.force).powi(2)).sum()
    };
    let off: f64 = rates.iter().zip(points).map(off).sum();
    let within: f64 = rates.iter().zip(points).map(within).sum();
    let forces: usize = rates.iter().map(|rate| rate.forces.len()).sum();
    let freedom = [rates.len() - 2, forces - rates.len()].map(|freedom| freedom as f64);
    let ratio = (off / freedom[0]) / (within / freedom[1]);
    let law = FisherSnedecor::new(freedom[0], freedom[1]).ok()?;
    (within > 0.0).then(|| law.sf(ratio))
}
