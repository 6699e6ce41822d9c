//! Which replicas of a ladder swap, and where temperatures are placed.

use beadwork_model::{Placement, Tuning};
use beadwork_simulation::exchange::{End, Ladder, LadderState};
use beadwork_testing::Dice;

fn ladder(temperatures: &[f64]) -> Ladder {
    Ladder::new(3, 0, LadderState::new(temperatures))
}

#[test]
fn pairs_alternate_and_better_energies_always_go_down() {
    let mut ladder = ladder(&[1.0, 2.0, 3.0, 4.0]);
    // The colder replica has the larger energy: Δ > 0.
    let energies = [4.0, 3.0, 2.0, 1.0].map(Some);
    let rungs = ladder.decide(&energies);
    assert_eq!(rungs, [1, 0, 3, 2]);
    ladder.settle(&rungs);
    // Now replica 0 on rung 1 and replica 3 on rung 2.
    let rungs = ladder.decide(&energies);
    assert_eq!(rungs, [2, 0, 3, 1]);
    ladder.settle(&rungs);
    assert_eq!(ladder.state().record.attempted, [1, 1, 1]);
    assert_eq!(ladder.state().record.accepted, [1, 1, 1]);
}

/// In 10⁵ attempts with Δ = −1, the acceptance is e^Δ.
#[test]
fn worse_energies_are_swapped_with_the_metropolis_probability() {
    let mut ladder = ladder(&[0.5, 1.0]);
    let attempts = 100_000;
    let mut accepted = 0;
    for attempt in 0..attempts {
        // The one on the lower rung is 1 below the other: Δ = −1 · (2 − 1).
        let lower = ladder.state().rungs.iter().position(|&rung| rung == 0);
        let energies = [0, 1].map(|r| Some(if Some(r) == lower { -1.0 } else { 0.0 }));
        let rungs = ladder.decide(&energies);
        let changed = rungs != ladder.state().rungs;
        if attempt % 2 == 1 {
            assert!(!changed, "an odd attempt has no pair in a ladder of two");
        }
        accepted += u32::from(changed);
        ladder.settle(&rungs);
    }
    let (tried, p) = (f64::from(attempts / 2), (-1.0_f64).exp());
    let error = (p * (1.0 - p) / tried).sqrt();
    assert!((f64::from(accepted) / tried - p).abs() < 4.0 * error);
    assert_eq!(ladder.state().record.accepted, [u64::from(accepted)]);
}

#[test]
fn a_replica_without_energy_stays() {
    let ladder = ladder(&[1.0, 2.0]);
    assert_eq!(ladder.decide(&[Some(5.0), None]), [0, 1]);
    assert_eq!(ladder.decide(&[Some(5.0), Some(f64::NAN)]), [0, 1]);
    assert_eq!(ladder.decide(&[Some(5.0), Some(1.0)]), [1, 0]);
}

#[test]
fn round_trips_are_from_the_lowest_to_the_highest_and_back() {
    let mut ladder = ladder(&[1.0, 2.0, 3.0]);
    for rungs in [[1, 0, 2], [2, 0, 1], [1, 0, 2], [0, 1, 2], [1, 0, 2], [0, 1, 2]] {
        ladder.settle(&rungs);
    }
    // Replica 0 makes one trip by 0 → 2 → 0; 0 → 1 → 0 is none. Replica 2 began at the top and never came down.
    assert_eq!(ladder.state().record.round_trips, [1, 0, 0]);
    assert_eq!(ladder.state().record.last_end[1], Some(End::Lowest));
    // A replica that began at the highest rung and comes down has made no trip.
    for rungs in [[0, 2, 1], [1, 2, 0]] {
        ladder.settle(&rungs);
    }
    assert_eq!(ladder.state().record.round_trips, [1, 0, 0]);
    let record = &ladder.state().record;
    assert_eq!(record.upward.iter().sum::<u64>() + record.downward.iter().sum::<u64>(), 24);
}

