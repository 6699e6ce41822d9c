//! Chains that are sampled on a card, against [`beadwork_cpu::monte_carlo::Walker`] and against themselves.

use beadwork_cpu::monte_carlo::Rung;
use beadwork_cuda::{
    Course, Device, Number, Population, Replicas, Rounding, Stop, WalkerWishes, Walkers,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;

use crate::stepping::device;

const SEED: u64 = 17;
const LANES: [u32; 4] = [4, 8, 16, 32];

/// Ladders of folded chains, as they begin.
fn population(monomers: usize, ladders: usize, rungs: usize) -> Population {
    let polymer = ElasticPolymer::new(monomers);
    let ladder = |number: usize| Replicas {
        first: 100 * number as u64 + 3,
        // Ladders of other temperatures each.
        rungs: (0..rungs)
            .map(|rung| {
                let warm = 0.4 * 1.25_f64.powi(rung as i32) + 0.01 * number as f64;
                Rung { temperature: warm, displacement: 0.05 + 0.02 * rung as f64 }
            })
            .collect(),
        places: (0..rungs as u32).collect(),
        positions: vec![polymer.folded(); rungs],
        fits: vec![AcceptanceCount::default(); rungs],
    };
    Population {
        polymer,
        seed: SEED,
        sweep: 0,
        attempt: 0,
        ladders: (0..ladders).map(ladder).collect(),
    }
}

/// The same course by the reference path: stops, and where all of it is afterwards.
fn by_reference<T: Number>(mut population: Population, course: Course) -> (Vec<Stop>, Population) {
    let stops = population.sample_plainly(T::PRECISION, course, &[]);
    (stops, population)
}

fn on_card<T: Number>(
    device: &Device,
    population: &Population,
    course: Course,
    rounding: Rounding,
    overrides: WalkerWishes,
) -> (Vec<Stop>, Population) {
    let mut walkers = Walkers::<T>::new(device, population.clone(), rounding, overrides).unwrap();
    let stops = walkers.advance(course).unwrap();
    (stops, walkers.population().unwrap())
}

fn lanes(lanes: u32) -> WalkerWishes {
    WalkerWishes { lanes: Some(lanes), ..WalkerWishes::default() }
}

const COURSE: Course = Course {
    sweeps: 13,
    look_every: Some(4),
    also_look_every: None,
    exchange_every: Some(3),
    tune_every: Some(6),
};

#[test]
fn walkers_as_written_are_the_reference_paths() {
    fn same<T: Number>(device: &Device) {
        for (monomers, ladders, rungs) in
            [(2, 2, 1), (13, 3, 3), (34, 1, 4), (55, 2, 2), (100, 1, 3)]
        {
            let population = population(monomers, ladders, rungs);
            let expected = by_reference::<T>(population.clone(), COURSE);
            assert!(expected.0.iter().any(|stop| stop.accepted.iter().any(|count| *count > 0)));
            for one in LANES {
                let found =
                    on_card::<T>(device, &population, COURSE, Rounding::AsWritten, lanes(one));
                assert_eq!(found, expected, "{monomers} monomers in {one} lanes");
            }
        }
    }
    let Some(device) = device() else { return };
    same::<f32>(&device);
    same::<f64>(&device);
}

/// Another order of the sum would decide one move in some ten million otherwise: on a card there are a hundred million, and
/// all have the same end in any number of lanes. Where a CPU stands in for a card there are few.
#[test]
fn so_many_moves_are_the_same_in_all_lanes() {
    let Some(device) = device() else { return };
    let is_card = device.properties().name != "emulated card";
    let (replicas, sweeps) = if is_card { (20_000, 100) } else { (8, 2) };
    let mut population = population(55, replicas, 1);
    for rung in population.ladders.iter_mut().flat_map(|ladder| &mut ladder.rungs) {
        *rung = Rung { temperature: 1.0, displacement: 0.1 };
    }
    let course = Course { sweeps, ..Course::default() };
    for rounding in [Rounding::AsWritten, Rounding::Fused] {
        let made = |one| on_card::<f32>(&device, &population, course, rounding, lanes(one));
        let expected = made(32);
        for one in [4, 8, 16] {
            // Not written out where they differ.
            assert!(made(one) == expected, "{rounding:?} in {one} lanes");
        }
    }
}

/// Replicas that meet again and again do not miss each other.
#[test]
fn exchanges_after_each_sweep_are_the_reference_paths() {
    let Some(device) = device() else { return };
    let population = population(2, 1, 4);
    let course = Course { sweeps: 150, exchange_every: Some(1), ..Course::default() };
    let found = on_card::<f32>(&device, &population, course, Rounding::AsWritten, lanes(32));
    assert_eq!(found, by_reference::<f32>(population, course));
}

/// Production bits in any layout: lanes, blocks, by whom exchanges are decided, how the course is cut, resumed, in which
/// company.
#[test]
fn walkers_are_the_same_however_they_are_made() {
    fn same<T: Number>(device: &Device) {
        let fused = Rounding::Fused;
        let population = population(13, 2, 4);
        let wished = |overrides| on_card::<T>(device, &population, COURSE, fused, overrides);
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
            WalkerWishes { threads, ..lanes(16) },
            WalkerWishes { threads, ..lanes(8) },
            WalkerWishes { by_host: true, ..lanes(8) },
            WalkerWishes { by_host: true, ..lanes(32) },
        ] {
            assert_eq!(wished(overrides), expected, "{overrides:?}");
        }
        // Cut where nothing is due, and where everything is; the second half by somebody who has but the state.
        for first in [1, 6, 7, 12] {
            let course = |sweeps| Course { sweeps, ..COURSE };
            let (_, between) = on_card::<T>(device, &population, course(first), fused, lanes(8));
            let rest = course(COURSE.sweeps - first);
            let (stops, end) = on_card::<T>(device, &between, rest, fused, lanes(32));
            assert_eq!(end, expected.1, "cut after {first}");
            assert_eq!(stops.last().unwrap().accepted.len(), expected.0[0].accepted.len());
        }
        // The second ladder alone.
        let mut alone = population.clone();
        alone.ladders.remove(0);
        let (_, end) = on_card::<T>(device, &alone, COURSE, fused, lanes(8));
        assert_eq!(end.ladders[0], expected.1.ladders[1]);
    }
    let Some(device) = device() else { return };
    same::<f32>(&device);
    same::<f64>(&device);
}

