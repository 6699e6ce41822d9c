//! `beadwork run`: from an input to its answer.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use beadwork::answer::{Answer, Choices};
use beadwork::device::Choice;
use beadwork::engine::{Control, Devices, Ending, Outcome, Progress};
use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::part::Part;
use beadwork::session::{Session, plan, refuse_what_is_not_built_in};
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::Failure;
use super::output::{date, grouped, remark, say};
use super::progress::{self, Unit};
use super::size;

const EXAMPLES: &str = "\
Examples:
  beadwork run protein.toml --output runs/slow --set pull.speed=\"1 um/s\" --max-time \"23h 50m\"
  beadwork run protein.toml --output runs/part-2 --replicas 100..200";

/// Run an input and print its answer.
///
/// The run's folder holds everything: copies of the input files, tables, trajectories, checkpoints
/// and plots. Ctrl-C, SIGTERM and --max-time leave checkpoints, from which `beadwork resume`, or
/// this command with --continue, goes on to the bit.
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
    /// Run a part of the ensemble only: 100..200 is from 100 to 199. Its files are those of the
    /// whole run; `beadwork plot` puts parts together.
    #[arg(long, value_name = "FIRST..END")]
    replicas: Option<String>,
    /// Go on if the folder holds this run already, else begin it: for scripts that are started
    /// again and again.
    #[arg(long = "continue")]
    go_on: bool,
    #[command(flatten)]
    limits: Limits,
}

/// Settings that take the place of the input's.
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

/// Where steps are computed.
#[derive(Clone, Debug, Args)]
pub struct DeviceChoice {
    /// Where members are stepped: auto, cpu, cuda, or cuda with numbers of GPUs such as cuda:0,1.
    /// By default on all GPUs that can be used, where there are any, the run fits and it pays; a run
    /// that goes on does so where it began.
    #[arg(long, default_value_t, value_name = "auto|cpu|cuda[:i,j]")]
    pub device: Choice,
}

/// How much of the machine and of the day a run may take.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// Threads; by default as many as the machine has cores. A thread steps several small members at
    /// once, or several threads one large member; with a GPU up to eight feed each. Results do not
    /// depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Stop with a checkpoint after this time: 90s, 45m, 23h 50m.
    #[arg(long, value_parser = humantime::parse_duration)]
    max_time: Option<Duration>,
    /// Show no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The threads asked for, or as many as the machine has cores.
