//! Conversion of members to records in device memory, and of samples back.

pub mod arena;
mod observed;
mod pack;
pub mod records;
mod regions;
mod samples;

pub use pack::{Batch, BatchMember, End, Entry, Sampled, Scratch, reserve, reserve_within};
pub use regions::Regions;
pub use samples::{MemberSamples, Samples};