/// What a course brought is what it is when the card has long been on the next one.
#[test]
fn courses_are_taken_apart_while_the_card_goes_on() {
    let Some(device) = device() else { return };
    let population = population(13, 2, 4);
    for by_host in [false, true] {
        let overrides = WalkerWishes { by_host, ..lanes(8) };
        let made = || {
            Walkers::<f32>::new(&device, population.clone(), Rounding::Fused, overrides).unwrap()
        };
        let (mut one, mut other) = (made(), made());
        let courses = [7, 12, 5].map(|sweeps| Course { sweeps, ..COURSE });
        let expected = courses.map(|course| {
            let stops = one.advance(course).unwrap();
            (stops, one.population().unwrap().ladders)
        });
        other.begin(courses[0]).unwrap();
        for (next, (stops, ladders)) in (1..).zip(&expected) {
            let journey = other.end().unwrap();
            if let Some(course) = courses.get(next) {
                other.begin(*course).unwrap();
            }
            assert_eq!(&journey.stops(), stops);
            let ends = ladders.iter().flat_map(|ladder| ladder.positions.clone());
            assert_eq!(journey.positions(), ends.collect::<Vec<_>>());
        }
        assert_eq!(other.population().unwrap(), one.population().unwrap());
        // Left on its way, it takes nothing with it that the card still writes to.
        other.begin(courses[0]).unwrap();
        drop(other);
        assert_eq!(one.advance(courses[0]).unwrap().len(), expected[0].0.len());
    }
}

/// More rungs than the emulated card has room for, and on a card one launch after another: ladders wait for nobody that is
/// not there.
#[test]
fn ladders_larger_than_a_card_are_exchanged_by_the_host() {
    let Some(device) = device() else { return };
    for (ladders, rungs) in [(1, 9), (9, 2)] {
        let population = population(2, ladders, rungs);
        let found = on_card::<f32>(&device, &population, COURSE, Rounding::AsWritten, lanes(32));
        assert_eq!(found, by_reference::<f32>(population, COURSE), "{ladders} ladders of {rungs}");
    }
}

#[test]
fn chains_that_are_too_long_are_refused() {
    let Some(device) = device() else { return };
    let long = Walkers::<f32>::new(
        &device,
        population(1_025, 1, 1),
        Rounding::Fused,
        WalkerWishes::default(),
    );
    let message = long.unwrap_err().to_string();
    assert!(message.contains("Chains have 2 to 1024 monomers here"), "{message}");
}
