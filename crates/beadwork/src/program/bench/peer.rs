//! Another program on the same machine in the same minutes: OpenMM, by a script in Python that
//! reads a plain description of the system and runs it on request.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use beadwork::model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, SixthPowerRepulsion,
};
use beadwork::model::{Dynamics, System};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cells::evaluate;
use super::checks::{Check, Estimate, Spread};
use super::plain::Compared;
use crate::program::Failure;

/// Programs that can be measured beside beadwork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PeerKind {
    /// OpenMM, on its Reference and CPU platforms.
    Openmm,
}

/// Which peer, and how it is started.
#[derive(Clone, Debug, Args)]
pub struct PeerOptions {
    /// Measure another program too, its repeats between beadwork's, and print the ratio.
    #[arg(long, value_enum)]
    pub peer: Option<PeerKind>,
    /// The Python that has the peer: `pip install openmm` in an environment of its own.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// The folder of the scripts that run peers.
    #[arg(long, default_value = "benchmarks/peers")]
    peers: PathBuf,
    /// Only ways of expressing the system whose name holds this text, such as "Reference".
    #[arg(long)]
    peer_variant: Option<String>,
}

/// Largest part by which the energies of the two programs may differ at one configuration.
const ENERGY_TOLERANCE: f64 = 1e-5;
/// Trajectories whose energies are compared.
const CHECKED_TRAJECTORIES: u64 = 8;

/// What the script says when it is ready.
#[derive(Clone, Debug, Deserialize)]
struct Head {
    program: String,
    version: String,
    variant: String,
    copies: u64,
    trials: Vec<Trial>,
    energies: Terms,
}

/// One way of expressing the system.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Trial {
    /// In words.
    pub variant: String,
    /// Trajectory-steps/s without output.
    pub steps_per_second: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Terms {
    bonds: f64,
    native_contacts: f64,
    repulsion: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Ran {
    seconds: f64,
    processor_seconds: f64,
    trajectory_steps: u64,
    energies: Vec<f64>,
}

/// What was found of a peer.
#[derive(Clone, Debug, Serialize)]
pub struct PeerResult {
    /// Its name.
    pub program: String,
    /// Its version.
    pub version: String,
    /// How the system was expressed: the fastest way that was tried.
    pub variant: String,
    /// All ways that were tried.
    pub trials: Vec<Trial>,
    /// Steps of a repeat, of all its copies together.
    pub trajectory_steps: u64,
    /// Trajectory-steps/s.
    pub rate: Spread,
    /// Beadwork's speed over the peer's, repeat by repeat.
    pub ratio: Spread,
    /// The same by processor time in place of wall time: other programs on the same cores change it
    /// less. Where both ran on one thread only.
    pub processor_ratio: Option<Spread>,
    /// Whether it computes the same.
    pub checks: Vec<Check>,
}

/// A running peer.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    script: PathBuf,
    head: Head,
    steps: u64,
    every: u64,
    seed: u64,
    rates: Vec<f64>,
    processor_rates: Vec<f64>,
    checks: Vec<Check>,
}

/// The system as peers read it: no program but beadwork decides what it is.
pub fn description(
    system: &System,
    dynamics: &Dynamics,
    configuration: &[[f64; 3]],
) -> Result<serde_json::Value, Failure> {
    let interactions = &system.interactions;
    let Some(table) = interactions.pairs_by::<SixthPowerRepulsion>() else {
        return Err(Failure::input("a peer needs a system with repulsion".to_string()));
    };
    if !interactions.bonded_by::<HarmonicBond>().is_empty()
        || !interactions.singles_by::<HarmonicTrap>().is_empty()
    {
        return Err(Failure::input(
            "the peers know FENE bonds, native contacts and repulsion only: take a system without harmonic bonds and traps".to_string(),
        ));
    }
    let repulsion = table.entries()[0].potential;
    Ok(json!({
        "format": "beadwork-peer-system 1",
        "units": { "length": "A", "energy": "kcal/mol", "time": "ps" },
        "start": system.particles.positions,
        "configuration": configuration,
        "fene_bonds": interactions.bonded_by::<FeneBond>().iter().map(|bond| json!({
            "i": bond.i, "j": bond.j, "length": bond.potential.length,
            "stiffness": bond.potential.stiffness, "limit": bond.potential.limit,
        })).collect::<Vec<_>>(),
        "native_contacts": interactions.bonded_by::<NativeContact>().iter().map(|contact| json!({
            "i": contact.i, "j": contact.j, "length": contact.potential.length,
            "depth": contact.potential.depth,
        })).collect::<Vec<_>>(),
        "repulsion": {
            "strength": repulsion.strength, "diameter": repulsion.diameter,
            "cutoff": table.largest_cutoff(), "excluded": interactions.excluded,
        },
        "temperature": dynamics.temperature,
        "friction": dynamics.friction,
        "timestep": dynamics.timestep,
    }))
}

