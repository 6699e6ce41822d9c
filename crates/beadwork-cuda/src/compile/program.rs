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
    /// CUDA C++ that includes files of `kernels/` by their names.
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

/// Lines that define numbers.
pub fn definitions_of(numbers: &[(&str, u32)]) -> String {
    numbers.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect()
}

/// Lines that include files of `kernels/`.
pub fn including(files: &[&str]) -> String {
    files.iter().map(|file| format!("#include \"{file}\"\n")).collect()
}
