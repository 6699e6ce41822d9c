//! How rare a number is, on the scale of the normal distribution. Sums of squares and of products of few normal numbers
//! are skewed: they exceed several standard errors far more often than a normal number.
//!
//! Tails follow from the cumulant generating function K of the distribution by its saddlepoint, K′(s) = x: with
//! w = ±√(2(sx − K)) and u = s √K″, w + ln(u/w)/w is the deviate (Lugannani and Rice, Adv. Appl. Probab. 12, 475
//! (1980), in the form of Barndorff-Nielsen, Biometrika 73, 307 (1986)).

use std::f64::consts::PI;

use crate::oscillators::{Averaged, Decay, bisected};

/// Nearer to the mean than this the formula is 0/0, and the number is not rare.
const NEAR: f64 = 1e-3;
/// Points of a spectrum for each lag and each relaxation time.
const POINTS: f64 = 8.0;
/// Samples in a relaxation time; more do not change a spectrum.
const FINE: f64 = 256.0;

/// `exponent` is sx − K(s).
fn at_saddlepoint(s: f64, exponent: f64, curvature: f64, near: f64) -> f64 {
    let w = (2.0 * exponent.max(0.0)).sqrt().copysign(s);
    if w.abs() < NEAR {
        return near;
    }
    w + (s * curvature.sqrt() / w).ln() / w
}

/// The deviate of a sum of squares of `count` normal numbers of variance 1, the squares of whose means add up to
/// `shift`: of a noncentral χ².
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
    // In variances, and about the mean that the points of the spectrum have.
    let off = (value - decay.at(averaged.lag)) / decay.variance;
    let x = average(&|g| g) + off;
    let least = spectrum.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = spectrum.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let slope = |t: f64| average(&|g| g / (1.0 - 2.0 * t * g));
    if least >= 0.0 && x <= 0.0 {
        // An average of squares is positive.
        return f64::NEG_INFINITY;
    }
    // K′ grows from −∞, or where all of g is positive from 0, to ∞.
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

/// g at equal steps of half a period, for a variance of 1.
fn products(factor: f64, lag: usize) -> Vec<f64> {
    let (mut rho, mut lag) = (factor, lag as f64);
    let fine = 1.0 / (1.0 - rho.abs());
    if rho > 0.0 && fine > FINE {
        // This many samples count as one.
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
