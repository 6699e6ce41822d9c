//! Where a run records what it computes: rows, frames and checkpoints.
//!
//! A [run folder](beadwork_io::RunFolder) is one recorder, and [`MemoryRecorder`] another.

mod folder;
mod memory;
mod trajectory_file;

use std::fmt::Debug;
use std::path::PathBuf;

use beadwork_cpu::Member;
use beadwork_io::written::Comparison;
use beadwork_io::{FileEnd, TrajectoryPosition};
use beadwork_simulation::Measurement;
use serde::{Deserialize, Serialize};

pub use folder::{Lost, OutputFile, header, lost, output_files};
pub use memory::{MemberMemory, MemoryRecorder, MemoryRow};
pub use trajectory_file::{check_trajectory, gsd_beads};

use crate::{Error, Plan};

/// Records a run. A method fails if something cannot be written or read.
pub trait Recorder: Debug + Sync {
    /// Opens the record of a member: a new one, or the record that a checkpoint describes, cut back to its end there.
    ///
    /// # Errors
    /// A record that cannot be opened, or is shorter than the checkpoint says.
    fn open(
        &self,
        plan: &Plan,
        number: usize,
        end: Option<RecordEnd>,
    ) -> Result<Box<dyn MemberRecorder + '_>, Error>;

    /// Compares the record of a member with its end in a checkpoint; nothing is changed.
    ///
    /// # Errors
    /// A record that is gone, shorter or different before that end.
    fn compare(&self, plan: &Plan, number: usize, end: RecordEnd) -> Result<Comparison, Error> {
        let _ = (plan, number, end);
        Ok(Comparison::Same)
    }

    /// Replaces the checkpoint of member number `first`, or of the ladder whose first member that is. On an error the
    /// checkpoint before it remains.
    fn write_checkpoint(&self, first: usize, kind: &str, payload: &[u8]) -> Result<(), Error>;

    /// The checkpoint, or `None`; an error if it is damaged or of another kind.
    fn read_checkpoint(&self, first: usize, kind: &str) -> Result<Option<Vec<u8>>, Error>;

    /// The name of the checkpoint in messages.
    fn checkpoint_name(&self, first: usize) -> PathBuf;
}

/// Records a member. A method fails if something cannot be written.
pub trait MemberRecorder: Debug + Send {
    /// Records a row, unless the last one is of the same step.
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Records the positions, unless the last frame is of the same step.
    ///
    /// # Errors
    /// [`beadwork_io::Error::Coordinate`] for a position that the format cannot hold.
    fn frame(&mut self, member: &Member, rung: Option<u32>) -> Result<(), Error>;

    /// Makes recorded rows visible to readers.
    fn flush(&mut self) -> Result<(), Error>;

    /// Makes the record safe against a crash, and returns where it ends.
    fn sync(&mut self) -> Result<RecordEnd, Error>;
}

/// A row of a member's table.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The member at the step of the row.
    pub member: &'a Member,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// The rung of a replica, and k_B T there in the unit of energy.
    pub rung: Option<(u32, f64)>,
    /// The fraction of Monte Carlo moves that were accepted.
    pub acceptance: Option<f64>,
}

/// Where the record of a member ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordEnd {
    /// End of the table.
    pub table: FileEnd,
    /// End of the table of frames.
    pub frames: FileEnd,
    /// End of the trajectory, if one is written.
    pub trajectory: Option<TrajectoryPosition>,
    /// The step of the last frame.
    pub last_frame: Option<u64>,
    /// The step of the last row.
    pub last_row: Option<u64>,
}
