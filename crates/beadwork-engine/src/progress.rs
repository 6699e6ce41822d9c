//! How far a run is, for a display.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::checkpoint::MemberStatus;

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
        self.computed.load(Relaxed)
    }

    /// Steps of the plan that need no more work: computed now or before, or skipped because a stage ended early.
    pub fn settled(&self) -> u64 {
        self.settled.load(Relaxed)
    }

    /// Members that are through all stages.
    pub fn finished(&self) -> u64 {
        self.finished.load(Relaxed)
    }

    /// Members that failed.
    pub fn failed(&self) -> u64 {
        self.failed.load(Relaxed)
    }

    /// Simulated time that this process computed, summed over members, ps.
    pub fn simulated_time(&self) -> f64 {
        self.picoseconds.load(Relaxed) as f64
    }

    /// Exchanges of replicas that this process attempted and accepted.
    pub fn exchanges(&self) -> [u64; 2] {
        [0, 1].map(|which| self.exchanges[which].load(Relaxed))
    }

    /// Round trips of replicas, from the lowest rung to the highest and back, that ended in this process.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Relaxed)
    }

    pub(crate) fn add_exchanges(&self, attempted: u64, accepted: u64, round_trips: u64) {
        self.exchanges[0].fetch_add(attempted, Relaxed);
        self.exchanges[1].fetch_add(accepted, Relaxed);
        self.round_trips.fetch_add(round_trips, Relaxed);
    }

    pub(crate) fn add_computed(&self, steps: u64, picoseconds: f64) {
        self.computed.fetch_add(steps, Relaxed);
        self.settled.fetch_add(steps, Relaxed);
        self.picoseconds.fetch_add(picoseconds.round() as u64, Relaxed);
    }

    pub(crate) fn add_settled(&self, steps: u64) {
        self.settled.fetch_add(steps, Relaxed);
    }

    pub(crate) fn count(&self, status: &MemberStatus) {
        match status {
            MemberStatus::Running => return,
            MemberStatus::Finished => &self.finished,
            MemberStatus::Failed { .. } => &self.failed,
        }
        .fetch_add(1, Relaxed);
    }
}
