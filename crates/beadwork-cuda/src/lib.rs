//! How a GPU of NVIDIA is reached: finding cards, compiling kernels for them, memory, launches.
//!
//! Nothing of CUDA is needed to build this crate or to start a program that has it. The driver is
//! opened at the first call, NVRTC where a kernel is not in the cache; what is missing is an
//! [`Error`] that says so.

mod arena;
mod beads;
mod buffer;
mod cache;
mod cases;
mod chain_cases;
mod compiler;
mod course;
mod cover;
mod device;
mod ensemble;
mod error;
mod fleet;
mod flight;
mod generators;
mod graph;
mod journey;
mod launches;
mod layout;
mod libraries;
mod module;
mod pairs;
mod plain;
mod population;
mod program;
mod sampler;
mod samples;
mod shape;
mod shelf;
mod stage;
mod stream;
mod text;
mod topology;
mod walker_program;
mod walkers;
mod words;

pub use buffer::Buffer;
pub use cache::{cache_folder, notices};
pub use cases::{Case, cases};
pub use chain_cases::{ChainCase, chain_cases, walker_programs};
pub use compiler::{Compiler, Cubin};
pub use course::Course;
pub use cover::cover;
pub use device::{Device, Properties, devices};
pub use ensemble::{
    Ensemble, Harvest, Job, Look, Plan, fits_a_block, is_flown, obstacle, sample_bytes, usual_plan,
};
pub use error::{ERROR_CODES, Error, OLDEST_CARD, OLDEST_DRIVER};
pub use generators::random_programs;
pub use graph::Graph;
pub use journey::Journey;
pub use layout::Number as WalkerNumber;
pub use module::{Function, Module};
pub use population::{Population, Replicas, Stop, WalkerWishes};
pub use program::{Form, Key, Program, Rounding, Search};
pub use sampler::{Sampled, Sampler};
pub use shape::Wishes;
pub use stream::Stream;
pub use text::{Part, program_text};
pub use walker_program::WalkerForm;
pub use walkers::Walkers;
pub use words::{Origin, Words};
