//! `beadwork bench`: how fast, of what, and whether it was physics.

mod cells;
mod checks;
mod frames;
pub mod globule;
mod machine;
mod measure;
mod micro_streams;
mod oscillators;
mod peer;
mod plain;
mod plain_chain;
mod polymer;
mod random;
mod report;
mod workloads;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use beadwork::device::{Backend, Choice};
use beadwork::engine::Devices;
use beadwork::model::units::{self, Dimension};
use beadwork::model::{Generator, Precision};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::Failure;
use super::output::{remark, say};
use checks::{Check, Estimate, Spread};
use machine::Machine;
use measure::{Job, Record, Scratch, calibrate, rows_every, whole_rows};
use peer::{Peer, PeerOptions};
use report::{Report, Row};
use workloads::Workload;

const EXAMPLE: &str = "\
Examples:
  beadwork bench sop
  beadwork bench sop --workload ww --replicas 1,256 --threads 1 --peer openmm --python peers/bin/python
  beadwork bench sop --device cuda --replicas 1,1000
  beadwork bench growth --threads 1
  beadwork bench random --device cuda --generator philox4x32-10,hybrid-taus
  beadwork bench micro-streams --device cuda
  beadwork bench oscillators --free --particles 10000,1000000 --device cuda
  beadwork bench polymer --monomers 55 --replicas 64";

/// Measure the speed of this machine, and whether what it computes so fast is right.
///
/// A run that is timed writes the tables, trajectories and checkpoints that a user's run writes,
/// into a temporary folder. Energies and temperature of the same runs are checked, and the command
/// ends with 4 where a check fails.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Brownian dynamics of proteins in the SOP model.
    Sop(Sop),
    /// The cost of a bead-step against the number of beads, by globules made for it.
    Growth(Growth),
    /// Random numbers a second: uniform and normal ones of every generator.
    Random(random::RandomNumbers),
    /// What a generator costs where each step of free particles is a kernel on a GPU.
    MicroStreams(micro_streams::Steps),
    /// A step of independent particles in wells or free, and which part of it are the random numbers.
    Oscillators(oscillators::Particles),
    /// Monte Carlo moves of elastic chains in a ladder of temperatures, beside plain programs for them.
    Polymer(polymer::Moves),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrecisionName {
    Single,
    Double,
}

/// The generator of this name.
fn generator_of(name: &str) -> Result<Generator, String> {
    let names = Generator::ALL.map(Generator::name);
    let found = Generator::ALL.into_iter().find(|generator| generator.name() == name);
    found.ok_or_else(|| format!("it may be {}", names.join(", ")))
}

