//! Parts of an ensemble: some of its members, in a folder of their own.
//!
//! A member's number counts over ensemble and sweep: point × replicas + replica. It is part of the key of the noise and of the
//! names of the member's files. So a part writes the same files as the whole run, and parts can be analysed together.

mod member_range;
mod view;

use std::path::{Path, PathBuf};

use beadwork_io::RunFolder;
use beadwork_io::words::shell_word;

pub use member_range::Part;
pub use view::View;

/// How a run that was stopped goes on: of a part of jobs by the script that submits them.
pub fn way_on(folder: &Path) -> String {
    match submission_of(folder) {
        Some(command) => format!("go on with, when all jobs have ended: {command}"),
        None => format!("go on with: beadwork resume {}", folder.display()),
    }
}

/// The folder of jobs in which a folder lies that is one of their parts. It begins with a dot if it was relative, so that a name
/// which begins with a dash is no option.
pub fn jobs_of(folder: &Path) -> Option<PathBuf> {
    let jobs = folder.parent().filter(|parent| RunFolder::is_of_jobs(parent))?;
    Some(Path::new(".").join(jobs))
}

/// The command that submits what is left of jobs, if a folder is that of a part of them. All jobs must have ended before.
pub fn submission_of(folder: &Path) -> Option<String> {
    let jobs = jobs_of(folder)?;
    let [noted, script] = ["jobs.txt", "submit.sh"]
        .map(|name| shell_word(&jobs.join(name).to_string_lossy()).into_owned());
    Some(format!("rm -f {noted} && bash {script}"))
}
