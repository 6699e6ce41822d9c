//! The final coordinates of members as PDB files, from which another run can start.

use std::fs;

use beadwork_engine::{CheckpointSet, MemberStatus, Plan};
use beadwork_io::RunFolder;
use beadwork_model::Units;
use beadwork_simulation::MemberState;

use crate::Error;
use crate::session::write_pdb;

/// Writes the missing files of members that are finished. Returns a note if a PDB file cannot hold the coordinates of some.
pub(crate) fn write(
    folder: &RunFolder,
    plan: &Plan,
    statuses: &[Option<MemberStatus>],
) -> Result<Option<String>, Error> {
    let mut too_wide = Vec::new();
    // Files are written in one piece, so an existing file is complete.
    let lacks = |number: usize, status: &Option<MemberStatus>| {
        *status == Some(MemberStatus::Finished) && !folder.final_coordinates(number).exists()
    };
    for members in plan.checkpoint_groups() {
        if !members.clone().any(|number| lacks(number, &statuses[number])) {
            continue;
        }
        let set = CheckpointSet::read(folder, plan, &members)?;
        for (number, checkpoint) in members.zip(set.members) {
            let Some(checkpoint) = checkpoint.filter(|_| lacks(number, &statuses[number])) else {
                continue;
            };
            if !write_one(folder, plan, number, &checkpoint.state)? {
                too_wide.push(plan.members[number].replica);
            }
        }
    }
    Ok(too_wide.first().map(|first| {
        let others = match too_wide.len() {
            1 => String::new(),
            count => format!(" and {} other(s)", count - 1),
        };
        format!(
            "final/ has no coordinates of replica {first}{others}: beads are farther apart than a PDB file can say, which holds -999.999 to 9999.999 A; checkpoints and trajectories have them"
        )
    }))
}

/// Writes the file of one member; false if a PDB file cannot hold the coordinates.
fn write_one(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<bool, Error> {
    let path = folder.final_coordinates(number);
    let member = &plan.members[number];
    // A run folder of an earlier version lacks this folder.
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|source| beadwork_io::Error::Write { path: path.clone(), source })?;
    }
    let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
    let when = match (member.system.is_sampled(), member.system.units) {
        (true, _) => format!("sweep {}, reduced lengths", state.step),
        (false, Units::Reduced) => format!("step {}, time {time}, reduced lengths", state.step),
        (false, Units::Real) => {
            format!("step {}, {} ns", state.step, Units::Real.time_in_tables(time))
        }
    };
    let title = format!("beadwork: replica {} after {when}", member.replica);
    match write_pdb(&path, &member.system, &state.positions, &title) {
        Err(beadwork_io::Error::Coordinate { .. }) => Ok(false),
        written => Ok(written.map(|()| true)?),
    }
}
