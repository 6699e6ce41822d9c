//! The benchmarks of `beadwork bench`, with the programs and published schemes that they compare.
//!
//! A benchmark is a file with its options, its rows and its tables, and a line in [`Benchmark`]. `timing` calibrates
//! and repeats, `statistics` compares, `report` writes Markdown and JSON.

mod error;
pub mod kernels;
mod machine;
mod members;
mod micro_streams;
mod options;
mod oscillators;
mod pair_streams;
mod polymer;
mod random;
mod report;
mod sop;
mod statistics;
mod timing;

use clap::Subcommand;

pub use error::Error;
pub use machine::today;
pub use members::{Stepper, one_stage};
pub use options::{generator_of, one_of, precision_of};
pub use oscillators::published_oscillators;
pub use sop::{Fluid, Workload, globule, sop_system, trace};
pub use statistics::largest;

/// The seed of all timed runs.
const SEED: u64 = 20_101;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Benchmark {
    /// Brownian dynamics of proteins in the SOP model.
    Sop(sop::Sop),
    /// Langevin dynamics of disordered proteins with a bead for each residue.
    Residues(sop::Residues),
    /// Fluids in boxes: a DPD melt of block copolymers, a Kremer-Grest melt, a Lennard-Jones liquid.
    Fluids(sop::Fluids),
    /// The cost of a bead-step against the number of beads, measured with generated globules.
    Growth(sop::Growth),
    /// Random numbers a second: uniform and normal ones of every generator.
    Random(random::RandomNumbers),
    /// The cost of a generator where each step of free particles is a kernel on a GPU.
    MicroStreams(micro_streams::MicroStreamSteps),
    /// The cost of a generator where each call of the pair thermostat of DPD is a kernel on a GPU.
    PairStreams(pair_streams::PairStreamCalls),
    /// The cost of a step of independent particles in wells or free, and the share of the random numbers in it.
    Oscillators(oscillators::Particles),
    /// Monte Carlo moves of elastic chains in a ladder of temperatures, compared with simple programs.
    Polymer(polymer::Moves),
}

/// The result of a benchmark.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Markdown, or JSON if `--json` asks for it.
    pub text: String,
    /// Whether all checks hold.
    pub holds: bool,
}

impl Benchmark {
    /// Measures, and saves the result if `--save` asks for it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn run(&self) -> Result<Outcome, Error> {
        match self {
            Benchmark::Sop(benchmark) => benchmark.run(),
            Benchmark::Residues(benchmark) => benchmark.run(),
            Benchmark::Fluids(benchmark) => benchmark.run(),
            Benchmark::Growth(benchmark) => benchmark.run(),
            Benchmark::Random(benchmark) => benchmark.run(),
            Benchmark::MicroStreams(benchmark) => benchmark.run(),
            Benchmark::PairStreams(benchmark) => benchmark.run(),
            Benchmark::Oscillators(benchmark) => benchmark.run(),
            Benchmark::Polymer(benchmark) => benchmark.run(),
        }
    }
}
