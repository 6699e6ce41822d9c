//! Requests of which no run can be made here, refused before anything is written.

use std::sync::Arc;

use beadwork_engine::check_trajectory;
use beadwork_input::Request;
use beadwork_io::{RunFolder, pdb, psf};
use beadwork_model::System;
use beadwork_model::advice::with_decimals;

use crate::part::Part;
use crate::plan::plan;
use crate::{Error, tables};

/// Refuses an input that asks for Parquet in a program without it.
///
/// # Errors
/// [`beadwork_io::Error::NoParquet`].
pub fn refuse_what_is_not_built_in(request: &Request) -> Result<(), Error> {
    if request.output.parquet && !tables::PARQUET {
        return Err(beadwork_io::Error::NoParquet.into());
    }
    Ok(())
}

/// Refuses a run whose files cannot hold its beads or its start, before anything is written.
///
/// # Errors
/// The error that the first file would return.
pub fn refuse_what_files_cannot_hold(request: &Request) -> Result<(), Error> {
    let folder = Part::whole(request).folder(RunFolder::at_path(&request.output.folder), request);
    let plan = plan(request, &Part::whole(request));
    let mut last: Option<&Arc<System>> = None;
    for (number, member) in plan.members.iter().enumerate() {
        // Members of one point share their system, and their start unless each has a file of its own.
        let is_known = last.is_some_and(|last| Arc::ptr_eq(last, &member.system));
        let point = request.member(member.replica).0;
        if is_known && point.starts.is_none() {
            continue;
        }
        last = Some(&member.system);
        psf::check_count(&folder.topology_psf(), member.system.beads())?;
        pdb::check_count(&folder.topology_pdb(), member.system.beads())?;
        if let Some(output) = plan.trajectory {
            let checked = check_trajectory(&folder.trajectory(number, output.1), member, output);
            checked.map_err(|error| of_start(error, &member.system))?;
        }
    }
    Ok(())
}

/// The error of a start that a trajectory cannot hold, in the units of its system; other errors as they are.
fn of_start(error: beadwork_io::Error, system: &System) -> beadwork_io::Error {
    match error {
        beadwork_io::Error::Coordinate { path, bead, axis, value, limit } => {
            let message = format!(
                "Bead {bead} (counted from 0) begins at {axis} = {}{}, which {} cannot hold: {limit}. The start is too large or too far from the origin: look for a length that is too large, or move the beads.",
                with_decimals(value, 3),
                system.units.of_length(),
                path.display()
            );
            beadwork_io::Error::Other { code: "io/coordinate", message }
        }
        other => other,
    }
}
