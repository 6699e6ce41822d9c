//! Compares equilibrium averages of the WW domain and of titin I27 with those of SOP-GPU 2.0.
//!
//! The reference was measured with SOP-GPU on an H200 with the parameters below, 100 runs each from
//! the native structure: for WW the second half of 10⁶ steps, for titin steps 190,000 to 370,000.
//! Its temperature has no stated error; it averages as many displacements as ours, so our standard
//! error for 100 runs is used, and half a unit of its last digit.
//!
//! `sop_equilibrium [--device cpu|cuda] [--keep FOLDER] [ww|titin] [runs]`

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::{Stepper, Workload};
use beadwork_cpu::Member;
use beadwork_model::made_systems::one_stage;
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Dynamics, Generator, Precision, Protocol};
use beadwork_testing::mean_and_standard_error;
use beadwork_validation::Failure;
use beadwork_validation::agreement::{Comparison, joint_probability_of_correlated};
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;

const EVERY: u64 = 1_000;
/// The number of runs behind the averages of SOP-GPU.
const REFERENCE_RUNS: usize = 100;

/// A molecule and its averages from SOP-GPU.
struct Case {
    word: &'static str,
    /// Steps of the first and the last sample.
    window: (u64, u64),
    /// Mean and standard error of all [`QUANTITIES`] but the last.
    references: [(f64, f64); 4],
    temperature: f64,
}

const QUANTITIES: [&str; 5] = [
    "bond energy, kcal/mol",
    "native energy, kcal/mol",
    "repulsive energy, kcal/mol",
    "native contacts",
    "T from displacements, kcal/mol",
];

const CASES: [Case; 2] = [
    Case {
        word: "ww",
        window: (500_000, 1_000_000),
        references: [(10.065, 0.031), (-87.546, 0.067), (3.993, 0.019), (70.12, 0.05)],
        temperature: 0.60828,
    },
    Case {
        word: "titin",
        window: (190_000, 370_000),
        references: [(26.447, 0.104), (-309.395, 0.196), (9.669, 0.036), (246.395, 0.105)],
        temperature: 0.60902,
    },
];

/// Averages of one run over its window: of the five [`QUANTITIES`], and the mean of F·F over beads,
/// (kcal/(mol Å))².
type Averages = [f64; 6];

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let runs = options.number(1, REFERENCE_RUNS)?;
    let Options { backend, keep, words } = options;
    let wanted = |case: &&Case| words.first().is_none_or(|word| word == case.word);
    let began = Instant::now();
    let mut tables = Vec::new();
    for case in CASES.iter().filter(wanted) {
        let workload = Workload::named(case.word)?;
        for (precision, generator) in [
            (Precision::Single, Generator::Philox4x32x10),
            (Precision::Double, Generator::HybridTaus),
        ] {
            let dynamics = Dynamics { precision, ..workload.dynamics.clone() };
            let beads = workload.system.particles.positions.len();
            let protocol = Arc::new(one_stage(dynamics, generator, 20_101, case.window.1, beads));
            let step = |numbers, stepper: &mut Stepper| {
                averages(case, &workload, &protocol, numbers, stepper)
            };
            let averages = backend.map(runs, step)?;
            tables.extend(compare(case, &workload, &protocol, &averages));
        }
    }
    let question = "Does the SOP model have the equilibrium averages that SOP-GPU 2.0 finds?";
    Report::new(&backend, "sop_equilibrium", question, began, tables)
        .finish(keep.as_deref(), !words.is_empty())
}

/// Averages of the runs with these numbers, stepped together.
fn averages(
    case: &Case,
    workload: &Workload,
    protocol: &Arc<Protocol>,
    numbers: Range<u64>,
    steps: &mut Stepper,
) -> Result<Vec<Averages>, Failure> {
    let system = &workload.system;
    let start = &system.particles.positions;
    let member = |number| Member::new(system.clone(), protocol.clone(), number, start);
    let mut members: Vec<Member> = numbers.map(member).collect();
    let mut sums: Vec<Averages> = vec![[0.0; 6]; members.len()];
    let mut samples = 0.0;
    steps.advance(&mut members, case.window.0)?;
    for member in &mut members {
        // Starts a new averaging interval.
        member.measure().map_err(|failure| format!("{failure:?}"))?;
    }
    while members.iter().any(|member| member.remaining() > 0) {
        steps.advance(&mut members, EVERY)?;
        for (member, sum) in members.iter_mut().zip(&mut sums) {
            let sample = sample(member)?;
            sum.iter_mut().zip(sample).for_each(|(sum, value)| *sum += value);
        }
        samples += 1.0;
    }
    Ok(sums.into_iter().map(|sum| sum.map(|total| total / samples)).collect())
}

fn sample(member: &mut Member) -> Result<Averages, Failure> {
    let row = member.measure().map_err(|failure| format!("{failure:?}"))?;
    let value = |observable| row.get(observable).ok_or("a column is empty");
    let forces = member.interaction_forces().map_err(|error| format!("{error:?}"))?;
    let square: f64 = forces.iter().flatten().map(|component| component * component).sum();
    Ok([
        value(Observable::BondEnergy)?,
        value(Observable::ContactEnergy)?,
        value(Observable::RepulsionEnergy)?,
        value(Observable::NativeContacts)?,
        value(Observable::Temperature)? * BOLTZMANN,
        square / forces.len() as f64,
    ])
}

fn compare(
    case: &Case,
    workload: &Workload,
    protocol: &Protocol,
    averages: &[Averages],
) -> [Table; 2] {
    let column = |which: usize| averages.iter().map(|run| run[which]).collect();
    let samples: Vec<Vec<f64>> = (0..5).map(column).collect();
    let digit = 0.5e-5 / 3.0_f64.sqrt();
    let as_many = (averages.len() as f64 / REFERENCE_RUNS as f64).sqrt();
    let temperature_error = (mean_and_standard_error(&samples[4]).1 * as_many).hypot(digit);
    let references = case.references.into_iter().chain([(case.temperature, temperature_error)]);
    let comparisons: Vec<Comparison> = QUANTITIES
        .iter()
        .zip(&samples)
        .zip(references)
        .map(|((name, samples), (mean, error))| Comparison::new(name, samples, mean, error))
        .collect();
    let Dynamics { precision, temperature, friction, timestep, .. } = protocol.dynamics;
    let variant = format!("{} precision, {}", precision.name(), protocol.randomness.name());
    let conditions = format!(
        "T 0.6 kcal/mol, friction 12500 kcal ps/(mol A^2), steps of 20 ps, repulsion cut at 20 A; from the native structure, steps {} to {}, {variant}.",
        case.window.0, case.window.1
    );
    let joint_probability = joint_probability_of_correlated(&comparisons, &samples);
    let title = format!("{}, against SOP-GPU ({variant})", workload.title);
    let runs = averages.len();
    let with_sop_gpu =
        Table { joint_probability, ..Table::of_rows(title, &conditions, runs, comparisons) };
    let drift = timestep / (6.0 * friction);
    let corrected: Vec<f64> = averages.iter().map(|run| run[4] - drift * run[5]).collect();
    let law = vec![Comparison::new("T − h⟨F·F⟩/6ζ, kcal/mol", &corrected, temperature, 0.0)];
    let title = format!("{}, drift in the estimate of T ({variant})", workload.title);
    let with_law = Table::of_rows(title, conditions, runs, law);
    [with_sop_gpu, with_law]
}
