//! What a run does, member by member.

use std::ops::Range;
use std::sync::Arc;

use beadwork_io::TrajectoryFormat;
use beadwork_model::{Exchange, Protocol, System};

/// One trajectory of an ensemble.
#[derive(Clone, Debug)]
pub struct MemberPlan {
    /// What moves.
    pub system: Arc<System>,
    /// How.
    pub protocol: Arc<Protocol>,
    /// Its number over the whole ensemble and sweep: its noise is keyed by it.
    pub replica: u64,
    /// Where its beads begin, Å.
    pub start: Arc<Vec<[f64; 3]>>,
    /// The temperatures of its ladder, if it is in one. The replicas of a ladder follow each other, and begin on its rungs
    /// in their order.
    pub exchange: Option<Arc<Exchange>>,
}

/// An ensemble and how it is looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All members; a member's number is its place here.
    pub members: Vec<MemberPlan>,
    /// Steps of dynamics between rows of a table.
    pub table_every: u64,
    /// Steps of dynamics between frames, and their format.
    pub trajectory: Option<(u64, TrajectoryFormat)>,
    /// Seconds of wall time between checkpoints of a member.
    pub checkpoint_seconds: f64,
    /// Whether the failure of one member ends all.
    pub stop_on_failure: bool,
    /// Names the input that checkpoints belong to.
    pub fingerprint: String,
}

impl Plan {
    /// The members of each ladder.
    pub fn ladders(&self) -> Vec<Range<usize>> {
        let mut ladders = Vec::new();
        let mut first = 0;
        while let Some(exchange) =
            self.members.get(first).and_then(|member| member.exchange.as_ref())
        {
            let next = (first + exchange.temperatures.len().max(1)).min(self.members.len());
            ladders.push(first..next);
            first = next;
        }
        ladders
    }

    /// Members that are sampled or stepped as `member` is, itself among them: of as large a system, through the same stages.
    pub fn like(&self, member: &MemberPlan) -> usize {
        let is_like = |other: &&MemberPlan| {
            other.system.model == member.system.model
                && other.system.beads() == member.system.beads()
                && other.protocol.stages == member.protocol.stages
                && other.protocol.dynamics.precision == member.protocol.dynamics.precision
        };
        self.members.iter().filter(is_like).count()
    }

    /// Members that have one file of checkpoints, in the order of their numbers: those of a ladder, or one by itself.
    pub fn kept_together(&self) -> Vec<Range<usize>> {
        let ladders = self.ladders();
        if ladders.is_empty() {
            (0..self.members.len()).map(|n| n..n + 1).collect()
        } else {
            ladders
        }
    }
}
