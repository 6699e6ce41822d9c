//! Generators of 32-bit words, one file each.

mod ecosystem;
pub mod hybrid_taus;
pub mod lagged_fibonacci;
pub mod lcg;
pub mod mt19937;
pub mod philox4x32;
pub mod ran2;
pub mod saru;
pub mod tea;
pub mod xorwow;

pub use hybrid_taus::{HybridTaus, hybrid_taus_in_lanes};
pub use lagged_fibonacci::{LaggedFibonacci, lags_for};
pub use lcg::Lcg;
pub use mt19937::Mt19937;
pub use philox4x32::{philox4x32, philox4x32_in_lanes};
pub use ran2::Ran2;
pub use saru::Saru;
pub use tea::{TEA_KEY, tea};
pub use xorwow::Xorwow;
