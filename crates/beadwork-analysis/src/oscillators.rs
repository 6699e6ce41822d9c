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

/// How correlations were averaged.
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
    /// Of one series with K origins its square is K⁻² Σ (K − |d|) (C_d² + C_{d+l} C_{d−l}), d from −K + 1 to K − 1
    /// (Isserlis' theorem); the sum ends where its terms are below rounding.
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

/// The number of standard errors that any of `comparisons` normal numbers exceeds with a probability of at most one in a
/// thousand, for any correlations: 2 φ(z)/z = 10⁻³/comparisons, which is above the weight of both tails.
pub fn joint_bound(comparisons: usize) -> f64 {
    let weight = 1e-3 / comparisons.max(1) as f64;
    let tails = |z: f64| 2.0 * (-0.5 * z * z).exp() / (z * std::f64::consts::TAU.sqrt());
    let (mut low, mut high) = (1.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if tails(middle) > weight {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    #[test]
    fn bounds_are_those_of_the_normal_distribution() {
        // Two tails of 10⁻³ begin at 3.2905, of 10⁻⁶ at 4.8916.
        assert!((joint_bound(1) - 3.29).abs() < 0.03);
        assert!((joint_bound(1000) - 4.892).abs() < 0.01);
    }

    /// Independent numbers: the square of the error is 2 V²/K at lag 0, V²/K at others.
    #[test]
    fn errors_without_memory_on_paper() {
        let decay = Decay { variance: 3.0, factor: 0.0 };
        let error = |lag| decay.error(Averaged { lag, origins: 50, series: 2 });
        assert!((error(0) - 3.0 * (2.0_f64 / 100.0).sqrt()).abs() < 1e-12);
        assert!((error(4) - 3.0 * (1.0_f64 / 100.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn correlations_and_their_errors_are_those_of_the_process() {
        let (rho, coordinates, length) = (0.8_f64, 400, 300);
        let decay = Decay { variance: 2.0, factor: rho };
        let strength = (decay.variance * (1.0 - rho * rho)).sqrt();
        let mut noise = Noise(5);
        let mut now: Vec<f64> =
            (0..coordinates).map(|_| decay.variance.sqrt() * noise.normal()).collect();
        let mut frames = Vec::new();
        for _ in 0..length {
            frames.push(now.iter().map(|x| *x as f32).collect::<Vec<f32>>());
            now.iter_mut().for_each(|x| *x = rho * *x + strength * noise.normal());
        }
        let lags = [0, 1, 5, 20];
        // Each coordinate alone, so that their scatter shows the error of one.
        for (place, &lag) in lags.iter().enumerate() {
            let origins = length - lag;
            let each: Vec<f64> = (0..coordinates)
                .map(|which| {
                    let alone: Vec<Vec<f32>> = frames.iter().map(|f| vec![f[which]]).collect();
                    sums_of_products(&alone, &lags)[place] / origins as f64
                })
                .collect();
            let expected = decay.error(Averaged { lag, origins, series: 1 });
            let found = crate::statistics::standard_deviation(&each).unwrap();
            // The scatter of 400 is known to 1/√800, a little more since products are not normal.
            assert!((found / expected - 1.0).abs() < 0.2, "{lag}: {found} {expected}");
            let all = sums_of_products(&frames, &lags)[place] / (origins * coordinates) as f64;
            let error = decay.error(Averaged { lag, origins, series: coordinates });
            assert!((all - decay.at(lag)).abs() < 4.0 * error, "{lag}: {all}");
        }
    }
}
