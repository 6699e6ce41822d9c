//! Tests of `src/monte_carlo/sweep_schedule.rs`.

use super::*;

#[test]
fn actions_are_due_at_multiples_of_their_intervals() {
    let schedule = SweepSchedule {
        sweeps: 9,
        sample_every: Some(4),
        also_sample_every: Some(12),
        exchange_every: Some(3),
        tune_every: Some(6),
    };
    let found: Vec<[u32; 4]> = schedule
        .segments(5)
        .iter()
        .map(|segment| [segment.sweeps, segment.what, segment.sample, segment.exchange])
        .collect();
    let both = EXCHANGE | SAMPLE | TUNE;
    let expected = [
        [1, EXCHANGE | TUNE, 0, 0],
        [2, SAMPLE, 0, 1],
        [1, EXCHANGE, 1, 1],
        [3, both, 1, 2],
        [2, 0, 2, 3],
    ];
    assert_eq!(found, expected);
}

#[test]
fn long_segments_are_split() {
    let schedule = SweepSchedule { sweeps: 2 * MOST_SWEEPS + 1, ..SweepSchedule::default() };
    let sweeps: Vec<u64> =
        schedule.segments(7).iter().map(|segment| u64::from(segment.sweeps)).collect();
    assert_eq!(sweeps, [MOST_SWEEPS, MOST_SWEEPS, 1]);
    assert!(SweepSchedule::default().segments(0).is_empty());
}
