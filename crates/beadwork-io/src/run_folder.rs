//! The folder of a run: where each of its files is, and who may write there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::atomic::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::{Error, TrajectoryFormat};

const INPUTS: &str = "inputs";
const TRAJECTORIES: &str = "trajectories";
const TABLES: &str = "tables";
const CHECKPOINTS: &str = "checkpoints";
const PLOTS: &str = "plots";
const FINAL: &str = "final";
const FOLDERS: [&str; 6] = [INPUTS, TRAJECTORIES, TABLES, CHECKPOINTS, PLOTS, FINAL];

/// How long the lock of a folder is waited for.
const PATIENCE: Duration = Duration::from_secs(1);
const RESOLVED: &str = "resolved.toml";
const RUN: &str = "run.json";
const LOCK: &str = "lock";

/// Digits of a member's number in file names, unless there are more members.
const SMALLEST_WIDTH: usize = 4;

/// The paths of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
    width: usize,
    /// Numbers of the members that are here, where it is known.
    members: Range<usize>,
}

/// While it lives, no other process gets the lock of the same folder. The operating system
/// releases it when the process ends, however that happens.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunFolder {
    /// Makes the folder and its sub-folders.
    ///
    /// A folder in which a run stopped before it wrote anything counts as empty.
    ///
    /// # Errors
    /// [`Error::FolderExists`] if it exists and is not empty; [`Error::NotAFolder`], [`Error::Read`],
    /// [`Error::Write`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        match is_untouched(path) {
            Ok(true) => {}
            Ok(false) => {
                return Err(Error::FolderExists { path: path.to_path_buf() });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(Error::NotAFolder { path: path.to_path_buf() });
            }
            Err(error) => return Err(Error::read(path)(error)),
        }
        for folder in FOLDERS {
            create_folder(&path.join(folder))?;
        }
        Ok(Self::at(path))
    }

    /// The folder of a run that was started earlier.
    ///
    /// # Errors
    /// [`Error::NotARunFolder`] if it has no `resolved.toml` or no `run.json`.
    pub fn open(path: &Path) -> Result<Self, Error> {
        for missing in [RESOLVED, RUN] {
            if !path.join(missing).is_file() {
                return Err(Error::NotARunFolder { path: path.to_path_buf(), missing });
            }
        }
        Ok(Self::at(path))
    }

    fn at(path: &Path) -> Self {
        Self { root: path.to_path_buf(), width: SMALLEST_WIDTH, members: 0..0 }
    }

    /// The same folder for a run of `members` members: their numbers have as many digits as the
    /// largest needs, and at least four.
    #[must_use]
    pub fn with_members(self, members: usize) -> Self {
        let width = members.saturating_sub(1).to_string().len();
        Self { width: width.max(SMALLEST_WIDTH), members: 0..members, ..self }
    }

    /// The same folder for a part of that run: member 0 of the folder is member `part.start` of
    /// the run, and its files are called so.
    #[must_use]
    pub fn with_part(self, part: Range<usize>) -> Self {
        Self { members: part, ..self }
    }

    /// The numbers that the members of this folder have in the whole run.
    pub fn members(&self) -> Range<usize> {
        self.members.clone()
    }

    /// Takes the lock of the folder, and removes temporary files that a killed process left.
    ///
    /// # Errors
    /// [`Error::FolderBusy`] if another process (or another [`RunLock`] of this one) has it;
    /// [`Error::Lock`] if the file system has no locks; [`Error::Write`].
    pub fn lock(&self) -> Result<RunLock, Error> {
        let path = self.root.join(LOCK);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::write(&path))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // A process that was killed a moment ago may still have it.
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::FolderBusy { path: self.root.clone() });
                }
                Err(TryLockError::Error(source)) => return Err(Error::Lock { path, source }),
            }
        }
        remove_leftovers(&self.root)?;
        for folder in FOLDERS {
            remove_leftovers(&self.root.join(folder))?;
        }
        Ok(RunLock { _file: file })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `input.toml`: the input as the user wrote it.
    pub fn input(&self) -> PathBuf {
        self.root.join("input.toml")
    }

    /// `resolved.toml`: the input with every default spelled out.
    pub fn resolved(&self) -> PathBuf {
        self.root.join(RESOLVED)
    }

    /// `inputs/`: copies of the files that the input names.
    pub fn inputs(&self) -> PathBuf {
        self.root.join(INPUTS)
    }

    /// `run.json`: version, device, seed.
    pub fn run_json(&self) -> PathBuf {
        self.root.join(RUN)
    }

    /// `log.txt`.
    pub fn log(&self) -> PathBuf {
        self.root.join("log.txt")
    }

    /// `topology.psf`.
    pub fn topology_psf(&self) -> PathBuf {
        self.root.join("topology.psf")
    }

    /// `topology.pdb`.
    pub fn topology_pdb(&self) -> PathBuf {
        self.root.join("topology.pdb")
    }

    /// `trajectories/member-0007.xtc` or `.dcd`, for the member with this number. Here and below,
    /// members of a part are counted from its first.
    pub fn trajectory(&self, member: usize, format: TrajectoryFormat) -> PathBuf {
        self.member(TRAJECTORIES, member, &format!(".{}", format.extension()))
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

    /// `final/replica-7.pdb`: where the beads of a member were at its end. No zeros stand before
    /// the number, so that an input can name it `final/replica-{replica}.pdb`.
    pub fn final_coordinates(&self, member: usize) -> PathBuf {
        self.root.join(FINAL).join(format!("replica-{}.pdb", self.members.start + member))
    }

    /// `tables.parquet`: the rows of all members.
    pub fn tables_parquet(&self) -> PathBuf {
        self.root.join("tables.parquet")
    }

    /// `plots/`.
    pub fn plots(&self) -> PathBuf {
        self.root.join(PLOTS)
    }

    /// `members.csv`: what distinguishes the members.
    pub fn members_csv(&self) -> PathBuf {
        self.root.join("members.csv")
    }

    fn member(&self, folder: &str, member: usize, ending: &str) -> PathBuf {
        let (width, member) = (self.width, self.members.start + member);
        self.root.join(folder).join(format!("member-{member:0width$}{ending}"))
    }
}

