//! What a benchmark steps.

use std::sync::Arc;

use beadwork_model::{Dynamics, System};

/// A system and how it moves.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The word on the command line, or an input's path.
    pub name: String,
    /// A description.
    pub title: String,
    /// Beads and interactions.
    pub system: Arc<System>,
    /// A system for each trajectory, where they differ.
    pub systems: Vec<Arc<System>>,
    /// How it moves.
    pub dynamics: Dynamics,
    /// Steps of each trajectory before those that are timed.
    pub relaxation: u64,
}
