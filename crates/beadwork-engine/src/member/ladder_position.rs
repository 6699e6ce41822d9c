//! The place of a replica in its ladder.

use std::sync::Arc;

use beadwork_model::Exchange;

/// A replica's rung, and the step of its next exchange.
#[derive(Clone, Debug)]
pub(super) struct LadderPosition {
    pub exchange: Arc<Exchange>,
    pub rung: u32,
    /// k_B T of the rung.
    pub temperature: f64,
    /// The step of dynamics at which it exchanges next.
    pub next: u64,
}

/// The rung on which a replica starts or continues.
#[derive(Clone, Copy, Debug)]
pub struct RungAssignment {
    pub attempts: u64,
    pub rung: u32,
    /// k_B T of the rung.
    pub temperature: f64,
}

impl LadderPosition {
    pub fn new(exchange: Arc<Exchange>, at: RungAssignment) -> LadderPosition {
        let next = (at.attempts + 1) * exchange.every;
        LadderPosition { exchange, rung: at.rung, temperature: at.temperature, next }
    }
}
