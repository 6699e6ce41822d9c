//! A member in the precision of its protocol.

use std::sync::Arc;

use beadwork_model::observables::{Measured, Observable};
use beadwork_model::{Precision, Protocol, Stage, System};

use crate::monte_carlo::MonteCarloMember;
use crate::stepping::{CpuPath, Stepper};
use beadwork_simulation::Measurement;
use beadwork_simulation::{Failure, MemberState, StepError};

/// One trajectory of an ensemble.
#[derive(Clone, Debug)]
pub enum Member {
    /// In f32.
    Single(Box<Stepper<f32>>),
    /// In f64.
    Double(Box<Stepper<f64>>),
    /// Sampled by Monte Carlo, in either precision.
    MonteCarlo(Box<MonteCarloMember>),
}

/// Applies the same expression in either precision.
macro_rules! either {
    ($member:expr, $stepper:ident => $expression:expr, $chain:ident => $sampled:expr) => {
        match $member {
            Member::Single($stepper) => $expression,
            Member::Double($stepper) => $expression,
            Member::MonteCarlo($chain) => $sampled,
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
        if system.is_sampled() {
            return Member::MonteCarlo(Box::new(MonteCarloMember::new(
                system, protocol, replica, positions,
            )));
        }
        match protocol.dynamics.precision {
            Precision::Single => {
                Member::Single(Box::new(Stepper::new(system, protocol, replica, positions)))
            }
            Precision::Double => {
                Member::Double(Box::new(Stepper::new(system, protocol, replica, positions)))
            }
        }
    }

    /// A member from the state that [`Member::state`] returned.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Member {
        if system.is_sampled() {
            return Member::MonteCarlo(Box::new(MonteCarloMember::restore(
                system, protocol, replica, &state,
            )));
        }
        match protocol.dynamics.precision {
            Precision::Single => {
                Member::Single(Box::new(Stepper::restore(system, protocol, replica, state)))
            }
            Precision::Double => {
                Member::Double(Box::new(Stepper::restore(system, protocol, replica, state)))
            }
        }
    }

    /// The same member with these velocities, Å/ps, in place of those drawn at its start.
    #[must_use]
    pub fn with_velocities(mut self, velocities: &[[f64; 3]]) -> Member {
        either!(&mut self, stepper => stepper.set_velocities(velocities), _chain => ());
        self
    }

    /// The same member with another path.
    #[must_use]
    pub fn with_path(mut self, path: CpuPath) -> Member {
        either!(&mut self, stepper => stepper.set_path(path), _chain => ());
        self
    }

    /// See [`Stepper::set_threads`].
    pub fn set_threads(&mut self, threads: usize) {
        either!(self, stepper => stepper.set_threads(threads), _chain => ());
    }

    /// Sets the temperature of the following steps, kB T in the unit of the energy.
    pub fn set_temperature(&mut self, temperature: f64) {
        either!(
            self,
            stepper => stepper.set_temperature(temperature),
            chain => chain.set_temperature(temperature)
        );
    }

    /// Sets the temperature of a replica that comes from another one; velocities are scaled.
    pub fn change_temperature(&mut self, from: f64, to: f64) {
        either!(
            self,
            stepper => stepper.change_temperature(from, to),
            chain => chain.set_temperature(to)
        );
    }

    /// Begins new averages, since earlier steps may have been at another temperature.
    pub fn begin_averages(&mut self) {
        either!(self, stepper => stepper.begin_averages(), chain => chain.begin_averages());
    }

    /// The energy that decides exchanges, in its unit.
    ///
    /// # Errors
    /// As [`Member::observe`].
    pub fn exchanged_energy(&mut self) -> Result<f64, Failure> {
        if let Member::MonteCarlo(chain) = self {
            return Ok(chain.energy());
        }
        let measured = self.observe()?;
        let energy = Observable::of_all_interactions(&self.protocol().dynamics);
        Ok(measured.get(energy).unwrap_or(f64::NAN))
    }

    /// The system.
    pub fn system(&self) -> &System {
        either!(self, stepper => stepper.system(), chain => &chain.system)
    }

    /// The protocol.
    pub fn protocol(&self) -> &Protocol {
        either!(self, stepper => stepper.protocol(), chain => &chain.protocol)
    }

    /// The precision of its arithmetic.
    pub fn precision(&self) -> Precision {
        self.protocol().dynamics.precision
    }

    /// See [`Stepper::state`].
    pub fn state(&self) -> MemberState {
        either!(self, stepper => stepper.state(), chain => chain.state())
    }

    /// See [`Stepper::positions`].
    pub fn positions(&self) -> Vec<[f64; 3]> {
        either!(self, stepper => stepper.positions(), chain => chain.positions())
    }

    /// See [`Stepper::velocities`].
    pub fn velocities(&self) -> Option<Vec<[f64; 3]>> {
        either!(self, stepper => stepper.velocities(), _chain => None)
    }

    /// See [`Stepper::step_number`].
    pub fn step_number(&self) -> u64 {
        either!(self, stepper => stepper.step_number(), chain => chain.sweep())
    }

    /// See [`Stepper::dynamics_step`].
    pub fn dynamics_step(&self) -> u64 {
        either!(self, stepper => stepper.dynamics_step(), chain => chain.sweep())
    }

    /// See [`Stepper::stage_step`].
    pub fn stage_step(&self) -> u64 {
        either!(self, stepper => stepper.stage_step(), chain => chain.stage_step())
    }

    /// See [`Stepper::time`].
    pub fn time(&self) -> f64 {
        either!(self, stepper => stepper.time(), chain => chain.sweep() as f64)
    }

    /// See [`Stepper::stage_number`].
    pub fn stage_number(&self) -> usize {
        either!(self, stepper => stepper.stage_number(), chain => chain.stage_number())
    }

    /// See [`Stepper::stage`].
    pub fn stage(&self) -> &Stage {
        either!(self, stepper => stepper.stage(), chain => chain.stage())
    }

    /// See [`Stepper::remaining`].
    pub fn remaining(&self) -> u64 {
        either!(self, stepper => stepper.remaining(), chain => chain.remaining())
    }

    /// See [`Stepper::prepare`].
    pub fn prepare(&mut self) {
        either!(self, stepper => stepper.prepare(), _chain => ());
    }

    /// Whether the next step has what [`Member::prepare`] makes; always true outside minimisations.
    pub fn is_prepared(&self) -> bool {
        either!(self, stepper => stepper.is_prepared(), _chain => true)
    }

    /// See [`Stepper::steps_alike`].
    pub fn steps_alike(&self) -> u64 {
        either!(self, stepper => stepper.steps_alike(), chain => chain.remaining())
    }

    /// See [`Stepper::begin_stage`].
    pub fn begin_stage(&mut self, stage: usize) {
        either!(self, stepper => stepper.begin_stage(stage), chain => chain.begin_stage(stage))
    }

    /// See [`Stepper::end_stage`].
    pub fn end_stage(&mut self) {
        either!(self, stepper => stepper.end_stage(), chain => chain.end_stage())
    }

    /// See [`Stepper::verify`].
    pub fn verify(&mut self) -> Result<(), Failure> {
        either!(self, stepper => stepper.verify(), _chain => Ok(()))
    }

    /// See [`Stepper::advance`].
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        either!(self, stepper => stepper.advance(steps), chain => Ok(chain.advance(steps)))
    }

    /// See [`Stepper::observe`].
    pub fn observe(&mut self) -> Result<Measurement, Failure> {
        either!(self, stepper => stepper.observe(), chain => Ok(chain.observe()))
    }

    /// See [`Stepper::measured`].
    pub fn measured(&self) -> Option<Measured> {
        either!(self, stepper => stepper.measured(), _chain => None)
    }

    /// See [`Stepper::interaction_forces`].
    pub fn interaction_forces(&mut self) -> Result<Vec<[f64; 3]>, StepError> {
        either!(self, stepper => stepper.interaction_forces(), _chain => Ok(Vec::new()))
    }

    /// See [`Stepper::largest_force`].
    pub fn largest_force(&self) -> f64 {
        either!(self, stepper => stepper.largest_force(), _chain => 0.0)
    }

    /// See [`Stepper::measure`].
    pub fn measure(&mut self) -> Result<Measurement, Failure> {
        either!(self, stepper => stepper.measure(), chain => Ok(chain.measure()))
    }
}
