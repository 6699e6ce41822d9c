//! Progress of a run, for a display.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::checkpoint::MemberStatus;

/// A number that workers add to and a display reads.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// The number so far.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    pub(crate) fn add(&self, number: u64) {
        self.0.fetch_add(number, Relaxed);
    }
}

/// Counters of a run. They count only this process, unless they say otherwise.
#[derive(Debug, Default)]
pub struct Progress {
    /// Steps that were computed.
    pub computed: Counter,
    /// Steps of the plan that need no more work: computed now or before, or skipped because a stage ended early.
    pub settled: Counter,
    /// Members that have finished all stages.
    pub finished: Counter,
    /// Members that failed.
    pub failed: Counter,
    /// Simulated time, summed over members, ps.
    pub femtoseconds: Counter,
    /// Exchanges of replicas that were attempted.
    pub attempted: Counter,
    /// Exchanges of replicas that were accepted.
    pub accepted: Counter,
    /// Round trips of replicas that ended, from the lowest rung to the highest and back.
    pub round_trips: Counter,
}

impl Progress {
    pub(crate) fn add_computed(&self, steps: u64, picoseconds: f64) {
        self.computed.add(steps);
        self.settled.add(steps);
        self.femtoseconds.add((1e3 * picoseconds).round() as u64);
    }

    /// Counts a member unless it has steps left.
    pub(crate) fn count(&self, status: &MemberStatus) {
        match status {
            MemberStatus::Running => {}
            MemberStatus::Finished => self.finished.add(1),
            MemberStatus::Failed { .. } => self.failed.add(1),
        }
    }
}
