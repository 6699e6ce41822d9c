//! Another program that is timed in alternation on the same machine: OpenMM. A Python script reads a plain description
//! of the system and runs it on request.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use beadwork_analysis::numbers::significant;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::description::{PeerEnergy, description, energies_of_peers};
use super::job::{Job, rows_every};
use super::reference::Compared;
use crate::Error;
use crate::report::{Row, rounded};
use crate::statistics::{Check, Estimate};
use crate::timing::{Calibration, Measurement, Time, Timed};

/// The peer, and how it is started.
#[derive(Clone, Debug, Args)]
pub struct PeerOptions {
    /// Measure another program too, its repeats between beadwork's, and print the ratio.
    #[arg(long, value_parser = ["openmm"])]
    pub peer: Option<String>,
    /// The Python that has the peer: `pip install openmm` in an environment of its own.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// The folder of the scripts that run peers.
    #[arg(long, default_value = "benchmarks/peers")]
    peers: PathBuf,
    /// Only try expressions of the system whose name contains this text, such as "Reference".
    #[arg(long)]
    peer_variant: Option<String>,
}

const SCRIPT: &str = "openmm_peer.py";
/// Allowed relative difference of the two programs' energies of one configuration.
const ENERGY_TOLERANCE: f64 = 1e-5;
/// Trajectories whose energies are compared.
const CHECKED_TRAJECTORIES: u64 = 8;

/// The script's message when it is ready.
#[derive(Debug, Deserialize)]
struct Head {
    program: String,
    version: String,
    /// The name of the fastest expression of the system.
    variant: String,
    /// Copies of the system that are stepped together.
    copies: u64,
    trials: Vec<Trial>,
    /// Energies of one configuration by kind, kcal/mol.
    energies: BTreeMap<String, f64>,
}

/// One way of expressing the system.
#[derive(Debug, Deserialize, Serialize)]
struct Trial {
    variant: String,
    /// Trajectory-steps/s without output.
    steps_per_second: f64,
}

#[derive(Debug, Deserialize)]
struct Ran {
    seconds: f64,
    processor_seconds: f64,
    trajectory_steps: u64,
    energies: Vec<f64>,
}

#[derive(Debug)]
pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    script: PathBuf,
    head: Head,
    steps: u64,
    every: u64,
    seed: u64,
    checks: Vec<Check>,
}

