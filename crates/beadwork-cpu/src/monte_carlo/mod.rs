//! Metropolis moves of elastic chains: [`ChainSampler`] is the reference path, [`SamplerGroup`] moves several with a lane each,
//! [`MonteCarloMember`] leads one through the stages of a protocol.

mod alone;
mod batch;
mod chain;
mod group;
mod member;
mod proposal;
mod proposals;
mod quench;
mod sampler;
mod tuning;

pub(crate) use batch::MonteCarloBatch;
pub use chain::Chain;
pub use group::SamplerGroup;
pub use member::{EitherSampler, MonteCarloMember, TrialMove};
pub use proposal::Proposal;
pub use quench::{Quenched, quench};
pub use sampler::{ChainSampler, ChainSamplerState, Rung};
pub use tuning::tuned;
