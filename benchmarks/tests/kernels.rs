//! Compares the timed kernels with the host.
//!
//! Without a GPU each test says "skipped: no CUDA device".
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::sync::Arc;

use beadwork_benchmarks::kernels::{
    ByPair, Lists, MicroStreams, Neighbours, Numbers, PairLists, PairStreams, Throughput,
    WholeEnergy, WholeEnergyScheme, copy_seconds, generators_of_threads,
};
use beadwork_cpu::monte_carlo::Rung;
use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job, LadderBatch, Plan, Replicas, Stop, SweepSchedule};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::force_fields::sop::{Beads, Parameters, build};
use beadwork_model::made_systems::{one_stage, trace};
use beadwork_model::{Dynamics, Generator, Integrator, Precision};
use beadwork_random::{Distribution, Owner, Randomness, Scheme, Streams};
use beadwork_simulation::{AcceptanceCount, SamplePoint};

fn card() -> Option<Device> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            println!("skipped: no CUDA device ({})", error.code());
            None
        }
    }
}

const OWNER: Owner = Owner { seed: 20101, replica: 0 };

#[test]
fn timed_numbers_equal_those_of_the_host() {
    let Some(device) = card() else { return };
    for (generator, scheme) in generators_of_threads() {
        let threads = Throughput::threads(&device, generator);
        let streams = Streams::new(generator, scheme, OWNER, threads, 4).unwrap();
        let mut throughput = Throughput::new(&device, streams, 1 << 20).unwrap();
        assert_eq!(throughput.check().unwrap(), None, "{generator:?} {scheme:?}");
        assert!(throughput.seconds(Numbers::Normals, 4, 2).unwrap() > 0.0);
    }
}

#[test]
fn particles_of_the_micro_benchmark_equal_those_of_the_host() {
    let Some(device) = card() else { return };
    for (generator, scheme) in generators_of_threads() {
        let streams = Streams::new(generator, scheme, OWNER, 1000, 3).unwrap();
        let mut particles = MicroStreams::new(&device, streams).unwrap();
        assert_eq!(particles.check().unwrap(), None, "{generator:?} {scheme:?}");
        assert!(particles.seconds(3).unwrap() > 0.0);
        let state = generator.state_bytes(scheme, 0);
        assert_eq!(particles.bytes_of_a_particle(), 48 + 2 * state, "{generator:?}");
    }
}

/// Also with a micro-stream for each pair and half lists, and with beads that fill no whole block.
#[test]
fn forces_of_pairs_equal_those_of_the_host() {
    let Some(device) = card() else { return };
    let half_lists = (Generator::Saru, Scheme::OnePerCall, Lists::Half);
    let of_paper =
        generators_of_threads().map(|(generator, scheme)| (generator, scheme, Lists::of(scheme)));
    for (generator, scheme, lists) in of_paper.chain([half_lists]) {
        let randomness = Randomness::new(generator, scheme, Distribution::Uniform).unwrap();
        for neighbours in Neighbours::ALL {
            let pairs = Arc::new(PairLists::new(300, neighbours));
            let mut calls = PairStreams::new(&device, randomness, lists, pairs).unwrap();
            let first = calls.check(&device).unwrap();
            let of = format!("{generator:?} {scheme:?} {lists:?} {neighbours:?}: {first:?}");
            assert_eq!(first.wrong(), None, "{of}");
            assert!(calls.seconds(3).unwrap() > 0.0);
            // The formulas of the paper: position, velocity and force of a bead, its state, and its partners.
            let state = generator.state_bytes(scheme, 0);
            let expected = match lists {
                Lists::Half => 56 + 2 * state + 60 * 25,
                Lists::Full => 56 + 36 * 50,
            };
            assert_eq!(calls.published_bytes_of_a_bead(), expected, "{of}");
        }
    }
}

#[test]
fn copies_take_time() {
    let Some(device) = card() else { return };
    assert!(copy_seconds(&device, 1 << 20, 3).unwrap() > 0.0);
}

