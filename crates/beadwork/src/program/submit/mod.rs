//! `beadwork submit`: an ensemble as jobs of a cluster, a part of its replicas each.

mod slurm;
mod status;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use beadwork::device::Choice;
use beadwork::input::Request;
use beadwork::io::words::{folder_name, shell_word};
use beadwork::io::{atomic, create_folder};
use beadwork::part::Part;
use beadwork::session::{refuse_what_files_cannot_hold, refuse_what_is_not_built_in};
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::options::{Overrides, time_limit};
use super::output::{remark, say};

const EXAMPLES: &str = "\
Examples:
  beadwork submit titin.toml --jobs 32 --time 24h --threads 4
  beadwork submit titin.toml --jobs 32 --time 24h --sbatch=--partition=long --go
  beadwork submit runs/titin --status";

/// The ranges of the parts, a line each.
const PARTS: &str = "parts.txt";
/// The numbers of the jobs: that of the parts, that of the join.
const JOBS: &str = "jobs.txt";
const RESOLVED: &str = "resolved.toml";
const PART: &str = "part.sh";
const JOIN: &str = "join.sh";
const SUBMIT: &str = "submit.sh";

/// Write an array of jobs for a cluster, each of which runs a part of the replicas, and a last one that joins them.
///
/// The folder gets the input with its files, the scripts part.sh and join.sh, and submit.sh, which submits both; read and edit
/// them as you like. A part that is stopped, by its time limit or because its node fails, is queued again and goes on from its
/// checkpoints, with the bits of a run on one machine. The join writes the answer of all parts into answer/.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Submit {
    /// The input; with --status the folder of its jobs.
    path: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    /// The number of parts; fewer if there are fewer replicas, or ladders of replicas that exchange.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), required_unless_present = "status")]
    jobs: Option<u64>,
    /// The scheduler of the cluster.
    #[arg(long, default_value = "slurm")]
    scheduler: Scheduler,
    /// Submit the jobs. Scripts that are there already are taken as they are.
    #[arg(long)]
    go: bool,
    /// Say how far the parts are. Exit code 0 if all replicas have finished, 3 if some have failed, 5 if some have steps left.
    #[arg(long, conflicts_with_all = ["jobs", "go", "settings", "output", "threads", "time", "sbatch"])]
    status: bool,
    /// The folder of the jobs, instead of the input's output.folder.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Threads, and cores, of each part.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// The time limit of a job, such as 24h; by default that of the cluster. A part that needs more is queued again.
    #[arg(long, value_parser = time_limit)]
    time: Option<Duration>,
    /// Where members are stepped: cpu or cuda. Parts on other devices than the rest would differ from it in their last bits.
    #[arg(long, default_value = "cpu", value_name = "cpu|cuda[:i,j]")]
    device: Choice,
    /// A further option of the jobs: --sbatch=--partition=long, --sbatch=--gres=gpu:1. The join has none that asks for GPUs.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scheduler {
    Slurm,
}

impl Submit {
    pub fn run(self) -> Result<u8, Failure> {
        if self.status {
            return status::say_status(&self.path);
        }
        let Scheduler::Slurm = self.scheduler;
        self.refuse_short_time()?;
        let request = beadwork::input::load(&self.path, &self.overrides.parse()?)?;
        for warning in &request.warnings {
            remark(&format!("warning: {warning}"));
        }
        for note in &request.notes {
            remark(&format!("note: {note}"));
        }
        refuse_what_is_not_built_in(&request)?;
        refuse_what_files_cannot_hold(&request)?;
        let asked = self.jobs.unwrap_or(1);
        let parts = Part::split(&request, asked);
        if (parts.len() as u64) < asked {
            remark(&format!(
                "note: {} part(s) are enough: no more replicas, or ladders of replicas, can run apart",
                parts.len()
            ));
        }
        let folder = self.output.as_ref().unwrap_or(&request.output.folder).clone();
        self.refuse_control_characters(&folder)?;
        match folder.join(SUBMIT).exists() {
            true => check_same(&folder, &request, &parts)?,
            false => self.write(&folder, &request, &parts)?,
        }
        if self.go {
            return submit(&folder);
        }
        say(&format!(
            "{} part(s) in {}; read part.sh and join.sh, then: bash {}\n",
            parts.len(),
            folder.display(),
            shell_word(&folder.join(SUBMIT).to_string_lossy())
        ))?;
        Ok(0)
    }

