//! Kernels that are timed but step no run of beadwork: published schemes, and random numbers alone.
//!
//! Errors are those of the device, the compiler and memory.

mod by_pair;
mod micro_streams;
mod pair_lists;
mod pair_streams;
mod throughput;
mod whole_energy;

use std::sync::Arc;
use std::time::Instant;

use beadwork_cuda::{Error, Graph, OLDEST_CARD, Program, Stream, program_text};
use beadwork_random::{Generator, Scheme};

pub use by_pair::ByPair;
pub use micro_streams::MicroStreams;
pub use pair_lists::{Lists, Neighbours, PARTNERS, PairLists};
pub use pair_streams::{FirstCalls, PairStreams};
pub use throughput::{Numbers, Throughput, copy_rate, copy_seconds};
pub use whole_energy::{WholeEnergy, WholeEnergyScheme};

/// The programs of all these kernels, which tests compile without a GPU.
pub fn programs() -> Vec<Program> {
    let mut programs = vec![whole_energy::program(), by_pair::program()];
    for (generator, scheme) in generators_of_threads() {
        programs.push(throughput::program(generator, scheme));
        programs.push(micro_streams::program(generator, scheme));
        programs.push(pair_streams::program(generator, scheme, Lists::of(scheme)));
    }
    programs.push(pair_streams::program(Generator::Saru, Scheme::OnePerCall, Lists::Half));
    programs
}

/// Wall time of this many calls, each a kernel that `launch` starts, s. All launches are recorded before the clock starts,
/// and are made once before.
fn graph_seconds(
    stream: &Stream,
    calls: u64,
    launch: impl Fn(u64) -> Result<(), Error>,
) -> Result<f64, Error> {
    let name: Arc<str> = "timed calls".into();
    let graph = Graph::record(stream, &name, || (0..calls).try_for_each(&launch))?;
    let replay = || -> Result<(), Error> {
        // SAFETY: as for each launch, whose memory the caller holds until this function has waited for the card.
        unsafe { graph.replay(stream)? };
        stream.wait()
    };
    replay()?;
    let began = Instant::now();
    replay()?;
    Ok(began.elapsed().as_secs_f64())
}

/// The program of a published scheme, with the generator of runs.
fn published(name: &str, kernels: &str, functions: &[&str]) -> Program {
    let generator = Generator::Philox4x32x10;
    Program {
        name: name.into(),
        source: program_text(generator, generator.schemes()[0], &[], kernels),
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
