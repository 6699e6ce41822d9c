//! Forces and work of drives.

use beadwork_model::drives::{Drive, DriveState, Ends, Force, ForceRamp, Spring};

fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![1, 2], direction: None }
}

#[test]
fn the_direction_runs_from_the_fixed_to_the_pulled_centre() {
    let drive = Drive::Force(Force { ends: ends(), force: 2.0 });
    let mut state = drive.begin(&[[0.0; 3], [3.0, 5.0, 0.0], [3.0, 3.0, 0.0]]);
    assert_eq!(state.origin, [3.0, 4.0, 0.0]);
    assert_eq!(state.direction, [0.6, 0.8, 0.0]);
    let force = drive.pull(&mut state, 0, 1.0, [0.0; 3]).unwrap();
    assert_eq!(force, [1.2, 1.6, 0.0]);
}

#[test]
fn work_of_a_constant_force_is_force_times_displacement() {
    let drive = Drive::Force(Force { ends: ends(), force: 2.0 });
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let mut state = drive.begin(&positions);
    for step in 0..=10 {
        let at = [1.0 + 0.5 * step as f64, 0.0, 0.0];
        drive.pull(&mut state, step, 1.0, at);
        // A second call at the same step must not add to the work.
        drive.pull(&mut state, step, 1.0, at);
    }
    assert_eq!(state.work, 2.0 * 5.0);
}

#[test]
fn work_of_a_held_force_uses_the_force_that_acted() {
    let spring = Spring { ends: ends(), stiffness: 2.0, speed: 1.0, update_every: 2 };
    let drive = Drive::Spring(spring);
    let mut state = drive.begin(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    // The base is at 1 + step; the beads follow by half an Å a step. The held force is 0 at steps 0 and 1, and 2 (3 −
    // 2) = 2 at steps 2 and 3.
    for step in 0..=4 {
        drive.pull(&mut state, step, 1.0, [1.0 + 0.5 * step as f64, 0.0, 0.0]);
    }
    assert_eq!(state.work, 2.0 * (0.5 + 0.5));
}

#[test]
fn coinciding_ends_pull_along_x() {
    let drive = Drive::Force(Force { ends: ends(), force: 1.0 });
    assert_eq!(drive.begin(&[[1.0; 3]; 3]).direction, [1.0, 0.0, 0.0]);
}

fn spring(update_every: u64, stiffness: f64, speed: f64) -> (Drive, DriveState) {
    let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None };
    let state = DriveState {
        origin: [10.0, 0.0, 0.0],
        direction: [1.0, 0.0, 0.0],
        ..DriveState::default()
    };
    (Drive::Spring(Spring { ends, stiffness, speed, update_every }), state)
}

#[test]
fn a_spring_follows_a_base_that_moves_with_the_step() {
    let (spring, mut state) = spring(1, 0.5, 0.25);
    // Base at 10 + 8 · 2 · 0.25 = 14; the bead at (11, 1, 0).
    assert_eq!(spring.pull(&mut state, 8, 2.0, [11.0, 1.0, 0.0]).unwrap(), [1.5, -0.5, 0.0]);
}

#[test]
fn a_held_force_is_constant_between_renewals() {
    let (spring, mut state) = spring(10, 0.5, 0.25);
    let at = [10.0, 0.0, 0.0];
    assert_eq!(spring.pull(&mut state, 0, 1.0, at).unwrap(), [0.0; 3]);
    assert_eq!(spring.pull(&mut state, 9, 1.0, at).unwrap(), [0.0; 3]);
    // The base has travelled 2.5 Å at step 10.
    assert_eq!(spring.pull(&mut state, 10, 1.0, at).unwrap(), [1.25, 0.0, 0.0]);
    assert_eq!(spring.pull(&mut state, 19, 1.0, [0.0; 3]).unwrap(), [1.25, 0.0, 0.0]);
    assert_eq!(spring.pull(&mut state, 20, 1.0, at).unwrap(), [2.5, 0.0, 0.0]);
}

#[test]
fn the_base_does_not_drift_over_a_long_run() {
    // 2.5 µm/s at 20 ps: 5e-7 Å a step; after 10⁹ steps exactly 500 Å up to one rounding.
    let (spring, mut state) = spring(1, 1.0, 2.5e-8);
    let force = spring.pull(&mut state, 1_000_000_000, 20.0, [10.0, 0.0, 0.0]).unwrap();
    assert!((force[0] - 500.0).abs() < 1e-10, "{}", force[0]);
}

#[test]
fn a_ramp_grows_from_nothing_in_proportion_to_time() {
    let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None };
    let ramp = Drive::ForceRamp(ForceRamp { ends, rate: 0.25 });
    let mut state = DriveState { direction: [0.0, 0.0, 1.0], ..DriveState::default() };
    assert_eq!(ramp.pull(&mut state, 0, 2.0, [0.0; 3]).unwrap(), [0.0; 3]);
    assert_eq!(ramp.pull(&mut state, 4, 2.0, [0.0; 3]).unwrap(), [0.0, 0.0, 2.0]);
}
