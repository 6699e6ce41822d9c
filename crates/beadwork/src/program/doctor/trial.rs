//! Outcomes of a trial of one program.

use beadwork::cuda::{Error, LadderBatch, Stop};
use beadwork::simulation::MemberState;

use super::finding::one_line;

/// A trial that agrees with the reference path.
pub struct Sound {
    pub ends: Ends,
    /// The largest difference as a fraction of what rounding allows.
    pub of_bound: f64,
}

/// The final states of a trial.
#[derive(PartialEq)]
pub enum Ends {
    Members(Vec<MemberState>),
    Chains(Vec<Stop>, LadderBatch),
}

/// A trial without final states that agree with the reference path.
pub enum TrialError {
    DoesNotFit,
    Wrong(String),
    /// The card is no longer usable.
    Over(String),
}

impl From<Error> for TrialError {
    fn from(error: Error) -> TrialError {
        match error {
            Error::Memory { .. } => TrialError::DoesNotFit,
            Error::Compile { .. } | Error::Corrupt { .. } => TrialError::Wrong(one_line(&error)),
            _ => TrialError::Over(one_line(&error)),
        }
    }
}