#[derive(Debug, Args)]
struct Sop {
    /// Proteins: helix, ubiquitin (built in), ww, titin, pf8 (from $BEADWORK_DATA).
    #[arg(long, value_delimiter = ',', default_values = ["helix", "ubiquitin"], conflicts_with = "input")]
    workload: Vec<String>,
    /// An input of your own: its first point's system and dynamics, without stages and drives.
    #[arg(long)]
    input: Option<PathBuf>,
    #[command(flatten)]
    overrides: super::run::Overrides,
    /// Trajectories at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 32], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Time step, such as "40 ps", instead of the workload's.
    #[arg(long)]
    timestep: Option<String>,
    #[command(flatten)]
    peer: PeerOptions,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Growth {
    /// Beads of the globules.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 3_000, 10_000, 30_000, 100_000], value_parser = clap::value_parser!(u64).range(50..=10_000_000))]
    sizes: Vec<u64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// Where steps are computed: cpu, cuda, or cuda with numbers of GPUs such as cuda:0,1.
    #[arg(long, default_value_t = Choice::Cpu, value_name = "cpu|cuda[:i,j]")]
    device: Choice,
    /// Threads; by default as many as there are cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Steps of each trajectory in a repeat, instead of as many as take --seconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(4..))]
    steps: Option<u64>,
    /// Seconds of a repeat, about; more where files and lists alone take a fifth of it.
    #[arg(long, default_value_t = 0.6, value_parser = positive)]
    seconds: f64,
    /// Seconds for the plain f64 path, to which mean energies are compared; 0 leaves that out.
    #[arg(long, default_value_t = 1.5, value_parser = not_negative)]
    check_seconds: f64,
    /// Number type of positions and forces, instead of the workload's.
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// The source of the noise.
    #[arg(long, value_parser = generator_of, default_value = "philox4x32-10")]
    generator: Generator,
    /// The folder in which the temporary one is made, instead of the system's place: on a disk as
    /// fast as the one that your runs use.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

const SEED: u64 = 20_101;
/// Energies in a table are of single precision positions that a DCD file holds to the bit; in
/// double precision the file rounds them.
const ROW_TOLERANCE: f64 = 1e-5;

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("write a number of seconds, such as 2.5".to_string()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    not_negative(text).and_then(|value| {
        if value > 0.0 { Ok(value) } else { Err("must be more than 0 seconds".to_string()) }
    })
}

impl Bench {
    pub fn run(self) -> Result<u8, Failure> {
        match self.what {
            What::Sop(sop) => sop.run(),
            What::Growth(growth) => growth.run(),
            What::Random(random) => random.run(),
            What::MicroStreams(steps) => steps.run(),
            What::Oscillators(particles) => particles.run(),
            What::Polymer(moves) => moves.run(),
        }
    }
}

impl Sop {
    fn run(self) -> Result<u8, Failure> {
        let mut workloads = match &self.input {
            Some(input) => vec![workloads::of_input(input, &self.overrides.parse()?)?],
            None => self
                .workload
                .iter()
                .map(|name| workloads::named(name))
                .collect::<Result<Vec<_>, Failure>>()?,
        };
        if let Some(text) = &self.timestep {
            let timestep = units::parse(text, Dimension::Time)
                .map_err(|error| Failure::input(format!("--timestep: {error}")))?;
            if timestep.value <= 0.0 {
                return Err(Failure::input("--timestep must be more than 0".to_string()));
            }
            workloads.iter_mut().for_each(|work| work.dynamics.timestep = timestep.value);
        }
        let bench = Running::new(&self.common)?;
        let mut rows = Vec::new();
        for workload in &workloads {
            for &replicas in &self.replicas {
                rows.push(bench.row(workload, replicas, Some(&self.peer))?);
            }
        }
        bench.finish("sop", rows)
    }
}

impl Growth {
    fn run(self) -> Result<u8, Failure> {
        let bench = Running::new(&self.common)?;
        let mut rows = Vec::new();
        for &beads in &self.sizes {
            rows.push(bench.row(&workloads::globule_of(beads as usize), 1, None)?);
        }
        bench.finish("growth", rows)
    }
}

/// A command on its way.
struct Running<'a> {
    common: &'a Common,
    machine: Machine,
    threads: usize,
    scratch: Scratch,
    interrupted: Arc<AtomicBool>,
}

impl<'a> Running<'a> {
    fn new(common: &'a Common) -> Result<Running<'a>, Failure> {
        let cards = named_cards(&common.device)?;
        let machine = machine_with(&cards);
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, interrupted.clone()).map_err(|error| {
                Failure::machine(format!("the handler of signals cannot be set: {error}"))
            })?;
        }
        let parent = common.scratch.clone().unwrap_or_else(std::env::temp_dir);
        Ok(Running {
            common,
            threads: common.threads.map_or(machine.cores, usize::from),
            machine,
            scratch: Scratch::new(&parent)?,
            interrupted,
        })
    }

