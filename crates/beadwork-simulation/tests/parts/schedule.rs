//! When members are sampled.

use beadwork_model::StopRule;
use beadwork_model::observables::Observable;
use beadwork_simulation::{SamplePoint, Schedule, Steps};

fn rule(every: u64) -> StopRule {
    let (text, column) = ("extension > 3 nm".to_string(), Observable::Extension.into());
    StopRule { text, column, above: true, threshold: 3.0, every }
}

/// The steps of dynamics of each point, and whether it has a row.
fn places(points: &[SamplePoint], from: u64) -> Vec<(u64, bool)> {
    let mut step = from;
    let place = |point: &SamplePoint| {
        step += u64::from(point.steps);
        (step, point.row)
    };
    points.iter().map(place).collect()
}

#[test]
fn sample_points_are_at_rows_frames_and_stop_rules() {
    let stops = [rule(70)];
    let schedule = Schedule { table_every: 100, frame_every: Some(150), stops: &stops };
    // The stage began at step 20 of the dynamics.
    let at = Steps { dynamics: 90, stage: 70 };
    let found = places(&schedule.sample_points(at, 240, 256), 90);
    let expected = [
        (100, true),
        (150, false),
        (160, false),
        (200, true),
        (230, false),
        (300, true),
        (330, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn time_slices_do_not_change_sample_points() {
    // Rows are at the same steps for any length of time slices, and no sample point is skipped.
    let stops = [rule(7), rule(30)];
    let schedule = Schedule { table_every: 12, frame_every: Some(18), stops: &stops };
    let happens = |step: u64, stage: u64| {
        step.is_multiple_of(12)
            || step.is_multiple_of(18)
            || stage.is_multiple_of(7)
            || stage.is_multiple_of(30)
    };
    for slice in [1, 2, 5, 11, 400] {
        for most in [1, 3, 256] {
            let mut at = Steps { dynamics: 31, stage: 3 };
            let mut found = Vec::new();
            while at.stage < 200 {
                let points = schedule.sample_points(at, slice.min(200 - at.stage), most);
                assert!(!points.is_empty() && points.len() <= most);
                found.extend(places(&points, at.dynamics));
                let made: u64 = points.iter().map(|point| u64::from(point.steps)).sum();
                assert!(made <= slice);
                at = Steps { dynamics: at.dynamics + made, stage: at.stage + made };
            }
            assert_eq!(at.stage, 200, "the stage's end is a point");
            for stage in 4..=200 {
                let step = stage + 28;
                let point = found.iter().find(|(place, _)| *place == step);
                assert!(point.is_some() || !happens(step, stage), "{step} is skipped");
                assert!(point.is_none_or(|(_, row)| *row == step.is_multiple_of(12)));
            }
        }
    }
}

#[test]
fn distant_sample_points_are_cut_to_the_given_steps() {
    let schedule = Schedule { table_every: u64::MAX, frame_every: None, stops: &[] };
    let at = Steps { dynamics: 5, stage: 5 };
    assert_eq!(schedule.sample_points(at, 2_000, 256), [SamplePoint { steps: 2_000, row: false }]);
    assert_eq!(schedule.sample_points(at, u64::MAX, 256)[0].steps, u32::MAX);
    assert_eq!(schedule.sample_points(at, 0, 256), []);
}
