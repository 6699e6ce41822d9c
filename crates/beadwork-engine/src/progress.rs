//! How far a run is, for whoever shows it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that workers add to and a display reads.
#[derive(Debug, Default)]
pub struct Progress {
    computed: AtomicU64,
    settled: AtomicU64,
    finished: AtomicU64,
    failed: AtomicU64,
    picoseconds: AtomicU64,
    exchanges: [AtomicU64; 2],
    round_trips: AtomicU64,
}

impl Progress {
    /// Steps computed by this process.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Steps of the plan that need no more work: computed now or before, or left out since a stage
    /// ended early.
    pub fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }

    /// Members that are through all stages.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Members that failed.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Simulated time of all members together that this process computed, ps.
    pub fn simulated_time(&self) -> f64 {
        self.picoseconds.load(Ordering::Relaxed) as f64
    }

    /// Exchanges of replicas that were attempted and accepted by this process.
    pub fn exchanges(&self) -> [u64; 2] {
        [0, 1].map(|which| self.exchanges[which].load(Ordering::Relaxed))
    }

    /// Ways of replicas from the lowest rung to the highest and back, made in this process.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    pub(crate) fn add_exchanges(&self, attempted: u64, accepted: u64, round_trips: u64) {
        self.exchanges[0].fetch_add(attempted, Ordering::Relaxed);
        self.exchanges[1].fetch_add(accepted, Ordering::Relaxed);
        self.round_trips.fetch_add(round_trips, Ordering::Relaxed);
    }

    pub(crate) fn add_computed(&self, steps: u64, picoseconds: f64) {
        self.computed.fetch_add(steps, Ordering::Relaxed);
        self.settled.fetch_add(steps, Ordering::Relaxed);
        self.picoseconds.fetch_add(picoseconds.round() as u64, Ordering::Relaxed);
    }

    pub(crate) fn add_settled(&self, steps: u64) {
        self.settled.fetch_add(steps, Ordering::Relaxed);
    }

    pub(crate) fn add_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }
}