/// The published programs propose the moves of the reference path. Whole energies and changes of energy differ by
/// rounding, which decides none of some thousand moves.
#[test]
fn whole_energies_make_the_moves_of_the_reference_path() {
    const MONOMERS: usize = 13;
    const RUNGS: usize = 9;
    const INTERVAL: u32 = 3;
    const EXCHANGES: u64 = 20;
    let Some(device) = card() else { return };
    let polymer = ElasticPolymer::new(MONOMERS);
    let rung = |number: usize| Rung {
        temperature: 0.3 * 1.25_f64.powi(number as i32),
        displacement: 0.05 + 0.02 * number as f64,
    };
    let replicas = Replicas {
        first: 0,
        rungs: (0..RUNGS).map(rung).collect(),
        rung_of: (0..RUNGS as u32).collect(),
        positions: vec![polymer.folded(); RUNGS],
        fits: vec![AcceptanceCount::default(); RUNGS],
    };
    let interval = u64::from(INTERVAL);
    let schedule = SweepSchedule {
        sweeps: EXCHANGES * interval,
        sample_every: Some(interval),
        exchange_every: Some(interval),
        ..SweepSchedule::default()
    };
    for scheme in WholeEnergyScheme::ALL {
        let Replicas { rungs, positions, .. } = &replicas;
        let mut sampler =
            WholeEnergy::new(&device, scheme, polymer, OWNER.seed, rungs, positions).unwrap();
        let stop = |exchange: u64| Stop {
            sweep: exchange * interval,
            accepted: vec![sampler.advance(INTERVAL, INTERVAL).unwrap()],
            energies: Some(sampler.energies().unwrap()),
            positions: Some(sampler.positions().unwrap()),
            rungs: Some(sampler.ladder().state().rungs.clone()),
        };
        let found: Vec<Stop> = (1..=EXCHANGES).map(stop).collect();
        let ladders = vec![replicas.clone()];
        let mut plain = LadderBatch { polymer, seed: OWNER.seed, sweep: 0, attempt: 0, ladders };
        let expected = plain.sample_plainly(Precision::Single, schedule, &found);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.sweep, expected.sweep);
            assert_eq!(found.accepted[0], expected.accepted.iter().sum::<u64>(), "{scheme:?}");
            assert_eq!(found.positions, expected.positions, "{scheme:?}");
            assert_eq!(found.rungs, expected.rungs, "{scheme:?}");
            let energies = found.energies.iter().flatten().zip(expected.energies.iter().flatten());
            for (found, expected) in energies {
                let apart = (found - expected).abs();
                assert!(apart < 1e-4 * (1.0 + expected.abs()), "{scheme:?}: {found} {expected}");
            }
        }
    }
}

/// The threads for pairs of \[A\] step as the grid plan does, to the bit, and as the reference path within rounding;
/// lists are rebuilt in between.
#[test]
fn forces_by_pair_equal_those_of_the_grid_plan() {
    const STEPS: u32 = 300;
    let Some(device) = card() else { return };
    let helix = trace("helix", (0..60).map(on_a_helix).collect());
    let beads = Beads::from_structure(&helix);
    let system = Arc::new(build(&helix, beads, &Parameters::default()).unwrap().0);
    let dynamics = Dynamics {
        integrator: Integrator::Brownian,
        temperature: 0.6,
        friction: 12_500.0,
        timestep: 20.0,
        precision: Precision::Single,
        skin: 0.2,
    };
    let protocol =
        one_stage(dynamics, Generator::Philox4x32x10, OWNER.seed, u64::from(STEPS), system.beads());
    let start = &system.particles.positions;
    let member = Member::new(system.clone(), Arc::new(protocol), 3, start);

    let mut ensemble = Ensemble::new(&device).unwrap().with_plan(Plan::Grid);
    let points =
        [SamplePoint { steps: 20, row: false }, SamplePoint { steps: STEPS - 20, row: false }];
    let results = ensemble.advance(&[Job { member: &member, points: &points }]).unwrap();
    let mut by_pair = ByPair::new(&device, &member).unwrap();
    let (mut expected, mut on_host) = (member.clone(), member.with_path(CpuPath::Reference));
    for (number, point) in points.iter().enumerate() {
        results[0].bring(number, &mut expected).unwrap();
        by_pair.advance(point.steps).unwrap();
        let found = by_pair.positions().unwrap();
        assert_eq!(found, expected.positions(), "sample {number}");
        if number == 0 {
            on_host.advance(u64::from(point.steps)).unwrap();
            let pairs = found.iter().flatten().zip(on_host.positions().into_iter().flatten());
            let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // 20 steps of coordinates up to 90 Å, each rounded to 4e-6 Å.
            assert!(apart < 20.0 * 8e-6, "{apart}");
        }
    }
}

/// 2.3 Å radius, 100° and 1.5 Å a residue.
fn on_a_helix(number: usize) -> [f64; 3] {
    let angle = (100.0 * number as f64).to_radians();
    [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * number as f64]
}
