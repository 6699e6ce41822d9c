//! The benchmarks of `beadwork bench`, with the programs and published schemes that they compare.
//!
//! A folder is a kind of workload, and a benchmark a file with its options, its rows and its tables, and a line in
//! [`Benchmark`]. `timing` calibrates
//! and repeats, `statistics` compares, `report` writes Markdown and JSON.

mod error;
mod fluids;
pub mod kernels;
mod machine;
mod members;
mod options;
mod oscillators;
mod polymers;
mod proteins;
mod random_numbers;
mod report;
mod residues;
mod runs;
mod statistics;
mod timing;
mod tune;

use clap::Subcommand;

pub use error::Error;
pub use fluids::Fluid;
pub use machine::today;
pub use members::Stepper;
pub use options::{generator_of, one_of, precision_of};
pub use oscillators::published_oscillators;
pub use runs::{Workload, interrupt};

pub use statistics::largest;

/// The seed of all timed runs.
const SEED: u64 = 20_101;

const DPD: &str = "\
Examples:
  beadwork bench dpd
  beadwork bench dpd --beads 3000,24000 --threads 1
  beadwork bench dpd --beads 24000,240000,3000000 --device cuda --check-seconds 0";

const MELT: &str = "\
Examples:
  beadwork bench melt
  beadwork bench melt --beads 8000,32000 --precision double
  beadwork bench melt --beads 32000 --replicas 1,8 --device cuda";

const FLUID: &str = "\
Examples:
  beadwork bench fluid
  beadwork bench fluid --beads 4000,64000 --skin 0.4
  beadwork bench fluid --beads 64000 --device cuda";

const TUNE: &str = "\
Examples:
  beadwork bench tune protein.toml
  beadwork bench tune protein.toml --set ensemble.replicas=1000 --device cuda:1";

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Benchmark {
    /// Brownian dynamics of proteins in the SOP model.
    Sop(proteins::Sop),
    /// Langevin dynamics of disordered proteins with a bead for each residue.
    Residues(residues::Residues),
    /// A melt of block copolymers in a box, by dissipative particle dynamics.
    ///
    /// Molecules A3B7 at density 3, with the pair thermostat and steps of 0.04 in the units of `beadwork new dpd`. They
    /// begin on a lattice and make 2,000 steps before those that are timed. kT must be 1.028, which other programs find too.
    #[command(after_help = DPD)]
    Dpd(fluids::FluidInBox),
    /// A melt of chains of 100 beads in a box, by Langevin dynamics.
    ///
    /// The chains of Kremer and Grest at density 0.85, with steps of 0.01 in the units of `beadwork new melt`. They begin
    /// on a lattice and make 2,000 steps before those that are timed.
    #[command(after_help = MELT)]
    Melt(fluids::FluidInBox),
    /// A Lennard-Jones liquid in a box, by Langevin dynamics.
    ///
    /// Single beads at density 0.844 with a cutoff of 2.5 and steps of 0.005, in the units of `beadwork new fluid`. They
    /// begin on a lattice and make 2,000 steps before those that are timed.
    #[command(after_help = FLUID)]
    Fluid(fluids::FluidInBox),
    /// The cost of a bead-step against the number of beads, measured with generated globules.
    Growth(proteins::Growth),
    /// Random numbers a second: uniform and normal ones of every generator.
    Random(random_numbers::RandomNumbers),
    /// The cost of a generator where each step of free particles is a kernel on a GPU.
    MicroStreams(random_numbers::MicroStreamSteps),
    /// The cost of a generator where each call of the pair thermostat of DPD is a kernel on a GPU.
    PairStreams(random_numbers::PairStreamCalls),
    /// The cost of a step of independent particles in wells or free, and the share of the random numbers in it.
    Oscillators(oscillators::Particles),
    /// Monte Carlo moves of elastic chains in a ladder of temperatures, compared with simple programs.
    Polymer(polymers::Moves),
    /// The fastest form of blocks for the members of an input on this GPU, which later runs take.
    ///
    /// Some forms are timed that may suit the members; no bit of a trajectory depends on the form. The fastest is kept in the
    /// folder of compiled kernels. `beadwork run --gpu-form` chooses by hand.
    #[command(after_help = TUNE)]
    Tune(tune::Tune),
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
            Benchmark::Dpd(benchmark) => benchmark.run(Fluid::Dpd),
            Benchmark::Melt(benchmark) => benchmark.run(Fluid::Melt),
            Benchmark::Fluid(benchmark) => benchmark.run(Fluid::LennardJones),
            Benchmark::Growth(benchmark) => benchmark.run(),
            Benchmark::Random(benchmark) => benchmark.run(),
            Benchmark::MicroStreams(benchmark) => benchmark.run(),
            Benchmark::PairStreams(benchmark) => benchmark.run(),
            Benchmark::Oscillators(benchmark) => benchmark.run(),
            Benchmark::Polymer(benchmark) => benchmark.run(),
            Benchmark::Tune(benchmark) => benchmark.run(),
        }
    }
}
