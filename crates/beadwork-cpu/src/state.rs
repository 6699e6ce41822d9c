//! What a member is between two steps, and what can go wrong in one.

use beadwork_model::drives::DriveState;
use beadwork_random::States;
use serde::{Deserialize, Serialize};

use crate::monte_carlo::WalkState;

/// Everything from which a member goes on to the bit: the content of a checkpoint.
///
/// Numbers are f64 whatever the precision of the arithmetic; an f32 passes through unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberState {
    /// Steps since the run began, minimisation included: what the noise is keyed by.
    pub step: u64,
    /// Steps of dynamics since the run began; times the time step it is the time.
    pub dynamics_step: u64,
    /// Number of the stage.
    pub stage: usize,
    /// Steps since the stage began.
    pub stage_step: u64,
    /// True once a minimisation has converged or a stop rule held.
    pub stage_over: bool,
    /// Å.
    pub positions: Vec<[f64; 3]>,
    /// One for each drive of the stage.
    pub drives: Vec<DriveState>,
    /// Sums for the next row of the table.
    pub sums: Sums,
    /// States of a generator that has them.
    pub noise: Option<States>,
    /// Where a minimisation stands.
    pub minimiser: Option<MinimiserState>,
    /// Of a chain that is sampled.
    pub walk: Option<WalkState>,
}

/// Sums over the steps since the last row of the table or the last exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Σ|Δr|², Å², of free beads.
    pub squared_displacements: f64,
    /// Bead-steps in it.
    pub moves: u64,
    /// Σ of the pulling force along its direction, kcal/(mol Å).
    pub force: f64,
    /// Steps in it.
    pub force_steps: u64,
}

/// Velocity and step control of a minimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimiserState {
    /// In units of its own: unit mass, time in Å √(mol/kcal).
    pub velocities: Vec<[f64; 3]>,
    /// Step.
    pub timestep: f64,
    /// Share of the velocity that is turned towards the force.
    pub mixing: f64,
    /// Steps downhill since the last uphill one.
    pub downhill: u32,
}

/// Why a step could not be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trouble {
    /// A FENE bond reached its limit.
    BrokenBond {
        /// The bead with the smaller number.
        i: usize,
        /// The other.
        j: usize,
        /// Å.
        distance: f64,
        /// Å.
        rest_length: f64,
        /// Å.
        limit: f64,
    },
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The bead.
        bead: usize,
    },
}

/// A member that could not go on; it is left in the last state that was sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// What happened.
    pub trouble: Trouble,
    /// The step since the run began at which it was found.
    pub step: u64,
}
