//! Tables of comma-separated values, as a run writes them.

use std::path::Path;

use crate::Error;

/// A table in memory, column by column.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Names of the columns, in the order of the file.
    pub columns: Vec<String>,
    rows: usize,
    cells: Vec<Column>,
}

/// One column: the text of its cells end to end, and their numbers if all are numbers or empty.
#[derive(Clone, Debug)]
struct Column {
    text: String,
    ends: Vec<usize>,
    numbers: Option<Vec<f64>>,
}

impl Table {
    /// Number of rows below the names of the columns.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The numbers of a column, NaN for an empty cell; `None` when there is no such column or a cell
    /// of it is not a number.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.find(name)?.numbers.as_deref()
    }

    /// The cells of a column as they are written, numbers too; `None` when there is no such column.
    pub fn text_column(&self, name: &str) -> Option<Vec<&str>> {
        let column = self.find(name)?;
        let starts = std::iter::once(0).chain(column.ends.iter().copied());
        Some(starts.zip(&column.ends).map(|(start, &end)| &column.text[start..end]).collect())
    }

    fn find(&self, name: &str) -> Option<&Column> {
        self.cells.get(self.columns.iter().position(|column| column == name)?)
    }
}

/// Reads a table whose first line names its columns.
///
/// A last line without a newline is ignored: the program that wrote it was interrupted, or is still
/// writing.
///
/// # Errors
/// [`Error::TableUnreadable`], [`Error::TableDamaged`] when a row is not UTF-8 text or has more or
/// fewer cells than there are columns, [`Error::TableWithoutHeader`], [`Error::DuplicateColumn`].
pub fn read_csv(path: impl AsRef<Path>) -> Result<Table, Error> {
    let path = path.as_ref();
    let mut bytes = std::fs::read(path)
        .map_err(|source| Error::TableUnreadable { path: path.to_owned(), source })?;
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
        Error::TableDamaged { path: path.to_owned(), line, reason }
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes.as_slice());
    let columns: Vec<String> =
        reader.headers().map_err(damaged)?.iter().map(str::to_owned).collect();
    if columns.is_empty() {
        return Err(Error::TableWithoutHeader { path: path.to_owned() });
    }
    if let Some(column) = (1..columns.len())
        .map(|place| &columns[place])
        .zip(1..)
        .find_map(|(column, place)| columns[..place].contains(column).then(|| column.clone()))
    {
        return Err(Error::DuplicateColumn { path: path.to_owned(), column });
    }

    let mut cells: Vec<Column> = columns
        .iter()
        .map(|_| Column { text: String::new(), ends: Vec::new(), numbers: Some(Vec::new()) })
        .collect();
    let mut rows = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        rows += 1;
        for (column, cell) in cells.iter_mut().zip(&record) {
            column.text.push_str(cell);
            column.ends.push(column.text.len());
            if let Some(numbers) = &mut column.numbers {
                match if cell.is_empty() { Ok(f64::NAN) } else { cell.parse() } {
                    Ok(number) => numbers.push(number),
                    Err(_) => column.numbers = None,
                }
            }
        }
    }
    Ok(Table { columns, rows, cells })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn read(content: &[u8]) -> Result<Table, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("member.csv");
        std::fs::write(&path, content).unwrap();
        read_csv(&path)
    }

    #[test]
    fn numbers_text_and_empty_cells() {
        let table = read(b"step,force_pn,state\n0,1.5,folded\n10,,\"a, b\"\n20,-2e3,\n").unwrap();
        assert_eq!(table.columns, ["step", "force_pn", "state"]);
        assert_eq!(table.rows(), 3);
        assert_eq!(table.column("step"), Some(&[0.0, 10.0, 20.0][..]));
        let force = table.column("force_pn").unwrap();
        assert_eq!((force[0], force[2]), (1.5, -2000.0));
        assert!(force[1].is_nan());
        assert_eq!(table.column("state"), None);
        assert_eq!(table.text_column("state").unwrap(), ["folded", "a, b", ""]);
        assert_eq!(table.text_column("step").unwrap(), ["0", "10", "20"]);
        assert!(table.column("work").is_none() && table.text_column("work").is_none());
    }

    #[test]
    fn a_torn_last_line_is_ignored() {
        let table = read(b"step,force\n0,1.5\n10,2.").unwrap();
        assert_eq!(table.column("force"), Some(&[1.5][..]));
        let table = read(b"step,force\r\n0,1.5\r\n1").unwrap();
        assert_eq!(table.column("step"), Some(&[0.0][..]));
        let table = read(b"step,force\n").unwrap();
        assert_eq!((table.rows(), table.column("step")), (0, Some(&[][..])));
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let error = read(b"step,force\n0,1\n1\n2,3\n").unwrap_err();
        assert_eq!(error.code(), "analysis/table-damaged");
        assert!(error.to_string().starts_with("Line 3 of the table"), "{error}");
        assert!(error.to_string().contains("it has 1 cells, and the first line names 2 columns"));
        assert_eq!(read(b"a,b\n1,\xff\n").unwrap_err().code(), "analysis/table-damaged");
        assert_eq!(read(b"").unwrap_err().code(), "analysis/table-without-header");
        assert_eq!(read(b"step,fo").unwrap_err().code(), "analysis/table-without-header");
        assert_eq!(read(b"a,b,a\n1,2,3\n").unwrap_err().code(), "analysis/duplicate-column");
        assert_eq!(read_csv("no/such.csv").unwrap_err().code(), "analysis/table-unreadable");
    }

    #[test]
    fn a_hundred_thousand_rows() {
        let mut content = String::from("time_ns,extension_nm,force_pn\n");
        for row in 0..100_000 {
            let _ = writeln!(content, "{},{:.6},{:.4}", row * 20, f64::from(row) * 1e-4, 0.5);
        }
        let table = read(content.as_bytes()).unwrap();
        assert_eq!(table.rows(), 100_000);
        // Time sums to 20 n(n − 1)/2.
        assert_eq!(table.column("time_ns").unwrap().iter().sum::<f64>(), 10.0 * 1e5 * 99_999.0);
    }
}
