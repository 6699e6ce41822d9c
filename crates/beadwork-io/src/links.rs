//! Symbolic links in run folders, which are never followed.

use std::fs;
use std::path::Path;

use crate::Error;

/// Refuses a symbolic link. What a run cuts, overwrites, empties or removes lies in its own folder; through a link it would
/// be a file of somebody else. A path that does not exist is no link.
///
/// # Errors
/// `io/link`.
pub fn refuse_link(path: &Path) -> Result<(), Error> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_symlink()) {
        return Ok(());
    }
    let target = fs::read_link(path).unwrap_or_default();
    let message = format!(
        "{} is a symbolic link to {}, and links in a run's folder are not followed, so that no file \
         outside of it is changed. Put the file or folder itself in its place; the whole folder of \
         a run may lie behind a link.",
        path.display(),
        target.display()
    );
    Err(Error::other("io/link", message))
}
