//! Answers as data: values with their errors, findings with their codes, tables with named columns.
//!
//! Every reader of a run folder fills these. Words, JSON and CSV files are written from them by one function each, so they cannot
//! say different things. `docs/src/answers.md` describes `summary.json`.

mod csv;
mod finding;
mod summary;
mod sweep;
mod table;
mod words;

pub use finding::{Class, Code, Finding};
pub use summary::{FORMAT, Group, Setting, Summary, Value};
pub(crate) use sweep::{Swept, WIDE, figures};
pub use table::{Cell, Table, TableColumn, TableFile};
pub(crate) use words::listed;
