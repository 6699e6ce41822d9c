//! A melt of flexible chains by Kremer and Grest, from random walks that a push-off makes a melt: internal distances
//! ⟨R²(n)⟩/n of beads with n bonds between them, and ⟨R_e²⟩/(N − 1), after chains have forgotten their start.
//!
//! `kremer_grest [--device cpu|cuda] [--keep FOLDER] [RUNS [TIME]]`: independent melts, 8 by default and 32 on a GPU, and the
//! time that is sampled, 20,000, after as long a time. Cores push the walks apart; a GPU makes all steps after that.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_model::Boundary;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use beadwork_validation::sampling::Sampling;
use clap::Parser;

const CHAINS: usize = 20;
const BEADS: usize = 100;
const TIMESTEP: f64 = 0.01;
/// Between samples.
const APART: f64 = 100.0;
/// Bonds between two beads.
const BETWEEN: [usize; 6] = [1, 5, 10, 20, 50, BEADS - 1];
/// ⟨R_e²⟩/(N − 1) of long flexible chains at density 0.85: 1.7 to 1.75 σ² (Auhl, Everaers, Grest, Kremer and Plimpton, J.
/// Chem. Phys. 119, 12718, 2003). Chains of a hundred beads agree within 5 %: four of these errors.
const END_TO_END: f64 = 1.72;
const END_TO_END_ERROR: f64 = 0.0215;
/// The root of the mean squared bond (Kremer and Grest, J. Chem. Phys. 92, 5057, 1990), rounded to its last digit.
const BOND: f64 = 0.97;
const BOND_ERROR: f64 = 0.0029;

/// Sums over the samples of a melt.
#[derive(Default)]
struct Found {
    sums: [f64; BETWEEN.len()],
    samples: f64,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let runs = options.number(0, options.backend.runs(8, 32))?;
    let time = options.number(1, 20_000.0)?;
    let part = !options.words.is_empty();
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let found = backend.sample(
        runs,
        Sampling::over(time, time, APART),
        |run| melt(run, time),
        |found: &mut Found, member| {
            let positions = member.positions();
            for (sum, n) in found.sums.iter_mut().zip(BETWEEN) {
                *sum += internal_distance(&positions, n) / n as f64;
            }
            found.samples += 1.0;
            Ok(())
        },
    )?;
    let of = |place: usize| -> Vec<f64> {
        found.iter().map(|found| found.sums[place] / found.samples).collect()
    };
    let conditions = format!(
        "{CHAINS} chains of {BEADS} beads, density 0.85, kT 1, collision rate 0.5, step {TIMESTEP}, single precision; \
         time {time} after {time}, from random walks with C_inf = 1.88 and a push-off of 1,200 steps."
    );
    let bonds: Vec<f64> = of(0).iter().map(|square| square.sqrt()).collect();
    let rows = vec![
        Comparison::new("R_e^2/(N - 1)", &of(BETWEEN.len() - 1), END_TO_END, END_TO_END_ERROR),
        Comparison::new("bond", &bonds, BOND, BOND_ERROR),
    ];
    let table = Table::of_rows("Size of the chains", &conditions, runs, rows);
    let means: Vec<f64> =
        (0..BETWEEN.len()).map(|place| of(place).iter().sum::<f64>() / runs as f64).collect();
    let statements = BETWEEN.iter().enumerate().map(|(place, n)| {
        // Internal distances of an equilibrated melt rise with n.
        let rises = place == 0 || means[place] > means[place - 1] - 0.02;
        (format!("R^2({n})/{n} = {:.4}, and it rises with n", means[place]), rises)
    });
    let shape = Table::of_statements("Internal distances", &conditions, statements.collect());
    let question = "Have melts of Kremer and Grest that a push-off began the published size?";
    Report::new(&backend, "kremer_grest", question, began, vec![table, shape])
        .finish(keep.as_deref(), part)
}

/// A melt after its push-off, at the beginning of a stage that is long enough for twice this time.
fn melt(run: u64, time: f64) -> Result<Member, Failure> {
    let input = include_str!("../../../crates/beadwork-input/src/template_melt.toml")
        .replace(
            "molecule = \"A50\", count = 40",
            &format!("molecule = \"A{BEADS}\", count = {CHAINS}"),
        )
        .replace("seed = 20101", &format!("seed = {}", 20_101 + run));
    let steps = 2 * (time / TIMESTEP).ceil() as u64 + 1;
    let settings = [("sample.steps".to_string(), steps.to_string())];
    let request = beadwork_input::parse(&input, "melt.toml", Path::new("."), &settings)?;
    let point = &request.points[0];
    let start = &point.system.particles.positions;
    let mut member = Member::new(point.system.clone(), Arc::clone(&point.protocol), run, start);
    member.advance(u64::MAX).map_err(|failure| format!("{failure:?}"))?;
    // The stages of the input relax and sample the melt; one of them is enough.
    member.begin_stage(2);
    Ok(member)
}

/// ⟨R²(n)⟩.
fn internal_distance(positions: &[[f64; 3]], n: usize) -> f64 {
    let of_chain = |chain: &[[f64; 3]]| -> f64 {
        let square = |bead: usize| Boundary::Open.squared_distance(chain[bead - n], chain[bead]);
        (n..BEADS).map(square).sum()
    };
    let sum: f64 = positions.chunks_exact(BEADS).map(of_chain).sum();
    sum / (CHAINS * (BEADS - n)) as f64
}
