//! Random words on a GPU.

pub(crate) mod fill;
pub(crate) mod generators;
mod rounds;
mod words;

pub use generators::random_programs;
pub use words::{Origin, Words};