pub fn threads_or_cores(threads: Option<u16>) -> usize {
    threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Has tables read, analysed and drawn by so many threads.
pub fn use_threads(threads: usize) {
    // An answer is made once in a process, so that no pool is there before.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}

impl Run {
    pub fn run(self) -> Result<u8, Failure> {
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
        refuse_what_is_not_built_in(&request)?;
        let threads = threads_or_cores(self.limits.threads);
        let chosen = self.limits.choice.device.for_plan(&plan(&request, &part), threads)?;
        if let Some(notice) = &chosen.notice {
            remark(&format!("note: {notice}"));
        }
        let created = match self.go_on {
            true => RunFolder::create_again(&folder),
            false => RunFolder::create(&folder),
        };
        // Another process may have made the whole run meanwhile.
        if created.is_err() && self.go_on && Session::exists(&folder) {
            return self.go_on(&folder, &request, &part);
        }
        let session = Session::fill(created?, &self.input, request, part, &chosen.devices)?;
        carry_out(&session, &self.limits, chosen.devices)
    }

    /// Goes on with the run in a folder, which must be the one that is asked for.
    fn go_on(&self, folder: &Path, request: &Request, part: &Part) -> Result<u8, Failure> {
        let session = Session::open(folder)?;
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

/// Signals within this time are one.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Runs a session to its end and says what came out.
pub fn carry_out(session: &Session, limits: &Limits, devices: Devices) -> Result<u8, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // A second Ctrl-C must end a program that does not listen to the first. One that comes at once is
    // the same wish: `timeout` and shells signal a process and its group.
    let impatient = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let second =
            signal_hook::flag::register_conditional_shutdown(signal, 130, impatient.clone());
        let first = signal_hook::flag::register(signal, interrupted.clone());
        second.and(first).map_err(|error| {
            Failure::machine(format!("the handler of signals cannot be set: {error}"))
        })?;
    }
    let began = Instant::now();
    let threads = threads_or_cores(limits.threads);
    use_threads(threads);
    let control = Control {
        interrupted: &interrupted,
        // A limit beyond the end of time is none.
        deadline: limits.max_time.and_then(|limit| began.checked_add(limit)),
        threads,
        devices,
    };
    let members = session.part().members();
    let folder = session.folder().root().display().to_string();
    let mut log = Log::open(&session.folder().log())?;
    let command: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    log.write(&format!("command: {}", command.join(" ")))?;
    log.write(&start_line(session, threads, &control.devices))?;
    for warning in &session.request().warnings {
        log.write(&format!("warning: {warning}"))?;
    }
    let progress = Progress::default();
    let done = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        let display = scope.spawn(|| {
            let unit = Unit::of(session.plan());
            let total = session.steps();
            progress::show(&progress, total, members, unit, limits.quiet, &done);
        });
        let watch = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if interrupted.load(Ordering::Relaxed) {
                    std::thread::park_timeout(SAME_WISH);
                    impatient.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(Duration::from_millis(100));
            }
        });
        let outcome = session.run(&control, &progress);
        done.store(true, Ordering::Relaxed);
        display.thread().unpark();
        watch.thread().unpark();
        outcome
    });
    for notice in beadwork::cuda::notices() {
        remark(&format!("note: {notice}"));
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            // The log may stand on the same full disk; the message is what counts.
            let _ = log.write(&format!("stopped: {error}"));
            return Err(error.into());
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    let unit = Unit::of(session.plan());
    log.write(&format!(
        "{}: {} {} in {seconds:.1} s, {}",
        ending_word(outcome.ending),
        grouped(progress.computed()),
        unit.name(),
        unit.rate(progress.computed() as f64 / seconds.max(1e-9))
    ))?;
    for note in &outcome.notes {
        log.write(&format!("note: {note}"))?;
    }
    for failure in failures(session, &outcome) {
        log.write(&failure)?;
    }
    finish(session, &outcome, &folder, &progress, seconds)
}

fn finish(
    session: &Session,
    outcome: &Outcome,
    folder: &str,
    progress: &Progress,
    seconds: f64,
) -> Result<u8, Failure> {
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
    let go_on = format!("go on with: beadwork resume {folder}");
    match outcome.ending {
        Ending::Interrupted => {
            remark(&format!("interrupted; checkpoints are written, {go_on}"));
            return Ok(130);
        }
        Ending::TimeLimit => {
            remark(&format!("time limit reached; checkpoints are written, {go_on}"));
            return Ok(5);
        }
        Ending::Failure => {
            remark(&format!("stopped at the first failure, as [run] on_failure says; {go_on}"));
            return Ok(3);
        }
        Ending::Finished => {}
    }
    let unit = Unit::of(session.plan());
    let answer = Answer::of_session(session, &Choices::default())?;
    answer.write(session.folder().root())?;
    session.write_parquet()?;
    let plots = answer.draw(&session.folder().plots())?;
    let mut text = answer.summary();
    if progress.computed() > 0 {
        let _ = writeln!(
            text,
            "{} in {seconds:.1} s ({})",
            unit.done(progress.computed(), progress.simulated_time()),
            unit.rate(progress.computed() as f64 / seconds.max(1e-9))
        );
    }
    let _ = writeln!(text, "tables, trajectories and {} plots are in {folder}", plots.len() / 2);
    say(&text)?;
    Ok(if failed > 0 { 3 } else { 0 })
}

/// `failed: pull.speed = 5 um/s: replica 17, step 400, …`, a line for each member that failed.
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
    let cards = match devices {
        Devices::Cpu => return format!("{threads} thread(s) of the CPU"),
        Devices::Cuda(cards) if cards.is_empty() => {
            return "no GPU, since no member has steps left".to_string();
        }
        Devices::Cuda(cards) => cards,
    };
    let cards: Vec<String> = cards
        .iter()
        .map(|card| {
            let (major, minor) = card.properties().driver;
            format!("{} (driver for CUDA {major}.{minor})", card.properties().name)
        })
        .collect();
    cards.join(", ")
}

/// `log.txt`: what happened when. The one file that is not the same each time.
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
