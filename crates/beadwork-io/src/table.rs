//! Tables of numbers as comma-separated values.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use crate::Error;
use crate::append::AppendFile;
use crate::written::FileEnd;

/// One field of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TableValue<'a> {
    /// A count, such as a step.
    Integer(u64),
    /// A finite number, written with the fewest digits that read back as the same number.
    Number(f64),
    /// Text, quoted if necessary.
    Text(&'a str),
    /// No value: an empty field.
    Missing,
}

/// Writes one table: a line of column names, then rows, each ended by `\n`.
#[derive(Debug)]
pub struct TableWriter {
    file: AppendFile,
    columns: Vec<String>,
    /// The row that is being formatted; kept for its memory.
    line: String,
}

impl TableWriter {
    /// Creates a table without rows at `path`; an existing file is emptied.
    pub fn create(path: &Path, header: &[String]) -> Result<Self, Error> {
        let mut file = AppendFile::create(path)?;
        file.write_all(first_line(header).as_bytes())?;
        file.flush()?;
        Ok(Self { file, columns: header.to_vec(), line: String::new() })
    }

    /// Continues the table at `path` after its `end`, before which the first line must be this header.
    ///
    /// # Errors
    /// The first line differs, as of a version that writes other columns; and the errors of [`AppendFile::reopen`].
    pub fn reopen(path: &Path, header: &[String], end: FileEnd) -> Result<Self, Error> {
        let bytes = end.bytes;
        let expected = first_line(header).into_bytes();
        let found = match beadwork_files::open(path, beadwork_files::ANY_LENGTH) {
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
        let file = AppendFile::reopen(path, end)?;
        Ok(Self { file, columns: header.to_vec(), line: String::new() })
    }

    /// Appends a row. If a value is invalid, the table stays unchanged; if writing fails, the row stays in memory.
    pub fn row(&mut self, values: &[TableValue<'_>]) -> Result<(), Error> {
        let Self { file, columns, line } = self;
        if values.len() != columns.len() {
            return Err(Error::table_columns(file.path(), columns.len(), values.len()));
        }
        line.clear();
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                line.push(',');
            }
            match *value {
                TableValue::Integer(number) => {
                    let _ = write!(line, "{number}");
                }
                TableValue::Number(number) if number.is_finite() => push_number(line, number),
                TableValue::Number(number) => {
                    let message = format!(
                        "Column {:?} of the table {} was given {number}. Either the quantity has \
                         diverged, or a value that does not exist was not given as missing.",
                        columns[place],
                        file.path().display()
                    );
                    return Err(Error::other("io/table-number", message));
                }
                TableValue::Text(text) => push_text(line, text),
                TableValue::Missing => {}
            }
        }
        end_line(line);
        file.write_all(line.as_bytes())
    }

    /// The end of the table so far, including rows still in memory.
    pub fn end(&self) -> FileEnd {
        self.file.end()
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

fn first_line(header: &[String]) -> String {
    let mut line = String::new();
    for (place, column) in header.iter().enumerate() {
        if place > 0 {
            line.push(',');
        }
        push_text(&mut line, column);
    }
    end_line(&mut line);
    line
}

/// Readers skip empty lines, so a row whose only field is empty has it in quotes.
fn end_line(line: &mut String) {
    line.push_str(if line.is_empty() { "\"\"\n" } else { "\n" });
}

fn push_text(line: &mut String, text: &str) {
    match needs_quotes(text) {
        true => line.push_str(&quoted(text)),
        false => line.push_str(text),
    }
}

fn needs_quotes(cell: &str) -> bool {
    cell.contains([',', '"', '\n', '\r'])
}

/// A cell of a table, quoted if necessary.
pub fn quoted(cell: &str) -> String {
    match needs_quotes(cell) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}

/// Appends a finite number with the fewest digits that read back as the same number. An exponent keeps numbers short:
/// without it, a density of 1e-25 would have 27 digits.
///
/// The standard library takes several times as long as zmij, so it formats only what they write in two ways: large
/// numbers, and numbers halfway between two decimal numbers of the fewest digits, of which it takes the one farther from
/// zero and zmij the even one. Such a number has exactly one decimal more than zmij writes, thus as many binary digits
/// behind its point.
fn push_number(line: &mut String, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let size = number.abs();
    if size < 9e15 {
        let text = buffer.format_finite(number);
        let text = text.strip_suffix(".0").unwrap_or(text);
        let places = binary_places(number);
        if places > MOST_PLACES || places != decimals(text) + 1 {
            line.push_str(text);
            return;
        }
    }
    let _ = match number == 0.0 || (1e-5..1e16).contains(&size) {
        true => write!(line, "{number}"),
        false => write!(line, "{number:e}"),
    };
}

/// A number with more binary digits behind its point has more than 18 digits, the last a 5, since 5²⁶ has 19.
const MOST_PLACES: i32 = 25;

/// How many binary digits of a number are behind its point, which is also how many decimals it has.
fn binary_places(number: f64) -> i32 {
    let exponent = ((number.to_bits() >> 52) & 0x7ff) as i32;
    let fraction = number.to_bits() & ((1 << 52) - 1);
    // A subnormal number has no implicit first digit.
    let (digits, exponent) = match exponent {
        0 => (fraction, 1),
        _ => (fraction | 1 << 52, exponent),
    };
    1075 - exponent - digits.trailing_zeros() as i32
}

/// How many decimals a number written like `12.5` or `1.25e-7` has.
fn decimals(text: &str) -> i32 {
    let (digits, exponent) = match text.split_once('e') {
        Some((digits, exponent)) => (digits, exponent.parse().unwrap_or(0)),
        None => (text, 0),
    };
    let behind_point = digits.find('.').map_or(0, |point| digits.len() - point - 1);
    behind_point as i32 - exponent
}
