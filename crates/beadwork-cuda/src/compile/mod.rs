//! Text to kernels: the compiler, the cache of what it made, and the libraries that are opened for it.

pub(crate) mod cache;
pub(crate) mod compiler;
pub(crate) mod libraries;
pub(crate) mod program;
mod text;

pub use cache::{cache_folder, notices};
pub use compiler::{Compiler, Cubin};
pub use program::{Program, Rounding};
pub use text::{Part, program_text};