impl Peer {
    /// Starts the peer; it times its variants and says which is the fastest. `configuration`, Å, is
    /// where energies are compared; a repeat is to take about `seconds`.
    #[allow(clippy::too_many_arguments, reason = "all of it describes one command line")]
    pub fn start(
        options: &PeerOptions,
        system: &System,
        dynamics: &Dynamics,
        configuration: &[[f64; 3]],
        single: bool,
        threads: usize,
        seconds: f64,
        folder: &Path,
    ) -> Result<Peer, Failure> {
        let script = options.peers.join("openmm_sop.py");
        if !script.exists() {
            return Err(Failure::input(format!(
                "the script {} is not there: run this in a checkout of beadwork, or name its folder benchmarks/peers by --peers",
                script.display()
            )));
        }
        let file = folder.join("peer-system.json");
        let text = description(system, dynamics, configuration)?.to_string();
        std::fs::write(&file, text).map_err(|error| {
            Failure::machine(format!("{} cannot be written: {error}", file.display()))
        })?;
        let mut command = Command::new(&options.python);
        command.arg(&script).arg(&file).arg(folder);
        command.args(["--threads", &threads.to_string(), "--trial", &(0.5 * seconds).to_string()]);
        if single {
            command.arg("--single");
        }
        if let Some(only) = &options.peer_variant {
            command.args(["--only", only]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Failure::input(format!(
                    "the Python {} cannot be started: {error}; name one that has OpenMM by --python",
                    options.python.display()
                ))
            })?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::machine("the peer has no pipes".to_string()));
        };
        let mut answers = BufReader::new(answers);
        let head: Head = answer(&mut answers, &script)?;
        let speed = head.trials.iter().map(|trial| trial.steps_per_second).fold(0.0, f64::max);
        let steps = ((speed * seconds / head.copies as f64) as u64).max(10);
        let every = super::measure::rows_every(steps);
        let checks = same_energies(&head, system, configuration);
        Ok(Peer {
            child,
            requests: Some(requests),
            answers,
            script,
            steps: steps / every * every,
            every,
            seed: 1,
            rates: Vec::new(),
            processor_rates: Vec::new(),
            checks,
            head,
        })
    }

    /// One timed repeat.
    pub fn repeat(&mut self) -> Result<(), Failure> {
        let ran = self.ask("run", self.steps, self.every)?;
        self.rates.push(ran.trajectory_steps as f64 / ran.seconds);
        self.processor_rates.push(ran.trajectory_steps as f64 / ran.processor_seconds);
        Ok(())
    }

    /// Whether the peer's mean energy is beadwork's at the same steps from the same start.
    pub fn compare_dynamics(&mut self, ours: &Compared) -> Result<(), Failure> {
        let window = ours.window;
        let mut means = Vec::new();
        for _ in 0..CHECKED_TRAJECTORIES {
            let energies = self.ask("check", window.steps, window.every)?.energies;
            let later = &energies[energies.len() / 2..];
            means.push(later.iter().sum::<f64>() / later.len() as f64);
        }
        if let Some(theirs) = Estimate::of(&means) {
            let (first, last) = (window.steps / 2, window.steps);
            let quantity = format!("total energy in steps {first} to {last}");
            self.checks.push(Check::of_means(&quantity, theirs, ours.plain));
        }
        Ok(())
    }

    fn ask(&mut self, verb: &str, steps: u64, every: u64) -> Result<Ran, Failure> {
        self.seed += 1;
        if let Some(requests) = &mut self.requests {
            let asked = writeln!(requests, "{verb} {steps} {every} {}", self.seed);
            asked.and_then(|()| requests.flush()).map_err(|_| ended(&self.script))?;
        }
        answer(&mut self.answers, &self.script)
    }

    /// Everything, with beadwork's speeds of the same repeats, by wall time and by processor time
    /// if that says something.
    pub fn finish(mut self, ours: &[f64], by_processor: Option<&[f64]>) -> PeerResult {
        // The end of its input ends the script.
        self.requests = None;
        let _ = self.child.wait();
        let over = |ours: &[f64], theirs: &[f64]| {
            Spread::of(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect())
        };
        PeerResult {
            program: self.head.program.clone(),
            version: self.head.version.clone(),
            variant: self.head.variant.clone(),
            trials: self.head.trials.clone(),
            trajectory_steps: self.steps * self.head.copies,
            rate: Spread::of(self.rates.clone()),
            ratio: over(ours, &self.rates),
            processor_ratio: by_processor.map(|ours| over(ours, &self.processor_rates)),
            checks: std::mem::take(&mut self.checks),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Where an error or Ctrl-C came first; one that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn same_energies(head: &Head, system: &System, configuration: &[[f64; 3]]) -> Vec<Check> {
    let ours = evaluate(system, configuration).energies;
    [
        ("bond energy of one configuration", head.energies.bonds, ours.bonds),
        ("contact energy of one configuration", head.energies.native_contacts, ours.contacts),
        ("repulsion energy of one configuration", head.energies.repulsion, ours.pairs),
    ]
    .map(|(name, theirs, ours)| Check::of_numbers(name, theirs, ours, ours.abs(), ENERGY_TOLERANCE))
    .into()
}

fn answer<T: for<'a> Deserialize<'a>>(
    answers: &mut BufReader<ChildStdout>,
    script: &Path,
) -> Result<T, Failure> {
    let mut line = String::new();
    if answers.read_line(&mut line).unwrap_or(0) == 0 {
        return Err(ended(script));
    }
    serde_json::from_str(&line).map_err(|error| {
        Failure::machine(format!(
            "{} said something unexpected ({error}): {line}",
            script.display()
        ))
    })
}

fn ended(script: &Path) -> Failure {
    Failure::machine(format!(
        "{} ended before its time; what it said stands above. OpenMM is installed by `pip install openmm` in an environment whose Python --python names",
        script.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::bench::workloads::named;

    #[test]
    fn peers_read_the_whole_system() {
        let work = named("ubiquitin").unwrap();
        let text =
            description(&work.system, &work.dynamics, &work.system.particles.positions).unwrap();
        assert_eq!(text["start"].as_array().unwrap().len(), 76);
        assert_eq!(text["fene_bonds"].as_array().unwrap().len(), 75);
        assert_eq!(text["native_contacts"].as_array().unwrap().len(), 177);
        assert_eq!(text["repulsion"]["excluded"].as_array().unwrap().len(), 75 + 177);
        // A number that went through the text is the same number.
        let read: serde_json::Value = serde_json::from_str(&text.to_string()).unwrap();
        let length = read["fene_bonds"][7]["length"].as_f64().unwrap();
        assert_eq!(length, work.system.interactions.bonded_by::<FeneBond>()[7].potential.length);
    }

    #[test]
    fn a_system_that_peers_do_not_know_is_refused() {
        let work = named("helix").unwrap();
        let mut system = (*work.system).clone();
        system.interactions.pairs.clear();
        let refused =
            description(&system, &work.dynamics, &system.particles.positions).unwrap_err();
        assert_eq!(refused.exit_code(), 2);
    }
}
