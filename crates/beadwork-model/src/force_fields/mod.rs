//! From what a file said to what is simulated: one file a force field.

pub mod elastic_polymer;
pub mod oscillators;
pub mod sop;
