//! A member in the precision that its protocol asks for.

use std::sync::Arc;

use beadwork_model::{Model, Precision, Protocol, Stage, System};

use crate::measure::Measurement;
use crate::state::{Failure, MemberState, Trouble};
use crate::stepper::{Stepper, Way};

/// One trajectory of an ensemble.
#[derive(Clone, Debug)]
pub enum Member {
    /// In f32.
    Single(Box<Stepper<f32>>),
    /// In f64.
    Double(Box<Stepper<f64>>),
}

/// The same expression for either precision.
macro_rules! either {
    ($member:expr, $stepper:ident => $expression:expr) => {
        match $member {
            Member::Single($stepper) => $expression,
            Member::Double($stepper) => $expression,
        }
    };
}

impl Member {
    /// A member at the beginning of its first stage, with beads at `positions`, Å.
    pub fn new(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        positions: &[[f64; 3]],
    ) -> Member {
        match protocol.dynamics.precision {
            Precision::Single => {
                Member::Single(Box::new(Stepper::new(system, protocol, replica, positions)))
            }
            Precision::Double => {
                Member::Double(Box::new(Stepper::new(system, protocol, replica, positions)))
            }
        }
    }

    /// A member as [`Member::state`] described it.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Member {
        match protocol.dynamics.precision {
            Precision::Single => {
                Member::Single(Box::new(Stepper::restore(system, protocol, replica, state)))
            }
            Precision::Double => {
                Member::Double(Box::new(Stepper::restore(system, protocol, replica, state)))
            }
        }
    }

    /// The same member, to be stepped another way.
    #[must_use]
    pub fn with_way(mut self, way: Way) -> Member {
        either!(&mut self, stepper => stepper.set_way(way));
        self
    }

    /// See [`Stepper::set_threads`].
    pub fn set_threads(&mut self, threads: usize) {
        either!(self, stepper => stepper.set_threads(threads));
    }

    /// What its system is a model of.
    pub fn model(&self) -> &Model {
        either!(self, stepper => &stepper.system.model)
    }

    /// The number type of its arithmetic.
    pub fn precision(&self) -> Precision {
        match self {
            Member::Single(_) => Precision::Single,
            Member::Double(_) => Precision::Double,
        }
    }

    /// See [`Stepper::state`].
    pub fn state(&self) -> MemberState {
        either!(self, stepper => stepper.state())
    }

    /// See [`Stepper::positions`].
    pub fn positions(&self) -> Vec<[f64; 3]> {
        either!(self, stepper => stepper.positions())
    }

    /// See [`Stepper::step_number`].
    pub fn step_number(&self) -> u64 {
        either!(self, stepper => stepper.step_number())
    }

    /// See [`Stepper::dynamics_step`].
    pub fn dynamics_step(&self) -> u64 {
        either!(self, stepper => stepper.dynamics_step())
    }

    /// See [`Stepper::stage_step`].
    pub fn stage_step(&self) -> u64 {
        either!(self, stepper => stepper.stage_step())
    }

    /// See [`Stepper::time`].
    pub fn time(&self) -> f64 {
        either!(self, stepper => stepper.time())
    }

    /// See [`Stepper::stage_number`].
    pub fn stage_number(&self) -> usize {
        either!(self, stepper => stepper.stage_number())
    }

    /// See [`Stepper::stage`].
    pub fn stage(&self) -> &Stage {
        either!(self, stepper => stepper.stage())
    }

    /// See [`Stepper::remaining`].
    pub fn remaining(&self) -> u64 {
        either!(self, stepper => stepper.remaining())
    }

    /// See [`Stepper::begin_stage`].
    pub fn begin_stage(&mut self, stage: usize) {
        either!(self, stepper => stepper.begin_stage(stage))
    }

    /// See [`Stepper::end_stage`].
    pub fn end_stage(&mut self) {
        either!(self, stepper => stepper.end_stage())
    }

    /// See [`Stepper::verify`].
    ///
    /// # Errors
    /// As there.
    pub fn verify(&mut self) -> Result<(), Failure> {
        either!(self, stepper => stepper.verify())
    }

    /// See [`Stepper::advance`].
    ///
    /// # Errors
    /// As there.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        either!(self, stepper => stepper.advance(steps))
    }

    /// See [`Stepper::observe`].
    ///
    /// # Errors
    /// As there.
    pub fn observe(&mut self) -> Result<Measurement, Failure> {
        either!(self, stepper => stepper.observe())
    }

    /// See [`Stepper::interaction_forces`].
    ///
    /// # Errors
    /// As there.
    pub fn interaction_forces(&mut self) -> Result<Vec<[f64; 3]>, Trouble> {
        either!(self, stepper => stepper.interaction_forces())
    }

    /// See [`Stepper::largest_force`].
    pub fn largest_force(&self) -> f64 {
        either!(self, stepper => stepper.largest_force())
    }

    /// See [`Stepper::measure`].
    ///
    /// # Errors
    /// As there.
    pub fn measure(&mut self) -> Result<Measurement, Failure> {
        either!(self, stepper => stepper.measure())
    }
}
