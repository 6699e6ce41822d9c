//! The state of an external within a stage.

use serde::{Deserialize, Serialize};

/// The state of an external within a stage; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExternalState {
    /// Å: centre of the pulled beads when the stage began.
    pub origin: [f64; 3],
    /// Unit vector of pulling.
    pub direction: [f64; 3],
    /// Å: position of each restrained bead when the stage began.
    pub anchors: Vec<[f64; 3]>,
    /// kcal/(mol Å): the force that acts until the next renewal, for externals that hold their force over several steps.
    pub held: [f64; 3],
    /// kcal/mol: work done on the beads since the stage began.
    pub work: f64,
    /// Force and centre at the last step that the work includes.
    pub last: Option<LastPoint>,
    /// Of an external that beads push.
    pub moving: Option<MovingState>,
}

/// The state of an external that beads push.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MovingState {
    /// Å: its centre.
    pub position: [f64; 3],
    /// The sum of the forces on it since it last moved, in its unit.
    pub reaction: [i64; 3],
    /// The last step of the stage with which the sum and the position count.
    pub step: Option<u64>,
    /// Å: its way when it came into contact.
    pub contact: Option<f64>,
}

/// The last step that the mechanical work of an external includes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastPoint {
    /// Step within the stage.
    pub step: u64,
    /// kcal/(mol Å).
    pub force: [f64; 3],
    /// Å.
    pub centre: [f64; 3],
}
