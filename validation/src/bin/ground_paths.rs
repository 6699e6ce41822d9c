//! The deepest minimum of an elastic chain in a Mackay icosahedron, over the ways in which the chain can go through it.
//!
//! `ground_paths [--keep FOLDER] [MONOMERS [ANNEALINGS [QUENCHES]]]`: so many independent annealings (16) of so many
//! quenches each (6,000) over Hamiltonian paths along touching sites of the icosahedron of 13 or 55 (55) monomers. Left in the
//! folder that `--keep` names are a report, `ground-paths-N.csv` with what each annealing found, and `ground-path-N.csv` with
//! the deepest configuration.

use std::fmt::Write as _;
use std::time::Instant;

use beadwork_cpu::monte_carlo::{Quenched, quench};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{Mt19937, uniform_f64};
use beadwork_validation::Failure;
use beadwork_validation::backend::Options;
use beadwork_validation::elasticity::Elasticity;
use beadwork_validation::icosahedron::{Build, TOUCH, mackay, table as table_of};
use beadwork_validation::paths::Graph;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

/// The first temperature and the last, ε; a ratio leads from each to the next. The energies of 55 monomers range over 0.15,
/// the lowest are some 1e-5 apart.
const TEMPERATURES: (f64, f64) = (0.003, 1e-5);
/// Turns proposed between quenches, accepted by the estimate.
const TURNS: usize = 4_000;
/// Annealings are numbered from here; the number is the seed.
const SEED: u32 = 1;
/// Minima closer than this are one; ε.
const SAME: f64 = 1e-6;

/// What an annealing found.
struct Found {
    deepest: Quenched,
    /// Energies of all quenches that ended where forces vanish, and how many did not.
    energies: Vec<f64>,
    failed: usize,
    /// Quenches whose paths were taken.
    accepted: usize,
    /// The root mean square of what the estimate is off by, less its mean.
    deviation: f64,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let [monomers, annealings, quenches] =
        [options.number(0, 55)?, options.number(1, 16)?, options.number(2, 6_000)?];
    let Options { place, keep, .. } = options;
    let shells = match monomers {
        13 => 1,
        55 => 2,
        _ => {
            return Err(
                format!("there are icosahedra of 13 and 55 monomers, not {monomers}").into()
            );
        }
    };
    let began = Instant::now();
    let polymer = ElasticPolymer::new(monomers);
    let ideal = mackay(shells, polymer.bonds.length);
    let graph = Graph::of(&ideal, TOUCH * polymer.bonds.length);
    let elasticity = Elasticity::of(&polymer, &ideal, &graph);
    let found = (0..annealings)
        .into_par_iter()
        .map(|number| anneal(&polymer, &graph, &elasticity, SEED + number as u32, quenches));
    let found: Vec<Found> = found.collect::<Result<_, String>>()?;
    let deepest = found
        .iter()
        .map(|found| &found.deepest)
        .min_by(|a, b| a.energy.total_cmp(&b.energy))
        .ok_or("name at least one annealing")?;
    let reached = found.iter().filter(|found| found.deepest.energy < deepest.energy + SAME).count();
    let failed: usize = found.iter().map(|found| found.failed).sum();
    let accepted: usize = found.iter().map(|found| found.accepted).sum();
    let mut energies: Vec<f64> = found.iter().flat_map(|found| found.energies.clone()).collect();
    energies.sort_by(f64::total_cmp);
    let different = 1 + energies.windows(2).filter(|pair| pair[1] - pair[0] > SAME).count();
    let all = energies.len() + failed;
    let build = Build::of(&deepest.positions, polymer.bonds.length);
    let mean_square = found.iter().map(|found| found.deviation.powi(2)).sum::<f64>();
    let conditions = format!(
        "{annealings} annealings from random paths, each {quenches} quenches at temperatures from {} to {}; between quenches {TURNS} turns of parts of the path by an elastic estimate, whose differences are off by {:.1e} (root mean square). {accepted} of {all} quenches were accepted by their energies; {different} different energies, from {:.5} to {:.5}. The lowest was found by {reached} annealings.",
        TEMPERATURES.0,
        TEMPERATURES.1,
        (mean_square / annealings as f64).sqrt(),
        energies[0],
        energies[energies.len() - 1],
    );
    let mut statements = vec![(
        format!("{} of {all} quenches ended where forces vanish.", energies.len()),
        failed == 0,
    )];
    statements.extend(build.statements(all, deepest.energy));
    if let Some(folder) = &keep {
        std::fs::create_dir_all(folder)?;
        let mut text = String::from("annealing,energy,accepted,deviation\n");
        for (number, found) in found.iter().enumerate() {
            let Found { deepest, accepted, deviation, .. } = found;
            let _ = writeln!(text, "{number},{:.6},{accepted},{deviation:.6}", deepest.energy);
        }
        std::fs::write(folder.join(format!("ground-paths-{monomers}.csv")), text)?;
        let path = folder.join(format!("ground-path-{monomers}.csv"));
        std::fs::write(path, table_of(&deepest.positions))?;
    }
    let table = Table::of_statements(format!("{monomers} monomers"), conditions, statements);
    let question =
        "Which way through the icosahedron has the lowest energy, and is it that of the table?";
    Report::new(&place, &format!("ground-paths-{monomers}"), question, began, vec![table])
        .finish(keep.as_deref(), true)
}

