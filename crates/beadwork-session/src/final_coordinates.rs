//! The final coordinates of members, from which another run can start: PDB files of molecules; of beads whose interactions the
//! input lists, extended XYZ files with their velocities in full precision, and GSD files with bonds, types and the box.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_engine::{CheckpointSet, MemberCheckpoint, MemberStatus, Plan, gsd_beads, on_some};
use beadwork_io::extended_xyz::{self, BondsElsewhere, XyzBead};
use beadwork_io::links::refuse_link;
use beadwork_io::{RunFolder, atomic, gsd};
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::{Model, System, Units};
use beadwork_simulation::MemberState;

use crate::Error;
use crate::viewer_positions::pdb_text;

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
    if groups.is_empty() {
        return Ok(None);
    }
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
    let written: Result<Vec<_>, Error> =
        on_some(writers.saturating_sub(1), write).into_iter().collect();
    let too_wide = written?.concat();
    folder.sync_final()?;
    Ok(too_wide.iter().min().map(|&first| {
        let holds = match plan.members[first].system.model {
            Model::Beads => "a GSD file can say, which holds numbers up to 1e37 and 2147483647 images of a box",
            _ => "a PDB file can say, which holds -999.999 to 9999.999 A",
        };
        let first = plan.members[first].replica;
        let others = match too_wide.len() {
            1 => String::new(),
            count => format!(" and {} other(s)", count - 1),
        };
        format!(
            "final/ has no coordinates of replica {first}{others}: beads are farther apart than {holds}; checkpoints and trajectories have them"
        )
    }))
}

fn paths_of(folder: &RunFolder, plan: &Plan, number: usize) -> Vec<PathBuf> {
    match plan.members[number].system.model {
        Model::Beads => vec![folder.final_beads(number), folder.final_frame(number)],
        _ => vec![folder.final_coordinates(number)],
    }
}

/// Writes the files of one member, unless they are there with the same bytes; false if a PDB or GSD file cannot hold the
/// coordinates.
fn write_one(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<bool, Error> {
    let mut holds_all = true;
    for path in paths_of(folder, plan, number) {
        match contents(&path, plan, number, state)? {
            Some(bytes) if is_same(&path, &bytes) => {}
            Some(bytes) => put(&path, &bytes)?,
            None => holds_all = false,
        }
    }
    Ok(holds_all)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    // A run folder of an earlier version lacks this folder.
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|source| beadwork_io::Error::Write { path: path.to_path_buf(), source })?;
    }
    Ok(atomic::replace(path, bytes)?)
}

/// Whether a file has these bytes. A link is none of ours.
pub(crate) fn is_same(path: &Path, bytes: &[u8]) -> bool {
    let found = || beadwork_files::read(path, bytes.len() as u64);
    refuse_link(path).is_ok() && found().is_ok_and(|found| found == bytes)
}

/// The first file of a finished member that differs from the checkpoint or, in a run that is over, is gone; and how.
pub(crate) fn difference(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    checkpoint: &MemberCheckpoint,
    is_over: bool,
) -> Result<Option<(PathBuf, String)>, Error> {
    if checkpoint.status != MemberStatus::Finished {
        return Ok(None);
    }
    for path in paths_of(folder, plan, number) {
        // These files come after the last checkpoints of a process.
        let is_awaited = !is_over && !path.exists();
        let bytes = contents(&path, plan, number, &checkpoint.state)?.filter(|_| !is_awaited);
        if bytes.is_some_and(|bytes| !is_same(&path, &bytes)) {
            let how = if path.exists() { "it differs from" } else { "it is gone and follows from" };
            let what = "the checkpoint of its replica: `beadwork resume` writes it anew";
            return Ok(Some((path, format!("{how} {what}"))));
        }
    }
    Ok(None)
}

