//! Metropolis moves of elastic chains: [`Walker`] is the plain path, [`Walk`] leads one through the stages of a protocol.

mod chain;
mod proposal;
mod quench;
mod tuning;
mod walk;
mod walker;

pub use chain::Chain;
pub use proposal::Proposal;
pub use quench::{Quenched, quench};
pub use tuning::tuned;
pub use walk::{EitherWalker, Lowest, Tally, Walk, WalkState};
pub use walker::{Rung, Walker, WalkerState};
