//! Code that all backends share: the state of a member between two steps, step errors, sample points, replica exchange
//! and measurements.

pub mod exchange;
mod measurement;
mod schedule;
mod state;
mod state_check;
mod step_error;

pub use beadwork_model::observables::Sums;
pub use measurement::Measurement;
pub use schedule::{SamplePoint, Schedule, Steps};
pub use state::{
    AcceptanceCount, ChainState, ExtraState, LowestConfiguration, MemberState, MinimiserState,
    MotionState, Places,
};
pub use step_error::{Failure, StepError};

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
