//! The state of an external within a stage.

use serde::{Deserialize, Serialize};

use super::dot;

/// The state of an external within a stage; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredState", into = "StoredState")]
pub struct ExternalState {
    /// Å: centre of the pulled beads when the stage began.
    pub origin: [f64; 3],
    /// Unit vector of pulling.
    pub direction: [f64; 3],
    /// Å: position of each restrained bead when the stage began.
    pub anchors: Vec<[f64; 3]>,
    /// kcal/(mol Å): the force that acts until the next renewal, for externals that hold their force over several steps.
    pub held: [f64; 3],
    /// kcal/mol: work done on the beads since the stage began; of a tip that of its base until the tip last moved, from the
    /// first of the stages through which it goes on.
    pub work: f64,
    /// Force and centre at the last step that the work includes.
    pub last: Option<LastPoint>,
    /// Of an external that beads push.
    pub moving: Option<MovingState>,
    /// At the last row of the table in this stage, of an external that pulls and has columns of its own.
    pub row: Option<RowPoint>,
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
    /// Å: the way of its base when the stage began, if it goes on from the stage before.
    pub base: f64,
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

/// An external that pulls at a row of the table. That of the stage's beginning, where no force acts yet, is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowPoint {
    /// Step within the stage.
    pub step: u64,
    /// kcal/mol: the work until then.
    pub work: f64,
    /// kcal/(mol Å).
    pub force: [f64; 3],
}

impl ExternalState {
    /// Å: how far a position is beyond the origin along the direction.
    pub fn height(&self, at: [f64; 3]) -> f64 {
        dot([0, 1, 2].map(|axis| at[axis] - self.origin[axis]), self.direction)
    }

    /// Begins the averages of the next row at the last step that the work includes.
    pub fn begin_row(&mut self) {
        let last = self.last;
        self.row =
            last.map(|last| RowPoint { step: last.step, work: self.work, force: last.force });
    }
}

/// The layout of [`ExternalState`] in a checkpoint.
#[derive(Serialize, Deserialize)]
struct StoredState {
    origin: [f64; 3],
    direction: [f64; 3],
    anchors: Vec<[f64; 3]>,
    held: [f64; 3],
    work: f64,
    last: Option<LastPoint>,
    further: StoredFurther,
}

/// What only some externals have. The first two have the layout of an `Option<MovingState>`, which checkpoints had before rows.
#[derive(Serialize, Deserialize)]
enum StoredFurther {
    Nothing,
    Moving(MovingState),
    Row(RowPoint),
}

impl From<ExternalState> for StoredState {
    fn from(state: ExternalState) -> Self {
        let ExternalState { origin, direction, anchors, held, work, last, moving, row } = state;
        let further = match (moving, row) {
            // What beads push does not pull.
            (Some(moving), _) => StoredFurther::Moving(moving),
            (None, Some(row)) => StoredFurther::Row(row),
            (None, None) => StoredFurther::Nothing,
        };
        StoredState { origin, direction, anchors, held, work, last, further }
    }
}

impl From<StoredState> for ExternalState {
    fn from(stored: StoredState) -> Self {
        let StoredState { origin, direction, anchors, held, work, last, further } = stored;
        let (moving, row) = match further {
            StoredFurther::Nothing => (None, None),
            StoredFurther::Moving(moving) => (Some(moving), None),
            StoredFurther::Row(row) => (None, Some(row)),
        };
        ExternalState { origin, direction, anchors, held, work, last, moving, row }
    }
}
