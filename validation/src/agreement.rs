//! Do measured means agree with published ones? Single deviations and their joint χ².

use beadwork_testing::{chi_square_p_value, mean_and_standard_error};
use serde::Serialize;

use crate::elasticity::{factorise, solve_lower};

/// Deviations of single numbers are allowed up to so many standard errors.
pub const ALLOWED_ERRORS: f64 = 4.0;
/// A table agrees where its joint χ² is not exceeded with a smaller probability.
pub const ALLOWED_PROBABILITY: f64 = 1e-4;

/// A mean beside the number that it should be.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What was measured, with its unit.
    pub name: String,
    /// The measured mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// What it should be.
    pub reference: f64,
    /// The standard error of that; 0 where it is exact.
    pub reference_error: f64,
    /// The difference over both standard errors combined.
    pub deviation: f64,
}

impl Comparison {
    /// Compares the mean of independent `samples`, of which there are at least two.
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

/// The probability that the squared deviations of independent comparisons are as large or larger; 1 where there are none.
pub fn joint_probability(comparisons: &[Comparison]) -> f64 {
    if comparisons.is_empty() {
        return 1.0;
    }
    let statistic = comparisons.iter().map(|comparison| comparison.deviation.powi(2)).sum();
    chi_square_p_value(statistic, comparisons.len() as f64)
}

/// The same for quantities measured together in each run, which are correlated.
///
/// `samples[q][run]` are those of comparison q. Both means are taken to have the correlations seen
/// between the runs here, ρ, so that the covariance of the differences is
/// ρ_pq (s_p s_q + S_p S_q), with s our standard errors and S those of the reference.
pub fn joint_probability_of_correlated(comparisons: &[Comparison], samples: &[Vec<f64>]) -> f64 {
    let count = comparisons.len();
    let mut covariance = vec![vec![0.0; count]; count];
    let mut differences = vec![0.0; count];
    for p in 0..count {
        let a = &comparisons[p];
        differences[p] = a.mean - a.reference;
        for q in 0..count {
            let b = &comparisons[q];
            let correlation = beadwork_testing::correlation(&samples[p], &samples[q]);
            covariance[p][q] = correlation
                * (a.standard_error * b.standard_error + a.reference_error * b.reference_error);
        }
    }
    chi_square_p_value(inverse_quadratic_form(covariance, differences), count as f64)
}

/// dᵀ C⁻¹ d of a positive definite matrix, as |y|² with L y = d and C = L Lᵀ.
fn inverse_quadratic_form(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> f64 {
    factorise(&mut matrix);
    solve_lower(&matrix, &mut vector);
    vector.iter().map(|component| component * component).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_both_sides_combine() {
        let comparison = Comparison::of_mean("x", (2.0, 0.3), (1.0, 0.4));
        assert_eq!(comparison.deviation, 2.0);
        assert!(comparison.agrees());
        assert!(!Comparison::of_mean("x", (3.1, 0.3), (1.0, 0.4)).agrees());
    }

    #[test]
    fn quadratic_form_on_paper() {
        // C = [[2, 1], [1, 2]], C⁻¹ = [[2, −1], [−1, 2]]/3; d = (1, 1): 2/3, d = (1, −1): 2.
        let matrix = vec![vec![2.0, 1.0], vec![1.0, 2.0]];
        assert!((inverse_quadratic_form(matrix.clone(), vec![1.0, 1.0]) - 2.0 / 3.0).abs() < 1e-15);
        assert!((inverse_quadratic_form(matrix, vec![1.0, -1.0]) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn uncorrelated_quantities_give_the_plain_sum() {
        // Deviations of one and of two standard errors; the samples' correlation is zero.
        let samples = [vec![1.0, 2.0, 3.0, 4.0], vec![1.0, -1.0, -1.0, 1.0]];
        let comparisons: Vec<_> = [1.0, 2.0]
            .iter()
            .zip(&samples)
            .map(|(errors, samples)| {
                let (mean, error) = mean_and_standard_error(samples);
                Comparison::new("x", samples, mean - errors * error, 0.0)
            })
            .collect();
        let expected = chi_square_p_value(5.0, 2.0);
        assert!((joint_probability(&comparisons) - expected).abs() < 1e-12);
        assert!((joint_probability_of_correlated(&comparisons, &samples) - expected).abs() < 1e-12);
    }
}
