//! A member as a replica of a ladder.

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::TrialMove;

use super::MemberRun;
use crate::Error;

/// What a replica reports before an exchange.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaReport {
    /// Whether it has steps left.
    pub running: bool,
    /// Whether it has reached the step of the exchange.
    pub waiting: bool,
    /// Whether it makes no more steps in this run.
    pub paused: bool,
    /// The energy that decides exchanges; `None` for replicas that do not exchange.
    pub energy: Option<f64>,
    /// The trial move of its rung, in Monte Carlo sampling.
    pub trial_move: Option<TrialMove>,
}

impl MemberRun<'_> {
    /// Whether there are steps to make before the next exchange.
    pub fn has_steps_to_make(&self) -> bool {
        self.is_running() && self.steps_to_exchange() > 0 && !self.is_paused()
    }

    pub(super) fn steps_to_exchange(&self) -> u64 {
        let step = self.member.dynamics_step();
        self.position.as_ref().map_or(u64::MAX, |position| position.next.saturating_sub(step))
    }

    pub fn report(&mut self) -> Result<ReplicaReport, Error> {
        let waiting = self.steps_to_exchange() == 0;
        let mut energy = None;
        if self.is_running() && waiting {
            match self.member.exchanged_energy() {
                Ok(found) => energy = Some(found),
                Err(failure) => self.fail(failure)?,
            }
        }
        let (running, trial_move) = (self.is_running(), self.trial_move());
        Ok(ReplicaReport { running, waiting, paused: self.is_paused(), energy, trial_move })
    }

    /// Moves the replica to a rung after an exchange; temperature and trial move are those of the rung.
    pub fn move_to_rung(&mut self, rung: u32, temperature: f64, trial_move: Option<TrialMove>) {
        let Some(position) = &mut self.position else { return };
        let before = position.temperature;
        (position.rung, position.temperature) = (rung, temperature);
        position.next += position.exchange.every;
        // Averages never span two temperatures.
        self.member.begin_averages();
        self.member.change_temperature(before, temperature);
        if let (Member::MonteCarlo(chain), Some(trial_move)) = (&mut self.member, trial_move) {
            chain.set_trial_move(trial_move);
        }
    }

    pub(super) fn rung(&self) -> Option<(u32, f64)> {
        self.position.as_ref().map(|position| (position.rung, position.temperature))
    }

    /// Steps between exchanges of the ladder, if the member is in one.
    pub fn exchanges_every(&self) -> Option<u64> {
        self.position.as_ref().map(|position| position.exchange.every)
    }

    pub fn trial_move(&self) -> Option<TrialMove> {
        match &self.member {
            Member::MonteCarlo(chain) => Some(chain.trial_move()),
            _ => None,
        }
    }
}
