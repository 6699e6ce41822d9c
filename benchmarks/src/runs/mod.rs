//! Steps as runs make them, with all their files: what benchmarks of proteins, residues and fluids share.

mod bench;
mod description;
mod job;
mod peer;
mod reference;
mod temperature;
mod workload;

pub use bench::interrupt;
pub(crate) use bench::{Bench, RunOptions, speeds};
pub(crate) use peer::PeerOptions;
pub use workload::Workload;