/// The bytes of a member's file; `None` if a PDB or GSD file cannot hold the coordinates.
fn contents(
    path: &Path,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<Option<Vec<u8>>, Error> {
    let member = &plan.members[number];
    let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
    let time = member.system.units.time_in_tables(time);
    let when = when(&member.system, state.step, time);
    let title = format!("beadwork: replica {} after {when}", member.replica);
    if member.system.model == Model::Beads {
        let text = match path.extension().is_some_and(|ending| ending == "gsd") {
            true => return frame(path, &member.system, state),
            false => {
                let velocities = state.extra.motion.as_ref().map(|motion| &*motion.velocities);
                let frame = path.with_extension("gsd");
                let frame = frame.file_name().unwrap_or_default().to_string_lossy();
                text_of_beads(&frame, &member.system, &state.positions, velocities, &title)
            }
        };
        return Ok(Some(text.into_bytes()));
    }
    match pdb_text(path, &member.system, &state.positions, &title) {
        Err(beadwork_io::Error::Coordinate { .. }) => Ok(None),
        text => Ok(Some(text?.into_bytes())),
    }
}

/// A GSD file with all from which another run can start: bonds, angles, types and the box too, in single precision; `None` if
/// it cannot hold the coordinates.
fn frame(path: &Path, system: &System, state: &MemberState) -> Result<Option<Vec<u8>>, Error> {
    let velocities = state.extra.motion.as_ref().map(|motion| motion.velocities.as_slice());
    let beads = gsd_beads(system, velocities.is_some());
    let velocities = velocities.unwrap_or_default();
    match gsd::file_of_one_frame(path, &beads, state.step, &state.positions, velocities) {
        Err(beadwork_io::Error::Coordinate { .. }) => Ok(None),
        bytes => Ok(Some(bytes?)),
    }
}

/// `step 1000, 20 ns`, `sweep 7, reduced lengths`: when beads were where they are, in titles of files. The time is that of tables.
pub(crate) fn when(system: &System, step: u64, time: f64) -> String {
    match (system.is_sampled(), system.units) {
        (true, _) => format!("sweep {step}, reduced lengths"),
        (false, Units::Reduced) => format!("step {step}, time {time}, reduced lengths"),
        (false, Units::Real) => format!("step {step}, {time} ns"),
    }
}

/// Beads in extended XYZ; `file` is the name of one with their bonds.
pub(crate) fn text_of_beads(
    file: &str,
    system: &System,
    positions: &[[f64; 3]],
    velocities: Option<&[[f64; 3]]>,
    title: &str,
) -> String {
    let beads = xyz_beads(system, positions, velocities);
    extended_xyz::text(&beads, system.boundary.sides(), bonds_elsewhere(system, file), title)
}

/// The beads of an extended XYZ file.
pub(crate) fn xyz_beads<'a>(
    system: &'a System,
    positions: &[[f64; 3]],
    velocities: Option<&[[f64; 3]]>,
) -> Vec<XyzBead<'a>> {
    let particles = &system.particles;
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
    positions.iter().enumerate().map(bead).collect()
}

/// What is said of bonds that a start could not know from molecules alone; nothing where beads are bonded one after another.
fn bonds_elsewhere<'a>(system: &System, file: &'a str) -> Option<BondsElsewhere<'a>> {
    let mut bonds: Vec<(usize, usize)> =
        system.interactions.bonded.iter().flat_map(BondedTerm::pairs).collect();
    bonds.sort_unstable();
    bonds.dedup();
    let molecules = system.particles.beads_of_molecules();
    let mut along: Vec<(usize, usize)> = molecules
        .iter()
        .flat_map(|beads| beads.windows(2).map(|two| (two[0] as usize, two[1] as usize)))
        .collect();
    along.sort_unstable();
    if bonds.is_empty() || bonds == along {
        return None;
    }
    let include_chains = along.iter().all(|pair| bonds.binary_search(pair).is_ok());
    Some(BondsElsewhere { count: bonds.len(), include_chains, file })
}
