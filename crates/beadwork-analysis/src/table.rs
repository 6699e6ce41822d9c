//! Tables of comma-separated values, as a run writes them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::{memchr_iter, memchr2};

use crate::Error;

/// Who wrote a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Origin {
    /// A run, which may still be writing rows.
    #[default]
    Run,
    Anyone,
}

impl Origin {
    /// What to do with a damaged line.
    fn advice(self) -> &'static str {
        match self {
            Origin::Run => "Restore the table that the run wrote; never edit it by hand.",
            Origin::Anyone => "Correct the line.",
        }
    }
}

/// A table in memory, column by column.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Names of the columns, in the order of the file.
    pub columns: Vec<String>,
    path: PathBuf,
    origin: Origin,
    is_cut: bool,
    /// The text of all cells. What was not UTF-8 text is replaced by U+FFFD.
    text: String,
    /// The line of the file on which each row begins, counted from 1.
    lines: Vec<u64>,
    /// Where the cells of each column lie in the text; `None` for columns that were not read.
    cells: Vec<Option<Vec<Range<usize>>>>,
}

impl Table {
    /// Number of rows below the names of the columns.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// Whether a last line without a newline was left out.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the file has a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column == name)
    }

    /// The numbers of a column, NaN for an empty cell. A cell that is neither empty nor a finite number is an error.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, Error> {
        let number = |(row, cell): (usize, &str)| match cell {
            "" => Ok(f64::NAN),
            _ => cell
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| self.not_a(row, name, cell, "number")),
        };
        self.cells(name)?.enumerate().map(number).collect()
    }

    /// The numbers of a column in which an empty cell is an error too.
    pub fn known_numbers(&self, name: &str) -> Result<Vec<f64>, Error> {
        let numbers = self.numbers(name)?;
        match numbers.iter().position(|number| number.is_nan()) {
            Some(row) => Err(self.not_a(row, name, "", "number")),
            None => Ok(numbers),
        }
    }

    /// The numbers of a column in which each cell has to be a whole number of at least 0.
    pub fn counts(&self, name: &str) -> Result<Vec<u64>, Error> {
        let count = |(row, cell): (usize, &str)| {
            cell.parse().map_err(|_| self.not_a(row, name, cell, "whole number"))
        };
        self.cells(name)?.enumerate().map(count).collect()
    }

    /// The cells of a column as text, exactly as the file has them.
    pub fn texts<'a>(&'a self, name: &str) -> Result<Vec<&'a str>, Error> {
        let text = |(row, cell): (usize, &'a str)| match cell.contains(char::REPLACEMENT_CHARACTER)
        {
            true => Err(self.damaged(row, format!("its {name} is not UTF-8 text"))),
            false => Ok(cell),
        };
        self.cells(name)?.enumerate().map(text).collect()
    }

    /// An error about a row whose content is invalid; `reason` has no full stop.
    pub fn damaged(&self, row: usize, reason: String) -> Error {
        let line = self.lines.get(row).copied().unwrap_or(1);
        Error::table_damaged(&self.path, line, &reason, self.origin.advice())
    }

    fn not_a(&self, row: usize, name: &str, cell: &str, kind: &str) -> Error {
        self.damaged(row, format!("its {name} is \"{cell}\", which is no {kind}"))
    }

    fn cells(&self, name: &str) -> Result<impl Iterator<Item = &str>, Error> {
        let place = self.columns.iter().position(|column| column == name);
        let cells = place.and_then(|place| self.cells.get(place)?.as_ref()).ok_or_else(|| {
            let problem = format!(
                "has no column `{name}`, which an answer needs. Restore the table that the run wrote; never edit it by hand."
            );
            refused("analysis/no-column", &self.path, &problem)
        })?;
        Ok(cells.iter().map(|cell| self.text[cell.clone()].trim_ascii()))
    }

    /// Adds a cell of the row that is being read, if its column is kept.
    fn add(&mut self, column: usize, cell: Range<usize>) {
        if let Some(Some(cells)) = self.cells.get_mut(column) {
            cells.push(cell);
        }
    }

    /// Adds the rows from `start` on. They have no quotes and end in `\n` alone, so that commas and ends of lines are those
    /// of cells and rows.
    fn add_plain_rows(&mut self, text: String, start: &csv::Position) -> Result<(), Error> {
        let first = start.byte() as usize;
        let bytes = text.as_bytes();
        let rows = memchr_iter(b'\n', &bytes[first..]).count();
        self.lines.reserve(rows);
        self.cells.iter_mut().flatten().for_each(|cells| cells.reserve(rows));
        let mut begin = first;
        for (line, end) in (start.line()..).zip(memchr_iter(b'\n', &bytes[first..])) {
            let row = begin..first + end;
            begin = row.end + 1;
            if row.is_empty() {
                continue;
            }
            let (mut count, mut cell) = (0, row.start);
            for length in memchr_iter(b',', &bytes[row.clone()]).chain([row.len()]) {
                self.add(count, cell..row.start + length);
                (count, cell) = (count + 1, row.start + length + 1);
            }
            if count != self.columns.len() {
                return Err(unequal(&self.path, line, count, self.columns.len(), self.origin));
            }
            self.lines.push(line);
        }
        self.text = text;
        Ok(())
    }

    /// Adds all rows of a reader.
    fn add_rows(&mut self, mut reader: csv::Reader<&[u8]>) -> Result<(), Error> {
        let mut record = csv::StringRecord::new();
        while reader
            .read_record(&mut record)
            .map_err(|error| damaged(&self.path, error, self.origin))?
        {
            self.lines.push(record.position().map_or(0, csv::Position::line));
            for (column, cell) in record.iter().enumerate() {
                let start = self.text.len();
                self.text.push_str(cell);
                self.add(column, start..self.text.len());
            }
        }
        Ok(())
    }
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

