//! Everything that can go wrong between a request and its answer.

/// An error of any of the crates.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be understood.
    #[error(transparent)]
    Input(#[from] beadwork_input::Error),
    /// A file of the run cannot be written or read.
    #[error(transparent)]
    Io(#[from] beadwork_io::Error),
    /// The run cannot go on.
    #[error(transparent)]
    Engine(#[from] beadwork_engine::Error),
    /// The results cannot be read or drawn.
    #[error(transparent)]
    Analysis(#[from] beadwork_analysis::Error),
}

impl Error {
    /// A stable code, explained in the book's page on errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Input(error) => error.code(),
            Error::Io(error) => error.code(),
            Error::Engine(error) => error.code(),
            Error::Analysis(error) => error.code(),
        }
    }
}

/// Every code of every crate with its meaning, for the book's page on errors.
pub fn error_codes() -> Vec<(&'static str, &'static str)> {
    [
        beadwork_structure::ERROR_CODES,
        beadwork_model::ERROR_CODES,
        beadwork_input::ERROR_CODES,
        beadwork_io::ERROR_CODES,
        beadwork_engine::ERROR_CODES,
        beadwork_random::ERROR_CODES,
        beadwork_analysis::ERROR_CODES,
    ]
    .concat()
}
