//! The lowest energies that chains reached, and the energy minima below them.

use std::fmt::Write as _;

use beadwork_cpu::monte_carlo::quench;
use beadwork_engine::{Plan, checkpoints};
use beadwork_io::{RunFolder, atomic};
use beadwork_simulation::LowestConfiguration;

use crate::Error;
use crate::viewer_positions::write_pdb;

/// The number of configurations, in order of energy, that are quenched for each point.
const QUENCHED: usize = 64;

/// Quenches the lowest configurations of the chains, and writes `lowest.csv` and, for each point, `lowest.pdb` with the
/// deepest minimum. Does nothing in other runs. A point has `replicas` replicas.
pub(crate) fn write(folder: &RunFolder, plan: &Plan, replicas: u64) -> Result<(), Error> {
    if !plan.members.iter().any(|member| member.system.is_sampled()) {
        return Ok(());
    }
    let point_of = |number: usize| (plan.members[number].replica / replicas.max(1)) as usize;
    let mut found: Vec<(usize, usize, LowestConfiguration)> = Vec::new();
    for (number, checkpoint) in checkpoints(folder, plan).enumerate() {
        let chain = checkpoint?.and_then(|checkpoint| checkpoint.state.chain);
        if let Some(lowest) = chain.and_then(|chain| chain.lowest) {
            found.push((point_of(number), number, lowest));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.energy.total_cmp(&b.2.energy)));
    let mut text = String::from("point,replica,sweep,energy,quenched_energy,converged\n");
    // File names depend on all members, so they stay the same when more of them have begun.
    let (first, last) = (point_of(0), point_of(plan.members.len() - 1));
    for point in first..=last {
        let mut deepest: Option<(f64, usize, Vec<[f64; 3]>)> = None;
        let of_point = found.iter().filter(|(other, ..)| *other == point);
        for (_, number, lowest) in of_point.take(QUENCHED) {
            let member = &plan.members[*number];
            let Some(polymer) = member.system.sampled_chain() else { continue };
            let minimum = quench(polymer, &lowest.positions);
            let _ = writeln!(
                text,
                "{point},{},{},{},{},{}",
                member.replica, lowest.sweep, lowest.energy, minimum.energy, minimum.converged
            );
            let deeper = deepest.as_ref().is_none_or(|(energy, ..)| minimum.energy < *energy);
            if deeper && minimum.energy.is_finite() {
                deepest = Some((minimum.energy, *number, minimum.positions));
            }
        }
        let Some((energy, number, positions)) = deepest else { continue };
        let member = &plan.members[number];
        let name = match first == last {
            true => "lowest.pdb".to_string(),
            false => format!("lowest-point-{point:04}.pdb"),
        };
        let title = format!(
            "beadwork: replica {}, quenched, energy {energy}, reduced units",
            member.replica
        );
        write_pdb(&folder.root().join(name), &member.system, &positions, &title)?;
    }
    Ok(atomic::write(&folder.root().join("lowest.csv"), text.as_bytes())?)
}
