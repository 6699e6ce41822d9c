//! What a run computes: its members, and how often each is written.

use std::ops::Range;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_io::FrameFormat;
use beadwork_model::{Exchange, Precision, Protocol, System};

/// One trajectory of an ensemble.
#[derive(Clone, Debug)]
pub struct MemberPlan {
    /// The beads and their interactions.
    pub system: Arc<System>,
    /// The stages that the system goes through.
    pub protocol: Arc<Protocol>,
    /// The replica number over the whole ensemble and sweep, which is part of the key of the noise.
    pub replica: u64,
    /// Initial positions, Å.
    pub start: Arc<Vec<[f64; 3]>>,
    /// Initial velocities, Å/ps. If `None`, they are drawn at the temperature.
    pub velocities: Option<Arc<Vec<[f64; 3]>>>,
    /// The temperatures of the member's ladder, if it is a replica of one. The replicas of a ladder are consecutive members
    /// and start on its rungs in order.
    pub exchange: Option<Arc<Exchange>>,
}

impl MemberPlan {
    /// The member at its start.
    pub fn member(&self) -> Member {
        let drawn =
            Member::new(self.system.clone(), self.protocol.clone(), self.replica, &self.start);
        match &self.velocities {
            Some(velocities) => drawn.with_velocities(velocities),
            None => drawn,
        }
    }
}

/// An ensemble, and when its members are written.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All members; a member's number is its index here.
    pub members: Vec<MemberPlan>,
    /// Steps of dynamics between rows of a table.
    pub table_every: u64,
    /// Steps of dynamics between frames, and their format.
    pub trajectory: Option<(u64, FrameFormat)>,
    /// Seconds of wall time between checkpoints of a member.
    pub checkpoint_seconds: f64,
    /// Whether the failure of one member stops the whole run.
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

    pub(crate) fn precision(&self) -> Precision {
        let first = self.members.first();
        first.map_or(Precision::Single, |member| member.protocol.dynamics.precision)
    }

    /// How many members have as many beads as `member` and go through the same stages, itself included.
    pub fn like(&self, member: &MemberPlan) -> usize {
        let is_like = |other: &&MemberPlan| {
            other.system.model == member.system.model
                && other.system.beads() == member.system.beads()
                && other.protocol.stages == member.protocol.stages
                && other.protocol.dynamics.precision == member.protocol.dynamics.precision
        };
        self.members.iter().filter(is_like).count()
    }

    /// The first of the members that share a checkpoint with this one.
    pub fn first_of_group(&self, number: usize) -> usize {
        let exchange = self.members.get(number).and_then(|member| member.exchange.as_ref());
        let replicas = exchange.map_or(1, |exchange| exchange.temperatures.len().max(1));
        // Ladders follow each other, and a part of a run has whole ones.
        number - number % replicas
    }

    /// Members that share one checkpoint, in order: the replicas of a ladder, or a single member.
    pub fn checkpoint_groups(&self) -> Vec<Range<usize>> {
        let ladders = self.ladders();
        if ladders.is_empty() {
            (0..self.members.len()).map(|number| number..number + 1).collect()
        } else {
            ladders
        }
    }
}
