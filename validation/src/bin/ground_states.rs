//! Minima of elastic chains: minimises configurations of the cold rungs of a run, read from its trajectories.
//!
//! `ground_states [--keep FOLDER] RUN [COUNT [WARMEST]]`: takes COUNT (1,000) frames, evenly spread, at rungs up to the
//! temperature WARMEST (0.25) from a run with replica exchange and the default chain. Writes to the folder of `--keep`
//! a report, `minima-N.csv` with each minimum and how often it was found, and `ground-state-N.csv` with the deepest
//! configuration.

use std::path::{Path, PathBuf};
use std::time::Instant;

use beadwork_analysis::table::read_csv;
use beadwork_cpu::monte_carlo::{Quenched, quench};
use beadwork_io::{TrajectoryFormat, frames};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_validation::Failure;
use beadwork_validation::backend::Options;
use beadwork_validation::icosahedron::{Build, table as table_of};
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

/// Minima closer in energy than this count as one, ε.
const SAME: f64 = 1e-5;
type Configuration = Vec<[f64; 3]>;

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (count, warmest) = (options.number(1, 1_000)?, options.number(2, 0.25)?);
    let Options { backend, keep, words } = options;
    let run = words.first().map(PathBuf::from).ok_or("name a run's folder")?;
    let began = Instant::now();
    let (starts, all) = configurations(&run, count, warmest)?;
    let monomers = starts.first().ok_or("no frame is as cold as that")?.len();
    let polymer = ElasticPolymer::new(monomers);
    let mut minima: Vec<_> = starts.par_iter().map(|start| quench(&polymer, start)).collect();
    minima.sort_by(|a, b| a.energy.total_cmp(&b.energy));
    let deepest = &minima[0];
    let build = Build::of(&deepest.positions, polymer.bonds.length);
    let groups = grouped(&minima);
    let (count, converged) = (minima.len(), minima.iter().filter(|m| m.converged).count());
    let sentence = format!("{converged} of {count} quenches ended where forces vanish.");
    let mut statements = vec![(sentence, converged == count)];
    statements.extend(build.statements(count, deepest.energy));
    let icosahedra =
        minima.iter().filter(|m| Build::of(&m.positions, polymer.bonds.length).is_icosahedron());
    let conditions = format!(
        "{count} of {all} frames at temperatures up to {warmest}, led downhill by FIRE in double precision; {} different minima, {} quenches ended in an icosahedron. The icosahedra without bonds are unit tests of `beadwork-model`.",
        groups.len(),
        icosahedra.count()
    );
    let table = Table::of_statements(format!("{monomers} monomers"), conditions, statements);
    if let Some(folder) = &keep {
        write(folder, monomers, &groups, deepest)?;
    }
    let question =
        "Which minima lie below cold configurations, and is the deepest the icosahedron?";
    Report::new(&backend, &format!("ground-states-{monomers}"), question, began, vec![table])
        .finish(keep.as_deref(), true)
}

/// At most `count` frames of rungs up to a temperature, and the number of all such frames.
fn configurations(
    run: &Path,
    count: usize,
    warmest: f64,
) -> Result<(Vec<Configuration>, usize), Failure> {
    let exchange = read_csv(run.join("exchange.csv"))?;
    let rungs = exchange.numbers("rung")?.into_iter().zip(exchange.numbers("temperature")?);
    let cold = rungs.filter(|(_, temperature)| *temperature <= warmest);
    let coldest = cold.map(|(rung, _)| rung).fold(f64::NEG_INFINITY, f64::max);
    let members = read_csv(run.join("members.csv"))?;
    let mut found = Vec::new();
    for number in members.numbers("member")? {
        let member = format!("member-{:04}", number as u64);
        let table = read_csv(run.join("tables").join(format!("{member}-frames.csv")))?;
        let at = table.numbers("rung")?;
        let stages = table.texts("stage")?;
        let mut frame = 0;
        let trajectory = run.join("trajectories").join(format!("{member}.dcd"));
        frames::read(&trajectory, TrajectoryFormat::Dcd, |positions| {
            let sampled = at.get(frame).is_some_and(|rung| *rung <= coldest)
                && stages.get(frame) == stages.last();
            if sampled {
                let beads = positions.chunks_exact(3);
                found.push(beads.map(|r| [0, 1, 2].map(|axis| f64::from(r[axis]))).collect());
            }
            frame += 1;
        })?;
    }
    let all = found.len();
    let taken = count.min(all);
    let mut found: Vec<Option<Configuration>> = found.into_iter().map(Some).collect();
    Ok(((0..taken).filter_map(|number| found[number * all / taken].take()).collect(), all))
}

/// Energies of different minima, ascending, with how often each was found.
fn grouped(minima: &[Quenched]) -> Vec<(f64, usize)> {
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for minimum in minima {
        match groups.last_mut() {
            Some((energy, count)) if minimum.energy - *energy < SAME => *count += 1,
            _ => groups.push((minimum.energy, 1)),
        }
    }
    groups
}

fn write(
    folder: &Path,
    monomers: usize,
    groups: &[(f64, usize)],
    deepest: &Quenched,
) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut text = String::from("energy,quenches\n");
    text.extend(groups.iter().map(|(energy, count)| format!("{energy:.6},{count}\n")));
    std::fs::write(folder.join(format!("minima-{monomers}.csv")), text)?;
    let deepest = table_of(&deepest.positions);
    std::fs::write(folder.join(format!("ground-state-{monomers}.csv")), deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_are_counted_once() {
        let minimum = |energy| Quenched { energy, positions: vec![], converged: true };
        let found = grouped(&[-3.0, -3.0 + 1e-7, -2.0].map(minimum));
        assert_eq!(found, [(-3.0, 2), (-2.0, 1)]);
    }
}
