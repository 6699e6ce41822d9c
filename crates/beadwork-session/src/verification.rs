//! Compares the files of a run with what was written.
//!
//! `run.json` has a checksum of itself and the digests of the files that the run began with. A checkpoint has a checksum of
//! itself, and the length and the checksum of each output file of its members. The last coordinates of members follow from
//! their checkpoints.

use std::path::Path;

use beadwork_engine::{CheckpointSet, MemberStatus, Plan};
use beadwork_io::RunFolder;
use beadwork_io::written::Comparison;
use rayon::prelude::*;
use serde::Serialize;

use crate::extension_mark::digest_when_longer;
use crate::outputs::outputs;
use crate::part::View;
use crate::plan::plan;
use crate::record::{Ended, Record};
use crate::{Error, final_coordinates, held_files};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The number of files that were compared.
    pub files: usize,
    /// Files that differ from what was written, by name.
    pub findings: Vec<Finding>,
    /// What is no damage and yet worth knowing.
    pub notes: Vec<String>,
}

/// A file that differs from what was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// Its name in the folder.
    pub file: String,
    /// The code of the error, one of those in the book.
    pub code: String,
    /// A sentence.
    pub problem: String,
}

/// Compares all files of a run with what was written. Nothing in the folder changes.
///
/// # Errors
/// A folder that holds no run.
pub fn verify(path: &Path) -> Result<Report, Error> {
    let folder = RunFolder::open(path)?;
    let mut report = Report::default();
    let record = match Record::read(&folder) {
        Ok(record) => record,
        Err(error) => {
            report.add(&folder, &folder.run_json(), &error);
            return Ok(report);
        }
    };
    report.files += 1 + record.files.len();
    let longer = digest_when_longer(&folder);
    for (name, known) in &record.files {
        let Some(error) = held_files::changed(&folder, name, known) else { continue };
        let is_longer = longer
            .as_ref()
            .is_some_and(|longer| held_files::changed(&folder, name, longer).is_none());
        if !is_longer {
            report.add(&folder, &folder.root().join(name), &error);
        }
    }
    // What checkpoints hold can be judged with the input of the run alone.
    if report.findings.iter().any(|finding| !held_files::is_topology(&finding.file)) {
        report.notes.push(
            "tables and trajectories were not compared, because the input is not that of the run"
                .to_string(),
        );
        return Ok(report);
    }
    if record.files.is_empty() {
        report.notes.push(
            "the run was begun by an earlier version, which noted no digests of the input"
                .to_string(),
        );
    }
    let view = View::open(path)?;
    let is_over = record.ending == Some(Ended::Finished);
    for folder in &view.folders {
        let plan = plan(&view.request, &view.part(folder)?);
        compare_members(folder, &plan, is_over, &mut report)?;
    }
    report.findings.sort();
    Ok(report)
}

impl Report {
    fn add(&mut self, folder: &RunFolder, path: &Path, error: &Error) {
        self.add_as(folder, path, error.code(), error.to_string());
    }

    fn add_as(&mut self, folder: &RunFolder, path: &Path, code: &str, problem: String) {
        let file = path.strip_prefix(folder.root()).unwrap_or(path);
        let (file, code) = (file.display().to_string(), code.to_string());
        self.findings.push(Finding { file, code, problem });
    }
}

/// Compares checkpoints, output files and last coordinates.
fn compare_members(
    folder: &RunFolder,
    plan: &Plan,
    is_over: bool,
    report: &mut Report,
) -> Result<(), Error> {
    for lost in beadwork_engine::lost(folder, plan) {
        let problem = format!(
            "the checkpoint of replica {} is gone, which had {} rows and {} frames",
            plan.members[lost.number].replica, lost.rows, lost.frames
        );
        let path = folder.checkpoint(plan.first_of_group(lost.number));
        report.add_as(folder, &path, "run/lost-checkpoints", problem);
    }
    for members in plan.checkpoint_groups() {
        let set = match CheckpointSet::read(folder, plan, &members) {
            Ok(set) => set,
            Err(error) => {
                report.add(folder, &folder.checkpoint(members.start), &error.into());
                continue;
            }
        };
        report.files += usize::from(set.members.iter().any(Option::is_some));
        for (number, checkpoint) in members.clone().zip(&set.members) {
            let Some(checkpoint) = checkpoint else { continue };
            if let Some((path, reason)) =
                final_coordinates::difference(folder, plan, number, checkpoint, is_over)?
            {
                report.add_as(folder, &path, "io/changed-output", reason);
            }
        }
    }
    let outputs = outputs(folder, plan)?;
    let compared: Vec<_> = outputs
        .par_iter()
        .flat_map_iter(|(status, files)| files.iter().map(move |file| (status, file)))
        .map(|(status, file)| (status, file, file.compare()))
        .collect();
    let mut ahead = 0;
    for (status, file, comparison) in compared {
        report.files += 1;
        match comparison {
            Ok(Comparison::Same) => {}
            Ok(Comparison::Beginning) if *status == MemberStatus::Running => ahead += 1,
            Ok(Comparison::Beginning) => {
                report.add_as(folder, &file.path, "io/changed-output", AHEAD.to_string());
            }
            Err(error) => report.add(folder, &file.path, &error.into()),
        }
    }
    if ahead > 0 {
        report.notes.push(format!(
            "{ahead} file(s) go on behind the last checkpoint of their members, as those of a run that is going on or was killed; to resume cuts them back"
        ));
    }
    Ok(())
}

const AHEAD: &str =
    "it goes on behind its end, or its counters or its index differ: `beadwork resume` restores it";
