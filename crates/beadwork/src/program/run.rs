//! `beadwork run`: runs an input and prints its answer.

use std::path::PathBuf;

use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::running::{Beginning, begin};
use beadwork::session::Session;
use clap::Args;

use super::carrying_out::run_to_end;
use super::failure::Failure;
use super::options::{Limits, Overrides};
use super::output::remark;

const EXAMPLES: &str = "\
Examples:
  beadwork run protein.toml --output runs/slow --set pull.speed=\"1 um/s\" --max-time \"23h 50m\"
  beadwork run protein.toml --output runs/part-2 --replicas 100..200";

/// Run an input and print its answer.
///
/// The run's folder holds everything: copies of the input files, tables, trajectories, checkpoints and plots. Ctrl-C,
/// SIGTERM and --max-time leave checkpoints, from which `beadwork resume`, or this command with --continue, continues
/// with the same bits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// The input.
    input: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    /// The run's folder, instead of the input's output.folder.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Run a part of the ensemble only: 100..200 means 100 to 199. Its files equal those of the whole run; `beadwork
    /// plot` joins the parts.
    #[arg(long, value_name = "FIRST..END")]
    replicas: Option<String>,
    /// Continue the run if the folder holds it, otherwise begin it: for scripts that are started again and again.
    #[arg(long = "continue")]
    go_on: bool,
    /// With --continue: begin members anew whose checkpoints are gone. What they had written is dropped.
    #[arg(long, requires = "go_on")]
    from_start: bool,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run {
    pub fn run(self) -> Result<u8, Failure> {
        let threads = self.limits.start_threads()?;
        let overrides = self.overrides.parse()?;
        let request = match beadwork::input::load(&self.input, &overrides) {
            Err(error) => self.begun(&overrides).ok_or(error)?,
            Ok(request) => request,
        };
        let asked = Beginning {
            folder: self.output.as_deref(),
            replicas: self.replicas.as_deref(),
            go_on: self.go_on,
            from_start: self.from_start,
            choice: &self.limits.choice.device,
            threads,
        };
        let (session, devices) = begin(request, &asked, remark)?;
        run_to_end(&session, &self.limits, devices)
    }

    /// The request of a run, or a job, that goes on, whose input had been taken when what is refused now was not.
    fn begun(&self, overrides: &[(String, String)]) -> Option<Request> {
        let request = beadwork::input::load_begun(&self.input, overrides).ok()?;
        let folder = self.output.as_deref().unwrap_or(&request.output.folder);
        let is_of_jobs = || self.input.parent().is_some_and(RunFolder::is_of_jobs);
        let is_begun = self.go_on && (Session::exists(folder) || is_of_jobs());
        is_begun.then_some(request)
    }
}
