//! Everything that can go wrong on the disk, in sentences.

use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be written to, or read from, a run's folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read.
    #[error("Could not read {}: {source}. Check that the file exists and may be read.", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// The operating system refused to write; a full disk has a sentence of its own.
    #[error("{}", write_message(path, source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// An output file that a checkpoint speaks of is gone.
    #[error(
        "The output file {} is gone, but the checkpoint expects it. Put it back, or start the run \
         anew in another folder.", path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
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
        /// Bytes that are there.
        found: u64,
    },

    /// An output file changed its length while it was being written.
    #[error(
        "The output file {} holds {found} bytes, but this run has written {expected}: another \
         program changed it. Leave the files of a running run alone, and resume it from its last \
         checkpoint.", path.display()
    )]
    ChangedOutside {
        /// The file.
        path: PathBuf,
        /// Bytes that this process wrote.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },

    /// The trajectory to be continued was written for something else.
    #[error(
        "The trajectory {} cannot be continued: {reason}. Put back the trajectory of this run, or \
         start the run anew in another folder.", path.display()
    )]
    OtherTrajectory {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: String,
    },

    /// A frame or a set of positions has another number of beads than the file.
    #[error("{} is for {expected} beads, but {found} positions were given.", path.display())]
    BeadCount {
        /// The file.
        path: PathBuf,
        /// Beads of the file.
        expected: usize,
        /// Positions given.
        found: usize,
    },

    /// More beads than the format can number.
    #[error(
        "{} cannot hold {beads} beads: its format ends at {limit}. Choose another format.",
        path.display()
    )]
    TooManyBeads {
        /// The file.
        path: PathBuf,
        /// Beads given.
        beads: usize,
        /// The most that the format holds.
        limit: usize,
    },

    /// A trajectory's timing that the format cannot express.
    #[error("The header of {} cannot hold {quantity} = {value}: {advice}.", path.display())]
    Timing {
        /// The file.
        path: PathBuf,
        /// Which part of the timing.
        quantity: &'static str,
        /// Its value.
        value: String,
        /// What to do.
        advice: &'static str,
    },

    /// A coordinate that the format cannot express.
    #[error(
        "Bead {bead} (counted from 0) is at {axis} = {value} Å, which {} cannot hold: {limit}.",
        path.display()
    )]
    Coordinate {
        /// The file.
        path: PathBuf,
        /// Index of the bead, from 0.
        bead: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// The coordinate, Å.
        value: f64,
        /// What the format holds, and what to do.
        limit: &'static str,
    },

    /// A row with more or fewer values than the table has columns.
    #[error("A row of {found} values was given to the table {}, which has {expected} columns.", path.display())]
    TableColumns {
        /// The file.
        path: PathBuf,
        /// Columns of the table.
        expected: usize,
        /// Values of the row.
        found: usize,
    },

    /// A value that is not a finite number.
    #[error(
        "Column {column:?} of the table {} was given {value}. The quantity has diverged; a value \
         that does not exist has to be given as missing.", path.display()
    )]
    TableNumber {
        /// The file.
        path: PathBuf,
        /// Name of the column.
        column: String,
        /// The value: NaN or an infinity.
        value: f64,
    },

    /// The first line of the table to be continued cannot be read.
    #[error(
        "The table {} cannot be continued: its first line does not name its columns. Put back the \
         table of this run, or start the run anew in another folder.", path.display()
    )]
    TableHeader {
        /// The file.
        path: PathBuf,
    },

    /// A name that a topology file cannot hold.
    #[error(
        "Bead {bead} (counted from 0) has the {field} {name:?}, which {} cannot hold: at most \
         {limit} characters, none of them a blank. Shorten it in the input.", path.display()
    )]
    Name {
        /// The file.
        path: PathBuf,
        /// Index of the bead, from 0.
        bead: usize,
        /// Which name.
        field: &'static str,
        /// The name.
        name: String,
        /// The most characters that the format holds.
        limit: usize,
    },

    /// A number of a bead that does not fit its column.
    #[error(
        "Bead {bead} (counted from 0) has the {field} {value}, which does not fit its column in \
         {}.", path.display()
    )]
    Number {
        /// The file.
        path: PathBuf,
        /// Index of the bead, from 0.
        bead: usize,
        /// Which number.
        field: &'static str,
        /// The number.
        value: f64,
    },

    /// A bond to a bead that does not exist.
    #[error(
        "{} was given a bond between the beads {first} and {second} (counted from 0), but there \
         are {beads} beads.", path.display()
    )]
    Bond {
        /// The file.
        path: PathBuf,
        /// Index of one bead.
        first: usize,
        /// Index of the other bead.
        second: usize,
        /// Number of beads.
        beads: usize,
    },

    /// There is no checkpoint.
    #[error(
        "There is no checkpoint {}. If the run was stopped before its first checkpoint, start it \
         anew.", path.display()
    )]
    CheckpointMissing {
        /// The file.
        path: PathBuf,
    },

    /// The file is something else.
    #[error("{} is not a checkpoint of beadwork. Name the checkpoint of a run.", path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },

    /// The checkpoint has a layout that this version does not know.
    #[error(
        "The checkpoint {} has format version {found}, but this beadwork reads version \
         {supported}. Resume the run with the beadwork that started it (run.json names it).",
        path.display()
    )]
    CheckpointVersion {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: u32,
        /// Version that is read here.
        supported: u32,
    },

    /// The checkpoint is one of another kind of computation.
    #[error(
        "The checkpoint {} is of the kind {found:?}, but {expected:?} is needed here. Use the \
         checkpoint of this run.", path.display()
    )]
    CheckpointKind {
        /// The file.
        path: PathBuf,
        /// Kind of the file.
        found: String,
        /// Kind that is needed.
        expected: String,
    },

    /// The end of the checkpoint is missing.
    #[error(
        "The checkpoint {} is truncated: {found} bytes are there of {expected}. Use a copy of it, \
         or start the run anew in another folder.", path.display()
    )]
    CheckpointTruncated {
        /// The file.
        path: PathBuf,
        /// Bytes that belong to it (at least, if its header is incomplete).
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },

    /// The checkpoint's bytes changed.
    #[error(
        "The checkpoint {} is damaged: its checksum does not match its contents. Use a copy of \
         it, or start the run anew in another folder.", path.display()
    )]
    CheckpointDamaged {
        /// The file.
        path: PathBuf,
    },

    /// The folder for a new run is in use.
    #[error(
        "The folder {} exists and is not empty. Choose another one with --output, continue its \
         run with `beadwork resume {}`, or use `beadwork run --continue`.",
        path.display(), path.display()
    )]
    FolderExists {
        /// The folder.
        path: PathBuf,
    },

    /// A file stands where a folder is to be.
    #[error(
        "{} cannot be made a folder, since it or what it lies in is a file. Choose another name, or \
         move the file away.", path.display()
    )]
    NotAFolder {
        /// The folder.
        path: PathBuf,
    },

    /// The folder holds no run.
    #[error(
        "{} is not the folder of a run: it has no {missing}. Name the folder that `beadwork run` \
         made; if the run was stopped while it started, delete the folder and run it again.",
        path.display()
    )]
    NotARunFolder {
        /// The folder.
        path: PathBuf,
        /// The file that every run has.
        missing: &'static str,
    },

    /// Parquet is asked for, and this program was built without it.
    #[error(
        "[output]: `parquet = true` needs a beadwork that was built with Parquet. Install it by \
         `cargo install --path crates/beadwork --features parquet`, or take the key out: all \
         tables are written as CSV in any case."
    )]
    NoParquet,

    /// Another process has the lock.
    #[error(
        "Another beadwork process is working in {}. Wait for it to end, or stop it, and try again.",
        path.display()
    )]
    FolderBusy {
        /// The folder.
        path: PathBuf,
    },

    /// The file system cannot lock.
    #[error(
        "Could not lock {}: {source}. Two processes in one folder would spoil its files, so \
         choose a folder on a file system with locks.", path.display()
    )]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Each code that [`Error::code`] returns, with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("io/read", "a file could not be read"),
    ("io/write", "a file could not be written"),
    ("io/disk-full", "the disk or the quota is full"),
    ("io/missing-output", "an output file of a run is gone"),
    ("io/short-output", "an output file is shorter than its checkpoint says"),
    ("io/changed-outside", "another program changed an output file of a running run"),
    ("io/other-trajectory", "the trajectory to be continued belongs to something else"),
    ("io/bead-count", "positions for another number of beads than the file has"),
    ("io/too-many-beads", "more beads than the file format can number"),
    ("io/timing", "steps or a time step that the trajectory format cannot express"),
    ("io/coordinate", "a coordinate that the file format cannot express"),
    ("io/table-columns", "a row with another number of values than the table has columns"),
    ("io/table-number", "a NaN or an infinity was to be written into a table"),
    ("io/table-header", "the table to be continued has no readable first line"),
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
    ("io/not-a-folder", "a file stands where a folder is to be"),
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
            Self::Missing { .. } => "io/missing-output",
            Self::TooShort { .. } => "io/short-output",
            Self::ChangedOutside { .. } => "io/changed-outside",
            Self::OtherTrajectory { .. } => "io/other-trajectory",
            Self::BeadCount { .. } => "io/bead-count",
            Self::TooManyBeads { .. } => "io/too-many-beads",
            Self::Timing { .. } => "io/timing",
            Self::Coordinate { .. } => "io/coordinate",
            Self::TableColumns { .. } => "io/table-columns",
            Self::TableNumber { .. } => "io/table-number",
            Self::TableHeader { .. } => "io/table-header",
            Self::Name { .. } => "io/name",
            Self::Number { .. } => "io/number",
            Self::Bond { .. } => "io/bond",
            Self::CheckpointMissing { .. } => "io/checkpoint-missing",
            Self::NotACheckpoint { .. } => "io/not-a-checkpoint",
            Self::CheckpointVersion { .. } => "io/checkpoint-version",
            Self::CheckpointKind { .. } => "io/checkpoint-kind",
            Self::CheckpointTruncated { .. } => "io/checkpoint-truncated",
            Self::CheckpointDamaged { .. } => "io/checkpoint-damaged",
            Self::FolderExists { .. } => "io/folder-exists",
            Self::NotAFolder { .. } => "io/not-a-folder",
            Self::NotARunFolder { .. } => "io/not-a-run-folder",
            Self::NoParquet => "io/no-parquet",
            Self::FolderBusy { .. } => "io/folder-busy",
            Self::Lock { .. } => "io/lock",
        }
    }

    /// Whether the disk, or the user's share of it, is full.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Self::Write { source, .. } if is_disk_full(source))
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Read { path: path.to_path_buf(), source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.to_path_buf(), source }
    }
}

fn is_disk_full(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn write_message(path: &Path, source: &io::Error) -> String {
    if is_disk_full(source) {
        format!(
            "The disk is full: {} could not be written. Free some space; a run that had begun can then be \
             resumed from its last checkpoint.",
            path.display()
        )
    } else {
        format!(
            "Could not write {}: {source}. Check that its folder exists and may be written; a \
             run that had begun can then be resumed from its last checkpoint.",
            path.display()
        )
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
        assert!(full.to_string().contains("resumed from its last checkpoint"));
        let denied = Error::write(path)(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(denied.code(), "io/write");
        assert!(!denied.to_string().contains("disk is full"));
    }

    #[test]
    fn codes_are_listed_once() {
        let codes: BTreeSet<_> = ERROR_CODES.iter().map(|(code, _)| code).collect();
        assert_eq!(codes.len(), ERROR_CODES.len());
        let path = PathBuf::from("x");
        assert!(codes.contains(&Error::Missing { path: path.clone() }.code()));
        assert!(codes.contains(&Error::FolderBusy { path }.code()));
    }
}
