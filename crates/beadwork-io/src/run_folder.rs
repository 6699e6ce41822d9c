//! The folder of a run: the paths of its files, and the lock that decides which process may write.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use crate::atomic::{self, TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::links::refuse_link;
use crate::{Error, FrameFormat, filling};

const TRAJECTORIES: &str = "trajectories";
const TABLES: &str = "tables";
const CHECKPOINTS: &str = "checkpoints";
const PLOTS: &str = "plots";
const FINAL: &str = "final";
const FOLDERS: [&str; 6] = ["inputs", TRAJECTORIES, TABLES, CHECKPOINTS, PLOTS, FINAL];

const PATIENCE: Duration = Duration::from_secs(1);
const RESOLVED: &str = "resolved.toml";
const RUN: &str = "run.json";
/// In a folder of jobs the replicas of each part.
const PARTS: &str = "parts.txt";
const LOCK: &str = "lock";
const INPUT: &str = "input.toml";
const LOG: &str = "log.txt";

/// The list of files that a new run is about to write, kept until they are written. Names are
/// relative to the folder, separated by a character that no name contains.
const UNFINISHED: &str = ".beadwork-unfinished";
const SEPARATOR: &str = "\0";

/// Least number of digits of a member's number in file names.
const SMALLEST_WIDTH: usize = 4;

