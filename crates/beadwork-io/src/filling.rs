//! The run folders that this process has begun to fill, for a process that is about to end in the middle of that.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::atomic::{self, Abandoned};
use crate::{Error, RunFolder};

#[derive(Debug)]
struct Filling {
    /// Folders that are not whole yet.
    begun: Vec<PathBuf>,
    is_one_whole: bool,
}

static FILLING: Mutex<Filling> = Mutex::new(Filling { begun: Vec::new(), is_one_whole: false });

fn filling() -> MutexGuard<'static, Filling> {
    FILLING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that this process fills a folder, whose lock it has.
pub(crate) fn begin(root: &Path) {
    filling().begun.push(root.to_path_buf());
}

/// Makes a folder whole by the removal of its list of files, and notes it.
pub(crate) fn finish(
    root: &Path,
    remove_list: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let mut filling = filling();
    remove_list()?;
    if let Some(place) = filling.begun.iter().position(|begun| begun == root) {
        filling.begun.remove(place);
        filling.is_one_whole = true;
    }
    Ok(())
}

/// Does some work on a folder; waits as long as folders are abandoned, so that no error of it is reported then.
pub(crate) fn unless_abandoned<T>(work: impl FnOnce() -> T) -> T {
    let _filling = filling();
    work()
}

/// As long as this value exists, this process makes no temporary files and completes no run folder: what does so waits.
#[derive(Debug)]
#[must_use]
pub struct AbandonedFolders {
    _filling: MutexGuard<'static, Filling>,
    _files: Abandoned,
}

/// Removes what this process has begun: temporary files, as [`atomic::abandon`] does, and the listed files and empty sub-folders
/// of run folders that are not whole. What cannot be removed is left to the next process, as after a kill.
///
/// With `unless_whole` nothing is removed, and `None` returned, once this process has made a run folder whole: its run can go on.
pub fn abandon_folders(unless_whole: bool) -> Option<AbandonedFolders> {
    let filling = filling();
    if unless_whole && filling.is_one_whole {
        return None;
    }
    let files = atomic::abandon();
    for root in &filling.begun {
        let folder = RunFolder::at_path(root);
        if folder.remove_listed().is_ok() {
            folder.remove_empty_folders();
        }
    }
    Some(AbandonedFolders { _filling: filling, _files: files })
}