impl Peer {
    /// Starts the peer, which times its variants and names the fastest. Energies are compared at `configuration`, Å; a
    /// repeat takes about `seconds`.
    pub fn start(
        options: &PeerOptions,
        job: &Job,
        configuration: &[[f64; 3]],
        seconds: f64,
        folder: &Path,
    ) -> Result<Peer, Error> {
        let script = options.peers.join(SCRIPT);
        if !script.exists() {
            return Err(Error::Arguments(format!(
                "the script {} is not there: run this in a checkout of beadwork, or name its folder benchmarks/peers by --peers",
                script.display()
            )));
        }
        let file = folder.join("peer-system.json");
        let text = description(job, configuration)?.to_string();
        std::fs::write(&file, text).map_err(|error| {
            Error::Machine(format!("{} cannot be written: {error}", file.display()))
        })?;
        let mut command = Command::new(&options.python);
        let (threads, trial) = (job.threads.to_string(), (0.5 * seconds).to_string());
        command.arg(&script).arg(&file).arg(folder);
        command.args(["--threads", &threads, "--trial", &trial]);
        if job.replicas == 1 {
            command.arg("--single");
        }
        if let Some(only) = &options.peer_variant {
            command.args(["--only", only]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            Error::Arguments(format!(
                "the Python {} cannot be started: {error}; name one that has OpenMM by --python",
                options.python.display()
            ))
        })?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Machine("the peer has no pipes".to_string()));
        };
        let mut answers = BufReader::new(answers);
        let head: Head = answer(&mut answers, &script)?;
        let speed = head.trials.iter().map(|trial| trial.steps_per_second).fold(0.0, f64::max);
        let steps = ((speed * seconds / head.copies as f64) as u64).max(10);
        let every = rows_every(steps);
        let checks = head.same_energies(job, configuration);
        let steps = steps / every * every;
        Ok(Peer { child, requests, answers, script, steps, every, seed: 1, checks, head })
    }

    /// Prepares the repeats that are timed in alternation with beadwork's.
    pub fn measurement(&mut self) -> Measurement<'_> {
        let calibration = Calibration { fixed: 0.0, rounds: self.steps };
        let copies = self.head.copies as f64;
        Measurement::new(copies, calibration, move |steps| {
            let ran = self.ask("run", steps, self.every)?;
            // A peer may make another number of steps than requested, and reports it.
            let part = steps as f64 * copies / ran.trajectory_steps as f64;
            let processor = Some(part * ran.processor_seconds);
            Ok(Time { wall: part * ran.seconds, processor })
        })
    }

    /// Whether the peer's mean energy equals beadwork's at the same steps from the same start.
    pub fn compare_dynamics(&mut self, ours: &Compared) -> Result<(), Error> {
        let window = ours.window;
        let mut means = Vec::new();
        for _ in 0..CHECKED_TRAJECTORIES {
            let energies = self.ask("check", window.steps, window.every)?.energies;
            let later = &energies[energies.len() / 2..];
            means.push(later.iter().sum::<f64>() / later.len() as f64);
        }
        if let Some(theirs) = Estimate::of(&means) {
            let quantity = self.head.quantity(&window.quantity());
            self.checks.push(Check::of_means(&quantity, theirs, ours.reference));
        }
        Ok(())
    }

    fn ask(&mut self, verb: &str, steps: u64, every: u64) -> Result<Ran, Error> {
        self.seed += 1;
        let asked = writeln!(self.requests, "{verb} {steps} {every} {}", self.seed);
        asked.and_then(|()| self.requests.flush()).map_err(|_| ended(&self.script))?;
        answer(&mut self.answers, &self.script)
    }

    /// The results. In `timed`, beadwork is first and the peer second.
    pub fn finish(mut self, timed: &[Timed]) -> Row {
        let Head { program, version, variant, trials, .. } = &self.head;
        let (ours, theirs) = (&timed[0], &timed[1]);
        let words =
            |trial: &Trial| format!("{}: {}", trial.variant, rounded(trial.steps_per_second));
        let tried: Vec<String> = trials.iter().map(words).collect();
        // Only for runs on one thread.
        let by_processor = ours.ratio_by_processor(theirs);
        let row = Row::default()
            .value("program", program)
            .value("version", version)
            .value("variant", variant)
            .value("trials", trials)
            .value("trajectory_steps", self.steps * self.head.copies)
            .shown("beadwork, steps/s", rounded(ours.rate().median))
            .spread("rate", "peer, steps/s", Some(&theirs.rate()), rounded)
            .spread("ratio", "ratio", Some(&ours.ratio(theirs)), significant)
            .median("processor_ratio", "by CPU time", by_processor.as_ref(), significant)
            .shown("peer, in its fastest way", format!("{program} {version}, {variant}"))
            .shown("of these, steps/s without output", tried.join("; "));
        row.checked(std::mem::take(&mut self.checks))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Fails only if the script has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Head {
    fn quantity(&self, name: &str) -> String {
        format!("{}: {name}", self.program)
    }

    fn same_energies(&self, job: &Job, configuration: &[[f64; 3]]) -> Vec<Check> {
        let ours = job.system.energies(configuration);
        let check = |kind: &PeerEnergy| {
            let quantity = self.quantity(&format!("{} energy of one configuration", kind.name));
            let (theirs, ours) = (self.energies.get(kind.name), (kind.of)(&ours));
            let theirs = theirs.copied().unwrap_or(f64::NAN);
            Check::of_numbers(&quantity, theirs, ours, ours.abs(), ENERGY_TOLERANCE)
        };
        energies_of_peers(&job.system).map(check).collect()
    }
}

fn answer<T: for<'a> Deserialize<'a>>(
    answers: &mut BufReader<ChildStdout>,
    script: &Path,
) -> Result<T, Error> {
    let mut line = String::new();
    if answers.read_line(&mut line).unwrap_or(0) == 0 {
        return Err(ended(script));
    }
    serde_json::from_str(&line).map_err(|error| {
        Error::Machine(format!(
            "{} sent an answer that cannot be read ({error}): {line}",
            script.display()
        ))
    })
}

fn ended(script: &Path) -> Error {
    Error::Machine(format!(
        "{} ended too early; read its own message above. Install OpenMM by `pip install openmm` in an environment, and name its Python by --python",
        script.display()
    ))
}