    fn row(
        &self,
        workload: &Workload,
        replicas: u64,
        peer: Option<&PeerOptions>,
    ) -> Result<Row, Failure> {
        remark(&format!("{}, {replicas} replica(s) …", workload.title));
        let mut dynamics = workload.dynamics.clone();
        match self.common.precision {
            Some(PrecisionName::Single) => dynamics.precision = Precision::Single,
            Some(PrecisionName::Double) => dynamics.precision = Precision::Double,
            None => {}
        }
        let mut job = Job {
            system: workload.system.clone(),
            dynamics,
            generator: self.common.generator,
            replicas,
            threads: self.threads,
            devices: Devices::Cpu,
            steps: 0,
            every: 1,
            seed: SEED,
        };
        job.devices = self.common.device.for_plan(&job.plan(), self.threads)?.devices;
        let seconds = self.common.seconds;
        let calibration = calibrate(&job, seconds, &self.scratch, &self.interrupted)?;
        job.steps = whole_rows(self.common.steps.unwrap_or(calibration.steps));
        job.every = rows_every(job.steps);
        // Pages, caches and clocks of the processor get used to it.
        let warm = job.time(&self.scratch, &self.interrupted)?;
        let mut peer = match peer {
            Some(options) if options.peer.is_some() => Some(Peer::start(
                options,
                &job.system,
                &job.dynamics,
                &warm.records[0].end,
                replicas == 1,
                self.threads,
                self.common.seconds,
                self.scratch.path(),
            )?),
            _ => None,
        };
        let mut rates = Vec::new();
        let mut processor_rates = Vec::new();
        let mut seconds_taken = Vec::new();
        let mut records = Vec::new();
        for repeat in 1..=u64::from(self.common.repeats) {
            job.seed = SEED + repeat;
            let timed = job.time(&self.scratch, &self.interrupted)?;
            seconds_taken.push(timed.seconds);
            if let Some(seconds) = timed.processor_seconds {
                processor_rates.push(job.trajectory_steps() as f64 / seconds);
            }
            rates.push(job.trajectory_steps() as f64 / timed.seconds);
            records.extend(timed.records);
            if let Some(peer) = &mut peer {
                peer.repeat()?;
            }
        }
        let mut notes = Vec::new();
        let (energy, temperature, mut checks) = examine(&job, &records, &mut notes);
        let compared = self.with_plain_path(&job, &records, &mut checks, &mut notes)?;
        if let (Some(peer), Some(compared)) = (&mut peer, &compared) {
            peer.compare_dynamics(compared)?;
        }
        // Threads that wait for each other take processor time without computing.
        let by_processor = (self.threads == 1 && processor_rates.len() == rates.len())
            .then_some(processor_rates.as_slice());
        let counts = workload.system.counts;
        let rate = Spread::of(rates);
        let beads = workload.system.particles.positions.len();
        Ok(Row {
            workload: workload.name.clone(),
            title: workload.title.clone(),
            beads,
            contacts: counts.native_contacts_with_energy,
            replicas,
            threads: self.threads,
            precision: job.dynamics.precision.name(),
            generator: job.generator.name(),
            timestep: job.dynamics.timestep,
            steps: job.steps,
            every: job.every,
            fixed_seconds: calibration.fixed,
            seconds: Spread::of(seconds_taken).median,
            nanoseconds_per_bead_step: 1e9 / (rate.median * beads as f64),
            energy,
            temperature,
            checks,
            notes,
            peer: peer.map(|peer| peer.finish(&rate.values, by_processor)),
            rate,
        })
    }

    /// The comparisons with the plain path, as far as there is time.
    fn with_plain_path(
        &self,
        job: &Job,
        records: &[Record],
        checks: &mut Vec<Check>,
        notes: &mut Vec<String>,
    ) -> Result<Option<plain::Compared>, Failure> {
        let seconds = self.common.check_seconds;
        if seconds == 0.0 {
            notes.push("not compared with the plain path, as --check-seconds 0 asks".to_string());
            return Ok(None);
        }
        match &job.devices {
            Devices::Cpu => match plain::same_bits(job, records, seconds)? {
                Some(check) => checks.push(check),
                None => notes.push(
                    "beads not compared with the plain path's: too many beads or too little time, or double precision, which frames round".to_string(),
                ),
            },
            Devices::Cuda(cards) => match cards.first() {
                Some(card) if job.dynamics.precision == Precision::Single => {
                    checks.push(plain::same_bits_alone(job, records, card)?);
                }
                _ => notes.push(
                    "beads not compared with those of a trajectory alone: double precision, which frames round".to_string(),
                ),
            },
        }
        let compared = plain::compare(job, seconds, &self.scratch, &self.interrupted)?;
        match &compared {
            Some(compared) => checks.push(compared.check()),
            None => notes.push(format!(
                "mean energies not compared with the plain path's: too many beads, or {seconds} s are too few"
            )),
        }
        Ok(compared)
    }

    fn finish(&self, name: &'static str, rows: Vec<Row>) -> Result<u8, Failure> {
        let device = match self.common.device {
            Choice::Auto | Choice::Cpu => Backend::Cpu.name(),
            Choice::Cuda(_) => Backend::Cuda.name(),
        };
        let holds = rows.iter().all(Row::holds);
        let report =
            Report { name, machine: self.machine.clone(), device, command: command(), rows, holds };
        let (markdown, common) = (report.markdown(), self.common);
        deliver(&report, &markdown, common.save.as_deref(), common.json)?;
        Ok(if holds { 0 } else { 4 })
    }
}

