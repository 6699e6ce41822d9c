//! Tables of an answer.

use serde::{Deserialize, Serialize};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// Its name, which ends with the unit where it has one.
    pub name: String,
}

impl TableColumn {
    /// A column of this name.
    pub fn new(name: impl Into<String>) -> TableColumn {
        TableColumn { name: name.into() }
    }
}

/// A file beside `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFile {
    /// Its name.
    pub file: String,
    /// Its columns.
    pub columns: Vec<TableColumn>,
    /// The number of its rows.
    pub rows: usize,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name.
    Text(String),
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// Nothing, where a value is not known.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }
}

impl From<f64> for Cell {
    /// A number that is not finite is not known.
    fn from(number: f64) -> Cell {
        if number.is_finite() { Cell::Number(number) } else { Cell::Empty }
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Whole(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Whole(number as u64)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Cell {
        number.map_or(Cell::Empty, Cell::from)
    }
}

/// A table whose rows belong to groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of its file.
    pub file: String,
    /// The columns beside those that name the group.
    pub columns: Vec<TableColumn>,
    /// The place of a group, and its cells.
    pub(super) rows: Vec<(usize, Vec<Cell>)>,
}

impl Table {
    /// A table without rows.
    pub fn new(file: &str, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|name| TableColumn::new(*name)).collect();
        Table { file: file.to_string(), columns, rows: Vec::new() }
    }

    /// Adds a row of a group.
    pub fn push(&mut self, group: usize, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push((group, cells.into_iter().collect()));
    }

    /// The table, whose groups stand after `before` others.
    pub fn after(mut self, before: usize) -> Table {
        self.rows.iter_mut().for_each(|(group, _)| *group += before);
        self
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
