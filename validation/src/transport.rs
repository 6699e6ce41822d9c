//! Diffusion and viscosity of fluids in cubic boxes. `validation/fluids/lammps` has the same estimators.

use std::collections::VecDeque;
use std::f64::consts::TAU;

use beadwork_cpu::Member;

use crate::Failure;

/// What is measured of a fluid.
#[derive(Clone, Debug)]
pub struct Estimators {
    /// The side of the box.
    pub side: f64,
    /// The time between samples.
    pub apart: f64,
    /// Diffusion is the growth of the mean squared displacement from this lag, a multiple of twice the time between
    /// samples, to twice of it. Shorter lags have free flight in them.
    pub lag: f64,
    /// Up to this time over the squared length of a wave vector correlations of its currents are integrated; they must have
    /// decayed by then.
    pub longest: f64,
    /// Wave vectors, in 2π over the side.
    pub waves: Vec<[i32; 3]>,
}

/// One of each two opposite wave vectors whose squared length is `square`, up to 4.
pub fn waves(square: i32) -> Vec<[i32; 3]> {
    let all = (0..125).map(|n| [n / 25 - 2, n / 5 % 5 - 2, n % 5 - 2]);
    let ahead = |wave: &[i32; 3]| wave.iter().find(|n| **n != 0).is_some_and(|n| *n > 0);
    all.filter(|wave| square_of(wave) == square && ahead(wave)).collect()
}

fn square_of(wave: &[i32; 3]) -> i32 {
    wave.iter().map(|n| n * n).sum()
}

/// A complex number: real and imaginary part.
type Complex = [f64; 2];

