//! A member as a replica of a ladder.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::Reach;
use beadwork_model::Exchange;

use super::MemberRun;
use crate::Error;

/// A replica's place in its ladder.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    exchange: Arc<Exchange>,
    rung: u32,
    /// k_B T of the rung.
    pub(super) temperature: f64,
    /// The step of dynamics at which it exchanges next.
    next: u64,
}

/// Where a replica takes its ladder up.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Exchanges that its ladder has made.
    pub attempts: u64,
    /// Its rung.
    pub rung: u32,
    /// k_B T of the rung.
    pub temperature: f64,
}

/// What a replica tells its ladder before an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    /// Whether it has more to do.
    pub running: bool,
    /// Whether it waits for the exchange.
    pub waiting: bool,
    /// What it is decided by; none of replicas that are over.
    pub energy: Option<f64>,
    /// How far moves go on its rung, where moves are made.
    pub reach: Option<Reach>,
}

impl Turn {
    /// Of a replica that takes its ladder up somewhere.
    pub fn new(exchange: Arc<Exchange>, place: Place) -> Turn {
        let next = (place.attempts + 1) * exchange.every;
        Turn { exchange, rung: place.rung, temperature: place.temperature, next }
    }
}

impl MemberRun<'_> {
    /// Whether there are steps to be made before the next exchange.
    pub fn has_steps_to_make(&self) -> bool {
        self.is_running() && !self.is_waiting()
    }

    /// Whether it stands where its ladder exchanges next.
    pub(super) fn is_waiting(&self) -> bool {
        self.steps_to_exchange() == 0
    }

    pub(super) fn steps_to_exchange(&self) -> u64 {
        self.turn
            .as_ref()
            .map_or(u64::MAX, |turn| turn.next.saturating_sub(self.member.dynamics_step()))
    }

    /// Where it stands, for its ladder.
    pub fn stand(&mut self) -> Result<Stand, Error> {
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
        let (running, reach) = (self.is_running(), self.reach());
        Ok(Stand { running, waiting, energy, reach })
    }

    /// Puts it on a rung, after an exchange; temperature and `reach` are the rung's.
    pub fn climb(&mut self, rung: u32, temperature: f64, reach: Option<Reach>) {
        let Some(turn) = &mut self.turn else { return };
        (turn.rung, turn.temperature) = (rung, temperature);
        turn.next += turn.exchange.every;
        // A row tells of one bath.
        self.member.begin_averages();
        self.member.set_temperature(temperature);
        if let (Member::Walk(walk), Some(reach)) = (&mut self.member, reach) {
            walk.set_reach(reach);
        }
    }

    pub(super) fn bath(&self) -> Option<(u32, f64)> {
        self.turn.as_ref().map(|turn| (turn.rung, turn.temperature))
    }

    /// Steps between exchanges of its ladder, if it is in one.
    pub fn exchanges_every(&self) -> Option<u64> {
        self.turn.as_ref().map(|turn| turn.exchange.every)
    }

    /// How far moves go on its rung, where moves are made.
    pub fn reach(&self) -> Option<Reach> {
        match &self.member {
            Member::Walk(walk) => Some(walk.reach()),
            _ => None,
        }
    }
}
