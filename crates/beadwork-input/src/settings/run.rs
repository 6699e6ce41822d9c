//! `[run]`: how a run is executed.

use crate::document::{Node, Table};
use crate::error::Error;
use crate::section::Section;

const KEYS: [&str; 1] = ["on_failure"];

/// What happens when a member becomes unphysical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The other members continue.
    Continue,
    /// All members stop.
    Stop,
}

/// How a run is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// What happens when a member becomes unphysical.
    pub on_failure: OnFailure,
}

/// Reads `[run]`.
pub(crate) fn read_run(node: &Node) -> Result<(RunSettings, Table), Error> {
    let mut section = Section::open(node, "[run]", &KEYS)?;
    let on_failure = match section.choice("on_failure", &["continue", "stop"], Some("continue"))? {
        0 => OnFailure::Continue,
        _ => OnFailure::Stop,
    };
    Ok((RunSettings { on_failure }, section.resolved))
}
