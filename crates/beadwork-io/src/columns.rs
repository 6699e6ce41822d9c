//! One table of many rows, stored column by column: a Parquet file.
//!
//! A Parquet file cannot grow, so it is written in one piece when all rows are there; tables that
//! grow are comma-separated values ([`crate::table`]). Without the cargo feature `parquet`,
//! [`write`](fn@write) returns [`Error::NoParquet`].

use std::path::Path;

use crate::Error;

#[cfg(feature = "parquet")]
pub use parquet;

/// Whether this program was built with Parquet.
pub const AVAILABLE: bool = cfg!(feature = "parquet");

/// What the cells of a column are.
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
    /// What its cells are.
    pub kind: Kind,
}

/// Some cells of a column, one below the other; `None` where there is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Of [`Kind::Integer`].
    Integers(Vec<Option<i64>>),
    /// Of [`Kind::Number`].
    Numbers(Vec<Option<f64>>),
    /// Of [`Kind::Text`].
    Texts(Vec<Option<String>>),
}

impl Cells {
    /// No cells, of this kind.
    pub fn new(kind: Kind) -> Cells {
        match kind {
            Kind::Integer => Cells::Integers(Vec::new()),
            Kind::Number => Cells::Numbers(Vec::new()),
            Kind::Text => Cells::Texts(Vec::new()),
        }
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn len(&self) -> usize {
        match self {
            Cells::Integers(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }
}

/// Writes a Parquet file in one piece: a kill leaves the old file or none.
///
/// `next` gives some rows at a time, one [`Cells`] for each column and all of one length, and then
/// `None`.
pub fn write<E: From<Error>>(
    path: &Path,
    columns: &[Column],
    next: impl FnMut() -> Result<Option<Vec<Cells>>, E>,
) -> Result<(), E> {
    #[cfg(feature = "parquet")]
    return crate::parquet_file::write(path, columns, next);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = (path, columns, next);
        Err(Error::NoParquet.into())
    }
}

#[cfg(all(test, not(feature = "parquet")))]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_parquet_says_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tables.parquet");
        let error = write::<Error>(&path, &[], || Ok(None)).unwrap_err();
        assert_eq!(error.code(), "io/no-parquet");
        assert!(error.to_string().contains("--features parquet"), "{error}");
        assert!(!path.exists());
    }
}
