//! What a person should know before a run.

use crate::input::Request;

use super::pace::FAILS;
use super::size::{self, estimated_bytes};

/// Warnings about the input, about the disk, and about a run that will fail; `problem` is why its duration was not estimated.
pub fn warnings(request: &Request, problem: Option<&String>) -> Vec<String> {
    let room = size::warning(&request.output.folder, estimated_bytes(request));
    let fails = problem.filter(|reason| reason.starts_with(FAILS)).map(|reason| {
        let reason = in_one_line(reason);
        format!("{reason}; if beads of the start overlap or stretch bonds, a first stage with `minimise` moves them apart")
    });
    request.warnings.iter().cloned().chain(room).chain(fails).collect()
}

pub fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
