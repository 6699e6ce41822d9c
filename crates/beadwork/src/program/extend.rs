//! `beadwork extend`: makes a run longer.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use beadwork::extension::{Report, extend};
use beadwork::input::{Addition, Request};
use beadwork::part::{View, way_on};
use beadwork::running::Log;
use clap::{ArgGroup, Args};

use super::failure::Failure;
use super::output::{grouped, say};
use super::threads::{threads_or_cores, use_threads};

const EXAMPLES: &str = "\
Examples:
  beadwork extend runs/protein --by \"1 ms\"
  beadwork extend runs/protein --stage pull --steps 500000
  beadwork extend runs/chain --sweeps 1000000
Then go on:
  beadwork resume runs/protein";

/// Lengthen a run that is finished or was interrupted.
///
/// The last stage gets longer, and `beadwork resume` continues the run: tables and trajectories equal, byte for byte,
/// those of a stage that was as long from the beginning. Members that a stop rule ended, or that failed, stay as they
/// are.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("addition").required(true))]
pub struct Extend {
    /// The run's folder.
    folder: PathBuf,
    /// The stage, if it is not the last; no member may have left it.
    #[arg(long)]
    stage: Option<String>,
    /// How much longer, such as "1 ms".
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
            (Some(time), ..) => Addition::Time(time),
            (_, Some(steps), _) => Addition::Steps(steps),
            (_, _, Some(sweeps)) => Addition::Sweeps(sweeps),
            (None, None, None) => {
                return Err(Failure::input("--by, --steps or --sweeps is missing".to_string()));
            }
        };
        let report = extend(&self.folder, self.stage.as_deref(), &by)?;
        let mut text = in_words(&report);
        if let (Addition::Steps(steps), false) = (by, report.was_interrupted) {
            text.push_str(&sweeps_in_words(steps, &View::open(&self.folder)?.request));
        }
        let mut log = Log::open(&self.folder.join("log.txt"))?;
        for line in text.lines() {
            log.write(line)?;
        }
        say(&format!("{text}{}\n", way_on(&self.folder)))?;
        Ok(0)
    }
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
