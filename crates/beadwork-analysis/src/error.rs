//! The errors of this crate.

use std::path::PathBuf;

/// Why a table could not be read, samples not be used, or a figure not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A table could not be opened or read.
    #[error("The table {} could not be read: {source}. Check that the file exists and that you may read it.", path.display())]
    TableUnreadable {
        /// The table.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A row has another number of cells than the first line, or a cell that makes no sense there.
    #[error("Line {line} of the table {} is damaged: {reason}. Put the table of the run back; never edit it by hand.", path.display())]
    TableDamaged {
        /// The table.
        path: PathBuf,
        /// Line of the file, the first being 1.
        line: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A table has no complete first line.
    #[error("The table {} has no complete first line with the names of its columns. The run may have stopped before it wrote anything.", path.display())]
    TableWithoutHeader {
        /// The table.
        path: PathBuf,
    },
    /// Two columns of a table have one name.
    #[error("The table {} has two columns named `{column}`. Rename one of them.", path.display())]
    DuplicateColumn {
        /// The table.
        path: PathBuf,
        /// The name that occurs twice.
        column: String,
    },
    /// A table lacks a column.
    #[error("The table {} has no column `{column}`, which an answer needs. Put the table of the run back; never edit it by hand.", path.display())]
    NoColumn {
        /// The table.
        path: PathBuf,
        /// The name that is missing.
        column: String,
    },
    /// A histogram cannot be made with this width of a bin.
    #[error(
        "A histogram of these values cannot have bins of width {width} from {origin}: give a positive width that divides their range into at most {most} bins."
    )]
    BinWidth {
        /// The width asked for, in the unit of the values.
        width: f64,
        /// The edge that the bins start from, in the unit of the values.
        origin: f64,
        /// The largest number of bins.
        most: usize,
    },
    /// Samples cannot be averaged or reweighted as they were given.
    #[error("The samples cannot be used: {reason}.")]
    Samples {
        /// What is wrong with them and what to give instead, without a full stop.
        reason: String,
    },
    /// Free energies of several temperatures cannot be told from their samples.
    #[error(
        "The samples do not fix the free energies of all temperatures ({reason}): give more samples, or temperatures closer together."
    )]
    FreeEnergies {
        /// What was found.
        reason: String,
    },
    /// A figure could not be turned into pixels.
    #[error(
        "The figure `{title}` could not be turned into a PNG: {reason}. Its SVG is still good; please report this."
    )]
    FigureNotRasterised {
        /// Title of the figure.
        title: String,
        /// What the rasteriser said.
        reason: String,
    },
    /// A figure could not be written to disk.
    #[error("The figure {} could not be written: {source}. Check that its folder exists, is writable and has space.", path.display())]
    FigureNotWritten {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
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
    ("analysis/bin-width", "a histogram's bin width is not positive or gives too many bins"),
    ("analysis/samples", "samples are missing, of unequal number, or not finite"),
    ("analysis/free-energies", "samples do not fix the free energies of all temperatures"),
    ("analysis/figure-not-rasterised", "a figure could not be turned into a PNG"),
    ("analysis/figure-not-written", "a figure could not be written to disk"),
];

impl Error {
    /// The stable name of this kind of error, one of [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::TableUnreadable { .. } => "analysis/table-unreadable",
            Self::TableDamaged { .. } => "analysis/table-damaged",
            Self::TableWithoutHeader { .. } => "analysis/table-without-header",
            Self::DuplicateColumn { .. } => "analysis/duplicate-column",
            Self::NoColumn { .. } => "analysis/no-column",
            Self::BinWidth { .. } => "analysis/bin-width",
            Self::Samples { .. } => "analysis/samples",
            Self::FreeEnergies { .. } => "analysis/free-energies",
            Self::FigureNotRasterised { .. } => "analysis/figure-not-rasterised",
            Self::FigureNotWritten { .. } => "analysis/figure-not-written",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_listed_code() {
        let path = PathBuf::from("a.csv");
        let io = || std::io::Error::other("full");
        let errors = [
            Error::TableUnreadable { path: path.clone(), source: io() },
            Error::TableDamaged { path: path.clone(), line: 3, reason: "2 cells".into() },
            Error::TableWithoutHeader { path: path.clone() },
            Error::DuplicateColumn { path: path.clone(), column: "a".into() },
            Error::NoColumn { path: path.clone(), column: "a".into() },
            Error::BinWidth { width: 0.0, origin: 0.0, most: 10 },
            Error::Samples { reason: "a".into() },
            Error::FreeEnergies { reason: "a".into() },
            Error::FigureNotRasterised { title: "a".into(), reason: "b".into() },
            Error::FigureNotWritten { path, source: io() },
        ];
        let codes: Vec<&str> = errors.iter().map(Error::code).collect();
        let listed: Vec<&str> = ERROR_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, listed);
    }
}
