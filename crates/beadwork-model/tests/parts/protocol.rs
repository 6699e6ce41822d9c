//! Exchanges of a protocol.

use std::ops::Range;

use beadwork_model::Exchange;

#[test]
fn pairs_of_neighbours_alternate() {
    let attempts = |rungs: usize, steps: Range<u64>| {
        let temperatures = (1..=rungs).map(|rung| rung as f64).collect();
        Exchange { temperatures, every: 10, tunings: Vec::new() }.attempts_of_each_pair(steps)
    };
    // At 10, 30 and 50 the pair of rungs 0 and 1 attempts a swap, at 20 and 40 that of rungs 1 and 2.
    assert_eq!((attempts(2, 0..50), attempts(3, 0..50)), (3, 2));
    assert_eq!((attempts(2, 0..9), attempts(2, 0..10), attempts(3, 0..10)), (0, 1, 0));
    assert_eq!((attempts(2, 10..29), attempts(2, 10..30), attempts(3, 10..30)), (0, 1, 1));
}
