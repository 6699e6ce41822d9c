//! `beadwork extend`: makes a run longer.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beadwork::extension::{Report, extend_all};
use beadwork::input::{Addition, Request};
use beadwork::io::RunFolder;
use beadwork::part::{View, way_on};
use beadwork::running::Log;
use clap::{ArgGroup, Args};

use super::failure::Failure;
use super::output::{grouped, remark, say};
use super::plot::refuse_twice;
use super::signals::outlive_signals;
use super::submit::folders_of_parts;
use super::threads::{threads_or_cores, use_threads};

const EXAMPLES: &str = "\
Examples:
  beadwork extend runs/protein --by \"1 ms\"
  beadwork extend runs/protein --stage pull --steps 500000
  beadwork extend runs/chain --sweeps 1000000
  beadwork extend runs/slow runs/fast --by 50%
Then go on:
  beadwork resume runs/protein";

/// Lengthen a run that is finished or was interrupted.
///
/// The last stage gets longer, and `beadwork resume` continues the run: tables and trajectories equal, byte for byte,
/// those of a stage that was as long from the beginning. Members that a stop rule ended, or that failed, stay as they
/// are. Of several runs all become longer or, if one of them cannot, none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("addition").required(true))]
pub struct Extend {
    /// Run folders; that of jobs (`beadwork submit`) stands for all of its parts.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The stage, if it is not the last; no member may have left it.
    #[arg(long)]
    stage: Option<String>,
    /// How much longer, such as "1 ms", or 50% of the length that the stage has.
    #[arg(long, value_name = "TIME", group = "addition", allow_hyphen_values = true)]
    by: Option<String>,
    /// How many steps longer.
    #[arg(long, group = "addition", value_parser = count, allow_negative_numbers = true)]
    steps: Option<u64>,
    /// How many sweeps longer, of chains.
    #[arg(long, group = "addition", value_parser = count, allow_negative_numbers = true)]
    sweeps: Option<u64>,
}

impl Extend {
    pub fn run(self) -> Result<u8, Failure> {
        use_threads(threads_or_cores(None))?;
        let by = match (self.by, self.steps, self.sweeps) {
            (Some(text), ..) if text.trim_end().ends_with('%') => Addition::Percent(text),
            (Some(time), ..) => Addition::Time(time),
            (_, Some(steps), _) => Addition::Steps(steps),
            (_, _, Some(sweeps)) => Addition::Sweeps(sweeps),
            (None, None, None) => {
                return Err(Failure::input("--by, --steps or --sweeps is missing".to_string()));
            }
        };
        let folders = runs(&self.folders)?;
        let mut made = Vec::new();
        let note = |folder: &Path, report| made.push((folder.to_path_buf(), report));
        // Given again, the command would add once more, so what is decided is brought to its end.
        let outcome = extend_all(&folders, self.stage.as_deref(), &by, outlive_signals, note);
        let (mut text, mut ways, mut noted) = (String::new(), Vec::new(), Ok(()));
        for (folder, report) in &made {
            let words = lengthened(folder, report, &by);
            // The folders are longer whether their logs can be written or not, so that comes last.
            noted = noted.and(note_in_log(folder, &words));
            match folders.len() {
                1 => text.push_str(&words),
                _ => {
                    let line = words.trim_end().replace('\n', "; ");
                    let _ = writeln!(text, "{}: {line}", folder.display());
                }
            }
            let way = way_on(folder);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        text.extend(ways.iter().map(|way| format!("{way}\n")));
        if !text.is_empty() {
            say(&text)?;
        }
        outcome?;
        noted.map(|()| 0)
    }
}

/// The folders of the runs, those of parts in place of the folder of their jobs.
fn runs(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut runs = Vec::new();
    for folder in folders {
        match RunFolder::is_of_jobs(folder) {
            true => runs.extend(folders_of_parts(folder)?),
            false => runs.push(folder.clone()),
        }
    }
    refuse_twice(&runs)?;
    Ok(runs)
}

/// What happened to a run, in lines.
fn lengthened(folder: &Path, report: &Report, by: &Addition) -> String {
    let mut text = in_words(report);
    if let (Addition::Steps(steps), false) = (by, report.was_interrupted)
        && let Ok(view) = View::open(folder)
    {
        text.push_str(&sweeps_in_words(*steps, &view.request));
    }
    if let Some(earlier) = &report.earlier {
        remark(&format!(
            "note: {} was made longer before, by {earlier}, and was not continued since: both add up",
            folder.display()
        ));
    }
    text
}

/// Writes what happened to a run into its log.
fn note_in_log(folder: &Path, text: &str) -> Result<(), Failure> {
    let mut log = Log::open(&folder.join("log.txt"))?;
    text.lines().try_for_each(|line| log.write(line))?;
    Ok(())
}

/// A count, which may have underscores as in an input.
fn count(text: &str) -> Result<u64, String> {
    let number = text.replace('_', "").parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write a whole number of at least 1, such as 500_000".to_string())
}

/// Explains that added steps of chains are sweeps; empty for other models.
fn sweeps_in_words(steps: u64, request: &Request) -> String {
    let chains = request.points.iter().filter(|point| point.system.is_sampled());
    let moves: BTreeSet<usize> = chains.map(|point| point.system.beads()).collect();
    if moves.is_empty() {
        return String::new();
    }
    let moves: Vec<String> = moves.into_iter().map(|moves| grouped(moves as u64)).collect();
    format!(
        "a step of chains is a sweep: {} sweeps of {} moves each are added\n",
        grouped(steps),
        moves.join(" or ")
    )
}

fn in_words(report: &Report) -> String {
    let mut text = String::new();
    if report.was_interrupted {
        text.push_str("the same extension was interrupted before and is now complete; nothing more was added\n");
    }
    for (before, after) in &report.lengths {
        let _ = writeln!(text, "stage \"{}\" lengthened: {before} -> {after}", report.stage);
    }
    let counts = [
        (report.open, "go on"),
        (report.stopped, "were ended by a stop rule and stay finished"),
        (report.failed, "failed and stay as they are"),
    ];
    for (place, (count, what)) in counts.into_iter().enumerate() {
        if count > 0 || place == 0 {
            let _ = writeln!(text, "{} member(s) {what}", grouped(count as u64));
        }
    }
    text
}
