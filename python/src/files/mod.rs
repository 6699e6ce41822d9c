//! `beadwork.read` and `beadwork.write`: files of the program's formats as arrays.

mod beads;
mod tables;
mod trajectories;
mod written;

use std::path::Path;

use beadwork::io::Error;
use beadwork::structure::visible;
use pyo3::prelude::*;

use crate::failure::Failure;

/// Adds all functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(beads::read_beads, module)?)?;
    module.add_function(wrap_pyfunction!(beads::select, module)?)?;
    module.add_function(wrap_pyfunction!(beads::read_fasta, module)?)?;
    module.add_function(wrap_pyfunction!(tables::read_table, module)?)?;
    module.add_function(wrap_pyfunction!(tables::write_table, module)?)?;
    module.add_function(wrap_pyfunction!(trajectories::read_trajectory, module)?)?;
    module.add_function(wrap_pyfunction!(trajectories::write_trajectory, module)?)?;
    module.add_function(wrap_pyfunction!(written::write_beads, module)?)
}

/// The error of a file that a person writes: it names this file, and not the one that takes its place at the end.
fn unwritten(path: &Path, error: Error) -> Failure {
    let code = error.code();
    match error {
        Error::Write { source, .. } if code == "io/write" => {
            let cause = source.to_string();
            // The other file stands behind the cause.
            let cause = cause.split(" at path \"").next().unwrap_or_default();
            let name = path.display().to_string();
            Failure::write(format!(
                "{} cannot be written ({cause}): check that its folder exists and may be written",
                visible(&name)
            ))
        }
        Error::Coordinate { bead, axis, value, limit, .. } => {
            Failure::from(Error::Coordinate { path: path.to_path_buf(), bead, axis, value, limit })
        }
        other => other.into(),
    }
}
