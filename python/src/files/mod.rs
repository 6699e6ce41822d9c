//! `beadwork.read` and `beadwork.write`: files of the program's formats as arrays.

mod beads;
mod tables;
mod trajectories;
mod written;

use pyo3::prelude::*;

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