/// Counts begin anew with the stage and at each placement, and the ends of the ladder stay.
#[test]
fn temperatures_are_placed_at_parts_of_their_stage() {
    let tuning = Tuning { stage: 1, by: Placement::Acceptance, first: 10, attempts: 64 };
    assert_eq!(tuning.placements(), [14, 18, 26, 42, 74]);
    let mut ladder = ladder(&[1.0, 2.0, 3.0]);
    let mut placed = Vec::new();
    for attempt in 1..=80 {
        // Only the lower pair ever swaps.
        let mut rungs = ladder.state().rungs.clone();
        if ladder.lowest_pair(attempt - 1) == 0 {
            rungs.iter_mut().filter(|rung| **rung < 2).for_each(|rung| *rung = 1 - *rung);
        }
        ladder.settle(&rungs);
        let before = ladder.temperatures().to_vec();
        let by = ladder.tune(&[tuning]);
        let counted: u64 = ladder.state().record.attempted.iter().sum();
        if let Some(by) = by {
            assert_eq!((by, counted), (Placement::Acceptance, 0));
            assert!(ladder.temperatures()[1] > before[1]);
            assert_eq!(ladder.inverse_temperatures()[1], 1.0 / ladder.temperatures()[1]);
            placed.push(attempt);
        } else {
            assert_eq!(before, ladder.temperatures());
            assert!(attempt != 10 || counted == 0);
        }
    }
    assert_eq!(placed, tuning.placements());
    let state = ladder.state();
    assert_eq!((state.temperatures[0], state.temperatures[2]), (1.0, 3.0));
    assert_eq!((state.attempt, state.record.attempted.iter().sum::<u64>()), (80, 6));
}

#[test]
fn placement_falls_back_to_acceptance_without_travel() {
    let tuning = [Tuning { stage: 0, by: Placement::RoundTrips, first: 0, attempts: 16 }];
    let stay = [[1, 0, 2]; 16];
    // Replicas 0 and 1 reach the highest rung from the lowest.
    let mut travel = [[1, 2, 0]; 16];
    travel[..3].copy_from_slice(&[[1, 0, 2], [2, 0, 1], [2, 1, 0]]);
    for (path, by) in [(stay, Placement::Acceptance), (travel, Placement::RoundTrips)] {
        let mut ladder = ladder(&[1.0, 2.0, 3.0]);
        path.iter().for_each(|rungs| ladder.settle(rungs));
        assert_eq!(ladder.state().placed_by, None);
        assert_eq!(ladder.tune(&tuning), Some(by));
        assert_eq!(ladder.state().placed_by, Some(by));
    }
}

/// The energy of k pairs of harmonic degrees of freedom at a temperature, whose heat capacity is k.
fn energy(dice: &mut Dice, k: u32, temperature: f64) -> f64 {
    -(0..k).map(|_| dice.uniform().ln()).sum::<f64>() * temperature
}

/// Where the heat capacity is constant, acceptance depends on the ratio of temperatures alone.
#[test]
fn a_constant_heat_capacity_makes_a_ladder_geometric() {
    let (rungs, attempts) = (9, 6_400);
    let tuning = Tuning { stage: 0, by: Placement::Acceptance, first: 0, attempts };
    let even: Vec<f64> = (0..rungs).map(|rung| 1.0 + 3.0 * rung as f64 / 8.0).collect();
    let mut ladder = Ladder::new(7, 0, LadderState::new(&even));
    let mut dice = Dice(11);
    let mut rejections = Vec::new();
    for _ in 0..attempts {
        let temperatures = ladder.temperatures();
        let energies: Vec<Option<f64>> = ladder
            .state()
            .rungs
            .iter()
            .map(|&rung| Some(energy(&mut dice, 30, temperatures[rung as usize])))
            .collect();
        let next = ladder.decide(&energies);
        ladder.settle(&next);
        let record = &ladder.state().record;
        let shares = record.accepted.iter().zip(&record.attempted);
        rejections = shares.map(|(made, tried)| 1.0 - *made as f64 / *tried as f64).collect();
        ladder.tune(&[tuning]);
    }
    // The last placement uses a quarter of the attempts of each pair. The sum of rejections up to a rung, given the
    // total, has the variance of a Brownian bridge.
    let (rejected, known) = (rejections.iter().sum::<f64>() / 8.0, attempts as f64 / 4.0);
    assert!((0.3..0.7).contains(&rejected), "{rejected}");
    let each = (rejected * (1.0 - rejected) / known).sqrt() / rejected;
    let off = |temperature: f64, rung: usize| {
        let error = each * (rung as f64 * (8.0 - rung as f64) / 8.0).sqrt();
        ((temperature.ln() / 4f64.ln() * 8.0 - rung as f64) / error).abs()
    };
    let placed = ladder.temperatures();
    for (rung, (before, after)) in even.iter().zip(placed).enumerate().take(8).skip(1) {
        assert!(off(*before, rung) > 10.0);
        assert!(off(*after, rung) < 4.5, "{placed:?}");
    }
}
