//! Errors that stop a whole run.

use std::path::PathBuf;

/// An error outside physics that stops a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be written or read.
    #[error("{}{}", .0, how_to_go_on(.0))]
    Io(#[from] beadwork_io::Error),
    /// A checkpoint of another input.
    #[error(
        "the checkpoint {} belongs to another input (fingerprint {found}, this run has {expected}): the run folder's resolved.toml or its inputs were changed since; restore them, or start a new run in another folder",
        .path.display()
    )]
    OtherInput {
        /// The checkpoint.
        path: PathBuf,
        /// The fingerprint in it.
        found: String,
        /// The fingerprint of the run.
        expected: String,
    },
    /// A checkpoint of a version whose numbers differ.
    #[error(
        "{} was written with value version {found}, this program has {expected}: trajectories of the two differ, so that it cannot go on exactly; finish the run with the version named in its run.json",
        .path.display()
    )]
    OtherValueVersion {
        /// The checkpoint.
        path: PathBuf,
        /// The version in it.
        found: u32,
        /// The version of the program.
        expected: u32,
    },
    /// A checkpoint with contents that do not fit the run.
    #[error("the checkpoint {} does not fit this run: {reason}", .path.display())]
    Unfit {
        /// The checkpoint.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A GPU failed, or cannot be used.
    #[error(transparent)]
    Cuda(#[from] beadwork_cuda::Error),
    /// The machine refuses to start a thread.
    #[error(
        "thread {number} of {threads} cannot be started ({source}): give fewer by --threads, or allow more processes and memory (ulimit -u, ulimit -v); checkpoints written so far stay valid"
    )]
    Thread {
        /// The thread that cannot be started, from 1 on.
        number: usize,
        /// Threads asked for.
        threads: usize,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A thread of the program died.
    #[error("a worker thread stopped unexpectedly; please report this with the input")]
    Worker,
}

/// What can be done after an error of writing, since the run has begun.
fn how_to_go_on(error: &beadwork_io::Error) -> &'static str {
    match error {
        beadwork_io::Error::Write { .. } => {
            " The run can then be resumed from its last checkpoint."
        }
        _ => "",
    }
}

impl Error {
    /// A stable code, explained in the book's page on errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Io(error) => error.code(),
            Error::OtherInput { .. } => "engine/other-input",
            Error::OtherValueVersion { .. } => "engine/other-value-version",
            Error::Unfit { .. } => "engine/unfit-checkpoint",
            Error::Cuda(error) => error.code(),
            Error::Thread { .. } => "engine/thread",
            Error::Worker => "engine/worker",
        }
    }
}

/// Every code of this crate with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("engine/other-input", "a checkpoint belongs to another input"),
    ("engine/other-value-version", "a checkpoint belongs to a version with other numbers"),
    ("engine/unfit-checkpoint", "a checkpoint does not fit the run"),
    ("engine/thread", "the machine refuses to start a thread"),
    ("engine/worker", "a thread of the program died"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_run_whose_disk_is_full_says_how_to_go_on() {
        let path = Path::new("runs/titin/tables/member-0000.csv");
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = Error::from(beadwork_io::Error::write(path)(full));
        assert_eq!(error.code(), "io/disk-full");
        let said = error.to_string();
        assert!(
            said.ends_with(
                "Free some space. The run can then be resumed from its last checkpoint."
            ),
            "{said}"
        );
    }
}
