//! How a process claims the folder of a run: creation, the list of files that it is about to write, and the lock.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use super::{FOLDERS, INPUT, LOG, RESOLVED, RUN, RunFolder, UNFINISHED, is_absent};
use crate::atomic::{self, TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::links::refuse_link;
use crate::{Error, filling};

const LOCK: &str = "lock";
const PATIENCE: Duration = Duration::from_secs(1);
/// Between the names in the list of files, which are relative to the folder; no name contains it.
const SEPARATOR: &str = "\0";

/// The lock of a folder: while this value exists, no other process can take it. The operating
/// system releases it when the process ends, even by a kill.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunFolder {
    /// Creates the folder of a new run with its sub-folders, and takes its lock.
    ///
    /// The folder is checked under the lock, so only one of several processes that start together
    /// gets it. A folder whose run stopped before it wrote anything counts as empty.
    pub fn create(path: &Path) -> Result<(Self, RunLock), Error> {
        Self::at_path(path).claim(false)
    }

    /// Like [`RunFolder::create`], for a folder that a killed process may have begun to fill: the
    /// files that it listed with [`RunFolder::begin_filling`] are removed, and no others. A folder
    /// that holds a whole run, or other files than the listed ones, is an error.
    pub fn create_again(path: &Path) -> Result<(Self, RunLock), Error> {
        Self::at_path(path).claim(true)
    }

    /// Refuses a path at which [`RunFolder::create`] can never make a folder: a name in it is too long, it begins with `~`
    /// ([`refuse_tilde`]), a file is there or above it, or it names no folder of its own, as `.` does, and what is there holds no run.
    pub fn refuse_unusable(path: &Path) -> Result<(), Error> {
        refuse_long_names(path)?;
        refuse_tilde(path)?;
        if path.ancestors().any(Path::is_file) {
            return Err(not_a_folder(path));
        }
        let is_named = path.components().any(|part| matches!(part, Component::Normal(_)));
        if is_named || Self::open(path).is_ok() {
            return Ok(());
        }
        Self::at_path(path).refuse_if_used(false)
    }

    /// Whether [`RunFolder::create_again`] refuses the folder at a path for what is in it, and this is no run and no jobs.
    pub fn is_taken(path: &Path) -> bool {
        let used = Self::at_path(path).refuse_if_used(true);
        let is_used = used.is_err_and(|error| error.code() == "io/folder-exists");
        is_used && Self::open(path).is_err() && !Self::is_of_jobs(path)
    }

    fn claim(self, again: bool) -> Result<(Self, RunLock), Error> {
        refuse_long_names(&self.root)?;
        refuse_tilde(&self.root)?;
        self.refuse_links()?;
        // This check comes first, so that no lock file is created in a folder that holds other files.
        self.refuse_if_used(again)?;
        create_folder(&self.root)?;
        let lock = self.lock()?;
        // Another process may have filled the folder in the meantime.
        self.refuse_if_used(again)?;
        if again {
            self.undo_filling()?;
        }
        filling::begin(&self.root);
        for folder in FOLDERS {
            create_folder(&self.root.join(folder))?;
        }
        Ok((self, lock))
    }

    /// Refuses links in place of the sub-folders and of the files in the folder itself. The folder may be a link.
    pub(super) fn refuse_links(&self) -> Result<(), Error> {
        let files = [LOCK, RESOLVED, RUN, UNFINISHED, INPUT, LOG];
        FOLDERS.into_iter().chain(files).try_for_each(|name| refuse_link(&self.root.join(name)))
    }

    /// Refuses a folder that holds anything but its lock, empty sub-folders and, if `again`, the
    /// files that an interrupted creation listed.
    fn refuse_if_used(&self, again: bool) -> Result<(), Error> {
        let path = &self.root;
        let is_whole = || Self::open(path).is_ok();
        let listed = if again && !is_whole() { self.listed()? } else { Vec::new() };
        match self.holds_only(&listed.into_iter().collect()) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let name = path.display();
                let message = format!(
                    "The folder {name} exists and is not empty. Choose another one with --output, \
                     continue its run with `beadwork resume {name}`, or use `beadwork run --continue`."
                );
                Err(Error::other("io/folder-exists", message))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotADirectory => Err(not_a_folder(path)),
            Err(error) => Err(Error::read(path)(error)),
        }
    }

    fn holds_only(&self, listed: &HashSet<PathBuf>) -> std::io::Result<bool> {
        let is_known = |entry: &fs::DirEntry| is_temporary(entry) || listed.contains(&entry.path());
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name();
            if FOLDERS.iter().any(|folder| name == *folder) && entry.file_type()?.is_dir() {
                for inner in fs::read_dir(entry.path())? {
                    if !is_known(&inner?) {
                        return Ok(false);
                    }
                }
            } else if name != LOCK && !is_known(&entry) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lists the files that a new run is about to write, in this order. Until
    /// [`RunFolder::finish_filling`] the folder counts as unfinished.
    pub fn begin_filling(&self, files: &[PathBuf]) -> Result<(), Error> {
        let name = |file: &PathBuf| {
            file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy().into_owned()
        };
        let names: Vec<String> = files.iter().map(name).collect();
        atomic::write(&self.root.join(UNFINISHED), names.join(SEPARATOR).as_bytes())
    }

    /// Removes the list, if there is one.
    pub fn finish_filling(&self) -> Result<(), Error> {
        filling::finish(&self.root, || remove_file(&self.root.join(UNFINISHED)))
    }

    /// Removes the sub-folders that are empty.
    pub(crate) fn remove_empty_folders(&self) {
        for folder in FOLDERS {
            // One with files stays.
            let _ = fs::remove_dir(self.root.join(folder));
        }
    }

    /// Removes the listed files, the last one first and the list at the end: after a kill in
    /// between the folder still counts as unfinished. A name that leads through a link is refused
    /// before anything is removed; a file that is a link itself is removed, and what it points to
    /// stays.
    pub fn undo_filling(&self) -> Result<(), Error> {
        filling::unless_abandoned(|| self.remove_listed())
    }

    pub(crate) fn remove_listed(&self) -> Result<(), Error> {
        let files = self.listed()?;
        for file in &files {
            let folders = file.ancestors().skip(1).take_while(|folder| *folder != self.root);
            folders.into_iter().try_for_each(refuse_link)?;
        }
        files.iter().rev().try_for_each(|file| remove_file(file))
    }

    /// The path of the list that [`RunFolder::begin_filling`] wrote, then the files in it.
    fn listed(&self) -> Result<Vec<PathBuf>, Error> {
        let list = self.root.join(UNFINISHED);
        let bytes = match beadwork_files::read(&list, beadwork_files::LARGEST_TEXT) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            other => other.map_err(Error::read(&list))?,
        };
        // This program never lists a path outside of the folder, so such a name is ignored.
        let is_inside = |name: &&str| {
            !name.is_empty()
                && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
        };
        let names = String::from_utf8_lossy(&bytes);
        let files = names.split(SEPARATOR).filter(is_inside).map(|name| self.root.join(name));
        Ok(std::iter::once(list.clone()).chain(files).collect())
    }

    /// Takes the lock of the folder, and removes temporary files of killed processes. It is an error if another
    /// process, or another [`RunLock`] of this one, holds the lock.
    pub fn lock(&self) -> Result<RunLock, Error> {
        self.refuse_links()?;
        let path = self.root.join(LOCK);
        beadwork_files::refuse_special(&path).map_err(Error::read(&path))?;
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::write(&path))?;
        let began = Instant::now();
        let mut locked = file.try_lock();
        // A process that was just killed, or that asks whether one works here, may hold the lock for a moment.
        while matches!(locked, Err(TryLockError::WouldBlock)) && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
            locked = file.try_lock();
        }
        locked.map_err(|error| match error {
            TryLockError::WouldBlock => {
                let message = format!(
                    "Another beadwork process is working in {}. Wait for it to end, or stop it, \
                     and try again.",
                    self.root.display()
                );
                Error::other("io/folder-busy", message)
            }
            TryLockError::Error(source) => {
                let message = format!(
                    "Could not lock {}: {source}. Two processes in one folder would spoil its \
                     files, so choose a folder on a file system with locks.",
                    path.display()
                );
                Error::other("io/lock", message)
            }
        })?;
        remove_leftovers(&self.root)?;
        for folder in FOLDERS {
            remove_leftovers(&self.root.join(folder))?;
        }
        Ok(RunLock { _file: file })
    }

    /// Whether a process works in the folder now. A lock that cannot be asked counts as free.
    ///
    /// No system tells of a lock without taking it, so this takes a shared one for an instant: those that ask do not count as
    /// busy to each other, and a process that begins to work waits that long ([`RunFolder::lock`]).
    pub fn is_busy(&self) -> bool {
        let path = self.root.join(LOCK);
        let file = match beadwork_files::refuse_special(&path) {
            // Reading is enough for a shared lock, also in the folder of another user.
            Ok(()) => File::open(&path),
            Err(error) => Err(error),
        };
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Refuses `~`, `~/x` and `~user/x` as the path of something new, which would lie in a folder of that name: only shells put a home
/// folder there. A file may be called `~x`.
///
/// # Errors
/// `io/tilde`, with what to write.
pub fn refuse_tilde(path: &Path) -> Result<(), Error> {
    let text = path.to_string_lossy();
    let home = match text.split_once('/') {
        _ if text == "~" => "$HOME".to_string(),
        Some(("~", rest)) => format!("$HOME/{rest}"),
        Some((user, _)) if user.starts_with('~') => "the same without quotes".to_string(),
        _ => return Ok(()),
    };
    let message = format!(
        "The path {text} begins with ~. Only shells put a home folder in its place, and only at the \
         beginning of a word without quotes. Write the whole path, or in a shell {home}; or write \
         ./{text} if a folder with that name is meant."
    );
    Err(Error::other("io/tilde", message))
}

/// Creates a folder and its parents if they do not exist.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => not_a_folder(path),
        _ => Error::write(path)(source),
    })
}

