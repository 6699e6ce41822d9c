//! `beadwork verify`: compares the files of runs with what was written.

use std::path::PathBuf;

use beadwork::verification::{Report, verify};
use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::output::{grouped, say, say_json};
use super::threads::{threads_or_cores, use_threads};

const EXAMPLES: &str = "\
Examples:
  beadwork verify runs/protein
  beadwork verify runs/part-1 runs/part-2 --json";

/// The exit code if a file differs.
const DIFFERS: u8 = 2;

/// Say which files of runs differ from what was written.
///
/// Inputs, tables, lists of frames, trajectories, checkpoints and last coordinates are compared with the digests that the
/// run noted while it wrote them. Nothing is changed. Results that follow from these files (summaries, figures) are not
/// compared: `beadwork plot` makes them anew. Exit code 2 if a file differs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Verify {
    /// Run folders.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Threads; by default as many as the machine has cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Verify {
    pub fn run(self) -> Result<u8, Failure> {
        use_threads(threads_or_cores(self.threads))?;
        let mut reports = Vec::new();
        for folder in &self.folders {
            reports.push((folder.display().to_string(), verify(folder)?));
        }
        let differs = reports.iter().any(|(_, report)| !report.findings.is_empty());
        if self.json {
            let all = reports.iter().map(|(folder, report)| {
                json!({
                    "folder": folder,
                    "files": report.files,
                    "findings": report.findings,
                    "notes": report.notes,
                })
            });
            say_json(&all.collect::<Vec<_>>())?;
        } else {
            let words = reports.iter().map(|(folder, report)| in_words(folder, report));
            say(&words.collect::<String>())?;
        }
        Ok(if differs { DIFFERS } else { 0 })
    }
}

fn in_words(folder: &str, report: &Report) -> String {
    let files = grouped(report.files as u64);
    let mut text = match report.findings.len() {
        0 => format!("{folder}: {files} file(s) compared, all as they were written\n"),
        count => format!("{folder}: {files} file(s) compared, {count} differ(s)\n"),
    };
    for finding in &report.findings {
        text.push_str(&format!("{}: {} ({})\n", finding.file, finding.problem, finding.code));
    }
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}
