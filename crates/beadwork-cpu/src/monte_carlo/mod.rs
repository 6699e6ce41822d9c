//! Metropolis moves of elastic chains: [`Walker`] is the plain path, [`WalkerGroup`] moves several with a lane each,
//! [`Walk`] leads one through the stages of a protocol.

mod alone;
mod chain;
mod group;
mod proposal;
mod proposals;
mod quench;
mod tuning;
mod walk;
mod walker;
mod walks;

pub use chain::Chain;
pub use group::WalkerGroup;
pub use proposal::Proposal;
pub use quench::{Quenched, quench};
pub use tuning::tuned;
pub use walk::{EitherWalker, Reach, Walk};
pub use walker::{Rung, Walker, WalkerState};
pub(crate) use walks::Walks;
