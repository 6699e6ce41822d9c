//! `beadwork run`: runs an input and prints its answer.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use beadwork::answer::{Answer, Choices};
use beadwork::cuda::Device;
use beadwork::device::Choice;
use beadwork::engine::{Control, Devices, Ending, Outcome, Progress};
use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::part::Part;
use beadwork::session::{
    Session, plan, refuse_what_files_cannot_hold, refuse_what_is_not_built_in,
};
use clap::Args;
use clap::builder::FalseyValueParser;
use serde_json::json;

use super::Failure;
use super::failure::UNPHYSICAL;
use super::output::{date, grouped, remark, say, say_json};
use super::progress::{self, Unit};
use super::reporting::Reporting;
use super::resume;
use super::signals::Signals;
use super::size;
use super::threads::{Beside, beside_work, threads_or_cores, use_threads};

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

/// Settings that replace those of the input.
#[derive(Clone, Debug, Args)]
pub struct Overrides {
    /// Replace a setting: --set pull.speed="1 um/s", --set dynamics.temperature="310 K".
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<String>,
}

impl Overrides {
    /// Paths and values.
    pub fn parse(&self) -> Result<Vec<(String, String)>, Failure> {
        self.settings
            .iter()
            .map(|setting| match setting.split_once('=') {
                Some((path, value)) => Ok((path.trim().to_string(), value.trim().to_string())),
                None => Err(Failure::input(format!(
                    "--set {setting} has no \"=\": write --set PATH=VALUE, such as --set pull.speed=\"1 um/s\""
                ))),
            })
            .collect()
    }
}

/// The devices that compute steps.
#[derive(Clone, Debug, Args)]
pub struct DeviceChoice {
    /// Where members are stepped: auto, cpu, cuda, or cuda with numbers of GPUs such as cuda:0,1. By default all usable
    /// GPUs step a run that they can step faster than the CPU; a run that continues stays on its kind of device.
    #[arg(long, default_value_t, value_name = "auto|cpu|cuda[:i,j]")]
    pub device: Choice,
}

/// The threads and the time that a run may take.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// Threads; by default as many as the machine has cores. A thread steps several small members at once, or several
    /// threads one large member; each GPU is fed by up to eight. Results do not depend on the number.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Stop with a checkpoint after this time: 90s, 45m, 23h 50m.
    #[arg(long, value_parser = humantime::parse_duration)]
    max_time: Option<Duration>,
    /// Show no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Draw no plots when the run has finished; `beadwork plot` draws them.
    #[arg(long, env = "BEADWORK_NO_PLOTS", hide_env = true, value_parser = FalseyValueParser::new())]
    no_plots: bool,
    #[command(flatten)]
    pub reporting: Reporting,
}

impl Limits {
    /// Starts the threads that analyse, as many as the run may have; returns their number.
    pub fn start_threads(&self) -> Result<usize, Failure> {
        let threads = threads_or_cores(self.threads);
        use_threads(threads).map(|()| threads)
    }
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
        let session = resume::open(folder, self.from_start)?;
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

/// Runs a session to its end and prints its answer.
pub fn carry_out(session: &Session, limits: &Limits, devices: Devices) -> Result<u8, Failure> {
    let signals = Signals::listen()?;
    let began = Instant::now();
    let threads = limits.start_threads()?;
    let mut log = Log::open(&session.folder().log())?;
    let command: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    log.write(&format!("command: {}", command.join(" ")))?;
    log.write(&start_line(session, threads, &devices))?;
    for warning in &session.request().warnings {
        log.write(&format!("warning: {warning}"))?;
    }
    let control = Control {
        interrupted: signals.interrupted(),
        // A limit beyond the range of the clock is no limit.
        deadline: limits.max_time.and_then(|limit| began.checked_add(limit)),
        threads,
        devices,
    };
    let progress = Progress::default();
    let outcome = step(session, &control, &progress, limits.quiet, &signals);
    for notice in beadwork::cuda::notices() {
        remark(&format!("note: {notice}"));
    }
    let outcome = outcome.map_err(|error| {
        // The log may be on the same full disk; the first error is the one to report.
        let _ = log.write(&format!("stopped: {error}"));
        error
    })?;
    let (unit, seconds) = (Unit::of(session.plan()), began.elapsed().as_secs_f64());
    log.write(&format!(
        "{}: {} {} in {seconds:.1} s, {}",
        ending_word(outcome.ending),
        grouped(progress.computed.get()),
        unit.name(),
        unit.rate(progress.computed.get() as f64 / seconds.max(1e-9))
    ))?;
    for note in &outcome.notes {
        log.write(&format!("note: {note}"))?;
    }
    for failure in failures(session, &outcome) {
        log.write(&failure)?;
    }
    finish(session, &outcome, &progress, seconds, limits)
}

/// Steps a session while other threads show its progress and watch for a second signal.
fn step(
    session: &Session,
    control: &Control<'_>,
    progress: &Progress,
    quiet: bool,
    signals: &Signals,
) -> Result<Outcome, Failure> {
    let (members, total) = (session.part().members(), session.steps());
    let unit = Unit::of(session.plan());
    let display = |done: &AtomicBool| progress::show(progress, total, members, unit, done);
    let watch = |done: &AtomicBool| signals.watch(done);
    let beside: Vec<Beside<'_>> = match quiet {
        true => vec![&watch],
        false => vec![&watch, &display],
    };
    Ok(beside_work(&beside, || session.run(control, progress))??)
}

