//! Compilation of kernels: the compiler, the cache of compiled kernels, and the libraries that both need.

pub(crate) mod cache;
pub(crate) mod compiler;
mod headers;
pub(crate) mod libraries;
pub(crate) mod program;
mod text;

pub use cache::{cache_folder, notices};
pub use compiler::{Compiler, Cubin};
pub use program::{Program, Rounding};
pub use text::program_text;
