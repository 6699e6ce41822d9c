//! Metropolis moves of elastic chains: [`Walker`] is the plain path.

mod chain;
mod proposal;
mod walker;

pub use chain::Chain;
pub use proposal::Proposal;
pub use walker::{Rung, Walker, WalkerState};
