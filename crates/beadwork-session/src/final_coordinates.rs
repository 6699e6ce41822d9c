//! The final coordinates of members, from which another run can start: PDB files of molecules, and extended XYZ files of
//! beads whose interactions the input lists, with their velocities.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_engine::{CheckpointSet, MemberCheckpoint, MemberStatus, Plan, on_some};
use beadwork_io::extended_xyz::{self, XyzBead};
use beadwork_io::links::refuse_link;
use beadwork_io::{RunFolder, atomic};
use beadwork_model::{Boundary, Model, System, Units};
use beadwork_simulation::MemberState;

use crate::Error;
use crate::session::pdb_text;

/// The most threads that write. They mostly wait for the disk, which confirms files of many threads together.
const MOST_WRITERS: usize = 16;
/// The most beads in the checkpoints that all of them hold.
const MOST_BEADS: usize = 2_000_000;

/// Writes the files of members that are finished, if they are missing or differ from the checkpoints. Returns a note if a PDB
/// file cannot hold the coordinates of some.
pub(crate) fn write(
    folder: &RunFolder,
    plan: &Plan,
    statuses: &[Option<MemberStatus>],
) -> Result<Option<String>, Error> {
    let is_finished = |number: usize| statuses[number] == Some(MemberStatus::Finished);
    let mut groups = plan.checkpoint_groups();
    groups.retain(|members| members.clone().any(is_finished));
    let beads = |members: &Range<usize>| {
        members.clone().map(|number| plan.members[number].system.beads()).sum::<usize>()
    };
    let largest = groups.iter().map(beads).max().unwrap_or(0);
    let writers = (MOST_BEADS / largest.max(1)).clamp(1, MOST_WRITERS).min(groups.len());
    let next = AtomicUsize::new(0);
    let write = || -> Result<Vec<usize>, Error> {
        let mut too_wide = Vec::new();
        while let Some(members) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let set = CheckpointSet::read(folder, plan, members)?;
            for (number, checkpoint) in members.clone().zip(set.members) {
                let Some(checkpoint) = checkpoint.filter(|_| is_finished(number)) else { continue };
                if !write_one(folder, plan, number, &checkpoint.state)? {
                    too_wide.push(number);
                }
            }
        }
        Ok(too_wide)
    };
    let mut too_wide = Vec::new();
    for written in on_some(writers.saturating_sub(1), write) {
        too_wide.extend(written?);
    }
    Ok(too_wide.iter().min().map(|&first| {
        let first = plan.members[first].replica;
        let others = match too_wide.len() {
            1 => String::new(),
            count => format!(" and {} other(s)", count - 1),
        };
        format!(
            "final/ has no coordinates of replica {first}{others}: beads are farther apart than a PDB file can say, which holds -999.999 to 9999.999 A; checkpoints and trajectories have them"
        )
    }))
}

fn path_of(folder: &RunFolder, plan: &Plan, number: usize) -> PathBuf {
    match plan.members[number].system.model {
        Model::Beads => folder.final_beads(number),
        _ => folder.final_coordinates(number),
    }
}

/// Writes the file of one member, unless it is there with the same bytes; false if a PDB file cannot hold the coordinates.
fn write_one(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<bool, Error> {
    let path = path_of(folder, plan, number);
    let Some(text) = text_of(&path, plan, number, state)? else { return Ok(false) };
    if is_same(&path, &text) {
        return Ok(true);
    }
    // A run folder of an earlier version lacks this folder.
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|source| beadwork_io::Error::Write { path: path.clone(), source })?;
    }
    atomic::write(&path, text.as_bytes())?;
    Ok(true)
}

/// Whether a file has these bytes. A link is none of ours.
fn is_same(path: &Path, text: &str) -> bool {
    refuse_link(path).is_ok() && fs::read(path).is_ok_and(|found| found == text.as_bytes())
}

/// The file of a finished member if it differs from the checkpoint or, in a run that is over, is gone; and how.
pub(crate) fn difference(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    checkpoint: &MemberCheckpoint,
    is_over: bool,
) -> Result<Option<(PathBuf, String)>, Error> {
    let path = path_of(folder, plan, number);
    // These files come after the last checkpoints of a process.
    let is_awaited = !is_over && !path.exists();
    if checkpoint.status != MemberStatus::Finished || is_awaited {
        return Ok(None);
    }
    let Some(text) = text_of(&path, plan, number, &checkpoint.state)? else { return Ok(None) };
    Ok((!is_same(&path, &text)).then(|| {
        let how = if path.exists() { "it differs from" } else { "it is gone and follows from" };
        (path, format!("{how} the checkpoint of its replica: `beadwork resume` writes it anew"))
    }))
}

/// The text of a member's file; `None` if a PDB file cannot hold the coordinates.
fn text_of(
    path: &Path,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<Option<String>, Error> {
    let member = &plan.members[number];
    let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
    let when = match (member.system.is_sampled(), member.system.units) {
        (true, _) => format!("sweep {}, reduced lengths", state.step),
        (false, Units::Reduced) => format!("step {}, time {time}, reduced lengths", state.step),
        (false, Units::Real) => {
            format!("step {}, {} ns", state.step, Units::Real.time_in_tables(time))
        }
    };
    let title = format!("beadwork: replica {} after {when}", member.replica);
    if member.system.model == Model::Beads {
        return Ok(Some(text_of_beads(&member.system, state, &title)));
    }
    match pdb_text(path, &member.system, &state.positions, &title) {
        Err(beadwork_io::Error::Coordinate { .. }) => Ok(None),
        text => Ok(Some(text?)),
    }
}

fn text_of_beads(system: &System, state: &MemberState, title: &str) -> String {
    let particles = &system.particles;
    let velocities = state.extra.motion.as_ref().map(|motion| &motion.velocities);
    let bead = |(bead, &position): (usize, &[f64; 3])| {
        let kind = &system.types[usize::from(particles.types[bead])];
        XyzBead {
            species: &kind.name,
            position,
            velocity: velocities.map(|velocities| velocities[bead]),
            mass: kind.mass,
            charge: particles.charge(bead),
            molecule: particles.molecules[bead] + 1,
        }
    };
    let beads: Vec<XyzBead<'_>> = state.positions.iter().enumerate().map(bead).collect();
    let sides = match system.boundary {
        Boundary::Open => None,
        Boundary::Periodic { lengths } => Some(lengths),
    };
    extended_xyz::text(&beads, sides, title)
}
