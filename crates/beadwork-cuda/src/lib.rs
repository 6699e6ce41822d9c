//! How a GPU of NVIDIA is reached: finding cards, compiling kernels for them, memory, launches.
//!
//! Nothing of CUDA is needed to build this crate or to start a program that has it. The driver is
//! opened at the first call, NVRTC where a kernel is not in the cache; what is missing is an
//! [`Error`] that says so. Any call of the driver may end in [`Error::Other`]: sections on errors
//! name other reasons.

mod batch;
mod compile;
mod device;
mod error;
mod monte_carlo;
mod plans;
mod random;
mod tables;

pub use batch::layout::Number;
pub use compile::{Compiler, Cubin, Part, Program, Rounding, cache_folder, notices, program_text};
pub use device::{Buffer, Device, Function, Graph, Module, Properties, Stream, devices};
pub use error::{ERROR_CODES, Error, OLDEST_CARD, OLDEST_DRIVER};
pub use monte_carlo::{
    ChainCase, ChainOverrides, ChainSamplers, ChainShape, LadderBatch, Replicas, Sampled, Sampler,
    Stop, SweepRecord, SweepSchedule, chain_cases, chain_programs,
};
pub use plans::{
    BatchResult, Case, Ensemble, Job, LaunchOverrides, Plan, cases, cover, fits_a_block, is_on_gpu,
    obstacle, sample_bytes, usual_plan,
};
pub use random::{Origin, Words, random_programs};