/// One annealing. At each temperature turns are made by Metropolis on the estimate; where they lead is quenched, and
/// accepted by what its energy differs from the estimate's, so that paths are sampled by their quenched energies (Liu,
/// Monte Carlo Strategies in Scientific Computing, 2001: surrogate transitions).
fn anneal(
    polymer: &ElasticPolymer,
    graph: &Graph,
    elasticity: &Elasticity,
    seed: u32,
    quenches: usize,
) -> Result<Found, String> {
    let mut generator = Mt19937::from_seed_number(seed);
    let mut word = || generator.next_u32();
    let quench_of = |path: &[usize]| {
        let start: Vec<[f64; 3]> = path.iter().map(|site| elasticity.sites[*site]).collect();
        quench(polymer, &start)
    };
    let mut path = graph.random_path(&mut word).ok_or("no path through all sites was found")?;
    let mut estimate = elasticity.estimate(&path);
    let mut deepest = quench_of(&path);
    let mut energy = deepest.energy;
    let (mut energies, mut failed, mut accepted) = (Vec::new(), 0, 0);
    let mut deviations = Vec::new();
    let ratio = TEMPERATURES.1 / TEMPERATURES.0;
    for number in 0..quenches {
        let share = number as f64 / quenches.saturating_sub(1).max(1) as f64;
        let temperature = TEMPERATURES.0 * ratio.powf(share);
        let (mut proposed, mut its_estimate) = (path.clone(), estimate);
        for _ in 0..TURNS {
            let mut turned = proposed.clone();
            if !graph.turn(&mut turned, &mut word) {
                continue;
            }
            let after = elasticity.estimate(&turned);
            if accepts((after - its_estimate) / temperature, &mut word) {
                (proposed, its_estimate) = (turned, after);
            }
        }
        let minimum = quench_of(&proposed);
        if !minimum.converged {
            failed += 1;
            continue;
        }
        energies.push(minimum.energy);
        deviations.push(its_estimate - minimum.energy);
        let surplus = (minimum.energy - energy) - (its_estimate - estimate);
        if accepts(surplus / temperature, &mut word) {
            accepted += 1;
            (path, estimate, energy) = (proposed, its_estimate, minimum.energy);
        }
        if minimum.energy < deepest.energy {
            deepest = minimum;
        }
    }
    let count = deviations.len().max(1) as f64;
    let mean = deviations.iter().sum::<f64>() / count;
    let square = deviations.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    Ok(Found { deepest, energies, failed, accepted, deviation: square.sqrt() })
}

/// Metropolis.
fn accepts(change_over_temperature: f64, word: &mut impl FnMut() -> u32) -> bool {
    uniform_f64(word(), word()) < (-change_over_temperature).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// −43.02727 is the lowest of all 8,607 ways through the icosahedron of 13, each relaxed; the highest has −43.01538.
    #[test]
    fn the_lowest_way_of_13_is_found() {
        let polymer = ElasticPolymer::new(13);
        let ideal = mackay(1, polymer.bonds.length);
        let graph = Graph::of(&ideal, TOUCH * polymer.bonds.length);
        let elasticity = Elasticity::of(&polymer, &ideal, &graph);
        for seed in 1..4 {
            let found = anneal(&polymer, &graph, &elasticity, seed, 30).unwrap();
            let energy = found.deepest.energy;
            assert!((energy + 43.02727).abs() < 1e-5, "{energy}");
            assert_eq!((found.energies.len(), found.failed), (30, 0));
        }
    }
}
