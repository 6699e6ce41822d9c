//! Neighbouring temperatures: whether their energies have the right ratio, and how often they swap.
//!
//! For any density of states, ln[P₁(E)/P₂(E)] of samples at β₁ < β₂ is a straight line in E of slope β₂ − β₁. A wrong
//! swap rule, a wrong move or a wrong temperature bends the line or changes its slope. kB = 1.

use crate::autocorrelation::time_of_mean;
use crate::statistics::standard_deviation;
use crate::{Error, Estimate};

/// The slope of ln[P₁(E)/P₂(E)] less β₂ − β₁, for energies at two temperatures, each from one or more independent
/// chains in order of time. It has no error if there are too few energies for their autocorrelation time. More than 4
/// standard errors show that the sampling is wrong.
///
/// In the pooled sample, the energies E of temperature 1 have the share 1/(1 + e^{−a − bE}). a and b come from maximum
/// likelihood (logistic regression; with b given, a is Bennett's estimate of the difference of free energies: Shirts,
/// Bair, Hooker and Pande, Phys. Rev. Lett. 91, 140601, 2003; as a test of samplers: Shirts, J. Chem. Theory Comput. 9,
/// 909, 2013). The squared error is the sum over both temperatures of 2τ n Var(φ), where φ is the contribution of a
/// sample to b and τ the autocorrelation time of φ. Correlations between the temperatures, which swaps cause, are
/// neglected. Fails with `analysis/free-energies` if all energies of one set lie above the other.
pub fn slope_error(temperatures: [f64; 2], energies: [&[&[f64]]; 2]) -> Result<Estimate, Error> {
    let [one, other] = temperatures;
    if !(one > 0.0 && one.is_finite() && other > 0.0 && other.is_finite() && one != other) {
        return Err(Error::samples("two temperatures have to be positive and different"));
    }
    let all = || energies.iter().flat_map(|chains| chains.iter()).flat_map(|chain| chain.iter());
    if all().any(|energy| !energy.is_finite()) {
        return Err(Error::samples("an energy is not finite: leave it out"));
    }
    if energies.iter().any(|chains| chains.iter().all(|chain| chain.is_empty())) {
        return Err(Error::samples("a temperature has no energies: give some for both"));
    }
    let count = all().count() as f64;
    let mean = all().sum::<f64>() / count;
    let spread = (all().map(|energy| (energy - mean).powi(2)).sum::<f64>() / count).sqrt();
    if spread == 0.0 {
        return Err(Error::free_energies("all energies are equal"));
    }
    // Energies in units of their spread, so that offset and slope have similar magnitudes.
    let scaled = |energy: f64| (energy - mean) / spread;
    let line = Line::fit(energies, &scaled)?;
    let variance = |(chains, of_first): (&&[&[f64]], f64)| -> Option<f64> {
        let added = |&energy: &f64| {
            let x = scaled(energy);
            (line.inverse[0] + line.inverse[1] * x) * (of_first - line.share(x))
        };
        let added: Vec<Vec<f64>> =
            chains.iter().map(|chain| chain.iter().map(added).collect()).collect();
        let time = time_of_mean(&added).filter(|time| time.long_enough)?;
        let values: Vec<f64> = added.concat();
        let scatter = standard_deviation(&values)?;
        Some(time.inefficiency() * values.len() as f64 * scatter * scatter)
    };
    let variance: Option<f64> = energies.iter().zip([1.0, 0.0]).map(variance).sum();
    let error = variance.map(|variance| variance.sqrt() / spread);
    // `long_enough` guarantees a hundred autocorrelation times, so the error counts as exact.
    let value = line.slope / spread - (other.recip() - one.recip());
    Ok(Estimate { value, error, freedom: f64::INFINITY })
}

/// The line a + b x fitted to the log ratio, with the inverse of the information matrix of a and b.
struct Line {
    offset: f64,
    slope: f64,
    /// The row of the inverse that belongs to the slope.
    inverse: [f64; 2],
}

