//! Program texts and the kernels in them.

/// How sums of products are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// Fused if that is faster, as in production runs.
    Fused,
    /// As the host's reference path rounds: kernels then give its bits, so that each can check the other.
    AsWritten,
}

/// A text to be compiled.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name in messages.
    pub name: String,
    /// CUDA C++ that includes nothing.
    pub source: String,
    /// Its kernels.
    pub functions: Vec<String>,
    /// The lowest compute capability that runs it.
    pub oldest: (u32, u32),
    /// The most registers that a thread may use.
    pub registers: u32,
    /// The most bytes of local memory that a thread may use.
    pub local_bytes: usize,
}

/// Arithmetic, with which every text begins.
pub const ARITHMETIC_TEXT: &str = include_str!("../../kernels/arithmetic.cuh");
/// Vectors, and separations of two beads.
pub const GEOMETRY_TEXT: &str = include_str!("../../kernels/geometry.cuh");
/// Words and numbers of keyed noise.
pub const NOISE_TEXT: &str = include_str!("../../kernels/random/keyed.cuh");

/// Definitions, followed by files.
pub fn text_of(definitions: &[(&str, u32)], files: &[&str]) -> String {
    let define = |(name, value): &(&str, u32)| format!("#define {name} {value}\n");
    definitions.iter().map(define).chain(files.iter().map(|file| (*file).to_owned())).collect()
}
