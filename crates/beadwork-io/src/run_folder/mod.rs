//! The folder of a run: the paths of its files, and the lock that decides which process may write.

mod claim;

use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{Error, FrameFormat, atomic};

pub use claim::{RunLock, create_folder, refuse_tilde};

const TRAJECTORIES: &str = "trajectories";
const TABLES: &str = "tables";
const CHECKPOINTS: &str = "checkpoints";
const PLOTS: &str = "plots";
const FINAL: &str = "final";
const FOLDERS: [&str; 6] = ["inputs", TRAJECTORIES, TABLES, CHECKPOINTS, PLOTS, FINAL];

const RESOLVED: &str = "resolved.toml";
const RUN: &str = "run.json";
/// In a folder of jobs the replicas of each part.
const PARTS: &str = "parts.txt";
const INPUT: &str = "input.toml";
const LOG: &str = "log.txt";
/// The list of files that a new run is about to write, kept until they are written.
const UNFINISHED: &str = ".beadwork-unfinished";

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

impl RunFolder {
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

/// Whether the error means that a path does not exist.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
