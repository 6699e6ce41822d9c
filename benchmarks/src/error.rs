//! [`Error`]: why a benchmark has no result.

/// Why a benchmark has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The arguments ask for something that cannot be measured.
    #[error("{0}")]
    Arguments(String),
    /// The machine, or a peer program, does not work as it should.
    #[error("{0}")]
    Machine(String),
    /// A simulation became unphysical, so its speed has no meaning.
    #[error("{0}")]
    Unphysical(String),
    /// A signal stopped the benchmark.
    #[error("interrupted; nothing was kept")]
    Interrupted,
    /// An error of the measured code.
    #[error(transparent)]
    Run(#[from] beadwork_session::Error),
}

impl Error {
    /// A system that cannot be made, or read, as it was asked for.
    pub(crate) fn unusable(error: impl std::fmt::Display) -> Error {
        Error::Arguments(error.to_string())
    }
}

macro_rules! errors_of_runs {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::Run(error.into())
            }
        })*
    };
}

errors_of_runs!(
    beadwork_analysis::Error,
    beadwork_cuda::Error,
    beadwork_engine::Error,
    beadwork_input::Error,
    beadwork_io::Error
);

impl From<beadwork_random::Error> for Error {
    fn from(error: beadwork_random::Error) -> Error {
        Error::Machine(error.to_string())
    }
}
