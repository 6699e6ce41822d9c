//! Inputs of other programs, told apart by what they are.

use std::path::Path;

use beadwork_structure::{is_file_of_beads, is_lammps_data};

use crate::error::{Error, NO_IMPORT};
use crate::input_text::unreadable;
use crate::kinds_of_files;
use crate::lammps::import_lammps;
use crate::sop_gpu::{Imported, import_sop_gpu};

/// Reads a file of another program into an input: a LAMMPS data file, or a configuration of SOP-GPU. `output` is the file that
/// the input is written to.
///
/// # Errors
/// A file that cannot be read, is neither of the two, or cannot be carried over.
pub fn import(path: &Path, output: Option<&Path>) -> Result<Imported, Error> {
    let name = path.display().to_string();
    let bytes = beadwork_files::read_unpacked(path, beadwork_files::LARGEST_STRUCTURE)
        .map_err(|error| unreadable(path, &error))?;
    kinds_of_files::refuse_utf16(&bytes, &name)?;
    kinds_of_files::refuse_import(&bytes, &name)?;
    if is_lammps_data(&bytes, &name) {
        return import_lammps(path, output);
    }
    if is_file_of_beads(&bytes, &name) {
        let problem = format!(
            "{name} is no input of another program: import reads configurations of SOP-GPU and LAMMPS data files, and start = {name:?} in [system] reads the beads of this file"
        );
        return Err(Error::new(NO_IMPORT, problem));
    }
    import_sop_gpu(path)
}
