//! Members as records in device memory, and their samples back.

pub mod arena;
pub mod layout;
mod pack;
mod samples;

pub use pack::{Batch, BatchMember, End, Entry, Scratch, reserve};
pub use samples::{MemberSamples, Samples};
