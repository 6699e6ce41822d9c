//! Errors of files and folders, with messages for users.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file of a run could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read.
    #[error("Could not read {}: {source}. Check that the file exists and may be read.", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },

    /// The operating system refused to write; a full disk has its own message.
    #[error("{}", write_message(path, source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },

    /// An output file holds less than the checkpoint says.
    #[error(
        "The output file {} holds {found} bytes, but the checkpoint expects at least {expected}: \
         it was shortened or replaced after the checkpoint. Put the original back, or start the \
         run anew in another folder.", path.display()
    )]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Bytes that the checkpoint expects.
        expected: u64,
        /// Bytes that the file has.
        found: u64,
    },

    /// A coordinate that the format cannot express.
    #[error(
        "Bead {bead} (counted from 0) is at {axis} = {}, which {} cannot hold: {limit}.",
        in_few_digits(*value), path.display()
    )]
    Coordinate {
        /// The file.
        path: PathBuf,
        /// Index of the bead, from 0.
        bead: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// The coordinate, Å or in reduced units.
        value: f64,
        /// What the format can hold; it may say what to do.
        limit: &'static str,
    },

    /// Parquet output is requested, but this program was built without it.
    #[error(
        "[output]: `parquet = true` needs a beadwork that was built with Parquet. Install it by \
         `cargo install --path crates/beadwork --features parquet`, or take the key out: all \
         tables are written as CSV in any case."
    )]
    NoParquet,

    /// Any other error; [`Error::code`] tells which.
    #[error("{message}")]
    Other {
        /// One of [`ERROR_CODES`].
        code: &'static str,
        /// What is wrong, where, and what to do.
        message: String,
    },
}

/// Each code that [`Error::code`] returns, with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("io/read", "a file could not be read"),
    ("io/write", "a file could not be written"),
    ("io/disk-full", "the disk or the quota is full"),
    ("io/missing-output", "an output file of a run is gone"),
    ("io/short-output", "an output file is shorter than its checkpoint says"),
    ("io/changed-output", "an output file of a run has other bytes than were written"),
    ("io/link", "a symbolic link in a run's folder"),
    ("io/changed-outside", "another program changed an output file of a running run"),
    ("io/other-trajectory", "the trajectory to be continued belongs to something else"),
    ("io/bead-count", "positions for another number of beads than the file has"),
    ("io/too-many-beads", "more beads than the file format can number"),
    ("io/timing", "steps or a time step that the trajectory format cannot express"),
    ("io/coordinate", "a coordinate that the file format cannot express"),
    ("io/table-columns", "a row with another number of values than the table has columns"),
    ("io/table-number", "a NaN or an infinity was to be written into a table"),
    ("io/table-header", "the table to be continued has other columns than this version writes"),
    ("io/name", "a name that a topology file cannot hold"),
    ("io/number", "a number of a bead that does not fit its column"),
    ("io/bond", "a bond to a bead that does not exist"),
    ("io/checkpoint-missing", "there is no checkpoint"),
    ("io/not-a-checkpoint", "the file is no checkpoint"),
    ("io/checkpoint-version", "the checkpoint's format has another version"),
    ("io/checkpoint-kind", "the checkpoint is of another kind of computation"),
    ("io/checkpoint-truncated", "the end of the checkpoint is missing"),
    ("io/checkpoint-damaged", "the checkpoint's checksum does not match"),
    ("io/folder-exists", "the folder for a new run is not empty"),
    ("io/not-a-folder", "there is a file where a folder is needed"),
    ("io/long-name", "the folder for a new run has a name or a path that is too long"),
    ("io/tilde", "the path of something new begins with ~"),
    ("io/not-a-run-folder", "the folder holds no run"),
    ("io/no-parquet", "Parquet is asked for, and this program was built without it"),
    ("io/folder-busy", "another process is working in the run's folder"),
    ("io/lock", "the file system cannot lock a file"),
];

