//! Tables of comma-separated values.

use std::path::{Path, PathBuf};

use beadwork::analysis::table::{self, read_csv_of_anyone};
use beadwork::io::table::quoted;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyAny;

use super::unwritten;
use crate::failure::Failure;
use crate::threads::without_python;

/// The cells of a column.
enum Cells {
    Counts(Vec<i64>),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

/// Names and cells of columns, and whether a last line was left out.
type ReadTable<'py> = (Vec<(String, Bound<'py, PyAny>)>, bool);

/// The columns of a table: whole numbers as int64, other numbers as float64 with NaN for empty cells, and texts as a list. Of a
/// run's table a last line without an end is left out, and this is said.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<ReadTable<'_>> {
    let (columns, is_cut) = without_python(py, || {
        let table = read_csv_of_anyone(&path)?;
        let cells = |name: &String| Ok((name.clone(), cells_of(&table, name)?));
        let columns = table.columns.iter().map(cells).collect::<Result<Vec<_>, Failure>>()?;
        Ok((columns, table.is_cut()))
    })?;
    let mut arrays = Vec::new();
    for (name, cells) in columns {
        let cells = match cells {
            Cells::Counts(cells) => PyArray1::from_vec(py, cells).into_any(),
            Cells::Numbers(cells) => PyArray1::from_vec(py, cells).into_any(),
            Cells::Texts(cells) => cells.into_pyobject(py)?.into_any(),
        };
        arrays.push((name, cells));
    }
    Ok((arrays, is_cut))
}

fn cells_of(table: &table::Table, name: &str) -> Result<Cells, Failure> {
    let texts = table.texts(name)?;
    let counts: Result<Vec<i64>, _> = texts.iter().map(|text| text.parse()).collect();
    if let (Ok(counts), false) = (counts, texts.is_empty()) {
        return Ok(Cells::Counts(counts));
    }
    // "inf" and "nan" are numbers to Rust; here they are texts, as the program never writes them.
    Ok(match table.numbers(name) {
        Ok(numbers) => Cells::Numbers(numbers),
        Err(_) => Cells::Texts(texts.into_iter().map(String::from).collect()),
    })
}

/// A column that is written.
#[derive(FromPyObject)]
pub enum Written<'py> {
    Counts(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// Writes columns of one length as a table, all at once. NaN is an empty cell.
#[pyfunction]
pub fn write_table(path: PathBuf, names: Vec<String>, columns: Vec<Written<'_>>) -> PyResult<()> {
    let mut cells = Vec::new();
    for (name, column) in names.iter().zip(&columns) {
        cells.push(texts_of(&path, name, column)?);
    }
    let mut text = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in 0..cells.first().map_or(0, Vec::len) {
        for (place, column) in cells.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            text.push_str(&column[row]);
        }
        text.push('\n');
    }
    let written = beadwork::io::atomic::write(&path, text.as_bytes());
    Ok(written.map_err(|error| unwritten(&path, error))?)
}

fn texts_of(path: &Path, name: &str, column: &Written<'_>) -> PyResult<Vec<String>> {
    Ok(match column {
        Written::Counts(cells) => cells.as_slice()?.iter().map(i64::to_string).collect(),
        Written::Texts(cells) => cells.iter().map(|cell| quoted(cell)).collect(),
        Written::Numbers(cells) => {
            let cells = cells.as_slice()?;
            if let Some(number) = cells.iter().find(|number| number.is_infinite()) {
                let problem = format!(
                    "column {name} of {} has a {number}, which tables cannot hold: write NaN for what is not known",
                    path.display()
                );
                return Err(Failure::argument(problem).into());
            }
            cells.iter().map(number_text).collect()
        }
    })
}

/// The shortest text that reads back as the same number; nothing for NaN.
fn number_text(number: &f64) -> String {
    match number.abs() {
        _ if number.is_nan() => String::new(),
        size if size != 0.0 && !(1e-5..1e16).contains(&size) => format!("{number:e}"),
        _ => number.to_string(),
    }
}
