//! What a caller gives a run besides its plan, and what the run returns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::checkpoint::MemberStatus;
use crate::devices::Devices;
use crate::gpu_forms::Forms;

/// The resources of a run, and what may stop it early.
#[derive(Debug)]
pub struct Control<'a> {
    /// Set by a signal handler.
    pub interrupted: &'a AtomicBool,
    /// When the time limit is reached.
    pub deadline: Option<Instant>,
    /// The step of dynamics, or the sweep, counted from the run's start, at which members stop to be read. They have checkpoints
    /// then, and go on in another run with the same bits.
    pub until: Option<u64>,
    /// Threads; at least 1. A thread steps several members at once, or several threads one member.
    pub threads: usize,
    /// Where members are stepped. A run must be continued on the kind of device that it began on.
    pub devices: Devices,
    /// How the form of blocks on GPUs is chosen; it changes no bit.
    pub forms: Forms,
}

impl Control<'_> {
    /// Whether a signal or the time limit stops the run.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Why a run returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No member has steps left.
    Finished,
    /// A signal stopped it; checkpoints are written.
    Interrupted,
    /// The time limit stopped it; checkpoints are written.
    TimeLimit,
    /// Members have come to the step of [`Control::until`]; checkpoints are written.
    Paused,
    /// A member failed, and the plan says to stop then; checkpoints are written.
    Failure,
}

impl Ending {
    /// The word for this ending in `run.json`, logs and answers.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Interrupted => "interrupted",
            Ending::TimeLimit => "time-limit",
            Ending::Paused => "paused",
            Ending::Failure => "failure",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why the run returned.
    pub ending: Ending,
    /// The status of each member by number; `None` for members that have not begun.
    pub statuses: Vec<Option<MemberStatus>>,
    /// Remarks on this session's work, as sentences, in the order of the members.
    pub notes: Vec<String>,
    /// The form of blocks on GPUs and why it was taken; `None` where the usual one was taken without timing.
    pub gpu_form: Option<String>,
}

impl Outcome {
    /// Members that failed, with their reasons.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.statuses.iter().enumerate().filter_map(|(number, status)| match status {
            Some(MemberStatus::Failed { message, .. }) => Some((number, message.as_str())),
            _ => None,
        })
    }
}
