//! Compares radii of gyration of disordered proteins with those of the published CALVADOS 2 simulations, made by the
//! published protocol: Langevin dynamics with 0.01/ps and 10 fs, 1,010 frames of which the first ten are dropped.
//!
//! `residues [--keep FOLDER] [NAME …]`; without names, six proteins of 32 to 92 residues.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::one_stage;
use beadwork_cpu::{Group, Instructions, Member};
use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, Solution, build};
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Dynamics, Generator, Integrator, Precision, System};
use beadwork_testing::shared_data;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

const USUAL: [&str; 6] = ["FCP1", "Nup49", "TRF2_BR", "HMPVP_NTD", "NWASPV", "Sic1"];
const RUNS: u64 = 5;
const FRAMES: usize = 1_010;
const DROPPED: usize = 10;
/// 1/ps.
const COLLISION_RATE: f64 = 0.01;

/// A row of the table of proteins.
struct Protein {
    name: String,
    sequence: String,
    solution: Solution,
    /// The mean of five published runs, nm, and its standard error.
    published: (f64, f64),
}

impl Protein {
    /// Steps between frames, as in the published runs.
    fn steps_a_frame(&self) -> u64 {
        let residues = self.sequence.len();
        let square = (residues * residues) as f64;
        if residues < 150 { 7_000 } else { 1_000 * (3e-4 * square).ceil() as u64 }
    }
}

fn main() -> Result<(), Failure> {
    let Options { backend, keep, words } = Options::parse();
    let began = Instant::now();
    let names: Vec<&str> = match words.as_slice() {
        [] => USUAL.to_vec(),
        words => words.iter().map(String::as_str).collect(),
    };
    let proteins = proteins(&names)?;
    let work: u64 = proteins.iter().map(|protein| protein.steps_a_frame() * FRAMES as u64).sum();
    let progress = ProgressBar::new(work * RUNS);
    progress.set_style(ProgressStyle::with_template("{bar:40} {percent} %, {eta} left")?);
    let rows: Vec<Comparison> = proteins
        .par_iter()
        .map(|protein| {
            let (mean, error) = protein.published;
            Ok(Comparison::new(&protein.name, &radii(protein, &progress)?, mean, error))
        })
        .collect::<Result<_, Failure>>()?;
    let title = "Radius of gyration by mass, nm: mean over frames and runs";
    let conditions = "CALVADOS 2, single precision, from a straight chain, no box; a frame every 7,000 steps of 10 fs, or as many as the published runs have.";
    let table = Table::of_rows(title, conditions, RUNS as usize, rows);
    let question = "Are disordered proteins as large as in the published simulations?";
    Report::new(&backend, "residues", question, began, vec![table]).finish(keep.as_deref(), false)
}

fn proteins(names: &[&str]) -> Result<Vec<Protein>, Failure> {
    let file = shared_data("residue/rg.csv").ok_or("BEADWORK_DATA names no folder with data")?;
    let text = fs::read_to_string(file)?;
    let find = |name: &&str| -> Result<Protein, Failure> {
        let mut rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let row = rows.find(|row| row.len() > 11 && row[0] == *name && row[9] == "test");
        let row = row.ok_or_else(|| format!("{name} has no published simulation"))?;
        let number = |cell: usize| row[cell].parse::<f64>();
        Ok(Protein {
            name: (*name).to_string(),
            sequence: row[11].to_string(),
            solution: Solution {
                temperature: number(2)?,
                ionic_strength: number(3)?,
                ph: number(4)?,
            },
            published: (number(7)?, number(8)? / 5_f64.sqrt()),
        })
    };
    names.iter().map(find).collect()
}

/// The mean radius of gyration of each run, nm.
fn radii(protein: &Protein, progress: &ProgressBar) -> Result<Vec<f64>, Failure> {
    let described = [Chain::disordered(&protein.name, &protein.sequence)];
    let chain = |ends| build(&described, ResidueModel::Calvados2, &protein.solution, ends);
    // The published radii weigh residues by their masses without those of the ends.
    let bare = chain(ChargedEnds { first: false, last: false })?;
    let mass = |&kind: &u16| bare.types[usize::from(kind)].mass;
    let masses: Vec<f64> = bare.particles.types.iter().map(mass).collect();
    let mut system = chain(ChargedEnds::default())?;
    system.set_collision_rate(COLLISION_RATE);
    let system = Arc::new(system);
    let every = protein.steps_a_frame();
    let mut members: Vec<Member> = (0..RUNS).map(|run| member(&system, protein, run)).collect();
    let mut group = Group::new(Instructions::best());
    let mut sums = vec![0.0; members.len()];
    for frame in 0..FRAMES {
        let mut all: Vec<&mut Member> = members.iter_mut().collect();
        for outcome in group.advance(&mut all, every) {
            outcome.map_err(|failure| format!("{}: {failure:?}", protein.name))?;
        }
        progress.inc(every * RUNS);
        if frame < DROPPED {
            continue;
        }
        for (sum, member) in sums.iter_mut().zip(&members) {
            *sum += radius_of_gyration(&member.positions(), &masses) / 10.0;
        }
    }
    Ok(sums.into_iter().map(|sum| sum / (FRAMES - DROPPED) as f64).collect())
}

fn member(system: &Arc<System>, protein: &Protein, run: u64) -> Member {
    let dynamics = Dynamics {
        integrator: Integrator::LangevinMiddle,
        temperature: BOLTZMANN * protein.solution.temperature,
        friction: 0.0,
        timestep: 0.01,
        precision: Precision::Single,
        skin: 6.0,
    };
    let protocol = one_stage(dynamics, Generator::Philox4x32x10, 20_101, u64::MAX, system.beads());
    Member::new(system.clone(), Arc::new(protocol), run, &system.particles.positions)
}

/// √(Σ m (r − c)²/Σ m) with c the centre of mass, in the unit of the positions.
fn radius_of_gyration(positions: &[[f64; 3]], masses: &[f64]) -> f64 {
    let total: f64 = masses.iter().sum();
    let mut squares = 0.0;
    for axis in 0..3 {
        let weighted = || positions.iter().zip(masses).map(move |(at, mass)| (at[axis], mass));
        let centre = weighted().map(|(x, mass)| mass * x).sum::<f64>() / total;
        squares += weighted().map(|(x, mass)| mass * (x - centre).powi(2)).sum::<f64>();
    }
    (squares / total).sqrt()
}
