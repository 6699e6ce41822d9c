//! Text to be compiled.

/// How sums of products are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// Fused where that is faster: what runs are made with.
    Fused,
    /// As the host's reference path rounds: the same bits as there, to check one by the other.
    AsWritten,
}

/// Text to be compiled.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is, for messages.
    pub name: String,
    /// CUDA C++ that includes nothing.
    pub source: String,
    /// Its kernels.
    pub functions: Vec<String>,
    /// The lowest compute capability that runs it.
    pub oldest: (u32, u32),
    /// Registers of a thread at most.
    pub registers: u32,
    /// Local memory of a thread at most, bytes.
    pub local_bytes: usize,
}

/// Numbers, which every text begins with.
pub const ARITHMETIC_TEXT: &str = include_str!("../../kernels/arithmetic.cuh");
/// Vectors, and what lies between two beads.
pub const GEOMETRY_TEXT: &str = include_str!("../../kernels/geometry.cuh");
/// Words and numbers of keyed noise.
pub const NOISE_TEXT: &str = include_str!("../../kernels/random/keyed.cuh");

/// Definitions, and files after them.
pub fn text_of(definitions: &[(&str, u32)], files: &[&str]) -> String {
    let define = |(name, value): &(&str, u32)| format!("#define {name} {value}\n");
    definitions.iter().map(define).chain(files.iter().map(|file| (*file).to_owned())).collect()
}
