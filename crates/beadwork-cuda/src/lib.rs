//! Access to NVIDIA GPUs: finding cards, compiling kernels for them, memory, launches.
//!
//! Building this crate or starting a program with it needs nothing of CUDA. The driver is opened at the first call,
//! NVRTC if a kernel is not in the cache; if one is missing, an [`Error`] says so. Any call of the driver may return
//! [`Error::Other`]: sections on errors list other reasons.

mod batch;
mod compile;
mod device;
mod error;
mod monte_carlo;
mod observables;
mod plans;
mod random;
mod tables;

pub use batch::records::Number;
pub use compile::{Compiler, Cubin, Program, Rounding, cache_folder, notices, program_text};
pub use device::{Buffer, Device, Function, Graph, Module, Properties, Stream, devices};
pub use error::{ERROR_CODES, Error, OLDEST_CARD, OLDEST_DRIVER};
pub use monte_carlo::{
    ChainCase, ChainOverrides, ChainSamplers, ChainShape, LadderBatch, Replicas, Sampled, Sampler,
    Stop, SweepRecord, SweepSchedule, chain_cases, chain_programs,
};
pub use observables::observed_programs;
pub use plans::forms;
pub use plans::{
    BatchResult, Case, Ensemble, FILLED_BYTES, Job, LaunchOverrides, Plan, alike, cases, cover,
    fewest_filled_bytes, fits_a_block, most_steps_together, obstacle, sample_bytes, steps_on_host,
    usual_plan,
};
pub use random::{Origin, Words, random_programs};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