impl Error {
    /// A code that stays the same between versions, one of [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "io/read",
            Self::Write { source, .. } if is_disk_full(source) => "io/disk-full",
            Self::Write { .. } => "io/write",
            Self::TooShort { .. } => "io/short-output",
            Self::Coordinate { .. } => "io/coordinate",
            Self::NoParquet => "io/no-parquet",
            Self::Other { code, .. } => code,
        }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Read { path: path.to_path_buf(), source }
    }

    /// The error of a file that cannot be written.
    pub fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.to_path_buf(), source }
    }

    pub(crate) fn other(code: &'static str, message: String) -> Self {
        debug_assert!(ERROR_CODES.iter().any(|(known, _)| *known == code), "{code}");
        Self::Other { code, message }
    }

    /// The error of a trajectory with fewer frames than its list.
    pub fn short_trajectory(path: &Path) -> Self {
        let message = format!(
            "The trajectory {} ends before the last frame in the list of its frames: it was \
             shortened or replaced. Put the original back, or start the run anew in another folder.",
            path.display()
        );
        Self::other("io/short-output", message)
    }

    /// The error of a trajectory with a frame that cannot be read, and why.
    pub(crate) fn damaged_frames(path: &Path, why: &io::Error) -> Self {
        let message = format!(
            "The trajectory {} is damaged: {why}. Put the original back, or make it anew. Of a run, \
             `beadwork verify` compares all files with what was written.",
            path.display()
        );
        Self::other("io/changed-output", message)
    }

    /// The error of an output file that is gone.
    pub fn missing_output(path: &Path) -> Self {
        let message = format!(
            "The output file {} is gone, which the run has written. Put it back, or start the run anew \
             in another folder.",
            path.display()
        );
        Self::other("io/missing-output", message)
    }

    pub(crate) fn bead_count(path: &Path, expected: usize, found: usize) -> Self {
        let path = path.display();
        let message = format!("{path} is for {expected} beads, but {found} positions were given.");
        Self::other("io/bead-count", message)
    }

    pub(crate) fn too_many_beads(path: &Path, beads: usize, limit: usize) -> Self {
        let message = format!(
            "{} cannot hold {beads} beads: its format ends at {limit}. Choose another format.",
            path.display()
        );
        Self::other("io/too-many-beads", message)
    }

    /// The error of a row that does not fit its table.
    pub fn table_columns(path: &Path, expected: usize, found: usize) -> Self {
        let message = format!(
            "A row of {found} values was given to the table {}, which has {expected} columns.",
            path.display()
        );
        Self::other("io/table-columns", message)
    }

    pub(crate) fn number(path: &Path, bead: usize, field: &str, value: impl Display) -> Self {
        let message = format!(
            "Bead {bead} (counted from 0) has the {field} {value}, which does not fit its column \
             in {}.",
            path.display()
        );
        Self::other("io/number", message)
    }
}

/// A coordinate; a very large one as `4.4e90`, since all of its digits would hide the sentence.
fn in_few_digits(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        format!("{value:.1e}")
    } else {
        value.to_string()
    }
}

/// Whether the disk is full, or the quota of the user is used up.
fn is_disk_full(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn write_message(path: &Path, source: &io::Error) -> String {
    let path = path.display();
    match source.kind() {
        _ if is_disk_full(source) => {
            format!("The disk is full: {path} could not be written. Free some space.")
        }
        io::ErrorKind::FileTooLarge => format!(
            "Could not write {path}: it is longer than files may be here. Raise the limit (ulimit -f), or choose another disk."
        ),
        _ => format!(
            "Could not write {path}: {source}. Check that its folder exists and may be written."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_full_disk_has_its_own_sentence_and_code() {
        let path = Path::new("runs/titin/tables/member-0000.csv");
        let full = Error::write(path)(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(full.code(), "io/disk-full");
        assert!(full.to_string().contains("disk is full"));
        assert!(full.to_string().contains("member-0000.csv"));
        // Not every file that is written belongs to a run.
        assert!(!full.to_string().contains("resume"));
        let denied = Error::write(path)(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(denied.code(), "io/write");
        assert!(!denied.to_string().contains("disk is full"));
    }

    #[test]
    fn large_coordinates_have_few_digits() {
        let error = |value| {
            let path = PathBuf::from("a.dcd");
            Error::Coordinate { path, bead: 1, axis: 'x', value, limit: "it holds less" }
        };
        let said = error(-4.37e90).to_string();
        let expected =
            "Bead 1 (counted from 0) is at x = -4.4e90, which a.dcd cannot hold: it holds less.";
        assert_eq!(said, expected);
        assert!(error(10_000.25).to_string().contains("is at x = 10000.25, which"));
    }

    #[test]
    fn codes_are_listed_once() {
        let codes: BTreeSet<_> = ERROR_CODES.iter().map(|(code, _)| code).collect();
        assert_eq!(codes.len(), ERROR_CODES.len());
        assert!(codes.contains(&Error::NoParquet.code()));
    }
}
