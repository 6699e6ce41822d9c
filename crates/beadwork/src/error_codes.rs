//! Codes of errors, each explained in the book.

/// Codes of the program itself.
const PROGRAM_CODES: &[(&str, &str)] = &[
    ("program/arguments", "the command line asks for something impossible"),
    ("program/environment", "an environment variable has an impossible value"),
    ("program/machine", "the machine refused or failed something"),
    ("program/unphysical", "a benchmark's trajectory became unphysical"),
    ("program/interrupted", "a benchmark, or a command before its work, was interrupted"),
];

/// Every code of every crate with its meaning, for the book's page on errors.
pub fn error_codes() -> Vec<(&'static str, &'static str)> {
    [
        beadwork_structure::ERROR_CODES,
        beadwork_model::ERROR_CODES,
        beadwork_input::ERROR_CODES,
        beadwork_io::ERROR_CODES,
        beadwork_engine::ERROR_CODES,
        beadwork_cuda::ERROR_CODES,
        beadwork_random::ERROR_CODES,
        beadwork_analysis::ERROR_CODES,
        beadwork_session::ERROR_CODES,
        PROGRAM_CODES,
    ]
    .concat()
}
