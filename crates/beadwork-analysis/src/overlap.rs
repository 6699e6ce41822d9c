//! Neighbouring temperatures: whether their energies have the right ratio, and how often they swap.
//!
//! For any density of states, ln[P₁(E)/P₂(E)] of samples at β₁ < β₂ is a straight line in E of slope β₂ − β₁. A wrong
//! swap rule, move or label bends or turns it. kB = 1.

use crate::autocorrelation::integrated_time;
use crate::{Error, Estimate};

/// The slope of ln[P₁(E)/P₂(E)] and its exact value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyRatio {
    /// The slope measured, in the inverse unit of the energies; without an error when the energies are
    /// too few to know their autocorrelation time.
    pub slope: Estimate,
    /// β₂ − β₁.
    pub expected: f64,
}

impl EnergyRatio {
    /// How many standard errors the slope is off; beyond 4 the sampling is wrong.
    pub fn deviation(&self) -> Option<f64> {
        self.slope.deviation(self.expected)
    }
}

/// The slope of ln[P₁(E)/P₂(E)] for energies at two temperatures, each of one or more independent
/// chains in order of time.
///
/// Of all energies together, that of temperature 1 has the share 1/(1 + e^{−a − bE}): a and b by maximum
/// likelihood (logistic regression; with b given, a is Bennett's estimate of the difference of free
/// energies: Shirts, Bair, Hooker and Pande, Phys. Rev. Lett. 91, 140601, 2003; as a test of samplers:
/// Shirts, J. Chem. Theory Comput. 9, 909, 2013). The squared error is the sum over both temperatures
/// of 2τ n Var(φ), φ being what a sample adds to b and τ its own autocorrelation time; correlations
/// between the temperatures, which swaps make, are left out.
///
/// # Errors
/// `analysis/samples` for temperatures that are not positive or are equal, energies that are not
/// finite, or none; `analysis/free-energies` when one of the two sets of energies lies above the other.
pub fn energy_ratio(
    temperatures: [f64; 2],
    energies: [&[&[f64]]; 2],
) -> Result<EnergyRatio, Error> {
    if temperatures.iter().any(|t| !(*t > 0.0 && t.is_finite()))
        || temperatures[0] == temperatures[1]
    {
        return Err(Error::samples("two temperatures have to be positive and different"));
    }
    let all = || energies.iter().flat_map(|chains| chains.iter()).flat_map(|chain| chain.iter());
    if all().any(|energy| !energy.is_finite()) {
        return Err(Error::samples("an energy is not finite: leave it out"));
    }
    let counts = energies.map(|chains| chains.iter().map(|chain| chain.len()).sum::<usize>());
    if counts.contains(&0) {
        return Err(Error::samples("a temperature has no energies: give some for both"));
    }
    let mean = all().sum::<f64>() / (counts[0] + counts[1]) as f64;
    let spread = (all().map(|energy| (energy - mean).powi(2)).sum::<f64>()
        / (counts[0] + counts[1]) as f64)
        .sqrt();
    let expected = temperatures[1].recip() - temperatures[0].recip();
    if spread == 0.0 {
        return Err(Error::free_energies("all energies are equal"));
    }
    // In units of the spread, so that the two unknowns are alike.
    let scaled = |energy: f64| (energy - mean) / spread;
    let line = Line::fit(energies, &scaled)?;
    let mut variance = Some(0.0);
    for (chains, of_first) in energies.iter().zip([1.0, 0.0]) {
        let added = |&energy: &f64| line.added_to_slope(scaled(energy), of_first);
        let added: Vec<Vec<f64>> =
            chains.iter().map(|chain| chain.iter().map(added).collect()).collect();
        let values: Vec<f64> = added.concat();
        let time = integrated_time(&added).filter(|time| time.long_enough);
        let scatter = crate::statistics::standard_deviation(&values);
        variance = match (variance, time, scatter) {
            (Some(sum), Some(time), Some(scatter)) => {
                Some(sum + time.inefficiency() * values.len() as f64 * scatter * scatter)
            }
            _ => None,
        };
    }
    let error = variance.map(|variance: f64| variance.sqrt() / spread);
    // The error rests on a hundred autocorrelation times or more.
    let slope = Estimate { value: line.slope / spread, error, freedom: f64::INFINITY };
    Ok(EnergyRatio { slope, expected })
}

/// a + b x with the inverse of the information about both.
struct Line {
    offset: f64,
    slope: f64,
    /// The row of the inverse that belongs to the slope.
    inverse: [f64; 2],
}

impl Line {
    /// Newton's method on the likelihood, which has one maximum unless a threshold parts the sets.
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

    /// The probability of the first temperature at x.
    fn share(&self, x: f64) -> f64 {
        1.0 / (1.0 + (-self.offset - self.slope * x).exp())
    }

    fn added_to_slope(&self, x: f64, of_first: f64) -> f64 {
        (self.inverse[0] + self.inverse[1] * x) * (of_first - self.share(x))
    }

    fn log_likelihood(&self, energies: [&[&[f64]]; 2], scaled: &impl Fn(f64) -> f64) -> f64 {
        let mut sum = 0.0;
        for (chains, sign) in energies.iter().zip([-1.0, 1.0]) {
            for &energy in chains.iter().flat_map(|chain| chain.iter()) {
                let exponent = sign * (self.offset + self.slope * scaled(energy));
                // ln(1 + eᶻ), for large z too.
                sum -= exponent.max(0.0) + (-exponent.abs()).exp().ln_1p();
            }
        }
        sum
    }
}

/// ∫ min(P₁, P₂) dE of the energies at two temperatures: 1 where they have the same distribution, 0 where
/// they have nothing in common; NaN without energies.
///
/// Since P₁/P₂ rises everywhere, it is 1 − max |F₁ − F₂| of the cumulative distributions, without any
/// bins. Low by about 1/√n, what the largest of random differences is.
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
