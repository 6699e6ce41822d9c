//! Monte Carlo of elastic polymers on a GPU, with exchange between the replicas of ladders.

mod chain_cases;
mod course;
mod journey;
mod plain;
mod population;
mod sampler;
pub(crate) mod walker_program;
mod walkers;

pub use chain_cases::{ChainCase, chain_cases, walker_programs};
pub use course::Course;
pub use journey::Journey;
pub(crate) use population::walk_obstacle;
pub use population::{Population, Replicas, Stop, WalkerWishes};
pub use sampler::{Sampled, Sampler};
pub use walker_program::WalkerForm;
pub use walkers::Walkers;
