//! What a run does, member by member.

use std::sync::Arc;

use beadwork_io::TrajectoryFormat;
use beadwork_model::{Protocol, System};

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
