//! Independent oscillators: correlations over time origins, and their exact errors.
//!
//! A coordinate x′ = c x + B with normal B is a Gaussian process with the covariances V cˡ, l in steps. The errors of all
//! averages follow from these.

use rayon::prelude::*;

/// The correlations V ρˡ of a stationary coordinate at l intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// V, in the square of the coordinate's unit.
    pub variance: f64,
    /// ρ, from one sample to the next.
    pub factor: f64,
}

/// Which values a correlation was averaged over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Averaged {
    /// Intervals between the two factors.
    pub lag: usize,
    /// Successive time origins.
    pub origins: usize,
    /// Independent coordinates.
    pub series: usize,
}

impl Decay {
    /// V ρˡ.
    pub fn at(&self, lag: usize) -> f64 {
        self.variance * self.factor.powi(lag as i32)
    }

    /// The standard error of an average of x(t) x(t + l) about [`Decay::at`].
    ///
    /// For one series with K origins, the squared error is K⁻² Σ (K − |d|) (C_d² + C_{d+l} C_{d−l}), d from −K + 1 to K
    /// − 1 (Isserlis' theorem). The sum ends where its terms fall below rounding.
    pub fn error(&self, averaged: Averaged) -> f64 {
        let Averaged { lag, origins, series } = averaged;
        let rho = self.factor.abs();
        let power = |distance: usize| rho.powi(distance.min(i32::MAX as usize) as i32);
        let mut sum = 0.0;
        for distance in 0..origins {
            let both = if distance == 0 { 1.0 } else { 2.0 };
            let far = power(2 * distance);
            let crossed = power(distance + lag) * power(distance.abs_diff(lag));
            sum += both * (origins - distance) as f64 * (far + crossed);
            if distance > lag && far + crossed < 1e-18 {
                break;
            }
        }
        let origins = origins as f64;
        self.variance * (sum / (origins * origins * series as f64)).sqrt()
    }
}

/// Σ x(t) x(t + l) over time origins and coordinates at each of the lags; `frames[t]` holds all coordinates.
pub fn sums_of_products(frames: &[Vec<f32>], lags: &[usize]) -> Vec<f64> {
    let at = |lag: usize| {
        let later = frames.get(lag..).unwrap_or_default();
        let pairs = frames.iter().zip(later);
        pairs
            .map(|(now, then)| {
                now.iter().zip(then).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
            })
            .sum()
    };
    lags.par_iter().map(|&lag| at(lag)).collect()
}

/// The number z of standard errors that any of `comparisons` normal numbers, correlated or not, exceeds with a
/// probability of at most 1/1000: 2 φ(z)/z = 10⁻³/comparisons, an upper bound of both tails.
pub fn joint_bound(comparisons: usize) -> f64 {
    let weight = 1e-3 / comparisons.max(1) as f64;
    let tails = |z: f64| 2.0 * (-0.5 * z * z).exp() / (z * std::f64::consts::TAU.sqrt());
    bisected(1.0, 40.0, |z| tails(z) > weight).1
}

/// Brackets by bisection the point between `low` and `high` up to which `is_below` holds.
pub(crate) fn bisected(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}
