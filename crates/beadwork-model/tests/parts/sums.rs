//! The order of sums over many values.

use std::ops::Range;

use beadwork_model::sums::{RUN, runs, sum};

fn value(thing: usize) -> f64 {
    (thing * 2654435761 % 1009) as f64 * 1e-3 + 0.1
}

fn one_after_another(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(-0.0, |sum, value| sum + value)
}

#[test]
fn the_number_of_beads_decides_whether_there_are_runs() {
    for count in [0, 1, 255, 256, 257, 5_000] {
        let in_order = one_after_another((0..count).map(value));
        let of_run = |run: Range<usize>| one_after_another(run.map(value));
        let in_runs = one_after_another(runs(count).map(of_run));
        for (beads, expected) in [(1, in_order), (1_024, in_order), (1_025, in_runs)] {
            assert_eq!(sum(beads, count, value).to_bits(), expected.to_bits(), "{count}");
        }
    }
}

#[test]
fn runs_hold_all_values_in_order() {
    for count in [0, 1, 256, 257, 1_000] {
        let all: Vec<usize> = runs(count).flatten().collect();
        assert_eq!(all, (0..count).collect::<Vec<_>>());
        assert!(runs(count).all(|run| run.len() <= RUN && run.start.is_multiple_of(RUN)));
    }
}
