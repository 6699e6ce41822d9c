//! The equations of MBAR for points of given weights.

use crate::{Error, interruption};

/// Convergence: the largest |Δf| of a step of the self-consistent iteration.
const TOLERANCE: f64 = 1e-10;
const MOST_STEPS: usize = 200;
/// The least curvature of the function minimised, along any direction, in samples that two sets of
/// temperatures share. Below it, their free energies cannot be related.
const LEAST_SHARED: f64 = 0.01;

/// Points of energy and weight, and the states they were sampled from.
pub(super) struct Equations<'a> {
    /// βₖ of the states.
    pub inverse_temperatures: &'a [f64],
    /// Nₖ, effective samples; positive.
    pub counts: &'a [f64],
    /// Energies of the points, best counted from about their mean.
    pub energies: &'a [f64],
    /// Effective samples at each point.
    pub weights: &'a [f64],
}

impl Equations<'_> {
    /// ln D = ln Σₖ Nₖ e^{fₖ − βₖE} of each point.
    pub fn log_denominators(&self, f: &[f64]) -> Vec<f64> {
        let mut shares = vec![0.0; f.len()];
        self.energies.iter().map(|&energy| self.log_denominator(f, energy, &mut shares)).collect()
    }

    /// ln D at an energy; `shares` receives the fraction p of each state.
    fn log_denominator(&self, f: &[f64], energy: f64, shares: &mut [f64]) -> f64 {
        let mut largest = f64::NEG_INFINITY;
        for ((share, f), beta) in shares.iter_mut().zip(f).zip(self.inverse_temperatures) {
            *share = f - beta * energy;
            largest = largest.max(*share);
        }
        let mut sum = 0.0;
        for (share, count) in shares.iter_mut().zip(self.counts) {
            *share = count * (*share - largest).exp();
            sum += *share;
        }
        shares.iter_mut().for_each(|share| *share /= sum);
        largest + sum.ln()
    }

    /// The free energies; the first one keeps its value in `start`.
    ///
    /// They minimise Σ w ln D − Σ Nₖfₖ, which is convex. Each step is a Newton step, halved until the function
    /// decreases, or a self-consistent step if there is no Newton step.
    pub fn solve(&self, start: Vec<f64>) -> Result<Vec<f64>, Error> {
        let mut f = start;
        let mut here = self.slopes(&f);
        for _ in 0..MOST_STEPS {
            if interruption::is_wished() {
                break;
            }
            // What a step of the self-consistent iteration would subtract from each f.
            let changes: Vec<f64> =
                here.sums.iter().zip(self.counts).map(|(sum, count)| (sum / count).ln()).collect();
            let first = changes[0];
            let largest = changes.iter().map(|change| (change - first).abs()).fold(0.0, f64::max);
            let newton = self.newton_step(&here);
            if largest < TOLERANCE {
                let reason = "some of the temperatures share no energies with the others";
                return newton.map(|_| f).ok_or_else(|| Error::free_energies(reason));
            }
            let step =
                newton.unwrap_or_else(|| changes.iter().map(|change| first - change).collect());
            (f, here) = self.descend(&f, &here, &step);
        }
        Err(Error::free_energies(format!("no convergence in {MOST_STEPS} steps")))
    }

    fn descend(&self, f: &[f64], here: &Slopes, step: &[f64]) -> (Vec<f64>, Slopes) {
        let mut part = 1.0;
        loop {
            let there: Vec<f64> = f.iter().zip(step).map(|(f, step)| f + part * step).collect();
            let slopes = self.slopes(&there);
            // Close to the minimum, function values differ by rounding alone, so full steps are accepted.
            let rounding = 1e-13 * here.value.abs();
            if slopes.value <= here.value + rounding || part < 1e-6 {
                return (there, slopes);
            }
            part *= 0.5;
        }
    }

    fn slopes(&self, f: &[f64]) -> Slopes {
        let states = f.len();
        let mut shares = vec![0.0; states];
        let mut value = 0.0;
        let mut sums = vec![0.0; states];
        let mut products = vec![0.0; states * states];
        for (&energy, &weight) in self.energies.iter().zip(self.weights) {
            value += weight * self.log_denominator(f, energy, &mut shares);
            // States far from this energy have negligible weight at it.
            let near = |share: &f64| *share > 1e-18;
            let from = shares.iter().position(near).unwrap_or(0);
            let to = shares.iter().rposition(near).map_or(0, |last| last + 1);
            for row in from..to {
                let weighted = weight * shares[row];
                sums[row] += weighted;
                let products = &mut products[row * states + from..=row * states + row];
                for (sum, share) in products.iter_mut().zip(&shares[from..=row]) {
                    *sum += weighted * share;
                }
            }
        }
        value -= self.counts.iter().zip(f).map(|(count, f)| count * f).sum::<f64>();
        Slopes { value, sums, products }
    }

    /// The step to the minimum of the local parabola, with the first free energy fixed, by Cholesky decomposition of Σ
    /// w p (δ − p); `None` if the matrix is not safely positive.
    fn newton_step(&self, slopes: &Slopes) -> Option<Vec<f64>> {
        let states = self.counts.len();
        let order = states - 1;
        let mut factor = vec![0.0; order * order];
        for row in 0..order {
            for column in 0..=row {
                let mut element = -slopes.products[(row + 1) * states + column + 1];
                if row == column {
                    element += slopes.sums[row + 1];
                }
                for inner in 0..column {
                    element -= factor[row * order + inner] * factor[column * order + inner];
                }
                factor[row * order + column] = if row == column {
                    if element.is_nan() || element < LEAST_SHARED {
                        return None;
                    }
                    element.sqrt()
                } else {
                    element / factor[column * order + column]
                };
            }
        }
        let mut step: Vec<f64> =
            (1..states).map(|state| self.counts[state] - slopes.sums[state]).collect();
        for row in 0..order {
            for inner in 0..row {
                step[row] -= factor[row * order + inner] * step[inner];
            }
            step[row] /= factor[row * order + row];
        }
        for row in (0..order).rev() {
            for inner in row + 1..order {
                step[row] -= factor[inner * order + row] * step[inner];
            }
            step[row] /= factor[row * order + row];
        }
        step.insert(0, 0.0);
        Some(step)
    }
}

struct Slopes {
    value: f64,
    /// Σ w pₖ, which equals Nₖ at the minimum.
    sums: Vec<f64>,
    /// Σ w pₖ pₗ for l ≤ k, row by row.
    products: Vec<f64>,
}
