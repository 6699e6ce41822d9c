//! The compiled half of the Python package `beadwork`: it calls the library functions that the program calls, and hands over plain
//! values and arrays. What Python programs see is in `python/beadwork/`.

mod analysis;
mod check;
mod failure;
mod files;
mod folder;
mod frames;
mod held;
mod job;
mod memory;
mod random;
mod request;
mod steering;
mod tables;
mod threads;

use pyo3::prelude::*;

/// The compiled half of the package.
#[pymodule]
fn _beadwork(module: &Bound<'_, PyModule>) -> PyResult<()> {
    beadwork::io::frames::keep_quiet_of_damaged_frames();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<folder::Folder>()?;
    module.add_class::<steering::Segment>()?;
    analysis::add_to(module)?;
    files::add_to(module)?;
    module.add_class::<random::WordStream>()?;
    module.add_function(wrap_pyfunction!(random::generators, module)?)?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(job::run, module)?)?;
    module.add_function(wrap_pyfunction!(job::resume, module)?)
}
