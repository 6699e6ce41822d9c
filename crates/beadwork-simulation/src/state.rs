//! The state of a member between two steps.

use beadwork_model::externals::ExternalState;
use beadwork_model::observables::Sums;
use beadwork_random::States;
use serde::{Deserialize, Serialize};

/// Everything that a member needs to continue to the bit: the content of a checkpoint.
///
/// Numbers are f64 whatever the precision of the arithmetic; an f32 passes through unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberState {
    /// Steps since the run began, minimisation included; the key of the noise holds this number.
    pub step: u64,
    /// Steps of dynamics since the run began; multiplied by the time step they are the time.
    pub dynamics_step: u64,
    /// Number of the stage.
    pub stage: usize,
    /// Steps since the stage began.
    pub stage_step: u64,
    /// True once a minimisation has converged or a stop rule held.
    pub stage_over: bool,
    /// Positions, Å; in a periodic box those of the images that the beads have reached.
    pub positions: Vec<[f64; 3]>,
    /// One for each external of the stage.
    pub externals: Vec<ExternalState>,
    /// Sums for the next row of the table.
    pub sums: Sums,
    /// States of a generator that has them.
    pub noise: Option<States>,
    /// The state of a minimisation.
    pub minimiser: Option<MinimiserState>,
    /// The state of a chain that is sampled.
    pub chain: Option<ChainState>,
    /// What only some members have.
    pub extra: ExtraState,
}

/// What only some members have: velocities, and places in a periodic box.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredExtra", into = "StoredExtra")]
pub struct ExtraState {
    /// Velocities, for integrators that have them.
    pub motion: Option<MotionState>,
    /// Where beads are in a periodic box; the positions of the state follow from it.
    pub places: Option<Places>,
}

/// Where beads are in a periodic box, exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// The coordinates of each bead, in 2⁻⁶⁴ of the sides, from −½ of a side on.
    pub fractions: Vec<[i64; 3]>,
    /// The whole sides that each bead is away from the box.
    pub images: Vec<[i32; 3]>,
}

/// The layout of [`ExtraState`] in a checkpoint: without a box, that of an `Option<MotionState>`.
#[derive(Serialize, Deserialize)]
enum StoredExtra {
    Nothing,
    Motion(MotionState),
    Places(Places),
    Both(MotionState, Places),
}

impl From<ExtraState> for StoredExtra {
    fn from(ExtraState { motion, places }: ExtraState) -> Self {
        match (motion, places) {
            (None, None) => StoredExtra::Nothing,
            (Some(motion), None) => StoredExtra::Motion(motion),
            (None, Some(places)) => StoredExtra::Places(places),
            (Some(motion), Some(places)) => StoredExtra::Both(motion, places),
        }
    }
}

impl From<StoredExtra> for ExtraState {
    fn from(stored: StoredExtra) -> Self {
        match stored {
            StoredExtra::Nothing => ExtraState::default(),
            StoredExtra::Motion(motion) => ExtraState { motion: Some(motion), places: None },
            StoredExtra::Places(places) => ExtraState { motion: None, places: Some(places) },
            StoredExtra::Both(motion, places) => {
                ExtraState { motion: Some(motion), places: Some(places) }
            }
        }
    }
}

/// The velocities of a member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionState {
    /// Å/ps; those of the half step for schemes that end there.
    pub velocities: Vec<[f64; 3]>,
    /// The forces with which the next step begins, kcal/(mol Å). Drag and noise of a thermostat may be in them, so they do
    /// not follow from positions and velocities. `None` if the next step computes them, as the first of a stage does.
    pub forces: Option<Vec<[f64; 3]>>,
}

/// Velocity and step control of a minimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimiserState {
    /// In units of its own: unit mass, time in Å √(mol/kcal).
    pub velocities: Vec<[f64; 3]>,
    /// Step.
    pub timestep: f64,
    /// Share of the velocity that is turned towards the force (FIRE's α).
    pub mixing: f64,
    /// Steps downhill since the last uphill one.
    pub downhill: u32,
}

/// The additional state of a chain that is sampled by Monte Carlo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainState {
    /// Largest component of a displacement, in units of the length.
    pub displacement: f64,
    /// Moves since the last row of the table or the last exchange.
    pub row: AcceptanceCount,
    /// Moves on the present rung since the displacement was last fitted.
    pub fit: AcceptanceCount,
    /// The configuration of lowest energy among the rows of the table.
    pub lowest: Option<LowestConfiguration>,
}

/// A configuration of low energy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowestConfiguration {
    /// Energy, in units of ε.
    pub energy: f64,
    /// The sweep at which the chain had it.
    pub sweep: u64,
    /// Positions, in units of the length.
    pub positions: Vec<[f64; 3]>,
}

/// How many moves were accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceCount {
    /// Accepted moves.
    pub accepted: u64,
    /// All moves.
    pub attempted: u64,
}