fn product([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// The transverse current of a wave vector.
type Current = [Complex; 3];

/// What the samples of a run have shown.
#[derive(Clone, Debug, Default)]
pub struct Transport {
    samples: usize,
    /// The positions at the last five multiples of half the lag.
    frames: VecDeque<Vec<[f64; 3]>>,
    /// Sums of squared displacements over the lag and twice the lag, and their numbers.
    displacements: [(f64, f64); 2],
    /// The currents of all wave vectors at each sample.
    currents: Vec<Vec<Current>>,
}

impl Transport {
    /// Adds a member's present state.
    ///
    /// # Errors
    /// A member without velocities.
    pub fn add(&mut self, member: &Member, estimators: &Estimators) -> Result<(), Failure> {
        let positions = member.positions();
        let velocities = member.velocities().ok_or("no velocities")?;
        self.currents.push(currents(&positions, &velocities, estimators));
        let half_lag = (0.5 * estimators.lag / estimators.apart).round() as usize;
        if self.samples.is_multiple_of(half_lag) {
            self.frames.push_front(positions);
            self.frames.truncate(5);
            for (frame, (sum, count)) in [2, 4].into_iter().zip(&mut self.displacements) {
                let Some(before) = self.frames.get(frame) else { continue };
                let pairs = before.iter().flatten().zip(self.frames[0].iter().flatten());
                *sum += pairs.map(|(a, b)| (b - a) * (b - a)).sum::<f64>();
                *count += before.len() as f64;
            }
        }
        self.samples += 1;
        Ok(())
    }

    /// The diffusion coefficient.
    pub fn diffusion(&self, estimators: &Estimators) -> f64 {
        let [short, long] = self.displacements.map(|(sum, count)| sum / count);
        (long - short) / (6.0 * estimators.lag)
    }

    /// The relaxation time of transverse currents of wave vectors with this squared length: the integral over t of C(t)/C(0)
    /// with C(t) = ⟨j(t)·j*(0)⟩, by the trapezoidal rule.
    pub fn relaxation_time(&self, square: i32, estimators: &Estimators) -> f64 {
        let longest = estimators.longest / f64::from(square);
        let longest = (longest / estimators.apart).round() as usize;
        let chosen: Vec<usize> = (0..estimators.waves.len())
            .filter(|&wave| square_of(&estimators.waves[wave]) == square)
            .collect();
        let correlation = |lag: usize| -> f64 {
            let pairs = self.currents.iter().zip(&self.currents[lag..]);
            let product = |a: &Current, b: &Current| -> f64 {
                a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
            };
            let of_pair = |(a, b): (&Vec<Current>, &Vec<Current>)| -> f64 {
                chosen.iter().map(|&wave| product(&a[wave], &b[wave])).sum()
            };
            pairs.map(of_pair).sum::<f64>() / (self.samples - lag) as f64
        };
        let start = correlation(0);
        let inner: f64 = (1..longest).map(correlation).sum();
        estimators.apart * (0.5 * start + inner + 0.5 * correlation(longest)) / start
    }

    /// The kinematic viscosity that this relaxation time shows: 1/(k² τ), which tends to that of hydrodynamics as k goes to
    /// zero (Hansen and McDonald, Theory of Simple Liquids, section 8.4).
    pub fn viscosity(&self, square: i32, estimators: &Estimators) -> f64 {
        let k = TAU / estimators.side;
        1.0 / (k * k * f64::from(square) * self.relaxation_time(square, estimators))
    }
}

/// Σ v exp(i k·r) without its part along k, for each wave vector. Masses are 1.
fn currents(
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
    estimators: &Estimators,
) -> Vec<Current> {
    let k = TAU / estimators.side;
    let mut sums = vec![Current::default(); estimators.waves.len()];
    if sums.is_empty() {
        return sums;
    }
    for (position, velocity) in positions.iter().zip(velocities) {
        // exp(i n k x) for n from −2 to 2.
        let powers = position.map(|x| {
            let (sine, cosine) = (k * x).sin_cos();
            let first = [cosine, sine];
            let second = product(first, first);
            let opposite = |[a, b]: Complex| [a, -b];
            [opposite(second), opposite(first), [1.0, 0.0], first, second]
        });
        for (wave, sum) in estimators.waves.iter().zip(&mut sums) {
            let [x, y, z] = [0, 1, 2].map(|axis| powers[axis][(wave[axis] + 2) as usize]);
            let phase = product(product(x, y), z);
            for (sum, v) in sum.iter_mut().zip(velocity) {
                sum[0] += v * phase[0];
                sum[1] += v * phase[1];
            }
        }
    }
    for (wave, sum) in estimators.waves.iter().zip(&mut sums) {
        let wave_f = wave.map(f64::from);
        let square = f64::from(square_of(wave));
        for part in 0..2 {
            let along: f64 = sum.iter().zip(wave_f).map(|(current, n)| current[part] * n).sum();
            for (current, n) in sum.iter_mut().zip(wave_f) {
                current[part] -= along * n / square;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wave_vectors_of_a_length() {
        assert_eq!([1, 2, 3, 4, 7].map(|square| waves(square).len()), [3, 6, 4, 3, 0]);
    }

    #[test]
    fn currents_are_transverse() {
        // A bead at a quarter of the side along x: exp(i k x) = i. The velocity along x is along the first wave vector.
        let estimators = Estimators {
            side: 4.0,
            apart: 1.0,
            lag: 2.0,
            longest: 1.0,
            waves: vec![[1, 0, 0], [0, 0, 2]],
        };
        let found = currents(&[[1.0, 0.3, 0.0]], &[[5.0, 2.0, 3.0]], &estimators);
        let expected = [[[0.0, 0.0], [0.0, 2.0], [0.0, 3.0]], [[5.0, 0.0], [2.0, 0.0], [0.0, 0.0]]];
        for (found, expected) in
            found.iter().flatten().flatten().zip(expected.iter().flatten().flatten())
        {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn an_exponential_has_its_time() {
        // C(t) of a geometric series aᵗ that never ends: the currents of one wave vector in each of many independent
        // starts would have it; here one long series does, sampled from its own recursion.
        let mut transport = Transport::default();
        let estimators =
            Estimators { side: TAU, apart: 1.0, lag: 2.0, longest: 40.0, waves: vec![[1, 0, 0]] };
        let key =
            beadwork_random::NoiseKey::new(1, beadwork_random::Purpose::StartConfiguration, 0);
        let mut value = 0.0;
        for step in 0..200_000 {
            let uniform = f64::from(key.words(step, 0, 0, 0)[0]) / 2.0_f64.powi(32) - 0.5;
            value = 0.8 * value + uniform;
            transport.currents.push(vec![[[0.0; 2], [value, 0.0], [0.0; 2]]]);
            transport.samples += 1;
        }
        // ½ + a + a² + … = (1 + a)/(2(1 − a)) = 4.5. The error of an integral up to L over T samples is about
        // τ √(4 L/T) = 0.13.
        let time = transport.relaxation_time(1, &estimators);
        assert!((time - 4.5).abs() < 4.0 * 0.13, "{time}");
        assert!((transport.viscosity(1, &estimators) - 1.0 / time).abs() < 1e-12);
    }
}
