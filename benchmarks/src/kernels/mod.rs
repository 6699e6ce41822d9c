//! Kernels that are timed but step no run of beadwork: published schemes, and random numbers alone.
//!
//! Errors are those of the device, the compiler and memory.

mod by_pair;
mod micro_streams;
mod throughput;
mod whole_energy;

use beadwork_cuda::{OLDEST_CARD, Part, Program, program_text};
use beadwork_random::{Generator, Scheme};

pub use by_pair::ByPair;
pub use micro_streams::MicroStreams;
pub use throughput::{Numbers, Throughput, copy_seconds};
pub use whole_energy::{WholeEnergy, WholeEnergyScheme};

/// The programs of all these kernels, which tests compile without a GPU.
pub fn programs() -> Vec<Program> {
    let mut programs = vec![whole_energy::program(), by_pair::program()];
    for (generator, scheme) in generators_of_threads() {
        programs.push(throughput::program(generator, scheme));
        programs.push(micro_streams::program(generator, scheme));
    }
    programs
}

/// The program of a published scheme, with the generator of runs.
fn published(name: &str, part: Part, kernels: &str, functions: &[&str]) -> Program {
    let generator = Generator::Philox4x32x10;
    Program {
        name: name.into(),
        source: program_text(generator, generator.schemes()[0], &[], &[part], kernels),
        functions: functions.iter().map(|name| name.to_string()).collect(),
        oldest: OLDEST_CARD,
        registers: 128,
        local_bytes: 0,
    }
}

/// The generators that each thread can have for itself, in every scheme.
pub fn generators_of_threads() -> impl Iterator<Item = (Generator, Scheme)> {
    let schemes =
        |generator: Generator| generator.schemes().iter().map(move |scheme| (generator, *scheme));
    let all = Generator::ALL.into_iter().flat_map(schemes);
    all.filter(|(_, scheme)| *scheme != Scheme::OneForAllThreads)
}
