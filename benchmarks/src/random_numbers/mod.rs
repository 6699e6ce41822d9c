//! Random numbers: words of generators, and what a generator costs where each of its calls is a kernel.

mod micro_streams;
mod pair_streams;
mod words;

pub use micro_streams::MicroStreamSteps;
pub use pair_streams::PairStreamCalls;
pub use words::{DrawnWords, RandomNumbers};
