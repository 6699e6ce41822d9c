//! The deviate of a value: the normal number whose tail has the same probability. Sums of squares and of products of
//! few normal numbers are skewed: they exceed several standard errors far more often than a normal number does.
//!
//! Tails follow from the cumulant generating function K of the distribution by its saddlepoint, K′(s) = x: with
//! w = ±√(2(sx − K)) and u = s √K″, w + ln(u/w)/w is the deviate (Lugannani and Rice, Adv. Appl. Probab. 12, 475
//! (1980), in the form of Barndorff-Nielsen, Biometrika 73, 307 (1986)).

use std::f64::consts::PI;

use crate::oscillators::{Averaged, Decay, bisected};

/// Below this |w| the formula is numerically 0/0; the value is near the mean, and the plain deviate is accurate.
const NEAR: f64 = 1e-3;
/// A spectrum gets this many points for each interval of the lag or the relaxation time, whichever is longer.
const POINTS: f64 = 8.0;
/// A relaxation time is resolved by at most this many samples; more do not change the spectrum.
const FINE: f64 = 256.0;

/// The deviate at the saddlepoint s, where `exponent` is sx − K(s); near the mean it is `near`.
fn at_saddlepoint(s: f64, exponent: f64, curvature: f64, near: f64) -> f64 {
    let w = (2.0 * exponent.max(0.0)).sqrt().copysign(s);
    if w.abs() < NEAR {
        return near;
    }
    w + (s * curvature.sqrt() / w).ln() / w
}

/// The deviate of a sum of squares of `count` normal numbers of variance 1: a noncentral χ² whose squared means add up
/// to `shift`.
pub fn of_sum_of_squares(sum: f64, count: f64, shift: f64) -> f64 {
    if sum <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // K = shift s y + (count/2) ln y with y = 1/(1 − 2s), so that K′ = shift y² + count y.
    let y = 2.0 * sum / (count + (count * count + 4.0 * shift * sum).sqrt());
    let s = (1.0 - 1.0 / y) / 2.0;
    let exponent = 0.5 * ((y - 1.0) * (count + shift * (y - 1.0)) - count * y.ln());
    let curvature = 4.0 * shift * y.powi(3) + 2.0 * count * y * y;
    let near = (sum - count - shift) / (2.0 * count + 4.0 * shift).sqrt();
    at_saddlepoint(s, exponent, curvature, near)
}

/// The deviate of an average of x(t) x(t + l) over time origins and series.
///
/// x(t) x(t + l) has the spectrum g(ω) = cos(lω) f(ω), f that of x, and its average over n independent samples
/// K(s) = −(n/2) ⟨ln(1 − 2sg/n)⟩ over frequencies. n follows from the standard error of the average; it is small for a
/// run of few relaxation times.
pub fn of_correlation(decay: &Decay, averaged: Averaged, value: f64) -> f64 {
    let spectrum = products(decay.factor, averaged.lag);
    let average = |of: &dyn Fn(f64) -> f64| {
        spectrum.iter().map(|g| of(*g)).sum::<f64>() / spectrum.len() as f64
    };
    let error = decay.error(averaged) / decay.variance;
    let samples = 2.0 * average(&|g| g * g) / (error * error);
    // In units of the variance, about the mean of the discretised spectrum.
    let off = (value - decay.at(averaged.lag)) / decay.variance;
    let x = average(&|g| g) + off;
    let least = spectrum.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = spectrum.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let slope = |t: f64| average(&|g| g / (1.0 - 2.0 * t * g));
    if least >= 0.0 && x <= 0.0 {
        // An average of squares cannot be negative.
        return f64::NEG_INFINITY;
    }
    // K′ rises from −∞, or from 0 where g is positive everywhere, to ∞; bisection finds where it equals x.
    let mut low = if least < 0.0 { 0.5 / least } else { -1.0 / largest };
    while least >= 0.0 && slope(low) > x {
        low *= 2.0;
    }
    let (low, high) = bisected(low, 0.5 / largest, |t| slope(t) < x);
    let t = 0.5 * (low + high);
    let cumulant = -0.5 * average(&|g| (1.0 - 2.0 * t * g).ln());
    let curvature = 2.0 * average(&|g| (g / (1.0 - 2.0 * t * g)).powi(2));
    at_saddlepoint(samples * t, samples * (t * x - cumulant), curvature / samples, off / error)
}

/// The spectrum g of x(t) x(t + l) at equally spaced frequencies up to π, for a variance of 1.
fn products(factor: f64, lag: usize) -> Vec<f64> {
    let (mut rho, mut lag) = (factor, lag as f64);
    let fine = 1.0 / (1.0 - rho.abs());
    if rho > 0.0 && fine > FINE {
        // Slow decays are coarsened: this many successive samples are merged into one.
        let together = fine / FINE;
        rho = rho.powf(together);
        lag = (lag / together).round();
    }
    let points = (POINTS * lag.max(1.0 / (1.0 - rho.abs())).max(16.0)).ceil() as usize;
    let at = |place: usize| {
        let omega = (place as f64 + 0.5) * PI / points as f64;
        let f = (1.0 - rho * rho) / (1.0 + rho * rho - 2.0 * rho * omega.cos());
        f * (lag * omega).cos()
    };
    (0..points).map(at).collect()
}