/// The GPUs of a choice, none for the CPU.
fn named_cards(choice: &Choice) -> Result<Vec<beadwork::cuda::Device>, Failure> {
    if *choice == Choice::Auto {
        let problem = "--device auto: name what is to be measured, cpu or cuda";
        return Err(Failure::input(problem.to_string()));
    }
    Ok(choice.cards().map_err(beadwork::Error::from)?)
}

/// The machine as it is, with the GPUs that are used.
fn machine_with(cards: &[beadwork::cuda::Device]) -> Machine {
    let machine = Machine { gpus: machine::gpus(cards), ..Machine::here() };
    if !machine.optimised {
        remark("warning: this is not a release build; its speeds mean nothing");
    }
    machine
}

/// What a report begins with.
fn heading(name: &str, device: &str, machine: &Machine, command: &str) -> String {
    format!("# bench {name} on the {device}\n\n{}`{command}`\n\n", machine.in_words())
}

/// The command as it can be repeated: where programs and folders lie says nothing of the measurement.
fn command() -> String {
    let words = std::env::args_os().map(|word| match Path::new(&word) {
        path if path.is_absolute() => path.file_name().map_or(word.clone(), Into::into),
        _ => word,
    });
    let words: Vec<String> =
        words.skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    format!("beadwork {}", words.join(" "))
}

/// Prints a result, and keeps it where a stem is given.
fn deliver(
    report: &impl Serialize,
    markdown: &str,
    save: Option<&Path>,
    as_json: bool,
) -> Result<(), Failure> {
    let mut json = serde_json::to_string_pretty(report)
        .map_err(|error| Failure::machine(error.to_string()))?;
    json.push('\n');
    if let Some(stem) = save {
        keep(stem, "json", &json)?;
        keep(stem, "md", markdown)?;
    }
    say(if as_json { &json } else { markdown })
}

fn keep(stem: &Path, extension: &str, text: &str) -> Result<(), Failure> {
    // Not with_extension: a name may have a point in it.
    let mut name = stem.as_os_str().to_os_string();
    name.push(format!(".{extension}"));
    Ok(beadwork::io::atomic::write(Path::new(&name), text.as_bytes())?)
}

/// Energy, temperature and checks of the second half of all repeats.
fn examine(
    job: &Job,
    records: &[Record],
    notes: &mut Vec<String>,
) -> (Option<Estimate>, Option<Estimate>, Vec<Check>) {
    let later = |column: fn(&Record) -> &[f64]| -> Vec<Vec<f64>> {
        let half = |record: &Record| column(record)[record.steps.len() / 2 + 1..].to_vec();
        records.iter().map(half).collect()
    };
    let energy = Estimate::of_series(&later(|record| &record.energy));
    let temperature = Estimate::of_series(&later(|record| &record.temperature));
    let squares: Vec<Vec<f64>> = records
        .iter()
        .map(|record| record.square_force.clone())
        .filter(|squares| !squares.is_empty())
        .collect();
    let mut checks = Vec::new();
    let dynamics = &job.dynamics;
    if let (Some(temperature), Some(square)) = (temperature, Estimate::of_series(&squares)) {
        // The estimate counts the drift: its mean is T + h⟨F·F⟩/(6ξ).
        let drift = dynamics.timestep / (6.0 * dynamics.friction);
        checks.push(Check::of_means(
            "kT from displacements less the drift h<F.F>/(6 friction), kcal/mol",
            temperature.plus(-drift, square),
            Estimate::exact(dynamics.temperature),
        ));
    } else {
        notes.push("the run is too short for a temperature: take more steps".to_string());
    }
    let differences: Vec<f64> = records.iter().map(|record| record.energy_difference).collect();
    let worst = differences.iter().copied().fold(0.0, largest);
    checks.push(Check::of_numbers(
        "largest difference of an energy in the table from its frame's, by all pairs in cells",
        worst,
        0.0,
        1.0,
        ROW_TOLERANCE,
    ));
    (energy, temperature, checks)
}
/// The larger magnitude; not a number once there was one.
fn largest(worst: f64, difference: f64) -> f64 {
    if worst.is_nan() || difference.is_nan() { f64::NAN } else { worst.max(difference.abs()) }
}
