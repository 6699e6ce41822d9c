//! Tables of numbers as comma-separated values.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::Error;
use crate::append::AppendFile;

/// One field of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableValue {
    /// A count, such as a step.
    Integer(u64),
    /// A finite number, written with the fewest digits that read back as the same number.
    Number(f64),
    /// Text, quoted if necessary.
    Text(String),
    /// No value: an empty field.
    Missing,
}

/// Writes one table: a line of column names, then rows, each ended by `\n`.
#[derive(Debug)]
pub struct TableWriter {
    file: AppendFile,
    columns: Vec<String>,
}

impl TableWriter {
    /// Creates a table without rows at `path`; an existing file is emptied.
    pub fn create(path: &Path, header: &[String]) -> Result<Self, Error> {
        let mut file = AppendFile::create(path)?;
        file.write_all(&line(path, header)?)?;
        file.flush()?;
        Ok(Self { file, columns: header.to_vec() })
    }

    /// Continues the table at `path` after its first `bytes`, of which the first line must be this header.
    ///
    /// # Errors
    /// The first line differs, as of a version that writes other columns; and the errors of [`AppendFile::reopen`].
    pub fn reopen(path: &Path, header: &[String], bytes: u64) -> Result<Self, Error> {
        let expected = line(path, header)?;
        let found = match File::open(path) {
            Ok(file) if file.metadata().map_err(Error::read(path))?.len() >= bytes => {
                let mut found = Vec::new();
                let most = bytes.min(expected.len() as u64);
                file.take(most).read_to_end(&mut found).map_err(Error::read(path))?;
                found
            }
            // AppendFile::reopen reports that the file is missing or too short.
            _ => expected.clone(),
        };
        if found != expected {
            let message = format!(
                "The table {} cannot be continued: its first line differs from the columns that \
                 this version of beadwork writes, {}. Continue the run with the version that run.json \
                 names, or start it anew in another folder.",
                path.display(),
                header.join(",")
            );
            return Err(Error::other("io/table-header", message));
        }
        let file = AppendFile::reopen(path, bytes)?;
        Ok(Self { file, columns: header.to_vec() })
    }

    /// Appends a row. If a value is invalid, the table stays unchanged; if writing fails, the row stays in memory.
    pub fn row(&mut self, values: &[TableValue]) -> Result<(), Error> {
        let path = self.file.path();
        if values.len() != self.columns.len() {
            return Err(Error::table_columns(path, self.columns.len(), values.len()));
        }
        let mut fields = Vec::with_capacity(values.len());
        for (value, column) in values.iter().zip(&self.columns) {
            fields.push(match value {
                TableValue::Integer(number) => number.to_string(),
                TableValue::Number(number) if number.is_finite() => shortest(*number),
                TableValue::Number(number) => {
                    let message = format!(
                        "Column {column:?} of the table {} was given {number}. Either the quantity has \
                         diverged, or a value that does not exist was not given as missing.",
                        path.display()
                    );
                    return Err(Error::other("io/table-number", message));
                }
                TableValue::Text(text) => text.clone(),
                TableValue::Missing => String::new(),
            });
        }
        let line = line(path, &fields)?;
        self.file.write_all(&line)
    }

    /// Length of the table in bytes, including rows still in memory.
    pub fn length(&self) -> u64 {
        self.file.length()
    }

    /// Passes all rows to the operating system, so that other programs see them.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.flush()
    }

    /// Makes all rows survive a power cut.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.file.sync()
    }
}

fn line(path: &Path, fields: &[String]) -> Result<Vec<u8>, Error> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| Error::write(path)(error.into()))?;
    writer.into_inner().map_err(|error| Error::write(path)(error.into_error()))
}

/// A cell of a table, quoted if necessary.
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// An exponent keeps numbers short: without it, a density of 1e-25 would have 27 digits.
fn shortest(number: f64) -> String {
    if number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}