/// The paths of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
    width: usize,
    /// Numbers of the members in this folder, if known.
    members: Range<usize>,
}

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

    fn claim(self, again: bool) -> Result<(Self, RunLock), Error> {
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
    fn refuse_links(&self) -> Result<(), Error> {
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

    /// Opens the folder of an existing run, which has a `resolved.toml` and a `run.json`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let Some(missing) = [RESOLVED, RUN].into_iter().find(|name| !path.join(name).is_file())
        else {
            let folder = Self::at_path(path);
            folder.refuse_links()?;
            return Ok(folder);
        };
        let name = path.display();
        let what = match path.metadata() {
            Err(error) if is_absent(&error) => format!("There is no {name}"),
            Ok(found) if !found.is_dir() => format!("{name} is not a folder"),
            _ if Self::is_of_jobs(path) => {
                let message = format!(
                    "{name} is a folder of jobs, and its parts are the runs. Name one, such as \
                     {name}/part-0, or all by {name}/part-* where a command takes several."
                );
                return Err(Error::other("io/not-a-run-folder", message));
            }
            _ => format!("{name} is not the folder of a run: it has no {missing}"),
        };
        let message = match path.join(UNFINISHED).exists() {
            true => format!(
                "{what}, since the run was stopped while it started: delete the folder and run it again."
            ),
            false => format!("{what}. Name the folder that `beadwork run` made."),
        };
        Err(Error::other("io/not-a-run-folder", message))
    }

    /// Whether a folder is one of jobs, as `beadwork submit` writes it.
    pub fn is_of_jobs(path: &Path) -> bool {
        [RESOLVED, PARTS].iter().all(|name| path.join(name).is_file())
    }

    /// The run whose sub-folder has, or would have, this path: that of `runs/melt` for `runs/melt/trajectories/a.gsd`. None for
    /// what lies in `plots`, where a person may have files beside those that the run draws.
    pub fn around(path: &Path) -> Option<Self> {
        let path = std::path::absolute(path).ok()?;
        // What is there may lie elsewhere, behind a link.
        let there = path.ancestors().find_map(|one| Some((one, one.canonicalize().ok()?)));
        let place = there.map_or(path.clone(), |(one, found)| {
            found.join(path.strip_prefix(one).unwrap_or(Path::new("")))
        });
        place.ancestors().find_map(|folder| {
            let name = folder.file_name()?;
            let is_own = FOLDERS.iter().any(|own| name == *own);
            let is_own = is_own && (name != PLOTS || folder == place);
            is_own.then(|| Self::open(folder.parent()?).ok()).flatten()
        })
    }

    /// The folder that a run will have, which need not be there.
    pub fn at_path(path: &Path) -> Self {
        Self { root: path.to_path_buf(), width: SMALLEST_WIDTH, members: 0..0 }
    }

    /// The same folder for a run of `members` members. Their numbers have as many digits as the
    /// largest needs, at least four.
    #[must_use]
    pub fn with_members(self, members: usize) -> Self {
        let width = members.saturating_sub(1).to_string().len();
        Self { width: width.max(SMALLEST_WIDTH), members: 0..members, ..self }
    }

    /// The same folder for a part of the run: member 0 of the folder is member `part.start` of the
    /// run, and its files are named so.
    #[must_use]
    pub fn with_part(self, part: Range<usize>) -> Self {
        Self { members: part, ..self }
    }

    /// The numbers of this folder's members in the whole run.
    pub fn members(&self) -> Range<usize> {
        self.members.clone()
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

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `input.toml`: the input as the user wrote it.
    pub fn input(&self) -> PathBuf {
        self.root.join(INPUT)
    }

    /// `resolved.toml`: the input with every default spelled out.
    pub fn resolved(&self) -> PathBuf {
        self.root.join(RESOLVED)
    }

    /// `run.json`: version, device, seed.
    pub fn run_json(&self) -> PathBuf {
        self.root.join(RUN)
    }

    /// `log.txt`.
    pub fn log(&self) -> PathBuf {
        self.root.join(LOG)
    }

    /// `topology.psf`.
    pub fn topology_psf(&self) -> PathBuf {
        self.root.join("topology.psf")
    }

    /// `topology.pdb`.
    pub fn topology_pdb(&self) -> PathBuf {
        self.root.join("topology.pdb")
    }

    /// `trajectories/member-0007.xtc`, `.dcd` or `.gsd`, for the member with this number. Here and below,
    /// members of a part are counted from its first.
    pub fn trajectory(&self, member: usize, format: impl Into<FrameFormat>) -> PathBuf {
        self.member(TRAJECTORIES, member, &format!(".{}", format.into().extension()))
    }

    /// `tables/member-0007-frames.csv`: exact steps and times of the trajectory's frames.
    pub fn frames(&self, member: usize) -> PathBuf {
        self.member(TABLES, member, "-frames.csv")
    }

    /// `tables/member-0007.csv`: the observables of a member.
    pub fn table(&self, member: usize) -> PathBuf {
        self.member(TABLES, member, ".csv")
    }

    /// `checkpoints/member-0007.ckpt`.
    pub fn checkpoint(&self, member: usize) -> PathBuf {
        self.member(CHECKPOINTS, member, ".ckpt")
    }

    /// Makes the checkpoints that have been written survive a power cut.
    pub fn sync_checkpoints(&self) -> Result<(), Error> {
        self.sync(CHECKPOINTS).map_err(Error::write(&self.root.join(CHECKPOINTS)))
    }

    /// Makes the final coordinates that have been written survive a power cut.
    pub fn sync_final(&self) -> Result<(), Error> {
        match self.sync(FINAL) {
            // A run folder of an earlier version may have none.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other.map_err(Error::write(&self.root.join(FINAL))),
        }
    }

    fn sync(&self, name: &str) -> std::io::Result<()> {
        atomic::sync_folder(&self.root.join(name))
    }

    /// `final/replica-7.pdb`: the final positions of a member. The number has no leading zeros, so
    /// that an input can write `final/replica-{replica}.pdb`.
    pub fn final_coordinates(&self, member: usize) -> PathBuf {
        self.root.join(FINAL).join(format!("replica-{}.pdb", self.members.start + member))
    }

    /// `final/replica-7.gsd`: the final frame of a member whose beads the input lists, with bonds.
    pub fn final_frame(&self, member: usize) -> PathBuf {
        self.final_coordinates(member).with_extension("gsd")
    }

    /// `final/replica-7.xyz`: the final positions and velocities of a member whose beads the input lists.
    pub fn final_beads(&self, member: usize) -> PathBuf {
        self.final_coordinates(member).with_extension("xyz")
    }

    /// `tables.parquet`: the rows of all members.
    pub fn tables_parquet(&self) -> PathBuf {
        self.root.join("tables.parquet")
    }

    /// `plots/`.
    pub fn plots(&self) -> PathBuf {
        self.root.join(PLOTS)
    }

    /// `members.csv`: the settings that differ between members.
    pub fn members_csv(&self) -> PathBuf {
        self.root.join("members.csv")
    }

    fn member(&self, folder: &str, member: usize, ending: &str) -> PathBuf {
        let (width, member) = (self.width, self.members.start + member);
        self.root.join(folder).join(format!("member-{member:0width$}{ending}"))
    }
}

/// Creates a folder and its parents if they do not exist.
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => not_a_folder(path),
        _ => Error::write(path)(source),
    })
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

/// Whether the error means that a path does not exist.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
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