/// Makes a folder, and those that it lies in, unless they are there.
///
/// # Errors
/// [`Error::NotAFolder`] if one of them is a file; [`Error::Write`].
pub fn create_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            Error::NotAFolder { path: path.to_path_buf() }
        }
        _ => Error::write(path)(source),
    })
}

/// Whether nothing is in the folder, or nothing but what [`RunFolder`] puts there.
fn is_untouched(path: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_empty_folder = FOLDERS.iter().any(|folder| name == *folder)
            && entry.file_type()?.is_dir()
            && fs::read_dir(entry.path())?.next().is_none();
        if !(is_empty_folder || name == LOCK || is_temporary(&entry)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_temporary(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX)
}

fn remove_leftovers(folder: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        // A user may have removed, say, the plots.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.map_err(Error::read(folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(Error::read(folder))?;
        if is_temporary(&entry) {
            fs::remove_file(entry.path()).map_err(Error::write(&entry.path()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_documented_names() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("runs").join("titin");
        let folder = RunFolder::create(&root).unwrap();
        let relative = |path: PathBuf| {
            let path = path.strip_prefix(&root).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let xtc = |folder: &RunFolder, member| folder.trajectory(member, TrajectoryFormat::Xtc);
        assert_eq!(relative(xtc(&folder, 7)), "trajectories/member-0007.xtc");
        assert_eq!(
            relative(folder.trajectory(7, TrajectoryFormat::Dcd)),
            "trajectories/member-0007.dcd"
        );
        assert_eq!(relative(folder.table(7)), "tables/member-0007.csv");
        assert_eq!(relative(folder.frames(7)), "tables/member-0007-frames.csv");
        assert_eq!(relative(folder.checkpoint(7)), "checkpoints/member-0007.ckpt");
        for (members, name) in [
            (1, "trajectories/member-0007.xtc"),
            (10_000, "trajectories/member-0007.xtc"),
            (10_001, "trajectories/member-00007.xtc"),
        ] {
            let folder = folder.clone().with_members(members);
            assert_eq!(relative(xtc(&folder, 7)), name);
        }
        // A part's files are called as those of the whole run.
        let part = folder.clone().with_members(100_000).with_part(7..9);
        assert_eq!(relative(part.table(0)), "tables/member-00007.csv");
        assert_eq!(relative(part.checkpoint(1)), "checkpoints/member-00008.ckpt");
        assert_eq!(relative(part.final_coordinates(0)), "final/replica-7.pdb");
        assert_eq!((part.members(), folder.clone().with_members(3).members()), (7..9, 0..3));
        for sub_folder in [folder.inputs(), folder.plots()] {
            assert!(sub_folder.is_dir());
        }
        assert!(xtc(&folder, 0).parent().unwrap().is_dir());
        assert!(folder.table(0).parent().unwrap().is_dir());
        assert!(folder.checkpoint(0).parent().unwrap().is_dir());
    }

    #[test]
    fn a_folder_in_use_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(place.path()).unwrap();
        // As after a kill in the first moment.
        drop(folder.lock().unwrap());
        let folder = RunFolder::create(place.path()).unwrap();
        fs::write(folder.input(), "[system]").unwrap();
        let error = RunFolder::create(place.path()).unwrap_err();
        assert_eq!(error.code(), "io/folder-exists");
        for advice in ["--output", "beadwork resume ", "run --continue"] {
            assert!(error.to_string().contains(advice));
        }
        fs::remove_file(folder.input()).unwrap();
        fs::write(folder.table(0), "step\n").unwrap();
        assert!(RunFolder::create(place.path()).is_err());
    }

    #[test]
    fn only_run_folders_are_opened() {
        let place = tempfile::tempdir().unwrap();
        let nowhere = RunFolder::open(&place.path().join("nowhere")).unwrap_err();
        assert_eq!(nowhere.code(), "io/not-a-run-folder");
        let folder = RunFolder::create(place.path()).unwrap();
        fs::write(folder.resolved(), "").unwrap();
        let error = RunFolder::open(place.path()).unwrap_err();
        assert!(error.to_string().contains("run.json"));
        fs::write(folder.run_json(), "{}").unwrap();
        assert_eq!(RunFolder::open(place.path()).unwrap(), folder);
    }

    #[test]
    fn one_lock_at_a_time() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(place.path()).unwrap();
        let leftover = place.path().join("checkpoints/.beadwork-x1y2.partial");
        fs::write(&leftover, "half a checkpoint").unwrap();
        let lock = folder.lock().unwrap();
        assert!(!leftover.exists());
        let error = folder.lock().unwrap_err();
        assert_eq!(error.code(), "io/folder-busy");
        assert!(error.to_string().contains("Another beadwork process"));
        drop(lock);
        folder.lock().unwrap();
    }
}
