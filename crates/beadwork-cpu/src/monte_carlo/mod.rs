//! Metropolis moves of elastic chains: [`Walker`] is the plain path, [`Walk`] leads one through the stages of a protocol.

mod chain;
mod proposal;
mod tuning;
mod walk;
mod walker;

pub use chain::Chain;
pub use proposal::Proposal;
pub use tuning::tuned;
pub use walk::{EitherWalker, Tally, Walk, WalkState};
pub use walker::{Rung, Walker, WalkerState};
