//! A table of many rows, stored column by column: a Parquet file.
//!
//! A Parquet file cannot grow, so it is written at once when all rows exist; tables that grow are comma-separated values
//! ([`beadwork_io::table`]). The program has this crate only with its cargo feature `parquet`.

mod write;

pub use parquet;
pub use write::write;

/// The type of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 64-bit integers.
    Integer,
    /// 64-bit floating-point numbers.
    Number,
    /// UTF-8 texts.
    Text,
}

/// Name and kind of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name, unique in its table.
    pub name: String,
    /// The type of its cells.
    pub kind: Kind,
}

/// Some successive cells of a column; `None` for a missing value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Cells of [`Kind::Integer`].
    Integers(Vec<Option<i64>>),
    /// Cells of [`Kind::Number`].
    Numbers(Vec<Option<f64>>),
    /// Cells of [`Kind::Text`].
    Texts(Vec<Option<String>>),
}

impl Cells {
    /// An empty list of cells of this kind.
    pub fn new(kind: Kind) -> Cells {
        match kind {
            Kind::Integer => Cells::Integers(Vec::new()),
            Kind::Number => Cells::Numbers(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Cells::Integers(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }
}

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