impl Line {
    /// Newton's method on the likelihood. It has one maximum unless a threshold separates the two sets.
    fn fit(energies: [&[&[f64]]; 2], scaled: &impl Fn(f64) -> f64) -> Result<Self, Error> {
        let mut line = Self { offset: 0.0, slope: 0.0, inverse: [0.0; 2] };
        let mut likelihood = line.log_likelihood(energies, scaled);
        for _ in 0..100 {
            let (mut score, mut information) = ([0.0; 2], [0.0; 3]);
            for (chains, of_first) in energies.iter().zip([1.0, 0.0]) {
                for &energy in chains.iter().flat_map(|chain| chain.iter()) {
                    let x = scaled(energy);
                    let share = line.share(x);
                    let weight = share * (1.0 - share);
                    score[0] += of_first - share;
                    score[1] += (of_first - share) * x;
                    information[0] += weight;
                    information[1] += weight * x;
                    information[2] += weight * x * x;
                }
            }
            let [one, x, xx] = information;
            let determinant = one * xx - x * x;
            if determinant.is_nan() || determinant <= 1e-12 * one * xx || one < 0.01 {
                break;
            }
            line.inverse = [-x / determinant, one / determinant];
            let step = [
                (xx * score[0] - x * score[1]) / determinant,
                (one * score[1] - x * score[0]) / determinant,
            ];
            if step[0].abs().max(step[1].abs()) < 1e-9 {
                return Ok(line);
            }
            let mut part = 1.0;
            let from = (line.offset, line.slope);
            loop {
                (line.offset, line.slope) = (from.0 + part * step[0], from.1 + part * step[1]);
                let there = line.log_likelihood(energies, scaled);
                if there >= likelihood - 1e-12 * likelihood.abs() || part < 1e-6 {
                    likelihood = there;
                    break;
                }
                part *= 0.5;
            }
        }
        let reason = "all energies of one of two temperatures lie above those of the other";
        Err(Error::free_energies(reason))
    }

    fn share(&self, x: f64) -> f64 {
        1.0 / (1.0 + (-self.offset - self.slope * x).exp())
    }

    fn log_likelihood(&self, energies: [&[&[f64]]; 2], scaled: &impl Fn(f64) -> f64) -> f64 {
        let mut sum = 0.0;
        for (chains, sign) in energies.iter().zip([-1.0, 1.0]) {
            for &energy in chains.iter().flat_map(|chain| chain.iter()) {
                let exponent = sign * (self.offset + self.slope * scaled(energy));
                // ln(1 + eᶻ), without overflow for large z.
                sum -= exponent.max(0.0) + (-exponent.abs()).exp().ln_1p();
            }
        }
        sum
    }
}

/// ∫ min(P₁, P₂) dE of the energies at two temperatures: 1 if they are equal, 0 if they share nothing; NaN without
/// energies.
///
/// Since P₁/P₂ rises everywhere, it is 1 − max |F₁ − F₂| of the cumulative distributions, too low by about 1/√n.
pub fn overlap_fraction(energies: [&[f64]; 2]) -> f64 {
    let [first, second] = energies.map(|energies| {
        let mut sorted = energies.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted
    });
    if first.is_empty() || second.is_empty() {
        return f64::NAN;
    }
    let (mut below, mut largest) = ([0, 0], 0.0_f64);
    while below[0] < first.len() && below[1] < second.len() {
        let energy = first[below[0]].min(second[below[1]]);
        for (below, energies) in below.iter_mut().zip([&first, &second]) {
            *below += energies[*below..].iter().take_while(|other| **other <= energy).count();
        }
        let difference =
            below[0] as f64 / first.len() as f64 - below[1] as f64 / second.len() as f64;
        largest = largest.max(difference.abs());
    }
    1.0 - largest
}