fn finish(
    session: &Session,
    outcome: &Outcome,
    progress: &Progress,
    seconds: f64,
    limits: &Limits,
) -> Result<u8, Failure> {
    let reporting = &limits.reporting;
    let folder = session.folder().root().display();
    for note in outcome.notes.iter().take(10) {
        remark(&format!("note: {note}"));
    }
    for failure in failures(session, outcome).take(10) {
        remark(&failure);
    }
    let failed = outcome.failures().count();
    if failed > 10 {
        remark(&format!("and {} more; see {folder}/members.csv", failed - 10));
    }
    let (word, code) = match outcome.ending {
        Ending::Finished => return answer(session, progress, seconds, failed > 0, limits),
        Ending::Interrupted => ("interrupted; checkpoints are written,", 130),
        Ending::TimeLimit => ("time limit reached; checkpoints are written,", 5),
        Ending::Failure => ("stopped at the first failure, as [run] on_failure says;", 3),
    };
    remark(&format!("{word} go on with: beadwork resume {folder}"));
    if reporting.json {
        let root = session.folder().root();
        say_json(&json!({ "folder": root, "ending": ending_word(outcome.ending), "exit": code }))?;
    }
    Ok(code)
}

/// Prints the answer of a run that is finished, and writes its tables and plots.
fn answer(
    session: &Session,
    progress: &Progress,
    seconds: f64,
    has_failures: bool,
    limits: &Limits,
) -> Result<u8, Failure> {
    let (unit, reporting) = (Unit::of(session.plan()), &limits.reporting);
    let doing = progress::doing(limits.quiet, "reading tables and frames");
    let answer = Answer::of_session(session, &Choices::default())?;
    session.write_parquet()?;
    doing.set_message("drawing plots");
    let plots = match limits.no_plots {
        true => Vec::new(),
        false => answer.draw(&session.folder().plots())?,
    };
    let summary = answer.write(session.folder().root(), &plots)?;
    drop(doing);
    let code = if has_failures { UNPHYSICAL } else { reporting.exit_code(&summary) };
    if reporting.json {
        say_json(&json!({
            "folder": session.folder().root(),
            "ending": ending_word(Ending::Finished),
            "exit": code,
            "summary": summary,
            "plots": plots,
        }))?;
        return Ok(code);
    }
    let mut text = summary.in_words();
    if progress.computed.get() > 0 {
        let _ = writeln!(
            text,
            "{} in {seconds:.1} s ({})",
            unit.done(progress.computed.get(), progress.femtoseconds.get() as f64 / 1e3),
            unit.rate(progress.computed.get() as f64 / seconds.max(1e-9))
        );
    }
    // Figures are there as SVG and PNG, pictures as PNG alone.
    let count = plots.iter().filter(|path| path.extension().is_some_and(|kind| kind == "png"));
    let (count, folder) = (count.count(), session.folder().root().display());
    let _ = match limits.no_plots {
        true => writeln!(text, "tables and trajectories are in {folder}; beadwork plot draws them"),
        false => writeln!(text, "tables, trajectories and {count} plots are in {folder}"),
    };
    say(&text)?;
    Ok(code)
}

/// A line for each member that failed: `failed: pull.speed = 5 um/s: replica 17, step 400, …`.
fn failures<'a>(
    session: &'a Session,
    outcome: &'a Outcome,
) -> impl Iterator<Item = String> + use<'a> {
    let first = session.part().range().start;
    outcome.failures().map(move |(place, message)| {
        let (point, _) = session.request().member(first + place as u64);
        let separator = if point.settings.is_empty() { "" } else { ": " };
        format!("failed: {}{separator}{message}", point.settings_in_words())
    })
}

fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Finished => "finished",
        Ending::Interrupted => "interrupted",
        Ending::TimeLimit => "time limit reached",
        Ending::Failure => "stopped at a failure",
    }
}

fn start_line(session: &Session, threads: usize, devices: &Devices) -> String {
    let (request, part) = (session.request(), session.part());
    let of = if part.is_whole(request) {
        String::new()
    } else {
        let range = part.range();
        format!(" (replicas {}..{} of {})", range.start, range.end, request.members())
    };
    format!(
        "beadwork {} on {}: {} member(s){of}, {} {} in all, seed {}",
        env!("CARGO_PKG_VERSION"),
        place(threads, devices),
        part.members(),
        grouped(session.steps()),
        Unit::of(session.plan()).name(),
        request.points[0].protocol.seed
    )
}

/// `2 thread(s) of the CPU`, `NVIDIA H200 (driver for CUDA 13.0)`, `no GPU, since no member has steps left`.
fn place(threads: usize, devices: &Devices) -> String {
    let card = |card: &Device| {
        let (major, minor) = card.properties().driver;
        format!("{} (driver for CUDA {major}.{minor})", card.properties().name)
    };
    match devices {
        Devices::Cpu => format!("{threads} thread(s) of the CPU"),
        Devices::Cuda(cards) if cards.is_empty() => "no GPU, since no member has steps left".into(),
        Devices::Cuda(cards) => cards.iter().map(card).collect::<Vec<_>>().join(", "),
    }
}

/// `log.txt`: events with their times. Only this file differs between repetitions of a run.
pub struct Log {
    path: PathBuf,
    file: std::fs::File,
}

impl Log {
    pub fn open(path: &Path) -> Result<Log, Failure> {
        match OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Ok(Log { path: path.to_path_buf(), file }),
            Err(error) => Err(cannot_write(path, &error)),
        }
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.file, "{} {text}", date(SystemTime::now()))
            .map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    if error.kind() == std::io::ErrorKind::StorageFull {
        Failure::machine(format!(
            "the disk is full while writing {path}; free some space, then go on with `beadwork resume`"
        ))
    } else {
        Failure::machine(format!("{path} cannot be written: {error}"))
    }
}
