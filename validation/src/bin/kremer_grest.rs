//! A melt of flexible chains by Kremer and Grest, from random walks that a push-off makes a melt: internal distances
//! ⟨R²(n)⟩/n of beads with n bonds between them, and ⟨R_e²⟩/(N − 1), after chains have forgotten their start.
//!
//! `kremer_grest [--keep FOLDER] [RUNS [TIME]]`: independent melts, 4 by default, and the time that is sampled, 20,000, after
//! as long a time.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_model::Boundary;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

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

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (runs, time) = (options.number(0, 4_u64)?, options.number(1, 20_000.0)?);
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let all: Vec<[f64; BETWEEN.len()]> = (0..runs)
        .into_par_iter()
        .map(|run| distances(run, time))
        .collect::<Result<_, Failure>>()?;
    let of = |place: usize| all.iter().map(|run| run[place]).collect::<Vec<_>>();
    let conditions = format!(
        "{CHAINS} chains of {BEADS} beads, density 0.85, kT 1, collision rate 0.5, step {TIMESTEP}, single precision; \
         time {time} after {time}, from random walks with C_inf = 1.88 and a push-off of 1,200 steps."
    );
    let ends =
        Comparison::new("R_e^2/(N - 1)", &of(BETWEEN.len() - 1), END_TO_END, END_TO_END_ERROR);
    let table = Table::of_rows("Size of the chains", &conditions, runs as usize, vec![ends]);
    let statements: Vec<_> = BETWEEN
        .iter()
        .enumerate()
        .map(|(place, n)| {
            let means = of(place);
            let mean = means.iter().sum::<f64>() / means.len() as f64;
            // Internal distances of an equilibrated melt rise with n.
            let rises = place == 0 || {
                let before = of(place - 1);
                mean > before.iter().sum::<f64>() / before.len() as f64 - 0.02
            };
            (format!("R^2({n})/{n} = {mean:.4}, and it rises with n"), rises)
        })
        .collect();
    let shape = Table::of_statements("Internal distances", &conditions, statements);
    let question = "Have melts of Kremer and Grest that a push-off began the published size?";
    let report = Report::new(&backend, "kremer_grest", question, began, vec![table, shape]);
    report.finish(keep.as_deref(), false)
}

/// Means of ⟨R²(n)⟩/n in a run.
fn distances(run: u64, time: f64) -> Result<[f64; BETWEEN.len()], Failure> {
    let input = include_str!("../../../crates/beadwork-input/src/template_melt.toml")
        .replace(
            "molecule = \"A50\", count = 40",
            &format!("molecule = \"A{BEADS}\", count = {CHAINS}"),
        )
        .replace("seed = 20101", &format!("seed = {}", 20_101 + run));
    let steps = (time / TIMESTEP) as u64;
    let settings = [("relax.steps", steps), ("sample.steps", steps)]
        .map(|(key, steps)| (key.to_string(), steps.to_string()));
    let request = beadwork_input::parse(&input, "melt.toml", Path::new("."), &settings)?;
    let point = &request.points[0];
    let start = &point.system.particles.positions;
    let mut member = Member::new(point.system.clone(), Arc::clone(&point.protocol), run, start);
    let advance = |member: &mut Member, steps| {
        member.advance(steps).map(|_| ()).map_err(|failure| format!("{failure:?}"))
    };
    for next in [1, 2] {
        advance(&mut member, u64::MAX)?;
        member.begin_stage(next);
    }
    let (mut sums, mut samples) = ([0.0; BETWEEN.len()], 0);
    while member.remaining() > 0 {
        advance(&mut member, (APART / TIMESTEP) as u64)?;
        let positions = member.positions();
        for (sum, n) in sums.iter_mut().zip(BETWEEN) {
            *sum += internal_distance(&positions, n) / n as f64;
        }
        samples += 1;
    }
    Ok(sums.map(|sum| sum / f64::from(samples)))
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
