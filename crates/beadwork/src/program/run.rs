//! `beadwork run`: runs an input and prints its answer.

use std::path::{Path, PathBuf};

use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::part::Part;
use beadwork::session::{
    Session, plan, refuse_what_files_cannot_hold, refuse_what_is_not_built_in,
};
use clap::Args;

use super::carrying_out::{carry_out, open};
use super::failure::Failure;
use super::options::{Limits, Overrides};
use super::output::remark;
use super::size;

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
        let request = beadwork::input::load(&self.input, &self.overrides.parse()?)?;
        let folder = self.output.clone().unwrap_or_else(|| request.output.folder.clone());
        let part = match &self.replicas {
            Some(text) => Part::parse(text, &request)?,
            None => Part::whole(&request),
        };
        if self.go_on && Session::exists(&folder) {
            return self.go_on(&folder, &request, &part);
        }
        let share = part.members() as f64 / request.members() as f64;
        let room = size::warning(&folder, share * size::estimated_bytes(&request));
        for warning in request.warnings.iter().chain(&room) {
            remark(&format!("warning: {warning}"));
        }
        for note in &request.notes {
            remark(&format!("note: {note}"));
        }
        refuse_what_is_not_built_in(&request)?;
        refuse_what_files_cannot_hold(&request)?;
        let chosen = self.limits.choice.device.for_plan(&plan(&request, &part), threads)?;
        if let Some(notice) = &chosen.notice {
            remark(&format!("note: {notice}"));
        }
        let created = match self.go_on {
            true => RunFolder::create_again(&folder),
            false => RunFolder::create(&folder),
        };
        // Another process may have made the whole run since the check above.
        if created.is_err() && self.go_on && Session::exists(&folder) {
            return self.go_on(&folder, &request, &part);
        }
        let session = Session::fill(created?, request, part, &chosen.devices)?;
        carry_out(&session, &self.limits, chosen.devices)
    }

    /// Continues the run in a folder, which must be the requested one.
    fn go_on(&self, folder: &Path, request: &Request, part: &Part) -> Result<u8, Failure> {
        let session = open(folder, self.from_start)?;
        let folder = folder.display();
        if !session.is_of(request) {
            return Err(Failure::input(format!(
                "{folder} holds a run of another input: choose another --output, or go on with that run by `beadwork resume {folder}`"
            )));
        }
        let (held, asked) = (session.part().range(), part.range());
        if held != asked {
            return Err(Failure::input(format!(
                "{folder} holds the replicas {}..{} of this input, not {}..{}: choose another --output, or give --replicas as at first",
                held.start, held.end, asked.start, asked.end
            )));
        }
        let devices = session.devices(&self.limits.choice.device)?;
        carry_out(&session, &self.limits, devices)
    }
}
