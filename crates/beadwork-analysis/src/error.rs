//! The errors of this crate.

use std::fmt::Display;
use std::path::Path;

/// Why a table could not be read, samples could not be used, or a figure could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: &'static str,
    message: String,
}

/// Every code that [`Error::code`] returns, with its meaning in one line.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("analysis/table-unreadable", "a table could not be opened or read"),
    (
        "analysis/table-damaged",
        "a line of a table has the wrong number of cells, or a cell that makes no sense there",
    ),
    ("analysis/table-without-header", "a table has no complete first line with column names"),
    ("analysis/duplicate-column", "two columns of a table have one name"),
    ("analysis/no-column", "a table lacks a column that is needed"),
    ("analysis/samples", "samples are missing, of unequal number, or not finite"),
    ("analysis/free-energies", "samples do not fix the free energies of all temperatures"),
    ("analysis/figure-not-rasterised", "a figure could not be turned into a PNG or a PDF"),
    ("analysis/figure-change", "a change of a figure cannot be made"),
    ("analysis/no-picture", "no picture can be of a replica or a frame that is asked for"),
    ("analysis/no-figure", "there is no figure of a name that is asked for"),
    ("analysis/other-answer", "figures would lie beside an answer that has other values"),
];

impl Error {
    /// The stable name of this kind of error, one of [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// An error of a kind that [`ERROR_CODES`] lists, in words for a person.
    pub fn new(code: &'static str, message: String) -> Self {
        debug_assert!(ERROR_CODES.iter().any(|(known, _)| *known == code), "{code}");
        Self { code, message }
    }

    /// An error at a line of a table, counted from 1; `reason` has no full stop, and `advice` is a sentence.
    pub(crate) fn table_damaged(path: &Path, line: u64, reason: &str, advice: &str) -> Self {
        let message =
            format!("Line {line} of the table {} is damaged: {reason}. {advice}", path.display());
        Self::new("analysis/table-damaged", message)
    }

    /// An error about samples; `reason` says what is wrong and what to give instead, without a full stop.
    pub(crate) fn samples(reason: impl Display) -> Self {
        Self::new("analysis/samples", format!("The samples cannot be used: {reason}."))
    }

    pub(crate) fn free_energies(reason: impl Display) -> Self {
        let message = format!(
            "The samples do not fix the free energies of all temperatures ({reason}): give more samples, or temperatures closer together."
        );
        Self::new("analysis/free-energies", message)
    }
}
