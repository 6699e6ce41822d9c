//! The numbers that benchmarks time are those of the host.
//!
//! Without a GPU it says "skipped: no CUDA device".
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use beadwork_cuda::{Device, MicroStreams, Numbers, Throughput, copy_seconds};
use beadwork_random::{Generator, Owner, Scheme, Streams};

fn card() -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            println!("skipped: no CUDA device ({})", error.code());
            None
        }
    }
}

/// Generators of threads or beads, in every scheme.
fn combinations() -> impl Iterator<Item = (Generator, Scheme)> {
    let all = Generator::ALL.into_iter();
    all.flat_map(|generator| generator.schemes().iter().map(move |scheme| (generator, *scheme)))
        .filter(|(_, scheme)| *scheme != Scheme::OneForAllThreads)
}

const OWNER: Owner = Owner { seed: 20101, replica: 0 };

#[test]
fn timed_numbers_are_those_of_the_host() {
    let Some(device) = card() else { return };
    for (generator, scheme) in combinations() {
        let threads = Throughput::threads(&device, generator);
        let streams = Streams::new(generator, scheme, OWNER, threads, 4).unwrap();
        let mut throughput = Throughput::new(&device, streams, 1 << 20).unwrap();
        assert_eq!(throughput.check().unwrap(), None, "{generator:?} {scheme:?}");
        assert!(throughput.seconds(Numbers::Normals, 4, 2).unwrap() > 0.0);
    }
}

#[test]
fn particles_of_the_micro_benchmark_are_those_of_the_host() {
    let Some(device) = card() else { return };
    for (generator, scheme) in combinations() {
        let streams = Streams::new(generator, scheme, OWNER, 1000, 3).unwrap();
        let mut particles = MicroStreams::new(&device, streams).unwrap();
        assert_eq!(particles.check().unwrap(), None, "{generator:?} {scheme:?}");
        assert!(particles.seconds(3).unwrap() > 0.0);
        let state = generator.state_bytes(scheme, 0);
        assert_eq!(particles.bytes_of_a_particle(), 48 + 2 * state, "{generator:?}");
    }
}

#[test]
fn copies_take_time() {
    let Some(device) = card() else { return };
    assert!(copy_seconds(&device, 1 << 20, 3).unwrap() > 0.0);
}
