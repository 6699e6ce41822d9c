//! `beadwork.read` and `beadwork.write`: files of the program's formats as arrays.

mod beads;
mod tables;
mod trajectories;
mod written;

use std::path::Path;

use beadwork::io::Error;
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

/// The error of a file that a person writes: it names the file that was asked for, not the temporary one that is renamed to it.
fn unwritten(path: &Path, error: Error) -> Failure {
    let path = path.to_path_buf();
    Failure::from(match error {
        Error::Write { source, .. } => Error::Write { path, source },
        Error::Coordinate { bead, axis, value, limit, .. } => {
            Error::Coordinate { path, bead, axis, value, limit }
        }
        other => other,
    })
}
