//! One table of many rows, stored column by column: a Parquet file.
//!
//! A Parquet file cannot grow, so it is written at once when all rows exist; tables that grow are
//! comma-separated values ([`crate::table`]). Without the cargo feature `parquet`,
//! [`write`](fn@write) returns [`Error::NoParquet`].

use std::path::Path;

use crate::Error;

#[cfg(feature = "parquet")]
pub use parquet;

/// Whether this program was built with Parquet.
pub const AVAILABLE: bool = cfg!(feature = "parquet");

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

    #[cfg(feature = "parquet")]
    pub(crate) fn len(&self) -> usize {
        match self {
            Cells::Integers(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }
}

/// Writes a Parquet file atomically: a kill leaves the old file or none.
///
/// `next` returns some rows at a time, as one [`Cells`] for each column, all of one length; at the
/// end, `None`.
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
