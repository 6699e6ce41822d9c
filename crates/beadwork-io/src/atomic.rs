//! Writes files atomically: a file appears complete or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, create_dir, remove_dir_all, remove_file, rename};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};
use std::time::Instant;

use tempfile::NamedTempFile;

use crate::Error;

/// Prefix and suffix of every temporary file, by which files of a killed process are found.
pub(crate) const TEMPORARY_PREFIX: &str = ".beadwork-";
pub(crate) const TEMPORARY_SUFFIX: &str = ".partial";

/// Writes `bytes` to `path` so that a kill or a power cut leaves either the old contents or the
/// new ones.
///
/// A temporary file in the same folder is written, synced and renamed, and the folder is synced.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes).map_err(Error::write(path)))
}

/// Like [`write()`], for contents that do not fit into memory: `fill` writes them.
pub fn write_with<E: From<Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    replace_with(path, fill)?;
    Ok(sync_folder(&folder_of(path)).map_err(Error::write(path))?)
}

/// Like [`write()`], for writers that open their file themselves: `fill` gets the place of a new file, which has the name of
/// `path` in a temporary folder beside it.
pub fn write_at<T, E: From<Error>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let folder = folder_of(path);
    let (_unfinished, own) = make(&folder, |own| create_dir(own)).map_err(Error::write(path))?;
    let partial = own.path().join(path.file_name().unwrap_or_default());
    let moved = || {
        // Some systems sync only files that are open for writing.
        OpenOptions::new().write(true).open(&partial)?.sync_all()?;
        rename(&partial, path)?;
        sync_folder(&folder)
    };
    let written = fill(&partial).and_then(|value| {
        moved().map_err(Error::write(path))?;
        Ok(value)
    });
    // Empty, or with what could not be written whole: the result counts.
    let _ = remove_dir_all(own.path());
    written
}

/// Like [`write()`], but until the folder is synced a power cut may bring back the old contents.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(path, |file| file.write_all(bytes).map_err(Error::write(path)))
}

fn replace_with<E: From<Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let create = |own: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(own);
    let (_unfinished, mut file) = make(&folder_of(path), create).map_err(Error::write(path))?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all().map_err(Error::write(path))?;
    file.persist(path).map_err(|error| Error::write(path)(error.error))?;
    Ok(())
}

/// Creates a file or a folder of a new name in `folder`. A file goes with its handle, a folder has to be removed. The umask decides
/// who may read it. What tempfile creates by itself is private, and its errors name the new file, not the one that was asked for.
///
/// The new file counts as unfinished as long as the first value exists, which therefore has to be dropped after the second one.
fn make<R>(
    folder: &Path,
    mut create: impl FnMut(&Path) -> io::Result<R>,
) -> io::Result<(Option<Unfinished>, NamedTempFile<R>)> {
    let mut unfinished = None;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    let made = builder.make_in(folder, |own: &Path| {
        // `abandon` waits until this is dropped, so each file that it could miss is in the list by then.
        let _may_make = MAKING.read().unwrap_or_else(PoisonError::into_inner);
        let made = create(own)?;
        unfinished = Some(Unfinished::list(own));
        Ok(made)
    })?;
    Ok((unfinished, made))
}

/// Held by threads that are making a temporary file, for reading, and by [`abandon`], for writing.
static MAKING: RwLock<()> = RwLock::new(());

/// The temporary files and folders that this process is writing.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder in the list of those that are being written.
struct Unfinished(PathBuf);

impl Unfinished {
    fn list(path: &Path) -> Unfinished {
        unfinished().insert(path.to_path_buf());
        Unfinished(path.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // A thread whose file was abandoned waits here for the end, and reports no error.
        let _may_make = MAKING.read().unwrap_or_else(PoisonError::into_inner);
        unfinished().remove(&self.0);
    }
}

/// As long as this value exists, this process makes no temporary files: what writes one waits.
#[derive(Debug)]
#[must_use]
pub struct Abandoned {
    _may_make: RwLockWriteGuard<'static, ()>,
}

/// How often the removal of a folder is tried: a thread may make files in it while it is being emptied.
const REMOVALS: usize = 1000;

/// Removes the temporary files that this process is writing, for one that is about to end in the middle of its work. The files that
/// they were to replace stay as they are. What cannot be removed is left.
pub fn abandon() -> Abandoned {
    let may_make = MAKING.write().unwrap_or_else(PoisonError::into_inner);
    let listed: Vec<PathBuf> = unfinished().iter().cloned().collect();
    for path in listed {
        if path.is_dir() {
            let _ = (0..REMOVALS).any(|_| remove_dir_all(&path).is_ok() || !path.exists());
        } else {
            let _ = remove_file(&path);
        }
    }
    Abandoned { _may_make: may_make }
}

pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Makes new names in `folder` survive a power cut. Only Unix can open folders, and only Unix needs
/// it.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Like [`sync_folder`], unless this process has begun to sync the folder after `created` and is done: one call serves all
/// files that were created before it.
pub(crate) fn sync_folder_since(folder: &Path, created: Instant) -> std::io::Result<()> {
    static SYNCED: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());
    // Threads wait for each other here, so that the first serves all.
    let mut synced = SYNCED.lock().unwrap_or_else(PoisonError::into_inner);
    if synced.get(folder).is_some_and(|begun| *begun > created) {
        return Ok(());
    }
    let begun = Instant::now();
    sync_folder(folder)?;
    synced.insert(folder.to_path_buf(), begun);
    Ok(())
}
