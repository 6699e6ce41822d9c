//! How a run unfolds: members through their stages, rows, frames, checkpoints, threads.
//!
//! A member is a trajectory with files of its own. Members share nothing but the temperatures that the replicas of a
//! ladder exchange, so that what one writes depends neither on the others nor on the number of threads. Every file of a member only grows;
//! a checkpoint holds the state and the length of each file, and going on begins with cutting the
//! files back to those lengths.

mod checkpoint;
mod cpu_assignment;
mod cpu_stepping;
mod devices;
mod error;
mod gpu_assignment;
mod gpu_sampling;
mod gpu_stepping;
mod ladders;
mod member;
mod plan;
mod progress;
mod recorder;
mod run;
mod worker;

pub use checkpoint::{
    CheckpointSet, LadderCheckpoint, MemberCheckpoint, MemberStatus, VALUE_VERSION,
};
pub use cpu_assignment::{CpuAssignment, Kind};
pub use devices::Devices;
pub use error::{ERROR_CODES, Error};
pub use gpu_assignment::{GpuAssignment, Plans};
pub use plan::{MemberPlan, Plan};
pub use progress::Progress;
pub use recorder::{MemberMemory, MemberRecorder, MemoryRecorder, RecordEnd, Recorder, Row};
pub use run::{Control, Ending, Outcome, run, statuses};
