//! Tests of `src/plans/independent.rs`.

use super::*;
use crate::batch::records::NOT_FINITE;

fn points(steps: &[u32]) -> Vec<SamplePoint> {
    steps.iter().map(|&steps| SamplePoint { steps, row: false }).collect()
}

#[test]
fn points_before_the_error_are_sound() {
    let found = |time: u64| Outcome { step: time << 32 | u64::from(NOT_FINITE | 7), ..fresh() };
    let points = points(&[3, 2, 4]);
    let of = |time| {
        let outcome = settled(&found(time), &points, 100);
        (outcome.segments, outcome.step, outcome.ahead, outcome.what)
    };
    assert_eq!(of(0), (0, 100, 0, NOT_FINITE | 7));
    // Errors at the positions of the first point, beyond it, and at the positions predicted from it.
    assert_eq!(of(6), (0, 103, 0, NOT_FINITE | 7));
    assert_eq!(of(8), (1, 104, 0, NOT_FINITE | 7));
    assert_eq!(of(7), (1, 103, 1, NOT_FINITE | 7));
    let sound = settled(&fresh(), &points, 100);
    assert_eq!((sound.segments, sound.what), (3, NOTHING));
}
