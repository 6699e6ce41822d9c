//! Errors of making, continuing and reading a run.

use std::path::PathBuf;

/// An error of this crate or of a crate below it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request is invalid.
    #[error(transparent)]
    Input(#[from] beadwork_input::Error),
    /// A sweep whose resolved form does not give it again.
    #[error(
        "nothing was run, since the sweep over {swept} has no resolved form that can be read again, which resuming and plotting need: {problem}. Write an input for each value of the key that decides which other keys there are, and sweep the rest; if all points have the same keys, please report this with the input"
    )]
    Unreadable {
        /// The paths of the sweep.
        swept: String,
        /// Why the form cannot be read.
        problem: String,
    },
    /// A file of the run cannot be written or read.
    #[error(transparent)]
    Io(#[from] beadwork_io::Error),
    /// The run cannot continue.
    #[error(transparent)]
    Engine(#[from] beadwork_engine::Error),
    /// The results cannot be read or drawn.
    #[error(transparent)]
    Analysis(#[from] beadwork_analysis::Error),
    /// `members.csv` cannot be used.
    #[error("{source} Where checkpoints are there, `beadwork resume {}` writes it anew.", .folder.display())]
    List {
        /// The run's folder.
        folder: PathBuf,
        /// What is wrong with it.
        source: beadwork_analysis::Error,
    },
    /// No answer can be of a stage.
    #[error("{0}")]
    Stage(String),
    /// A stage that cannot be lengthened.
    #[error("{0}")]
    Extension(String),
    /// What a run that is steered cannot do, because no input can say it.
    #[error("{0}")]
    Steering(String),
    /// A part of an ensemble that does not exist, or parts with a member in common.
    #[error("{0}")]
    Part(String),
    /// Configurations that cannot be exported.
    #[error("{0}")]
    Export(String),
    /// A folder with another run than the one that is asked for.
    #[error("{0}")]
    OtherRun(String),
    /// A GPU failed, or cannot be used.
    #[error(transparent)]
    Cuda(#[from] beadwork_cuda::Error),
    /// Devices that cannot step this run, or would not continue it with the same bits.
    #[error("{0}")]
    Device(String),
    /// A run that began on a GPU, and no GPU to continue it.
    #[error(
        "the run in {} began on a GPU and continues only on one, because trajectories of CPU and GPU differ in their last bits; no GPU can be used here: {}",
        .folder.display(), first_sentence(source)
    )]
    NoGpu {
        /// The run's folder.
        folder: PathBuf,
        /// The reason.
        source: beadwork_cuda::Error,
    },
    /// A file that the run began with was changed or removed.
    #[error(
        "{} {how}: put the original back; to run with other settings, start a new run in another folder",
        .path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        how: &'static str,
    },
    /// An output file of a member that is finished goes on.
    #[error(
        "the output file {} goes on behind its end, or its counters or its index differ from what was written: `beadwork resume` restores it",
        .0.display()
    )]
    Longer(PathBuf),
    /// A file that would be written over, and that beadwork did not write there.
    #[error(
        "{} is there and {what}, and would be written over: move it away, or choose another place",
        .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is not.
        what: &'static str,
    },
    /// Members have written rows and have no checkpoint.
    #[error("{0}")]
    Lost(String),
    /// A file of the folder that describes its run is damaged.
    #[error(
        "{} cannot be understood ({reason}): put the original file back, or start the run anew in another folder",
        .path.display()
    )]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Every code of this crate with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("run/unreadable", "a sweep whose resolved form would not give its points again"),
    ("run/stage", "a stage that no answer can be of"),
    ("run/extension", "a stage that cannot be lengthened"),
    ("run/steering", "something to be set in a run that no input can say"),
    ("run/part", "a part of an ensemble that does not exist, or parts with a replica in common"),
    ("run/export", "configurations that a run does not have, or that a file cannot hold"),
    ("run/other-run", "a folder holds another run, or other replicas, than the one to go on with"),
    ("run/device", "devices that cannot step this run, or not with the same bits"),
    ("run/changed-file", "a file that the run began with was changed or is gone"),
    ("run/lost-checkpoints", "checkpoints are gone, and going on would drop what was written"),
    ("run/foreign-file", "a file that beadwork did not write would be written over"),
    ("run/record", "a file of the folder that describes its run is damaged"),
];

impl Error {
    /// A stable code, explained in the book's page on errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Input(error) => error.code(),
            Error::Io(error) => error.code(),
            Error::Engine(error) => error.code(),
            Error::Analysis(error) | Error::List { source: error, .. } => error.code(),
            Error::Unreadable { .. } => "run/unreadable",
            Error::Stage(_) => "run/stage",
            Error::Extension(_) => "run/extension",
            Error::Steering(_) => "run/steering",
            Error::Part(_) => "run/part",
            Error::Export(_) => "run/export",
            Error::OtherRun(_) => "run/other-run",
            Error::Cuda(error) | Error::NoGpu { source: error, .. } => error.code(),
            Error::Device(_) => "run/device",
            Error::Changed { .. } => "run/changed-file",
            Error::Longer(_) => "io/changed-output",
            Error::Foreign { .. } => "run/foreign-file",
            Error::Lost(_) => "run/lost-checkpoints",
            Error::Record { .. } => "run/record",
        }
    }

    /// The exit code with which the program ends: [`BAD_INPUT`] if the user can repair what is wrong, [`MACHINE`] if the machine
    /// failed.
    pub fn exit_code(&self) -> u8 {
        use beadwork_engine::Error as Engine;
        match self {
            Error::Io(error) | Error::Engine(Engine::Io(error)) => io_exit_code(error),
            Error::Engine(Engine::Worker | Engine::Thread { .. } | Engine::Cuda(_))
            | Error::Cuda(_)
            | Error::NoGpu { .. } => MACHINE,
            Error::Analysis(error) | Error::List { source: error, .. }
                if error.code() == "analysis/table-unreadable" =>
            {
                MACHINE
            }
            Error::Input(_)
            | Error::Engine(_)
            | Error::Analysis(_)
            | Error::List { .. }
            | Error::Unreadable { .. }
            | Error::Stage(_)
            | Error::Extension(_)
            | Error::Steering(_)
            | Error::Part(_)
            | Error::Export(_)
            | Error::OtherRun(_)
            | Error::Device(_)
            | Error::Changed { .. }
            | Error::Longer(_)
            | Error::Foreign { .. }
            | Error::Lost(_)
            | Error::Record { .. } => BAD_INPUT,
        }
    }
}

/// The exit code for something wrong with the input, the command line or the folder.
pub const BAD_INPUT: u8 = 2;
/// The exit code for failures of the machine, such as a full disk or a GPU that does not answer.
pub const MACHINE: u8 = 4;

/// The user can repair a folder or a checkpoint that does not fit, but not a disk.
fn io_exit_code(error: &beadwork_io::Error) -> u8 {
    use beadwork_io::Error as Io;
    match error {
        Io::Read { .. } | Io::Write { .. } => MACHINE,
        _ if error.code() == "io/lock" => MACHINE,
        _ => BAD_INPUT,
    }
}

/// The first sentence of a message; the other sentences advise to use the CPU.
fn first_sentence(error: &beadwork_cuda::Error) -> String {
    let text = error.to_string();
    text.split_once(". ").map_or(text.as_str(), |(first, _)| first).to_string()
}
