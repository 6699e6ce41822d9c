//! Runs an ensemble: steps its members through their stages, and writes rows, frames and checkpoints.
//!
//! A member is a trajectory with its own record. Members are independent, except that the replicas of a ladder exchange
//! temperatures. So the record of a member depends neither on other members nor on the number of threads. A member's
//! files only grow. A checkpoint holds the state and the length of each file, and a run that continues first cuts the
//! files to these lengths.

mod checkpoint;
mod control;
mod cpu_assignment;
mod cpu_stepping;
mod devices;
mod error;
mod exchanges;
mod gpu_assignment;
pub mod gpu_forms;
mod gpu_sampling;
mod gpu_stepping;
mod independent_members;
mod ladders;
mod locks;
mod member;
mod plan;
mod progress;
mod recorder;
mod run;
mod shared_run;
mod threads;
mod worker;

pub use checkpoint::{
    CheckpointSet, MemberCheckpoint, MemberStatus, StageEnd, StageReason, VALUE_VERSION,
    checkpoints,
};
pub use control::{Control, Ending, Forms, Outcome};
pub use cpu_assignment::CpuAssignment;
pub use devices::Devices;
pub use error::{ERROR_CODES, Error};
pub use gpu_assignment::GpuAssignment;
pub use member::describe_failure;
pub use plan::{MemberPlan, Plan};
pub use progress::{Counter, Progress};
pub use recorder::{
    Lost, MemberMemory, MemberRecorder, MemoryRecorder, MemoryRow, OutputFile, RecordEnd, Recorder,
    Row, check_trajectory, gsd_beads, header, lost, output_files,
};
pub use run::{run, statuses};
pub use threads::on_some;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
