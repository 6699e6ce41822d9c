//! Tables of comma-separated values, as a run writes them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::Error;

/// A table in memory, column by column.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Names of the columns, in the order of the file.
    pub columns: Vec<String>,
    path: PathBuf,
    /// The line of the file on which each row begins, counted from 1.
    lines: Vec<u64>,
    /// The cells of each column; `None` for columns that were not read.
    cells: Vec<Option<Cells>>,
}

/// The text of a column's cells, one after another.
#[derive(Clone, Debug, Default)]
struct Cells {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| self.text[start..end].trim_ascii())
    }
}

impl Table {
    /// Number of rows below the names of the columns.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// Whether the file has a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column == name)
    }

    /// The numbers of a column, NaN for an empty cell. A cell that is neither empty nor a finite number is an error.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, Error> {
        let number = |(row, cell): (usize, &[u8])| match cell {
            [] => Ok(f64::NAN),
            _ => parse(cell)
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| self.not_a(row, name, cell, "number")),
        };
        self.find(name)?.iter().enumerate().map(number).collect()
    }

    /// The numbers of a column in which an empty cell is an error too.
    pub fn known_numbers(&self, name: &str) -> Result<Vec<f64>, Error> {
        let numbers = self.numbers(name)?;
        match numbers.iter().position(|number| number.is_nan()) {
            Some(row) => Err(self.not_a(row, name, b"", "number")),
            None => Ok(numbers),
        }
    }

    /// The numbers of a column in which each cell has to be a whole number of at least 0.
    pub fn counts(&self, name: &str) -> Result<Vec<u64>, Error> {
        let count = |(row, cell): (usize, &[u8])| {
            parse(cell).ok_or_else(|| self.not_a(row, name, cell, "whole number"))
        };
        self.find(name)?.iter().enumerate().map(count).collect()
    }

    /// The cells of a column as text, exactly as the file has them.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, Error> {
        let text = |(row, cell)| {
            std::str::from_utf8(cell)
                .map_err(|_| self.damaged(row, format!("its {name} is not UTF-8 text")))
        };
        self.find(name)?.iter().enumerate().map(text).collect()
    }

    /// An error about a row whose content is invalid; `reason` has no full stop.
    pub fn damaged(&self, row: usize, reason: String) -> Error {
        Error::table_damaged(&self.path, self.lines.get(row).copied().unwrap_or(1), &reason)
    }

    fn not_a(&self, row: usize, name: &str, cell: &[u8], kind: &str) -> Error {
        let cell = String::from_utf8_lossy(cell);
        self.damaged(row, format!("its {name} is \"{cell}\", which is no {kind}"))
    }

    fn find(&self, name: &str) -> Result<&Cells, Error> {
        let place = self.columns.iter().position(|column| column == name);
        place.and_then(|place| self.cells.get(place)?.as_ref()).ok_or_else(|| {
            let problem = format!(
                "has no column `{name}`, which an answer needs. Restore the table that the run wrote; never edit it by hand."
            );
            refused("analysis/no-column", &self.path, &problem)
        })
    }
}

fn parse<T: FromStr>(cell: &[u8]) -> Option<T> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

fn refused(code: &'static str, path: &Path, problem: &str) -> Error {
    Error::new(code, format!("The table {} {problem}", path.display()))
}

/// Reads a table whose first line names its columns, each once, and whose rows have a cell for each column.
///
/// A last line without a newline is ignored: the writing program was interrupted, or still writes.
pub fn read_csv(path: impl AsRef<Path>) -> Result<Table, Error> {
    read_columns(path.as_ref(), |_| true)
}

/// Reads a table as [`read_csv`] does and keeps only the columns that are `wanted` by name.
pub fn read_columns(path: &Path, wanted: impl Fn(&str) -> bool) -> Result<Table, Error> {
    let mut bytes = std::fs::read(path).map_err(|source| {
        let problem = format!(
            "could not be read: {source}. Check that the file exists and that you may read it."
        );
        refused("analysis/table-unreadable", path, &problem)
    })?;
    let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    bytes.truncate(complete);

    let damaged = |source: csv::Error| {
        let line = source.position().map_or(1, csv::Position::line);
        let reason = match source.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("it has {len} cells, and the first line names {expected_len} columns")
            }
            csv::ErrorKind::Utf8 { .. } => "it is not UTF-8 text".to_owned(),
            _ => source.to_string(),
        };
        Error::table_damaged(path, line, &reason)
    };
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let columns: Vec<String> =
        reader.headers().map_err(damaged)?.iter().map(|name| name.trim().to_owned()).collect();
    if columns.is_empty() {
        let problem = "has no complete first line with the names of its columns. The run may have stopped before it wrote anything.";
        return Err(refused("analysis/table-without-header", path, problem));
    }
    let twice = (1..columns.len()).find(|&place| columns[..place].contains(&columns[place]));
    if let Some(place) = twice {
        let problem = format!("has two columns named `{}`. Rename one of them.", columns[place]);
        return Err(refused("analysis/duplicate-column", path, &problem));
    }
    let mut cells: Vec<Option<Cells>> =
        columns.iter().map(|name| wanted(name).then(Cells::default)).collect();
    let mut lines = Vec::new();
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(damaged)? {
        lines.push(record.position().map_or(0, csv::Position::line));
        for (column, cell) in cells.iter_mut().zip(&record) {
            if let Some(column) = column {
                column.text.extend_from_slice(cell);
                column.ends.push(column.text.len());
            }
        }
    }
    Ok(Table { columns, path: path.to_owned(), lines, cells })
}
