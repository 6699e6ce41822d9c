//! Chains that are sampled on a card, against [`beadwork_cpu::monte_carlo::Walker`] and against themselves.

use beadwork_cpu::exchange::{Ladder, LadderState};
use beadwork_cpu::monte_carlo::{Rung, Tally, Walker, WalkerState, tuned};
use beadwork_cuda::{
    Course, Device, Population, Replicas, Rounding, Stop, WalkerNumber, WalkerWishes, Walkers,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;

use crate::flown::device;

const SEED: u64 = 17;
const LANES: [u32; 4] = [4, 8, 16, 32];

/// Ladders of straight chains, as they begin.
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
        positions: vec![polymer.straight(); rungs],
        fits: vec![Tally::default(); rungs],
    };
    Population {
        polymer,
        seed: SEED,
        sweep: 0,
        attempt: 0,
        ladders: (0..ladders).map(ladder).collect(),
    }
}

/// The same course by the plain path: stops, and where all of it is afterwards.
fn plain<T: WalkerNumber>(mut population: Population, course: Course) -> (Vec<Stop>, Population) {
    let Population { polymer, seed, sweep: begin, attempt, ladders } = &mut population;
    let (begin, end) = (*begin, *begin + course.sweeps);
    let mut walkers: Vec<Walker<T>> = ladders
        .iter()
        .flat_map(|ladder| (ladder.first..).zip(&ladder.positions))
        .map(|(number, positions)| {
            let state = WalkerState { sweep: begin, positions: positions.clone() };
            Walker::new(polymer, *seed, number, &state)
        })
        .collect();
    let mut stops = Vec::new();
    let mut counts = vec![0; walkers.len()];
    for sweep in begin + 1..=end {
        let due = |every: Option<u64>| every.is_some_and(|every| sweep.is_multiple_of(every));
        let rungs = ladders[0].rungs.len();
        let (look, tune) = (due(course.look_every), due(course.tune_every));
        let exchange = due(course.exchange_every) && rungs > 1;
        for (number, walker) in walkers.iter_mut().enumerate() {
            let ladder = &mut ladders[number / rungs];
            let replica = number % rungs;
            let rung = &mut ladder.rungs[ladder.places[replica] as usize];
            let accepted = walker.advance(1, *rung, polymer);
            counts[number] += accepted;
            let fit = &mut ladder.fits[replica];
            fit.accepted += accepted;
            fit.attempted += polymer.monomers as u64;
            if tune {
                let Tally { accepted, attempted } = std::mem::take(fit);
                let length = polymer.bonds.length;
                rung.displacement = tuned(rung.displacement, accepted, attempted, length);
            }
        }
        if !(look || exchange || tune || sweep == end) {
            continue;
        }
        let energies: Vec<f64> = walkers.iter().map(|walker| walker.energy(polymer)).collect();
        if exchange {
            for (ladder, energies) in ladders.iter_mut().zip(energies.chunks_exact(rungs)) {
                let temperatures: Vec<f64> = ladder.rungs.iter().map(|r| r.temperature).collect();
                let mut state = LadderState::new(rungs);
                (state.attempt, state.rungs) = (*attempt, ladder.places.clone());
                let energies: Vec<_> = energies.iter().copied().map(Some).collect();
                ladder.places =
                    Ladder::new(&temperatures, *seed, ladder.first, state).decide(&energies);
            }
            *attempt += 1;
        }
        stops.push(Stop {
            sweep,
            accepted: std::mem::replace(&mut counts, vec![0; walkers.len()]),
            energies: (look || exchange).then_some(energies),
            positions: look.then(|| walkers.iter().map(Walker::positions).collect()),
            rungs: exchange.then(|| ladders.iter().flat_map(|l| l.places.clone()).collect()),
        });
    }
    let mut ends = walkers.iter().map(Walker::positions);
    for ladder in ladders {
        ladder.positions.iter_mut().zip(&mut ends).for_each(|(to, from)| *to = from);
    }
    population.sweep = end;
    (stops, population)
}

fn on_card<T: WalkerNumber>(
    device: &Device,
    population: &Population,
    course: Course,
    rounding: Rounding,
    wishes: WalkerWishes,
) -> (Vec<Stop>, Population) {
    let mut walkers = Walkers::<T>::new(device, population.clone(), rounding, wishes).unwrap();
    let stops = walkers.advance(course).unwrap();
    (stops, walkers.population().unwrap())
}

fn lanes(lanes: u32) -> WalkerWishes {
    WalkerWishes { lanes: Some(lanes), ..WalkerWishes::default() }
}

const COURSE: Course =
    Course { sweeps: 13, look_every: Some(4), exchange_every: Some(3), tune_every: Some(6) };

#[test]
fn walkers_as_written_are_the_plain_paths() {
    fn same<T: WalkerNumber>(device: &Device) {
        for (monomers, ladders, rungs) in
            [(2, 2, 1), (13, 3, 3), (34, 1, 4), (55, 2, 2), (100, 1, 3)]
        {
            let population = population(monomers, ladders, rungs);
            let expected = plain::<T>(population.clone(), COURSE);
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
