//! The lowest energies that chains came to, and the minima below them.

use std::fmt::Write as _;

use beadwork_cpu::monte_carlo::quench;
use beadwork_engine::{CheckpointSet, Plan};
use beadwork_io::{RunFolder, atomic, pdb};
use beadwork_simulation::LowestConfiguration;

use crate::Error;
use crate::session::{centred_if_far, topology_beads};

/// Configurations that are quenched, of the lowest energies.
const QUENCHED: usize = 64;

/// Quenches the lowest configurations of each chain, and writes `lowest.csv` and, of the deepest minimum of each point,
/// `lowest.pdb`. Does nothing in runs of anything else. Each point has so many `replicas`.
pub(crate) fn write(folder: &RunFolder, plan: &Plan, replicas: u64) -> Result<(), Error> {
    if !plan.members.iter().any(|member| member.system.is_sampled()) {
        return Ok(());
    }
    let point_of = |number: usize| (plan.members[number].replica / replicas.max(1)) as usize;
    let mut found: Vec<(usize, usize, LowestConfiguration)> = Vec::new();
    for members in plan.kept_together() {
        let kept = CheckpointSet::read(folder, plan, &members, &plan.fingerprint, None)?;
        for (number, checkpoint) in members.zip(kept.members) {
            let walk = checkpoint.and_then(|checkpoint| checkpoint.state.chain);
            if let Some(lowest) = walk.and_then(|walk| walk.lowest) {
                found.push((point_of(number), number, lowest));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.energy.total_cmp(&b.2.energy)));
    let mut text = String::from("point,replica,sweep,energy,quenched_energy,converged\n");
    // Of all members, begun or not: files keep their names as the run goes on.
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
        let (beads, bonds) = (topology_beads(&member.system), member.system.bonds());
        let path = folder.root().join(name);
        pdb::write(&path, &beads, &centred_if_far(&positions), &bonds, &title)?;
    }
    Ok(atomic::write(&folder.root().join("lowest.csv"), text.as_bytes())?)
}
