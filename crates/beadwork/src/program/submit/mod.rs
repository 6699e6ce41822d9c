//! `beadwork submit`: an ensemble as jobs of a cluster, a part of its replicas each.

mod folder;
mod further;
mod inputs;
mod queue;
mod slurm;
mod status;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use beadwork::BAD_INPUT;
use beadwork::device::Choice;
use beadwork::engine::CpuAssignment;
use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::io::words::{folder_name, shell_word};
use beadwork::part::Part;
use beadwork::session::{Session, plan, refuse_what_cannot_run};
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::options::{Overrides, time_limit};
use super::output::{remark, say};

const EXAMPLES: &str = "\
Examples:
  beadwork submit titin.toml --jobs 32 --time 24h --threads 4
  bash runs/titin/submit.sh
  beadwork submit runs/titin --status
Written and submitted in one step:
  beadwork submit titin.toml --jobs 32 --time 24h --sbatch=--partition=long --sbatch=--mem=4G --go
When the last job has ended, runs/titin/answer has the answer, its figures and its page report.html.";

/// The ranges of the parts, a line each.
const PARTS: &str = "parts.txt";
/// The numbers of the jobs: that of the parts, that of the join.
const JOBS: &str = "jobs.txt";
const RESOLVED: &str = "resolved.toml";
const PART: &str = "part.sh";
const JOIN: &str = "join.sh";
const SUBMIT: &str = "submit.sh";
/// The folder of the joined answer.
const ANSWER: &str = "answer";

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
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// At most so many parts run at the same time; by default as many as the cluster lets.
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u64).range(1..))]
    at_once: Option<u64>,
    /// The scheduler of the cluster.
    #[arg(long, default_value = "slurm")]
    scheduler: Scheduler,
    /// Submit the jobs, too, but for parts that have finished. Scripts that are there already are taken as they are; lines that
    /// they lack are named.
    #[arg(long)]
    go: bool,
    /// Say how far the parts are. Exit code 0 if all replicas have finished, 3 if some have failed, 5 if some have steps left, 2 or
    /// 4 if a part cannot go on, 2 if parts were lengthened alone.
    #[arg(long, conflicts_with_all = ["jobs", "at_once", "scheduler", "go", "settings", "output", "threads", "time", "device", "sbatch"])]
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
        let asked = self.asked()?;
        self.refuse_short_time()?;
        self.refuse_unsettled_device()?;
        self.sbatch.iter().try_for_each(|option| further::refuse_unusable(option))?;
        let request = beadwork::input::load(&self.path, &self.overrides.parse()?)?;
        for warning in &request.warnings {
            remark(&format!("warning: {warning}"));
        }
        for note in &request.notes {
            remark(&format!("note: {note}"));
        }
        refuse_what_cannot_run(&request)?;
        let parts = Part::split(&request, asked);
        if (parts.len() as u64) < asked {
            remark(&format!(
                "note: {} part(s) are enough: no more replicas, or ladders of replicas, can run apart",
                parts.len()
            ));
        }
        self.note_what_clusters_refuse(parts.len());
        self.note_empty_lanes(&request, &parts);
        let folder = self.output.as_ref().unwrap_or(&request.output.folder).clone();
        folder::fill(&folder, &request, &parts, &self.scripts(&folder, parts.len())?)?;
        if self.go {
            return submit(&folder);
        }
        let next = match folder.join(JOBS).exists() {
            true => format!("submitted before: beadwork submit {} --status", shell_path(&folder)),
            false => {
                format!("read {PART} and {JOIN}, then: bash {}", shell_path(&folder.join(SUBMIT)))
            }
        };
        say(&format!("{} part(s) in {}; {next}\n", parts.len(), folder.display()))?;
        Ok(0)
    }

    /// The number of jobs, unless the path is a folder that has them already.
    fn asked(&self) -> Result<u64, Failure> {
        if RunFolder::is_of_jobs(&self.path) {
            let submit = shell_path(&self.path.join(SUBMIT));
            let problem = format!("{} was written before: bash {submit}", self.path.display());
            return Err(Failure::input(problem));
        }
        self.jobs.ok_or_else(|| {
            Failure::input(
                "--jobs is missing: give the number of parts, such as --jobs 32".to_string(),
            )
        })
    }

    fn refuse_unsettled_device(&self) -> Result<(), Failure> {
        match self.device {
            Choice::Auto => Err(Failure::input(
                "--device auto would let each part choose, and processors and GPUs differ in the last bits: give --device cpu or cuda"
                    .to_string(),
            )),
            _ => Ok(()),
        }
    }

    fn scripts(&self, folder: &Path, parts: usize) -> Result<slurm::Scripts<'_>, Failure> {
        Ok(slurm::Scripts {
            name: slurm::job_name(&folder_name(folder)),
            program: program()?,
            parts,
            at_once: self.at_once,
            threads: self.threads,
            time: self.time,
            device: self.device.to_string(),
            options: &self.sbatch,
        })
    }

    fn note_what_clusters_refuse(&self, parts: usize) {
        if parts > slurm::USUAL_ARRAY {
            remark(&format!(
                "note: most clusters refuse arrays of more than {} jobs, and these are {parts}: compare with `scontrol show config | grep MaxArraySize`",
                slurm::USUAL_ARRAY
            ));
        }
        if self.device != Choice::Cpu
            && !self.sbatch.iter().any(|one| further::asks_for_devices(one))
        {
            remark(
                "note: no option asks for a GPU, such as --sbatch=--gres=gpu:1: without one, most clusters give a job none",
            );
        }
    }

    fn note_empty_lanes(&self, request: &Request, parts: &[Part]) {
        if self.device != Choice::Cpu {
            return;
        }
        let plan = plan(request, &Part::whole(request));
        let most = parts.iter().map(Part::members).max().unwrap_or(0) as usize;
        let lanes = CpuAssignment::of(&plan, plan.members.len(), 1).together;
        let filled = CpuAssignment::of(&plan, most, usize::from(self.threads)).together;
        if filled < lanes {
            remark(&format!(
                "note: a thread of this processor steps up to {lanes} replicas together in vector lanes, and parts of {most} with {} thread(s) leave lanes empty: fewer --jobs or --threads take less processor time in all",
                self.threads
            ));
        }
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
}

