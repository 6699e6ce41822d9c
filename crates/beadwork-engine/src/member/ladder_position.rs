//! A member as a replica of a ladder.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::TrialMove;
use beadwork_model::Exchange;

use super::MemberRun;
use crate::Error;

/// A replica's place in its ladder.
#[derive(Clone, Debug)]
pub(super) struct LadderPosition {
    exchange: Arc<Exchange>,
    rung: u32,
    /// k_B T of the rung.
    pub(super) temperature: f64,
    /// The step of dynamics at which it exchanges next.
    next: u64,
}

/// Where a replica takes its ladder up.
#[derive(Clone, Copy, Debug)]
pub struct RungAssignment {
    /// Exchanges that its ladder has made.
    pub attempts: u64,
    /// Its rung.
    pub rung: u32,
    /// k_B T of the rung.
    pub temperature: f64,
}

/// What a replica tells its ladder before an exchange.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaReport {
    /// Whether it has more to do.
    pub running: bool,
    /// Whether it waits for the exchange.
    pub waiting: bool,
    /// What it is decided by; none of replicas that are over.
    pub energy: Option<f64>,
    /// How far moves go on its rung, where moves are made.
    pub trial_move: Option<TrialMove>,
}

impl LadderPosition {
    /// Of a replica that takes its ladder up somewhere.
    pub fn new(exchange: Arc<Exchange>, place: RungAssignment) -> LadderPosition {
        let next = (place.attempts + 1) * exchange.every;
        LadderPosition { exchange, rung: place.rung, temperature: place.temperature, next }
    }
}

impl MemberRun<'_> {
    /// Whether there are steps to be made before the next exchange.
    pub fn has_steps_to_make(&self) -> bool {
        self.is_running() && !self.is_waiting()
    }

    /// Whether it reports where its ladder exchanges next.
    pub(super) fn is_waiting(&self) -> bool {
        self.steps_to_exchange() == 0
    }

    pub(super) fn steps_to_exchange(&self) -> u64 {
        self.position
            .as_ref()
            .map_or(u64::MAX, |position| position.next.saturating_sub(self.member.dynamics_step()))
    }

    /// Where it reports, for its ladder.
    pub fn report(&mut self) -> Result<ReplicaReport, Error> {
        let waiting = self.is_waiting();
        let mut energy = None;
        if self.is_running() && waiting {
            match self.member.exchanged_energy() {
                Ok(found) => energy = Some(found),
                Err(failure) => {
                    let failed = self.fail(failure);
                    self.lost |= failed.is_err();
                    failed?;
                }
            }
        }
        let (running, trial_move) = (self.is_running(), self.trial_move());
        Ok(ReplicaReport { running, waiting, energy, trial_move })
    }

    /// Puts it on a rung, after an exchange; temperature and `trial_move` are the rung's.
    pub fn climb(&mut self, rung: u32, temperature: f64, trial_move: Option<TrialMove>) {
        let Some(position) = &mut self.position else { return };
        (position.rung, position.temperature) = (rung, temperature);
        position.next += position.exchange.every;
        // A row tells of one bath.
        self.member.begin_averages();
        self.member.set_temperature(temperature);
        if let (Member::MonteCarlo(chain), Some(trial_move)) = (&mut self.member, trial_move) {
            chain.set_trial_move(trial_move);
        }
    }

    pub(super) fn bath(&self) -> Option<(u32, f64)> {
        self.position.as_ref().map(|position| (position.rung, position.temperature))
    }

    /// Steps between exchanges of its ladder, if it is in one.
    pub fn exchanges_every(&self) -> Option<u64> {
        self.position.as_ref().map(|position| position.exchange.every)
    }

    /// How far moves go on its rung, where moves are made.
    pub fn trial_move(&self) -> Option<TrialMove> {
        match &self.member {
            Member::MonteCarlo(chain) => Some(chain.trial_move()),
            _ => None,
        }
    }
}
