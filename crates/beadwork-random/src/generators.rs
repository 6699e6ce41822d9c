//! Generators of 32-bit words, one file each.

pub mod hybrid_taus;
pub mod philox4x32;

pub use hybrid_taus::{HybridTaus, hybrid_taus_in_lanes};
pub use philox4x32::{Philox4x32, philox4x32, philox4x32_10, philox4x32_in_lanes};
