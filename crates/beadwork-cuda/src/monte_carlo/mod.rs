//! Monte Carlo of elastic polymers on a GPU, with exchange between the replicas of ladders.

mod chain_cases;
pub(crate) mod chain_program;
mod chain_samplers;
mod ladder_batch;
mod reference;
mod sampler;
mod sweep_record;
mod sweep_schedule;

pub use chain_cases::{ChainCase, chain_cases, chain_programs};
pub use chain_program::ChainShape;
pub use chain_samplers::ChainSamplers;
pub(crate) use ladder_batch::chain_obstacle;
pub use ladder_batch::{ChainOverrides, LadderBatch, Replicas, Stop};
pub use sampler::{Sampled, Sampler};
pub use sweep_record::SweepRecord;
pub use sweep_schedule::SweepSchedule;