/// The longest name that file systems take, bytes.
const LONGEST_NAME: usize = 255;
/// The longest path of a folder, bytes: Linux takes 4,096, of the files in it too.
const LONGEST_PATH: usize = 4_000;

/// Refuses names that no usual file system takes, before the folders above them are made.
fn refuse_long_names(path: &Path) -> Result<(), Error> {
    let bytes = |part: &Component<'_>| part.as_os_str().len();
    let longest = path.components().map(|part| bytes(&part)).max().unwrap_or(0);
    let (what, found, most) = match path.as_os_str().len() {
        _ if longest > LONGEST_NAME => ("A name in the path", longest, LONGEST_NAME),
        whole if whole > LONGEST_PATH => ("The path", whole, LONGEST_PATH),
        _ => return Ok(()),
    };
    let name = path.to_string_lossy();
    let beginning: String = name.chars().take(40).collect();
    let message = format!(
        "{what} of the folder {beginning}… has {found} bytes, and at most {most} are possible. Choose \
         a shorter one with --output, or by `folder` in [output]."
    );
    Err(Error::other("io/long-name", message))
}

fn not_a_folder(path: &Path) -> Error {
    let message = format!(
        "{} cannot be made a folder, since it or what it lies in is a file. Choose another name, or \
         move the file away.",
        path.display()
    );
    Error::other("io/not-a-folder", message)
}

fn is_temporary(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX)
}

fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if is_absent(&error) => Ok(()),
        other => other.map_err(Error::write(path)),
    }
}

fn remove_leftovers(folder: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        // A user may have removed a sub-folder such as the plots.
        Err(error) if is_absent(&error) => return Ok(()),
        other => other.map_err(Error::read(folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(Error::read(folder))?;
        if is_temporary(&entry) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let remove = if is_folder { fs::remove_dir_all } else { fs::remove_file };
            remove(entry.path()).map_err(Error::write(&entry.path()))?;
        }
    }
    Ok(())
}
