//! Tables of numbers as comma-separated values.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
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
    /// Text; it is quoted where it has to be.
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
    /// Makes a table without rows at `path`; a file that is already there is emptied.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn create(path: &Path, header: &[String]) -> Result<Self, Error> {
        let mut file = AppendFile::create(path)?;
        file.write_all(&line(path, header)?)?;
        file.flush()?;
        Ok(Self { file, columns: header.to_vec() })
    }

    /// Continues the table at `path`, of which the first `bytes` are kept. The columns are those
    /// that its first line names.
    ///
    /// # Errors
    /// [`Error::TableHeader`] if this line cannot be read or does not lie within `bytes`, and
    /// those of [`AppendFile::reopen`].
    pub fn reopen(path: &Path, bytes: u64) -> Result<Self, Error> {
        let columns = match File::open(path) {
            Ok(file) if file.metadata().map_err(Error::read(path))?.len() >= bytes => {
                first_line(path, file, bytes)?
            }
            // Missing or too short, which is for AppendFile::reopen to say.
            _ => Vec::new(),
        };
        let file = AppendFile::reopen(path, bytes)?;
        Ok(Self { file, columns })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`Error::TableColumns`] and [`Error::TableNumber`] (for NaN and infinities), after which
    /// the row is not part of the table; those of [`AppendFile::write_all`], after which it is.
    pub fn row(&mut self, values: &[TableValue]) -> Result<(), Error> {
        let path = self.file.path();
        if values.len() != self.columns.len() {
            return Err(Error::TableColumns {
                path: path.to_path_buf(),
                expected: self.columns.len(),
                found: values.len(),
            });
        }
        let mut fields = Vec::with_capacity(values.len());
        for (value, column) in values.iter().zip(&self.columns) {
            fields.push(match value {
                TableValue::Integer(number) => number.to_string(),
                TableValue::Number(number) if number.is_finite() => shortest(*number),
                TableValue::Number(number) => {
                    return Err(Error::TableNumber {
                        path: path.to_path_buf(),
                        column: column.clone(),
                        value: *number,
                    });
                }
                TableValue::Text(text) => text.clone(),
                TableValue::Missing => String::new(),
            });
        }
        let line = line(path, &fields)?;
        self.file.write_all(&line)
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Length of the table in bytes, whether or not they are on the disk yet; a checkpoint stores
    /// it.
    pub fn length(&self) -> u64 {
        self.file.length()
    }

    /// Hands all rows to the operating system, so that other programs see them.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::ChangedOutside`].
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.flush()
    }

    /// Makes all rows survive a power cut.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::ChangedOutside`].
    pub fn sync(&mut self) -> Result<(), Error> {
        self.file.sync()
    }
}

/// The columns that the first line names; it is whole if it is what `line` makes of them.
fn first_line(path: &Path, file: File, bytes: u64) -> Result<Vec<String>, Error> {
    let unreadable = || Error::TableHeader { path: path.to_path_buf() };
    let mut reader = BufReader::new(file.take(bytes));
    let mut text = Vec::new();
    // A quoted name may contain a line break.
    while reader.read_until(b'\n', &mut text).map_err(Error::read(path))? > 0 {
        let mut record = csv::StringRecord::new();
        csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_slice())
            .read_record(&mut record)
            .map_err(|_| unreadable())?;
        let columns: Vec<String> = record.iter().map(str::to_owned).collect();
        if line(path, &columns)? == text {
            return Ok(columns);
        }
    }
    Err(unreadable())
}

fn line(path: &Path, fields: &[String]) -> Result<Vec<u8>, Error> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| Error::write(path)(error.into()))?;
    writer
        .into_inner()
        .map_err(|error| Error::write(path)(std::io::Error::other(error.to_string())))
}

/// A cell of a table, quoted where it must be.
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// Without an exponent, a density of 1e-25 would have 27 digits.
fn shortest(number: f64) -> String {
    if number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn header() -> Vec<String> {
        ["step", "force (pN)", "note"].map(str::to_owned).to_vec()
    }

    #[test]
    fn rows_are_plain_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let mut table = TableWriter::create(&path, &header()).unwrap();
        for (step, force, note) in [
            (0, TableValue::Number(0.1), TableValue::Missing),
            (u64::MAX, TableValue::Number(-1e-300), TableValue::Text("a, \"b\"".to_owned())),
            (2, TableValue::Missing, TableValue::Text("c".to_owned())),
            (3, TableValue::Number(1.0), TableValue::Missing),
        ] {
            table.row(&[TableValue::Integer(step), force, note]).unwrap();
        }
        let length = table.length();
        table.sync().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "step,force (pN),note\n0,0.1,\n18446744073709551615,-1e-300,\"a, \"\"b\"\"\"\n2,,c\n3,1,\n"
        );
        assert_eq!(text.len() as u64, length);
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for number in [
            0.0,
            -0.0,
            1.0 / 3.0,
            1e-5,
            9.999_999e-6,
            1e16,
            123_456_789.012_345_67,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            -f64::EPSILON,
        ] {
            let text = shortest(number);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits());
            assert!(text.len() <= 24, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let mut table = TableWriter::create(&path, &header()).unwrap();
        let length = table.length();
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let row = [TableValue::Integer(1), TableValue::Number(value), TableValue::Missing];
            let error = table.row(&row).unwrap_err();
            assert_eq!(error.code(), "io/table-number");
            assert!(error.to_string().contains("force (pN)"));
        }
        let error = table.row(&[TableValue::Missing]).unwrap_err();
        assert_eq!(error.code(), "io/table-columns");
        assert_eq!(table.length(), length);
    }

    #[test]
    fn a_reopened_table_knows_its_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let quoted = ["a,\nb".to_owned(), "c".to_owned()];
        let length = TableWriter::create(&path, &quoted).unwrap().length();
        let table = TableWriter::reopen(&path, length).unwrap();
        assert_eq!(table.columns(), quoted);
        drop(table);
        for bytes in 0..length {
            fs::write(&path, "\"a,\nb\",c\n").unwrap();
            let error = TableWriter::reopen(&path, bytes).unwrap_err();
            assert_eq!(error.code(), "io/table-header", "{bytes} bytes");
        }
        fs::write(&path, "\"a,\nb\"").unwrap();
        let error = TableWriter::reopen(&path, length).unwrap_err();
        assert_eq!(error.code(), "io/short-output");
    }
}
