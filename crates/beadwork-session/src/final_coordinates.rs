//! Where the beads of a member were at its end, as PDB files that another run can start from.

use std::fs;

use beadwork_engine::{CheckpointSet, MemberStatus, Plan};
use beadwork_io::{RunFolder, pdb};
use beadwork_model::units::PICOSECONDS_PER_NANOSECOND;
use beadwork_simulation::MemberState;

use crate::Error;
use crate::session::{centred_if_far, topology_beads};

/// Writes those of members that are through all stages and have none yet. Returns a remark on
/// members whose coordinates a PDB file cannot hold.
pub(crate) fn write(
    folder: &RunFolder,
    plan: &Plan,
    statuses: &[Option<MemberStatus>],
) -> Result<Option<String>, Error> {
    // Those that are too far apart for the format.
    let mut wide = Vec::new();
    // A file is there whole or not at all.
    let lacks = |number: usize, status: &Option<MemberStatus>| {
        *status == Some(MemberStatus::Finished) && !folder.final_coordinates(number).exists()
    };
    for members in plan.kept_together() {
        if !members.clone().any(|number| lacks(number, &statuses[number])) {
            continue;
        }
        let kept = CheckpointSet::read(folder, plan, &members, &plan.fingerprint, None)?;
        for (number, checkpoint) in members.zip(kept.members) {
            let Some(checkpoint) = checkpoint.filter(|_| lacks(number, &statuses[number])) else {
                continue;
            };
            if !write_one(folder, plan, number, &checkpoint.state)? {
                wide.push(plan.members[number].replica);
            }
        }
    }
    Ok(wide.first().map(|first| {
        let others = match wide.len() {
            1 => String::new(),
            count => format!(" and {} other(s)", count - 1),
        };
        format!(
            "final/ has no coordinates of replica {first}{others}: beads are farther apart than a PDB file can say, which holds -999.999 to 9999.999 A; checkpoints and trajectories have them"
        )
    }))
}

/// Writes those of one member; false where a PDB file cannot hold them.
fn write_one(
    folder: &RunFolder,
    plan: &Plan,
    number: usize,
    state: &MemberState,
) -> Result<bool, Error> {
    let path = folder.final_coordinates(number);
    let member = &plan.members[number];
    // A folder that an earlier version made does not have it.
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|source| beadwork_io::Error::Write { path: path.clone(), source })?;
    }
    let time = state.dynamics_step as f64 * member.protocol.dynamics.timestep;
    let when = match member.system.is_sampled() {
        true => format!("sweep {}, reduced lengths", state.step),
        false => format!("step {}, {} ns", state.step, time / PICOSECONDS_PER_NANOSECOND),
    };
    let title = format!("beadwork: replica {} after {when}", member.replica);
    let beads = topology_beads(&member.system);
    let bonds = member.system.bonds();
    match pdb::write(&path, &beads, &centred_if_far(&state.positions), &bonds, &title) {
        Err(beadwork_io::Error::Coordinate { .. }) => Ok(false),
        written => Ok(written.map(|()| true)?),
    }
}

/// Removes that of a member which goes on.
pub(crate) fn remove(folder: &RunFolder, number: usize) -> Result<(), Error> {
    let path = folder.final_coordinates(number);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(beadwork_io::Error::Write { path, source }.into())
        }
        _ => Ok(()),
    }
}
