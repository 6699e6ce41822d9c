//! The expected number of round trips.

use beadwork_analysis::round_trips::expected;

use crate::noise::Noise;

/// Counts trips bottom → top → bottom in a record of a replica's rungs.
fn round_trips(record: &[usize], top: usize) -> usize {
    let mut ends =
        record.iter().copied().filter(|&rung| rung == 0 || rung == top).collect::<Vec<_>>();
    ends.dedup();
    ends.iter()
        .skip_while(|&&rung| rung == top)
        .filter(|&&rung| rung == 0)
        .count()
        .saturating_sub(1)
}

/// Two replicas that always swap exchange their rungs at every second attempt.
#[test]
fn expected_trips_of_short_ladders() {
    assert_eq!(expected(400.0, &[1.0]), 200.0);
    assert_eq!(expected(400.0, &[0.5, 0.5]), 400.0 / 6.0);
    assert_eq!(expected(400.0, &[0.5, 0.0]), 0.0);
}

/// Replicas with independent energies swap with probabilities that do not depend on the replica.
#[test]
fn trips_of_independent_energies_are_as_many_as_expected() {
    let acceptance = [0.7, 0.3, 0.9, 0.5];
    let attempts = 100_000;
    let mut noise = Noise(43);
    // Which replica is at each rung.
    let mut replicas = [0, 1, 2, 3, 4];
    let mut records = vec![Vec::new(); 5];
    for attempt in 0..attempts {
        for lower in (attempt % 2..4).step_by(2) {
            if noise.uniform() < acceptance[lower] {
                replicas.swap(lower, lower + 1);
            }
        }
        for (rung, &replica) in replicas.iter().enumerate() {
            records[replica].push(rung);
        }
    }
    let trips = records.iter().map(|record| round_trips(record, 4)).sum::<usize>() as f64;
    let wanted = expected(attempts as f64, &acceptance);
    // Trips scatter at most as much as Poisson counts.
    assert!((trips - wanted).abs() < 4.0 * wanted.sqrt() + 5.0, "{trips} {wanted}");
}
