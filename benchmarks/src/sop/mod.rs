//! `bench sop`, `residues`, `dpd`, `melt`, `fluid` and `growth`: steps as runs make them, with all their files.

mod description;
mod fluids;
mod job;
mod peer;
mod reference;
mod workloads;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use beadwork_analysis::numbers::significant;
use beadwork_model::units::{self, Dimension};
use beadwork_model::{Generator, Integrator, Precision, Units};
use beadwork_session::device::Choice;
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::options::{Options, generator_of, named_cards, not_negative, positive, precision_of};
use crate::report::{Head, Line, Row, remark, rounded, table, table_of};
use crate::statistics::{Check, Estimate, Spread, largest};
use crate::timing::{Measurement, Time, alternate};
use crate::{Error, Outcome};
use job::{Job, Record, Site, rows_every, whole_rows};
use peer::{Peer, PeerOptions};

pub use fluids::Fluid;
pub use workloads::Workload;

/// Tables compute energies from single-precision positions. A DCD file holds these to the bit, and rounds those of
/// double precision.
const ROW_TOLERANCE: f64 = 1e-5;

#[derive(Debug, Args)]
pub struct Sop {
    /// Proteins: helix, ubiquitin (built in), ww, titin, pf8 (from $BEADWORK_DATA).
    #[arg(long, value_delimiter = ',', default_values = ["helix", "ubiquitin"], conflicts_with = "input")]
    workload: Vec<String>,
    /// An input of your own: its first point's system and dynamics, without stages and drives.
    #[arg(long)]
    input: Option<PathBuf>,
    /// Replace a setting of the input: --set dynamics.temperature="310 K".
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "input", value_parser = setting_of)]
    settings: Vec<(String, String)>,
    /// Trajectories at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 32], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Time step, such as "40 ps", instead of the workload's.
    #[arg(long, value_parser = timestep_of)]
    timestep: Option<f64>,
    #[command(flatten)]
    peer: PeerOptions,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub struct Residues {
    /// Residues of a chain: pieces and repeats of the low-complexity domain of hnRNP A1, which has 137. Each
    /// trajectory first comes to rest, which takes long for long chains.
    #[arg(long, value_delimiter = ',', default_values_t = [40, 137], value_parser = clap::value_parser!(u64).range(2..=10_000))]
    lengths: Vec<u64>,
    /// Trajectories at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 32], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Add a row of this many chains of different lengths, 30 to 400 residues as in disordered human proteins, without a
    /// peer.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    proteome: Option<u64>,
    /// Add a row of so many chains of 163 residues in one periodic box of 15 × 15 × 150 nm, without a peer.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    slab: Option<u64>,
    #[command(flatten)]
    peer: PeerOptions,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub struct FluidInBox {
    /// Beads of a box, one row for each number: whole chains that fill a box with sides of similar length.
    #[arg(long, value_delimiter = ',', default_values_t = [8_000], value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    beads: Vec<u64>,
    /// Boxes at once, one row for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1], value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replicas: Vec<u64>,
    /// Skin of the neighbour lists, instead of the fluid's.
    #[arg(long, value_parser = not_negative)]
    skin: Option<f64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub struct Growth {
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
    /// Steps of each trajectory in a repeat, instead of as many as take --seconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(4..))]
    steps: Option<u64>,
    /// Seconds of a repeat, about; more where files and lists alone take a fifth of it.
    #[arg(long, default_value_t = 0.6, value_parser = positive)]
    seconds: f64,
    /// Seconds of the f64 reference path, to compare with the run; 0 leaves the comparison out.
    #[arg(long, default_value_t = 1.5, value_parser = not_negative)]
    check_seconds: f64,
    /// Number type of positions and forces, single or double, instead of the workload's.
    #[arg(long, value_parser = precision_of)]
    precision: Option<Precision>,
    /// The source of the noise.
    #[arg(long, value_parser = generator_of, default_value = "philox4x32-10")]
    generator: Generator,
    /// The folder for the temporary folder of the runs, instead of the system's: choose a disk as fast as that of your
    /// runs.
    #[arg(long)]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// A time step, ps.
fn timestep_of(text: &str) -> Result<f64, String> {
    let timestep = units::parse(text, Dimension::Time).map_err(|error| error.to_string())?.value;
    if timestep > 0.0 { Ok(timestep) } else { Err("must be more than 0".to_string()) }
}

fn setting_of(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').ok_or("write PATH=VALUE, such as dynamics.skin=\"3 A\"")?;
    Ok((parts.0.trim().to_string(), parts.1.trim().to_string()))
}

impl Sop {
    pub fn run(&self) -> Result<Outcome, Error> {
        let mut workloads = match &self.input {
            Some(input) => vec![Workload::of_input(input, &self.settings)?],
            None => {
                self.workload.iter().map(|name| Workload::named(name)).collect::<Result<_, _>>()?
            }
        };
        if let Some(timestep) = self.timestep {
            workloads.iter_mut().for_each(|work| work.dynamics.timestep = timestep);
        }
        let bench = Bench::new("sop", &self.common)?;
        let mut rows = Vec::new();
        for workload in &workloads {
            for &replicas in &self.replicas {
                rows.push(bench.row(workload, replicas, Some(&self.peer))?.0);
            }
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}

impl Residues {
    pub fn run(&self) -> Result<Outcome, Error> {
        let bench = Bench::new("residues", &self.common)?;
        let mut rows = Vec::new();
        for &length in &self.lengths {
            let workload = Workload::residues(length as usize)?;
            for &replicas in &self.replicas {
                rows.push(bench.row(&workload, replicas, Some(&self.peer))?.0);
            }
        }
        if let Some(chains) = self.proteome {
            rows.push(bench.row(&Workload::proteome(chains as usize)?, chains, None)?.0);
        }
        if let Some(chains) = self.slab {
            rows.push(bench.row(&Workload::slab(chains as usize, 163)?, 1, None)?.0);
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}

impl FluidInBox {
    pub fn run(&self, fluid: Fluid) -> Result<Outcome, Error> {
        let bench = Bench::new(fluid.command(), &self.common)?;
        let mut rows = Vec::new();
        for &beads in &self.beads {
            let mut workload = Workload::fluid(fluid, beads as usize)?;
            workload.dynamics.skin = self.skin.unwrap_or(workload.dynamics.skin);
            for &replicas in &self.replicas {
                rows.push(bench.row(&workload, replicas, None)?.0);
            }
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &speeds(&rows))
    }
}

/// A table of the rows, and one of their peers.
fn speeds(rows: &[Row]) -> String {
    let mut text = format!("## Speed\n\n{}", table_of(rows));
    let peers: Vec<Line> =
        rows.iter().flat_map(|row| row.inner_ones().map(|peer| row.line(peer))).collect();
    if !peers.is_empty() {
        text.push_str(&format!("\n## Against a peer\n\n{}", table(peers)));
    }
    text
}

impl Growth {
    pub fn run(&self) -> Result<Outcome, Error> {
        let bench = Bench::new("growth", &self.common)?;
        let (mut rows, mut costs) = (Vec::new(), Vec::new());
        for &beads in &self.sizes {
            let (row, cost) = bench.row(&Workload::globule(beads as usize)?, 1, None)?;
            rows.push(row);
            costs.push(cost);
        }
        let costs = Spread::of(costs);
        let mut text = format!("## Speed\n\n{}", table_of(&rows));
        if rows.len() > 1 {
            let ratio = significant(costs.highest / costs.lowest);
            text.push_str(&format!("\nThe dearest bead-step costs {ratio} times the cheapest.\n"));
        }
        bench.head.finish(&self.common.options, &Row::default(), &rows, &text)
    }
}

struct Bench<'a> {
    common: &'a Common,
    head: Head,
    threads: usize,
    site: Site,
}

impl<'a> Bench<'a> {
    fn new(name: &'static str, common: &'a Common) -> Result<Bench<'a>, Error> {
        let head = Head::new(name, &named_cards(&common.device)?);
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, interrupted.clone()).map_err(|error| {
                Error::Machine(format!("the handler of signals cannot be set: {error}"))
            })?;
        }
        let parent = common.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let folder = tempfile::Builder::new().prefix("beadwork-bench-").tempdir_in(&parent);
        let folder = folder.map_err(|error| {
            Error::Arguments(format!(
                "there is no folder {} to write into ({error}): make it, or name another place by --scratch",
                parent.display()
            ))
        })?;
        let threads = common.threads.map_or(head.machine.cores, usize::from);
        Ok(Bench { common, head, threads, site: Site { folder, interrupted } })
    }

    /// A row, and the nanoseconds of a bead-step in it.
    fn row(
        &self,
        workload: &Workload,
        replicas: u64,
        peer: Option<&PeerOptions>,
    ) -> Result<(Row, f64), Error> {
        remark(&format!("{}, {replicas} replica(s) …", workload.title));
        let (common, site) = (self.common, &self.site);
        let mut job = self.job(workload, replicas)?;
        if workload.relaxation > 0 {
            job.relax(workload.relaxation, site)?;
        }
        let mut calibration = job.calibrated(common.seconds, site)?;
        calibration.rounds = whole_rows(common.steps.unwrap_or(calibration.rounds));
        job.steps = calibration.rounds;
        job.every = rows_every(job.steps);
        // A warm-up of pages, caches and clocks.
        let (_, warm) = job.time(site)?;
        let mut peer = match peer {
            Some(options) if options.peer.is_some() => {
                let folder = site.folder.path();
                Some(Peer::start(options, &job, &warm[0].end, common.seconds, folder)?)
            }
            _ => None,
        };
        let mut records = Vec::new();
        let ours = |_| {
            job.seed += 1;
            let (time, more) = job.time(site)?;
            records.extend(more);
            // Threads that wait for each other take processor time without computing.
            Ok(Time { processor: time.processor.filter(|_| self.threads == 1), ..time })
        };
        let mut programs = vec![Measurement::new(replicas as f64, calibration, ours)];
        programs.extend(peer.as_mut().map(Peer::measurement));
        let timed = alternate(common.options.repeats, programs)?;
        let bare = match replicas {
            1 => reference::bare_rate(&job, common.seconds)?,
            _ => None,
        };
        let found = self.checked(&job, &records)?;
        if let (Some(peer), Some(compared)) = (&mut peer, &found.compared) {
            peer.compare_dynamics(compared)?;
        }
        let peer = peer.map(|peer| peer.finish(&timed));
        let (timed, beads) = (&timed[0], job.mean_beads());
        let (rate, fixed) = (timed.rate(), timed.calibration.fixed);
        let cost = 1e9 / (rate.median * beads);
        let contacts = job.system.counts.native_contacts_with_energy;
        let temperature = later(&records, |record| &record.temperature);
        let heads = match job.system.units {
            Units::Real => ["energy, kcal/mol", "kT in tables, kcal/mol"],
            Units::Reduced => ["energy", "kT in tables"],
        };
        let row = Row::default()
            .text("title", "system", &workload.title)
            .count("replicas", "replicas", replicas)
            .labelled()
            .value("workload", &workload.name)
            .count("beads", "beads", beads.round() as u64)
            .value("contacts", contacts)
            .count("threads", "threads", self.threads as u64)
            .text("precision", "precision", job.dynamics.precision.name())
            .value("generator", job.generator.name())
            .value("timestep", job.dynamics.timestep)
            .count("steps", "steps each", job.steps)
            .value("every", job.every)
            .number("seconds", "s a repeat", timed.seconds().median, |s| format!("{s:.2}"))
            .number("fixed_seconds", "s of it fixed", fixed, |s| format!("{s:.3}"))
            .spread("rate", "trajectory-steps/s", Some(&rate), rounded)
            .spread("bare_rate", "steps/s without output", bare.as_ref(), rounded)
            .number("nanoseconds_per_bead_step", "ns a bead-step", cost, significant)
            .estimate("energy", heads[0], later(&records, |record| &record.energy))
            .estimate("temperature", heads[1], temperature)
            .inner("peer", peer);
        Ok((row.checked(found.checks).noted(found.notes), cost))
    }

    fn job(&self, workload: &Workload, replicas: u64) -> Result<Job, Error> {
        let mut job = Job::new(workload, self.common.generator, replicas, self.threads);
        job.dynamics.precision = self.common.precision.unwrap_or(job.dynamics.precision);
        job.devices = self.common.device.for_plan(&job.plan(), self.threads)?.devices;
        Ok(job)
    }

    /// Makes as many checks of the repeats as the time allows.
    fn checked(&self, job: &Job, records: &[Record]) -> Result<Checked, Error> {
        let mut found = Checked::default();
        let reason = "the run is too short for a temperature: take more steps";
        found.add(temperature_check(job, records).ok_or(reason.to_string()));
        let differences = records.iter().map(|record| record.energy_difference);
        let quantity =
            "largest difference of an energy in the table from its frame's, by all pairs in cells";
        found.add(Ok(Check::of_difference(quantity, largest(differences), ROW_TOLERANCE)));
        let seconds = self.common.check_seconds;
        if seconds == 0.0 {
            let reason = "not compared with the reference path, as --check-seconds 0 asks";
            found.notes.push(reason.to_string());
            return Ok(found);
        }
        found.add(reference::same_bits(job, records, seconds)?);
        found.compared = reference::compare(job, seconds, &self.site)?;
        found.add(found.compared.as_ref().map(reference::Compared::check).ok_or_else(|| {
            format!("mean energies not compared with the reference path's: too many beads, or {seconds} s are too few")
        }));
        Ok(found)
    }
}

#[derive(Default)]
struct Checked {
    checks: Vec<Check>,
    /// Checks that could not be made, and why.
    notes: Vec<String>,
    compared: Option<reference::Compared>,
}

impl Checked {
    fn add(&mut self, found: Result<Check, String>) {
        match found {
            Ok(check) => self.checks.push(check),
            Err(reason) => self.notes.push(reason),
        }
    }
}

/// The mean of a column over the second half of each trajectory.
fn later(records: &[Record], column: fn(&Record) -> &[f64]) -> Option<Estimate> {
    let half = |record: &Record| column(record)[record.steps.len() / 2 + 1..].to_vec();
    Estimate::of_series(&records.iter().map(half).collect::<Vec<_>>())
}

/// The temperature from displacements includes the drift: its mean is T + h⟨F·F⟩/(6ξ). That of velocities in the order
/// BAOAB is T − h²⟨F·F/m⟩/12: in a harmonic well T (1 − (ωh)²/4), while positions have their exact spread (Leimkuhler and
/// Matthews, J. Chem. Phys. 138, 174102, 2013).
fn temperature_check(job: &Job, records: &[Record]) -> Option<Check> {
    let squares = records.iter().map(|record| record.square_force.clone());
    let squares: Vec<Vec<f64>> = squares.filter(|squares| !squares.is_empty()).collect();
    let dynamics = &job.dynamics;
    let (quantity, factor) = match dynamics.integrator {
        Integrator::Langevin => (
            "kT of velocities with h^2<F.F/m>/12 added, kcal/mol",
            dynamics.timestep * dynamics.timestep / 12.0,
        ),
        Integrator::VelocityVerlet if job.system.interactions.thermostat.is_some() => {
            let temperature = later(records, |record| &record.temperature)?;
            let known =
                Estimate { mean: fluids::DPD_TEMPERATURE, error: fluids::ITS_ERROR, values: None };
            return Some(Check::of_means("kT of velocities", temperature, known));
        }
        _ if dynamics.integrator.has_velocities() => return None,
        _ => (
            "kT from displacements less the drift h<F.F>/(6 friction), kcal/mol",
            -dynamics.timestep / (6.0 * dynamics.friction),
        ),
    };
    let temperature = later(records, |record| &record.temperature)?;
    Some(Check::of_means(
        quantity,
        temperature.plus(factor, Estimate::of_series(&squares)?),
        Estimate::exact(dynamics.temperature),
    ))
}
