//! Times runs of a workload, and checks what they computed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use beadwork_analysis::numbers::significant;
use beadwork_model::{Generator, Precision, Units};
use beadwork_session::device::Choice;
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::job::{Job, Record, Site, rows_every, whole_rows};
use super::peer::{Peer, PeerOptions};
use super::temperature::{later, temperature_check};
use super::{Workload, reference};
use crate::Error;
use crate::options::{Options, generator_of, named_cards, not_negative, positive, precision_of};
use crate::report::{Head, Line, Row, remark, rounded, table, table_of};
use crate::statistics::{Check, largest};
use crate::timing::{Measurement, Time, alternate};

/// Tables compute energies from single-precision positions. A DCD file holds these to the bit, and rounds those of
/// double precision.
const ROW_TOLERANCE: f64 = 1e-5;

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
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
    pub options: Options,
}

/// A table of the rows, and one of their peers.
pub(crate) fn speeds(rows: &[Row]) -> String {
    let mut text = format!("## Speed\n\n{}", table_of(rows));
    let peers: Vec<Line> =
        rows.iter().flat_map(|row| row.inner_ones().map(|peer| row.line(peer))).collect();
    if !peers.is_empty() {
        text.push_str(&format!("\n## Against a peer\n\n{}", table(peers)));
    }
    text
}

/// The flag that stops the runs of a benchmark, once there is one.
static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Asks the benchmark of this process to stop, as a signal does; false if none of timed runs has begun, which are all that listen.
pub fn interrupt() -> bool {
    let interrupted = INTERRUPTED.get();
    interrupted.inspect(|flag| flag.store(true, Ordering::Relaxed)).is_some()
}

/// A benchmark whose rows are timed runs.
pub(crate) struct Bench<'a> {
    options: &'a RunOptions,
    pub head: Head,
    threads: usize,
    site: Site,
}

impl<'a> Bench<'a> {
    pub fn new(name: &'static str, options: &'a RunOptions) -> Result<Bench<'a>, Error> {
        let head = Head::new(name, &named_cards(&options.device)?);
        let interrupted = INTERRUPTED.get_or_init(Arc::default).clone();
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, interrupted.clone()).map_err(|error| {
                Error::Machine(format!("the handler of signals cannot be set: {error}"))
            })?;
        }
        let parent = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let folder = tempfile::Builder::new().prefix("beadwork-bench-").tempdir_in(&parent);
        let folder = folder.map_err(|error| {
            Error::Arguments(format!(
                "there is no folder {} to write into ({error}): make it, or name another place by --scratch",
                parent.display()
            ))
        })?;
        let threads = options.threads.map_or(head.machine.cores, usize::from);
        Ok(Bench { options, head, threads, site: Site { folder, interrupted } })
    }

    /// A row, and the nanoseconds of a bead-step in it.
    pub fn row(
        &self,
        workload: &Workload,
        replicas: u64,
        peer: Option<&PeerOptions>,
    ) -> Result<(Row, f64), Error> {
        remark(&format!("{}, {replicas} replica(s) …", workload.title));
        let (run, site) = (self.options, &self.site);
        let mut job = self.job(workload, replicas)?;
        if workload.relaxation > 0 {
            job.relax(workload.relaxation, site)?;
        }
        let mut calibration = job.calibrated(run.seconds, site)?;
        calibration.rounds = whole_rows(run.steps.unwrap_or(calibration.rounds));
        job.steps = calibration.rounds;
        job.every = rows_every(job.steps);
        // A warm-up of pages, caches and clocks.
        let (_, warm) = job.time(site)?;
        let mut peer = match peer {
            Some(options) if options.peer.is_some() => {
                let folder = site.folder.path();
                Some(Peer::start(options, &job, &warm[0].end, run.seconds, folder)?)
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
        let timed = alternate(run.options.repeats, programs)?;
        let bare = match replicas {
            1 => reference::bare_rate(&job, run.seconds)?,
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
            .peer(peer);
        Ok((row.checked(found.checks).noted(found.notes), cost))
    }

    fn job(&self, workload: &Workload, replicas: u64) -> Result<Job, Error> {
        let mut job = Job::new(workload, self.options.generator, replicas, self.threads);
        job.dynamics.precision = self.options.precision.unwrap_or(job.dynamics.precision);
        job.devices = self.options.device.for_plan(&job.plan(), self.threads)?.devices;
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
        let seconds = self.options.check_seconds;
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
