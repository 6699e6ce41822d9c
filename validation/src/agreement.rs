//! Compares measured means with published ones, one by one and by a joint χ².

use beadwork_random::{NoiseKey, Purpose};
use beadwork_testing::{chi_square_p_value, correlation, mean_and_standard_error};
use serde::Serialize;

/// Largest deviation of a single number, in standard errors.
pub const ALLOWED_ERRORS: f64 = 4.0;
/// A table agrees unless its joint χ² has a smaller probability than this.
pub const ALLOWED_PROBABILITY: f64 = 1e-4;

/// A measured mean and its reference value.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The measured quantity and its unit.
    pub name: String,
    /// The measured mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The reference value.
    pub reference: f64,
    /// The standard error of the reference; 0 if it is exact.
    pub reference_error: f64,
    /// The difference over both standard errors combined.
    pub deviation: f64,
}

impl Comparison {
    /// Compares the mean of at least two independent `samples` with a reference.
    pub fn new(name: &str, samples: &[f64], reference: f64, reference_error: f64) -> Comparison {
        let (mean, standard_error) = mean_and_standard_error(samples);
        Comparison::of_mean(name, (mean, standard_error), (reference, reference_error))
    }

    /// Compares a mean with its standard error to a reference with its own.
    pub fn of_mean(
        name: &str,
        (mean, standard_error): (f64, f64),
        (reference, reference_error): (f64, f64),
    ) -> Comparison {
        let combined = standard_error.hypot(reference_error);
        Comparison {
            name: name.to_string(),
            mean,
            standard_error,
            reference,
            reference_error,
            deviation: (mean - reference) / combined,
        }
    }

    /// Whether the deviation is within [`ALLOWED_ERRORS`].
    pub fn agrees(&self) -> bool {
        self.deviation.abs() <= ALLOWED_ERRORS
    }
}

/// The probability that independent comparisons deviate at least this much by chance; 1 without comparisons.
pub fn joint_probability(comparisons: &[Comparison]) -> f64 {
    if comparisons.is_empty() {
        return 1.0;
    }
    let statistic = comparisons.iter().map(|comparison| comparison.deviation.powi(2)).sum();
    chi_square_p_value(statistic, comparisons.len() as f64)
}

/// The same for correlated quantities, which are measured together in each run.
///
/// `samples[q][run]` are the samples of comparison q. Both means are assumed to have the
/// correlations ρ between quantities that these runs show, so the covariance of the differences is
/// ρ_pq (s_p s_q + S_p S_q), with s our standard errors and S those of the reference.
pub fn joint_probability_of_correlated(comparisons: &[Comparison], samples: &[Vec<f64>]) -> f64 {
    let all = || comparisons.iter().zip(samples);
    let covariance = |(a, of_a): (&Comparison, &Vec<f64>)| {
        let with = |(b, of_b): (&Comparison, &Vec<f64>)| {
            let errors =
                a.standard_error * b.standard_error + a.reference_error * b.reference_error;
            correlation(of_a, of_b) * errors
        };
        all().map(with).collect()
    };
    let differences = comparisons.iter().map(|of| of.mean - of.reference).collect();
    let statistic = inverse_quadratic_form(all().map(covariance).collect(), differences);
    chi_square_p_value(statistic, comparisons.len() as f64)
}

/// The probability that two groups of runs with the same distribution differ at least as much in all quantities together, by
/// permutations of the runs. `ours[run][q]` and `theirs[run][q]` are samples of quantity q; quantities may be correlated.
///
/// The statistic is the sum over quantities of the squared difference of the means over the variance of one run. Runs are dealt
/// out to the groups at random `permutations` times; the result is at least 1/(permutations + 1).
pub fn joint_probability_by_permutation(
    ours: &[Vec<f64>],
    theirs: &[Vec<f64>],
    permutations: u32,
) -> f64 {
    let mut runs: Vec<&Vec<f64>> = ours.iter().chain(theirs).collect();
    let quantities = runs.first().map_or(0, |run| run.len());
    let weights: Vec<f64> = (0..quantities)
        .map(|quantity| {
            let values: Vec<f64> = runs.iter().map(|run| run[quantity]).collect();
            let variance = mean_and_standard_error(&values).1.powi(2) * values.len() as f64;
            if variance > 0.0 { 1.0 / variance } else { 0.0 }
        })
        .collect();
    let statistic = |runs: &[&Vec<f64>]| -> f64 {
        let (first, second) = runs.split_at(ours.len());
        let mean = |group: &[&Vec<f64>], quantity: usize| {
            group.iter().map(|run| run[quantity]).sum::<f64>() / group.len() as f64
        };
        let of = |(quantity, weight): (usize, &f64)| {
            weight * (mean(first, quantity) - mean(second, quantity)).powi(2)
        };
        weights.iter().enumerate().map(of).sum()
    };
    let found = statistic(&runs);
    let key = NoiseKey::new(1, Purpose::StartConfiguration, 0);
    let mut as_large = 0;
    for permutation in 0..permutations {
        // Fisher and Yates's shuffle.
        for last in (1..runs.len()).rev() {
            let [word, ..] = key.words(permutation.into(), 0, last as u32, 0);
            runs.swap(last, ((u64::from(word) * (last as u64 + 1)) >> 32) as usize);
        }
        as_large += u32::from(statistic(&runs) >= found * (1.0 - 1e-12));
    }
    f64::from(as_large + 1) / f64::from(permutations + 1)
}

/// dᵀ C⁻¹ d of a symmetric positive matrix, as |y|² with L y = d and C = L Lᵀ (Cholesky).
fn inverse_quadratic_form(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for row in 0..matrix.len() {
        // L replaces the lower half of the matrix, and y replaces d.
        let (above, rest) = matrix.split_at_mut(row);
        let line = &mut rest[0];
        for column in 0..row {
            let sum = product(&line[..column], &above[column][..column]);
            line[column] = (line[column] - sum) / above[column][column];
        }
        line[row] = (line[row] - product(&line[..row], &line[..row])).sqrt();
        vector[row] = (vector[row] - product(&line[..row], &vector[..row])) / line[row];
    }
    product(&vector, &vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_of_runs() {
        // Of the 20 ways to choose 3 of 6 runs, two separate them as the groups do: p = 0.1.
        let group =
            |from: f64| (0..3).map(|run| vec![from + f64::from(run), 0.0]).collect::<Vec<_>>();
        let apart = joint_probability_by_permutation(&group(0.0), &group(10.0), 20_000);
        assert!((apart - 0.1).abs() < 4.0 * (0.1 * 0.9 / 20_000.0_f64).sqrt(), "{apart}");
        assert_eq!(joint_probability_by_permutation(&group(0.0), &group(0.0), 100), 1.0);
    }

    #[test]
    fn quadratic_form_on_paper() {
        // C = [[2, 1], [1, 2]], C⁻¹ = [[2, −1], [−1, 2]]/3: d = (1, 1) gives 2/3, d = (1, −1) gives 2.
        let matrix = vec![vec![2.0, 1.0], vec![1.0, 2.0]];
        assert!((inverse_quadratic_form(matrix.clone(), vec![1.0, 1.0]) - 2.0 / 3.0).abs() < 1e-15);
        assert!((inverse_quadratic_form(matrix, vec![1.0, -1.0]) - 2.0).abs() < 1e-15);
    }
}