    fn refuse_short_time(&self) -> Result<(), Failure> {
        match self.time {
            Some(time) if time < slurm::SHORTEST_TIME => Err(Failure::input(
                "--time must be 2m or more: a job needs a part of it to write checkpoints"
                    .to_string(),
            )),
            _ => Ok(()),
        }
    }

    /// A line break would begin a command of its own in the scripts.
    fn refuse_control_characters(&self, folder: &Path) -> Result<(), Failure> {
        let folder = folder.to_string_lossy();
        let options = self.sbatch.iter().map(|option| ("--sbatch", option.as_str()));
        let mut words = options.chain([("the folder of the jobs", folder.as_ref())]);
        match words.find(|(_, word)| word.contains(char::is_control)) {
            Some((what, word)) => Err(Failure::input(format!(
                "{what} is {word:?}: give one without line breaks and other control characters"
            ))),
            None => Ok(()),
        }
    }

    /// Writes the files of the jobs; submit.sh, by which they are known, last.
    fn write(&self, folder: &Path, request: &Request, parts: &[Part]) -> Result<(), Failure> {
        if folder.join("run.json").exists() {
            return Err(Failure::input(format!(
                "{} is the folder of a run: give --output another one for the jobs",
                folder.display()
            )));
        }
        let files = request.files.iter().map(|file| file.name.as_str());
        let mut names = [RESOLVED, PARTS, PART, JOIN, JOBS].into_iter().chain(files);
        if let Some(name) = names.find(|name| folder.join(name).exists()) {
            return Err(Failure::input(format!(
                "{} is there, and {SUBMIT} is not, so that it may be a file of yours: move it away, or give --output another folder",
                folder.join(name).display()
            )));
        }
        create_folder(&folder.join("logs"))?;
        create_folder(&folder.join("inputs"))?;
        let write = |name: &str, bytes: &[u8]| atomic::write(&folder.join(name), bytes);
        for file in &request.files {
            write(&file.name, &file.contents)?;
        }
        write(RESOLVED, request.resolved.as_bytes())?;
        write(PARTS, ranges(parts).as_bytes())?;
        let scripts = slurm::Scripts {
            name: slurm::job_name(&folder_name(folder)),
            program: program()?,
            parts: parts.len(),
            threads: self.threads,
            time: self.time,
            device: self.device.to_string(),
            options: &self.sbatch,
        };
        write(PART, scripts.part().as_bytes())?;
        write(JOIN, scripts.join().as_bytes())?;
        write(SUBMIT, slurm::SUBMIT.as_bytes())?;
        Ok(())
    }
}

/// `0..4`, a line for each part.
fn ranges(parts: &[Part]) -> String {
    let line = |part: &Part| format!("{}..{}\n", part.range().start, part.range().end);
    parts.iter().map(line).collect()
}

/// Refuses to take the scripts of a folder for those of another input, or of other parts.
fn check_same(folder: &Path, request: &Request, parts: &[Part]) -> Result<(), Failure> {
    let same = |name: &str, text: &str| {
        std::fs::read_to_string(folder.join(name)).is_ok_and(|found| found == text)
    };
    let what = match (same(RESOLVED, &request.resolved), same(PARTS, &ranges(parts))) {
        (true, true) => {
            let folder = folder.display();
            remark(&format!(
                "note: the scripts in {folder} were written before and are left as they are"
            ));
            return Ok(());
        }
        (false, _) => "another input",
        (true, false) => "other parts",
    };
    Err(Failure::input(format!(
        "{} holds jobs of {what}: give --output another folder",
        folder.display()
    )))
}

fn submit(folder: &Path) -> Result<u8, Failure> {
    let jobs = folder.join(JOBS);
    if jobs.exists() {
        return Err(Failure::input(format!(
            "the jobs in {} were submitted before: see beadwork submit {} --status; to submit them again, cancel them and remove {}",
            folder.display(),
            folder.display(),
            jobs.display()
        )));
    }
    let script = folder.join(SUBMIT);
    let ended = Command::new("bash").arg(&script).status();
    match ended {
        Ok(status) if status.success() => Ok(0),
        Ok(status) => Err(Failure::machine(format!(
            "{} ended with {}, see above; the scripts are there and can be submitted again",
            script.display(),
            status.code().map_or("a signal".to_string(), |code| format!("exit code {code}"))
        ))),
        Err(error) => Err(Failure::machine(format!("bash cannot be started: {error}"))),
    }
}

/// This program, as jobs call it.
fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::machine(format!("the place of this program is not known: {error}"))
    })
}