/// Reads a table that a run or anyone else wrote, as [`read_csv`] does. A last line without a newline counts, except in tables of
/// runs, which have the columns `stage` and `step` or `sweep`.
pub fn read_csv_of_anyone(path: impl AsRef<Path>) -> Result<Table, Error> {
    read(path.as_ref(), |_| true, Origin::Anyone)
}

/// Reads a table as [`read_csv`] does and keeps only the columns that are `wanted` by name.
pub fn read_columns(path: &Path, wanted: impl Fn(&str) -> bool) -> Result<Table, Error> {
    read(path, wanted, Origin::Run)
}

fn read(path: &Path, wanted: impl Fn(&str) -> bool, mut origin: Origin) -> Result<Table, Error> {
    let mut bytes = beadwork_files::read(path, beadwork_files::ANY_LENGTH).map_err(|source| {
        let problem = format!(
            "could not be read: {source}. Check that the file exists and that you may read it."
        );
        refused("analysis/table-unreadable", path, &problem)
    })?;
    let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    if is_of_run(&bytes) {
        origin = Origin::Run;
    }
    let is_cut = origin == Origin::Run && complete < bytes.len();
    match origin {
        Origin::Run => bytes.truncate(complete),
        Origin::Anyone if complete < bytes.len() => bytes.push(b'\n'),
        Origin::Anyone => {}
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());

    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| damaged(path, error, origin))?;
    let columns: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    if columns.is_empty() {
        let problem = match origin {
            Origin::Run => {
                "has no complete first line with the names of its columns. The run may have stopped before it wrote anything."
            }
            Origin::Anyone => {
                "is empty. Its first line must have the names of the columns, with commas between them."
            }
        };
        return Err(refused("analysis/table-without-header", path, problem));
    }
    if columns.iter().any(|name| name.contains(char::REPLACEMENT_CHARACTER)) {
        return Err(Error::table_damaged(path, 1, "it is not UTF-8 text", origin.advice()));
    }
    let twice = (1..columns.len()).find(|&place| columns[..place].contains(&columns[place]));
    if let Some(place) = twice {
        let problem = format!("has two columns named `{}`. Rename one of them.", columns[place]);
        return Err(refused("analysis/duplicate-column", path, &problem));
    }
    let cells = columns.iter().map(|name| wanted(name).then(Vec::new)).collect();
    let mut table =
        Table { columns, path: path.to_owned(), origin, is_cut, cells, ..Table::default() };
    let start = reader.position().clone();
    match memchr2(b'"', b'\r', &text.as_bytes()[start.byte() as usize..]) {
        Some(_) => table.add_rows(reader)?,
        None => table.add_plain_rows(text, &start)?,
    }
    Ok(table)
}

/// Whether the first line has the columns that a run writes.
fn is_of_run(bytes: &[u8]) -> bool {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let has = |name: &str| first.split(|&byte| byte == b',').any(|own| own == name.as_bytes());
    has("stage") && (has("step") || has("sweep"))
}

fn damaged(path: &Path, source: csv::Error, origin: Origin) -> Error {
    let line = source.position().map_or(1, csv::Position::line);
    match source.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            unequal(path, line, *len as usize, *expected_len as usize, origin)
        }
        _ => Error::table_damaged(path, line, &source.to_string(), origin.advice()),
    }
}

fn unequal(path: &Path, line: u64, found: usize, columns: usize, origin: Origin) -> Error {
    let reason = format!("it has {found} cells, and the first line names {columns} columns");
    Error::table_damaged(path, line, &reason, origin.advice())
}
