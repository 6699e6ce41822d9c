//! Interactions and externals in a form that several paths read.

pub(crate) mod angles_and_fields;
pub(crate) mod externals;
pub(crate) mod pair_table;
pub(crate) mod reaches;
