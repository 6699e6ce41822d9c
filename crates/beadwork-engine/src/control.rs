//! What a caller gives a run besides its plan, and what the run returns.

use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use beadwork_cuda::LaunchOverrides;

use crate::checkpoint::MemberStatus;
use crate::devices::Devices;

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

impl<'a> Control<'a> {
    /// A run on this many threads of the processor, until all members have made their steps or `interrupted` is set.
    pub fn on_processors(interrupted: &'a AtomicBool, threads: usize) -> Control<'a> {
        Control {
            interrupted,
            deadline: None,
            until: None,
            threads,
            devices: Devices::Cpu,
            forms: Forms::default(),
        }
    }

    /// Whether a signal or the time limit stops the run.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// How the form of blocks on GPUs is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    /// The fastest one that was found for such members on such a card; a run of more than some minutes finds it, others without
    /// a finding take the usual one.
    #[default]
    Learnt,
    /// The usual one.
    Usual,
    /// The fastest of several, timed before the run.
    Timed,
    /// The form that is named.
    Fixed(LaunchOverrides),
}

/// Reads `learnt`, `usual`, `timed`, or a form such as `lanes=no cluster=4`.
impl FromStr for Forms {
    type Err = String;

    fn from_str(text: &str) -> Result<Forms, String> {
        match text {
            "learnt" => Ok(Forms::Learnt),
            "usual" => Ok(Forms::Usual),
            "timed" => Ok(Forms::Timed),
            form if form.contains('=') => form.parse().map(Forms::Fixed),
            _ => Err(format!(
                "\"{text}\" is no way to choose a form: write learnt, usual, timed, or a form such as \"lanes=no cluster=4\""
            )),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_choose_are_read() {
        assert_eq!("learnt".parse(), Ok(Forms::Learnt));
        assert_eq!("timed".parse(), Ok(Forms::Timed));
        assert_eq!("usual".parse(), Ok(Forms::Usual));
        let form = LaunchOverrides { cluster: Some(4), ..LaunchOverrides::default() };
        assert_eq!("cluster=4".parse(), Ok(Forms::Fixed(form)));
        assert!("fast".parse::<Forms>().unwrap_err().contains("learnt, usual, timed"));
        assert!("cluster=x".parse::<Forms>().unwrap_err().contains("a number from 1"));
    }
}
