//! The bytes of a state in a checkpoint.

use beadwork_model::externals::{ExternalState, LastPoint, MovingState, RowPoint};
use beadwork_simulation::{ExtraState, MotionState, Places};

fn bytes<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap()
}

/// Checkpoints without a box have the bytes that they had before there were boxes: those of the velocities alone.
#[test]
fn states_without_a_box_keep_their_bytes() {
    let moving = MotionState {
        velocities: vec![[1.5, -2.0, 1e-300], [0.0, -0.0, 7.0]],
        forces: Some(vec![[3.0; 3]; 2]),
    };
    for motion in [None, Some(moving.clone()), Some(MotionState { forces: None, ..moving })] {
        let extra = ExtraState { motion: motion.clone(), places: None };
        assert_eq!(bytes(&extra), bytes(&motion));
        assert_eq!(postcard::from_bytes::<ExtraState>(&bytes(&motion)).unwrap(), extra);
    }
}

#[test]
fn places_in_a_box_come_back_to_the_bit() {
    let places = Places {
        fractions: vec![[i64::MIN, i64::MAX, 0], [-1, 1 << 32, -(1 << 32)]],
        images: vec![[i32::MIN, i32::MAX, 0], [-1, 1, 2]],
    };
    let moving = MotionState { velocities: vec![[1.0; 3]; 2], forces: None };
    for motion in [None, Some(moving)] {
        let extra = ExtraState { motion, places: Some(places.clone()) };
        assert_eq!(postcard::from_bytes::<ExtraState>(&bytes(&extra)).unwrap(), extra);
    }
}

/// The externals of checkpoints have the bytes that they had before rows of named ones were in them.
#[test]
fn externals_without_a_row_keep_their_bytes() {
    let moving = MovingState { step: Some(7), ..MovingState::default() };
    let last = LastPoint { step: 300, force: [1.0; 3], centre: [2.0, -0.0, 1e-300] };
    for moving in [None, Some(moving)] {
        let state = ExternalState {
            anchors: vec![[0.5; 3]],
            work: -3.25,
            last: Some(last),
            moving,
            ..ExternalState::default()
        };
        let ExternalState { origin, direction, anchors, held, work, last, .. } = state.clone();
        let before = (origin, direction, anchors, held, work, last, moving);
        assert_eq!(bytes(&state), bytes(&before));
        assert_eq!(postcard::from_bytes::<ExternalState>(&bytes(&before)).unwrap(), state);
    }
    let row = Some(RowPoint { step: 250, work: 2.5, force: [0.0, -1.0, 4.0] });
    let state = ExternalState { last: Some(last), row, ..ExternalState::default() };
    assert_eq!(postcard::from_bytes::<ExternalState>(&bytes(&state)).unwrap(), state);
}
