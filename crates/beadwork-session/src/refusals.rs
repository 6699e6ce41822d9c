//! Requests of which no run can be made here, refused before anything is written.

use std::sync::Arc;

use beadwork_engine::check_trajectory;
use beadwork_input::{Request, refuse_long_lists};
use beadwork_io::{RunFolder, pdb, psf};
use beadwork_model::System;
use beadwork_model::advice::with_decimals;

use crate::part::Part;
use crate::plan::plan;
use crate::{Error, tables};

/// Refuses a request of which no run can be made here, before anything is written.
///
/// # Errors
/// [`beadwork_io::Error::NoParquet`] if it asks for Parquet in a program without it; [`Error::Unreadable`] if its resolved form would
/// not give the points of its sweep again; the error of the first file that cannot hold its beads or its start; [`Error::Input`] if
/// its pairs of near beads take more memory than is free.
pub fn refuse_what_cannot_run(request: &Request) -> Result<(), Error> {
    refuse_what_is_not_built_in(request)?;
    refuse_what_files_cannot_hold(request)?;
    refuse_long_lists(request)?;
    refuse_what_cannot_be_read_again(request)
}

/// Refuses an input that asks for Parquet in a program without it.
///
/// # Errors
/// [`beadwork_io::Error::NoParquet`].
pub(crate) fn refuse_what_is_not_built_in(request: &Request) -> Result<(), Error> {
    if request.output.parquet && !tables::PARQUET {
        return Err(beadwork_io::Error::NoParquet.into());
    }
    Ok(())
}

/// Refuses a run whose files cannot hold its beads or its start, before anything is written.
///
/// # Errors
/// The error that the first file would return.
fn refuse_what_files_cannot_hold(request: &Request) -> Result<(), Error> {
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

/// Refuses a sweep of which nothing could be read later: its resolved form, from which runs go on and are drawn, has to give its
/// points again.
///
/// # Errors
/// [`Error::Unreadable`].
fn refuse_what_cannot_be_read_again(request: &Request) -> Result<(), Error> {
    if request.points.len() < 2 {
        return Ok(());
    }
    let problem = match beadwork_input::reads_again(request) {
        Ok(true) => return Ok(()),
        Ok(false) => "it would be another run".to_string(),
        Err(error) => error.to_string(),
    };
    let swept = request.points[0].settings.iter().map(|(path, _)| format!("\"{path}\""));
    Err(Error::Unreadable { swept: swept.collect::<Vec<_>>().join(", "), problem })
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use beadwork_engine::Devices;

    use crate::session::Session;

    /// No folder is made for a run that could not be read again.
    #[test]
    fn a_sweep_that_cannot_be_read_again_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let stages =
            "[[stage]]\nname = \"go\"\nsteps = 5\n[ensemble.sweep]\n\"go.steps\" = [5, 6]\n";
        let text = format!(
            "[system]\nmodel = \"oscillators\"\nparticles = 7\n[dynamics]\ntemperature = \"300 K\"\ntimestep = \"1 ps\"\nfriction = \"1e4 pN ps/nm\"\n{stages}"
        );
        let read = || beadwork_input::parse(&text, "in.toml", Path::new("."), &[]).unwrap();
        let made = |name: &str, from: &str, to: &str| {
            let mut request = read();
            request.resolved = request.resolved.replace(from, to);
            let folder = home.path().join(name);
            let made = Session::create(&folder, request, &Devices::Cpu);
            (made.map(drop).map_err(|error| error.to_string()), folder.exists())
        };
        let sweep = "\"go.steps\"";
        assert_eq!(made("a", sweep, sweep), (Ok(()), true));
        for to in ["\"gone.steps\"", "\"dynamics.friction\""] {
            let (made, is_there) = made("b", sweep, to);
            let problem = made.unwrap_err();
            let words = ["nothing was run", "\"go.steps\"", "an input for each value"];
            assert!(words.iter().all(|words| problem.contains(words)), "{problem}");
            assert!(!is_there);
        }
    }
}
