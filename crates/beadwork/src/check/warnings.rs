//! What a person should know before a run.

use crate::input::Request;
use crate::io::RunFolder;

use super::memory::long_list;
use super::pace::Unmeasured;
use super::size::{self, estimated_bytes};

/// Warnings about the input, about the disk, about a folder that is taken, and about a run that may fail; `problem` is why its duration was not estimated.
pub fn warnings(request: &Request, problem: Option<&Unmeasured>) -> Vec<String> {
    let room = size::warning(&request.output.folder, estimated_bytes(request));
    let folder = &request.output.folder;
    let taken = RunFolder::is_taken(folder).then(|| {
        format!(
            "the folder {} is not empty and holds no run, so `run` refuses it: name another one by `folder` in [output], or by --output",
            folder.display()
        )
    });
    let fails = match problem {
        Some(Unmeasured::StageFails(reason)) => {
            let reason = in_one_line(reason);
            Some(format!(
                "{reason}; if beads of the start overlap or stretch bonds, a first stage with `minimise` moves them apart"
            ))
        }
        _ => None,
    };
    let crowded = long_list(request).map(|list| {
        format!(
            "{list}, so no step was tried: check `density`, `count`, `box` and cutoffs; go on if they are meant"
        )
    });
    request.warnings.iter().cloned().chain(room).chain(taken).chain(fails).chain(crowded).collect()
}

pub fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