/// The folders of the parts of jobs, all of which have begun.
///
/// # Errors
/// A folder whose list of parts cannot be used, and parts that have not begun.
pub fn folders_of_parts(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (_, parts) = status::parts_of(folder)?;
    let folders = (0..parts.len()).map(|number| folder.join(format!("part-{number}")));
    let folders: Vec<PathBuf> = folders.collect();
    match folders.iter().find(|part| !Session::exists(part)) {
        Some(part) => Err(Failure::input(format!(
            "{} has not begun, and would begin with the length that {} has: let all parts begin first, or write jobs of a longer input into another folder",
            part.display(),
            folder.join(RESOLVED).display()
        ))),
        None => Ok(folders),
    }
}

fn submit(folder: &Path) -> Result<u8, Failure> {
    let script = folder.join(SUBMIT);
    let ended = Command::new("bash").arg("--").arg(&script).status();
    match ended {
        Ok(status) if status.success() => Ok(0),
        // The script has said that the jobs were submitted before.
        Ok(status) if status.code() == Some(i32::from(BAD_INPUT)) => Ok(BAD_INPUT),
        Ok(status) => Err(Failure::machine(format!(
            "{} ended with {}, see above",
            script.display(),
            status.code().map_or("a signal".to_string(), |code| format!("exit code {code}"))
        ))),
        Err(error) => Err(Failure::machine(format!("bash cannot be started: {error}"))),
    }
}

/// A path as a word of a command. One that begins with a dash would be taken for an option.
fn shell_path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let dot = if path.starts_with('-') { "./" } else { "" };
    shell_word(&format!("{dot}{path}")).into_owned()
}

/// This program, as jobs call it.
fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::machine(format!("the place of this program is not known: {error}"))
    })
}
