//! Where a run records what it computes: rows, frames and checkpoints.
//!
//! A [run folder](beadwork_io::RunFolder) is one recorder, and [`MemoryRecorder`] another.

mod folder;
mod memory;

use std::fmt::Debug;
use std::path::PathBuf;

use beadwork_cpu::Member;
use beadwork_io::TrajectoryPosition;
use beadwork_simulation::Measurement;
use serde::{Deserialize, Serialize};

pub use memory::{MemberMemory, MemoryRecorder};

use crate::{Error, Plan};

/// Records a run.
pub trait Recorder: Debug + Sync {
    /// Opens the record of a member of the plan: a new one, or the one of a checkpoint, cut back to its end there.
    ///
    /// # Errors
    /// When it cannot be opened or is shorter than the checkpoint says.
    fn open(
        &self,
        plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error>;

    /// Replaces the checkpoint of member number `first`, or of the ladder that begins with it.
    ///
    /// # Errors
    /// When it cannot be written; the one before is still there.
    fn write_checkpoint(&self, first: usize, kind: &str, payload: &[u8]) -> Result<(), Error>;

    /// The checkpoint, if there is one.
    ///
    /// # Errors
    /// When it is damaged or of another kind.
    fn read_checkpoint(&self, first: usize, kind: &str) -> Result<Option<Vec<u8>>, Error>;

    /// The name of the checkpoint in messages.
    fn checkpoint_name(&self, first: usize) -> PathBuf;
}

/// Records a member.
pub trait MemberRecorder: Debug + Send {
    /// Records a row; nothing where there is one of this step.
    ///
    /// # Errors
    /// When it cannot be written.
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Records the positions; nothing where there is a frame of this step.
    ///
    /// # Errors
    /// [`beadwork_io::Error::Coordinate`] where the format has no number for a position; when it cannot be written.
    fn frame(&mut self, member: &Member, rung: Option<u32>) -> Result<(), Error>;

    /// Lets readers see what has been recorded.
    ///
    /// # Errors
    /// When it cannot be written.
    fn flush(&mut self) -> Result<(), Error>;

    /// Makes the record safe against a crash, and says where it ends.
    ///
    /// # Errors
    /// When it cannot be written.
    fn sync(&mut self) -> Result<RecordEnd, Error>;
}

/// A row of a member's table.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The member at the step of the row.
    pub member: &'a Member,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// The rung of a replica and the temperature there, kB T in the unit of the energy.
    pub rung: Option<(u32, f64)>,
    /// The share of Monte Carlo moves that were accepted.
    pub acceptance: Option<f64>,
}

/// Where the record of a member ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordEnd {
    /// Bytes of the table.
    pub table: u64,
    /// Bytes of the table of frames.
    pub frames: u64,
    /// End of the trajectory, if one is written.
    pub trajectory: Option<TrajectoryPosition>,
    /// The step of the last frame.
    pub last_frame: Option<u64>,
    /// The step of the last row.
    pub last_row: Option<u64>,
}
