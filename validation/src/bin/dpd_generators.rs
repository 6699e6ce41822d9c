//! The fluid of dissipative particle dynamics with each generator that gives pairs their numbers: kinetic temperature and
//! pressure must be the same.
//!
//! `dpd_generators [--device cpu|cuda] [--keep FOLDER] [RUNS [TIME]]`: runs with each generator, 16 by default, and the time of each, 50.

use std::sync::Arc;
use std::time::Instant;

use beadwork_model::Generator;
use beadwork_testing::{chi_square_p_value, mean_and_standard_error};
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::dpd::{APART, Means, RELAXATION, STANDARD, Sums, member};
use beadwork_validation::report::{Report, Table};
use beadwork_validation::sampling::Sampling;
use clap::Parser;

/// The generator that the others are compared with, and these.
const REFERENCE: Generator = Generator::Philox4x32x10;
const OTHERS: [Generator; 3] = [Generator::Philox4x32x7, Generator::Saru, Generator::SaruTea];
const TIMESTEP: f64 = 0.04;
type Quantity = (&'static str, fn(&Means) -> f64);
const QUANTITIES: [Quantity; 2] =
    [("Kinetic temperature, kT", |means| means.temperature), ("Pressure", |means| means.pressure)];

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (runs, time) = (options.number(0, 16_u64)?, options.number(1, 50.0)?);
    let part = !options.words.is_empty();
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let system = Arc::new(STANDARD.system());
    // Runs of a number have other noise with another generator, but one start: runs of one generator have numbers of
    // their own.
    let all: Vec<(Generator, u64)> = (0..)
        .zip([REFERENCE].into_iter().chain(OTHERS))
        .flat_map(|(number, generator)| (0..runs).map(move |run| (generator, number * runs + run)))
        .collect();
    let sums = backend.sample(
        all.len(),
        Sampling::over(time, RELAXATION, APART),
        |number| {
            let (generator, run) = all[number as usize];
            Ok(member(&system, generator, TIMESTEP, run))
        },
        |sums: &mut Sums, member| sums.add(member),
    )?;
    let found: Vec<Means> =
        sums.iter().map(|sums| sums.means(STANDARD.density, STANDARD.beads())).collect();
    let conditions = format!(
        "{}, time step {TIMESTEP}; time {time} after {RELAXATION}. The reference is {} with as many runs.",
        STANDARD.words(),
        REFERENCE.name()
    );
    let table = |(title, quantity): Quantity| {
        let of = |wanted: Generator| -> Vec<f64> {
            let runs = all.iter().zip(&found).filter(|((generator, _), _)| *generator == wanted);
            runs.map(|(_, means)| quantity(means)).collect()
        };
        let reference = mean_and_standard_error(&of(REFERENCE));
        let row = |generator: Generator| {
            Comparison::of_mean(
                generator.name(),
                mean_and_standard_error(&of(generator)),
                reference,
            )
        };
        let rows: Vec<Comparison> = OTHERS.map(row).into();
        // Rows share their reference, so they are not independent: all means are compared with their common one.
        let means = rows.iter().map(|row| (row.mean, row.standard_error)).chain([reference]);
        let joint_probability = probability_of_one_mean(&means.collect::<Vec<_>>());
        Table { joint_probability, ..Table::of_rows(title, &conditions, runs as usize, rows) }
    };
    let tables = QUANTITIES.into_iter().map(table).collect();
    let question = "Has the fluid of dissipative particle dynamics the same temperature and pressure with each generator of its pairs?";
    Report::new(&backend, "dpd_generators", question, began, tables).finish(keep.as_deref(), part)
}

/// The probability that independent means of one quantity differ at least as much, by χ² around their weighted mean.
fn probability_of_one_mean(means: &[(f64, f64)]) -> f64 {
    let weights: f64 = means.iter().map(|(_, error)| error.powi(-2)).sum();
    let common = means.iter().map(|(mean, error)| mean * error.powi(-2)).sum::<f64>() / weights;
    let statistic = means.iter().map(|(mean, error)| ((mean - common) / error).powi(2)).sum();
    chi_square_p_value(statistic, means.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_around_their_weighted_mean() {
        // Weights 1 and 1/4 around 0.4: χ² = 0.16 + 1.6²/4 = 0.8, of one degree of freedom.
        let found = probability_of_one_mean(&[(0.0, 1.0), (2.0, 2.0)]);
        assert!((found - chi_square_p_value(0.8, 1.0)).abs() < 1e-12);
        assert_eq!(probability_of_one_mean(&[(3.0, 1.0), (3.0, 2.0)]), 1.0);
    }
}
