//! Chains sampled on a card, compared with [`beadwork_cpu::monte_carlo::ChainSampler`] and with each other.

use beadwork_cpu::monte_carlo::Rung;
use beadwork_cuda::{
    ChainOverrides, ChainSamplers, Device, LadderBatch, Number, Replicas, Rounding, Stop,
    SweepSchedule,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;

use crate::stepping::device;

const SEED: u64 = 17;
const LANES: [u32; 4] = [4, 8, 16, 32];

/// Ladders of folded chains at their start.
fn batch(monomers: usize, ladders: usize, rungs: usize) -> LadderBatch {
    let polymer = ElasticPolymer::new(monomers);
    let ladder = |number: usize| Replicas {
        first: 100 * number as u64 + 3,
        // Each ladder has other temperatures.
        rungs: (0..rungs)
            .map(|rung| {
                let warm = 0.4 * 1.25_f64.powi(rung as i32) + 0.01 * number as f64;
                Rung { temperature: warm, displacement: 0.05 + 0.02 * rung as f64 }
            })
            .collect(),
        rung_of: (0..rungs as u32).collect(),
        positions: vec![polymer.folded(); rungs],
        fits: vec![AcceptanceCount::default(); rungs],
    };
    LadderBatch {
        polymer,
        seed: SEED,
        sweep: 0,
        attempt: 0,
        ladders: (0..ladders).map(ladder).collect(),
    }
}

/// The stops of the same schedule by the reference path, and the state at its end.
fn by_reference<T: Number>(
    mut batch: LadderBatch,
    schedule: SweepSchedule,
) -> (Vec<Stop>, LadderBatch) {
    let stops = batch.sample_plainly(T::PRECISION, schedule, &[]);
    (stops, batch)
}

fn on_card<T: Number>(
    device: &Device,
    batch: &LadderBatch,
    schedule: SweepSchedule,
    rounding: Rounding,
    overrides: ChainOverrides,
) -> (Vec<Stop>, LadderBatch) {
    let mut samplers = ChainSamplers::<T>::new(device, batch.clone(), rounding, overrides).unwrap();
    let stops = samplers.advance(schedule).unwrap();
    (stops, samplers.batch().unwrap())
}

fn lanes(lanes: u32) -> ChainOverrides {
    ChainOverrides { lanes: Some(lanes), ..ChainOverrides::default() }
}

const SCHEDULE: SweepSchedule = SweepSchedule {
    sweeps: 13,
    sample_every: Some(4),
    also_sample_every: None,
    exchange_every: Some(3),
    tune_every: Some(6),
};

#[test]
fn chain_samplers_as_written_are_the_reference_paths() {
    fn same<T: Number>(device: &Device) {
        for (monomers, ladders, rungs) in
            [(2, 2, 1), (13, 3, 3), (34, 1, 4), (55, 2, 2), (100, 1, 3)]
        {
            let batch = batch(monomers, ladders, rungs);
            let expected = by_reference::<T>(batch.clone(), SCHEDULE);
            assert!(expected.0.iter().any(|stop| stop.accepted.iter().any(|count| *count > 0)));
            for one in LANES {
                let found = on_card::<T>(device, &batch, SCHEDULE, Rounding::AsWritten, lanes(one));
                assert_eq!(found, expected, "{monomers} monomers in {one} lanes");
            }
        }
    }
    let Some(device) = device() else { return };
    same::<f32>(&device);
    same::<f64>(&device);
}

/// Another order of the sum would change about one move in ten million. A card makes a hundred million, and all must
/// have the same end with any number of lanes; an emulated card makes few.
#[test]
fn many_moves_are_the_same_with_any_number_of_lanes() {
    let Some(device) = device() else { return };
    let is_card = device.properties().name != "emulated card";
    let (replicas, sweeps) = if is_card { (20_000, 100) } else { (8, 2) };
    let mut batch = batch(55, replicas, 1);
    for rung in batch.ladders.iter_mut().flat_map(|ladder| &mut ladder.rungs) {
        *rung = Rung { temperature: 1.0, displacement: 0.1 };
    }
    let schedule = SweepSchedule { sweeps, ..SweepSchedule::default() };
    for rounding in [Rounding::AsWritten, Rounding::Fused] {
        let made = |one| on_card::<f32>(&device, &batch, schedule, rounding, lanes(one));
        let expected = made(32);
        for one in [4, 8, 16] {
            // Compared without printing both states, which are long.
            assert!(made(one) == expected, "{rounding:?} in {one} lanes");
        }
    }
}

/// Replicas that exchange after each sweep receive all messages.
#[test]
fn exchanges_after_each_sweep_are_the_reference_paths() {
    let Some(device) = device() else { return };
    let batch = batch(2, 1, 4);
    let schedule =
        SweepSchedule { sweeps: 150, exchange_every: Some(1), ..SweepSchedule::default() };
    let found = on_card::<f32>(&device, &batch, schedule, Rounding::AsWritten, lanes(32));
    assert_eq!(found, by_reference::<f32>(batch, schedule));
}

/// Production bits do not depend on lanes, blocks, who decides exchanges, the division of the schedule, restarts, or
/// other ladders.
#[test]
fn chain_samplers_agree_for_any_batching() {
    fn same<T: Number>(device: &Device) {
        let fused = Rounding::Fused;
        let batch = batch(13, 2, 4);
        let wished = |overrides| on_card::<T>(device, &batch, SCHEDULE, fused, overrides);
        let expected = wished(lanes(32));
        assert!(
            expected
                .0
                .iter()
                .any(|stop| stop.rungs.as_ref().is_some_and(|r| r[..4] != [0, 1, 2, 3]))
        );
        let threads = Some(128);
        for overrides in [
            lanes(4),
            lanes(8),
            lanes(16),
            ChainOverrides { threads, ..lanes(16) },
            ChainOverrides { threads, ..lanes(8) },
            ChainOverrides { by_host: true, ..lanes(8) },
            ChainOverrides { by_host: true, ..lanes(32) },
        ] {
            assert_eq!(wished(overrides), expected, "{overrides:?}");
        }
        // Divides the schedule anywhere; another sampler makes the second half from the state alone.
        for first in [1, 6, 7, 12] {
            let schedule = |sweeps| SweepSchedule { sweeps, ..SCHEDULE };
            let (_, between) = on_card::<T>(device, &batch, schedule(first), fused, lanes(8));
            let rest = schedule(SCHEDULE.sweeps - first);
            let (stops, end) = on_card::<T>(device, &between, rest, fused, lanes(32));
            assert_eq!(end, expected.1, "cut after {first}");
            assert_eq!(stops.last().unwrap().accepted.len(), expected.0[0].accepted.len());
        }
        // Samples the second ladder alone.
        let mut alone = batch.clone();
        alone.ladders.remove(0);
        let (_, end) = on_card::<T>(device, &alone, SCHEDULE, fused, lanes(8));
        assert_eq!(end.ladders[0], expected.1.ladders[1]);
    }
    let Some(device) = device() else { return };
    same::<f32>(&device);
    same::<f64>(&device);
}

/// The record of a schedule does not change while the card makes the next one.
#[test]
fn records_are_read_while_the_card_goes_on() {
    let Some(device) = device() else { return };
    let batch = batch(13, 2, 4);
    for by_host in [false, true] {
        let overrides = ChainOverrides { by_host, ..lanes(8) };
        let made = || {
            ChainSamplers::<f32>::new(&device, batch.clone(), Rounding::Fused, overrides).unwrap()
        };
        let (mut one, mut other) = (made(), made());
        let schedules = [7, 12, 5].map(|sweeps| SweepSchedule { sweeps, ..SCHEDULE });
        let expected = schedules.map(|schedule| {
            let stops = one.advance(schedule).unwrap();
            (stops, one.batch().unwrap().ladders)
        });
        other.begin(schedules[0]).unwrap();
        for (next, (stops, ladders)) in (1..).zip(&expected) {
            let record = other.end().unwrap();
            if let Some(schedule) = schedules.get(next) {
                other.begin(*schedule).unwrap();
            }
            assert_eq!(&record.stops(), stops);
            let ends = ladders.iter().flat_map(|ladder| ladder.positions.clone());
            assert_eq!(record.positions(), ends.collect::<Vec<_>>());
        }
        assert_eq!(other.batch().unwrap(), one.batch().unwrap());
        // A drop waits for the launch, so the card writes to no freed buffer.
        other.begin(schedules[0]).unwrap();
        drop(other);
        assert_eq!(one.advance(schedules[0]).unwrap().len(), expected[0].0.len());
    }
}

/// These ladders have more rungs than the emulated card has room for, and on a real card take several launches:
/// replicas wait only for those of the same launch.
#[test]
fn ladders_larger_than_a_card_are_exchanged_by_the_host() {
    let Some(device) = device() else { return };
    for (ladders, rungs) in [(1, 9), (9, 2)] {
        let batch = batch(2, ladders, rungs);
        let found = on_card::<f32>(&device, &batch, SCHEDULE, Rounding::AsWritten, lanes(32));
        assert_eq!(found, by_reference::<f32>(batch, SCHEDULE), "{ladders} ladders of {rungs}");
    }
}

#[test]
fn too_long_chains_are_refused() {
    let Some(device) = device() else { return };
    let long = ChainSamplers::<f32>::new(
        &device,
        batch(1_025, 1, 1),
        Rounding::Fused,
        ChainOverrides::default(),
    );
    let message = long.unwrap_err().to_string();
    assert!(message.contains("Chains have 2 to 1024 monomers here"), "{message}");
}
