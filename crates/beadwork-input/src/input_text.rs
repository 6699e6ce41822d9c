//! The text of an input, and the error if it cannot be read.

use std::path::Path;

use crate::error::{Error, UNREADABLE_FILE};

/// The text in a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    beadwork_files::read_text(path, beadwork_files::LARGEST_TEXT)
        .map_err(|error| unreadable(path, &error))
}

/// The error about an input that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let problem = format!("the input {} cannot be read ({error}): check its name", path.display());
    Error::new(UNREADABLE_FILE, problem)
}
