//! Steps a run to its end, shows its progress, and prints its answer.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use beadwork::answer::{Answer, Choices};
use beadwork::cuda::Device;
use beadwork::drawing::Drawing;
use beadwork::engine::{Control, Devices, Ending, Forms, Outcome, Progress};
use beadwork::session::Session;
use serde_json::json;

use super::failure::{Failure, UNPHYSICAL};
use super::log::Log;
use super::options::Limits;
use super::output::{grouped, remark, say, say_json};
use super::progress::{self, Unit};
use super::signals::Signals;
use super::threads::{Beside, beside_work};

/// Opens a run to continue it; `from_start` allows members without their checkpoints to begin anew.
pub fn open(folder: &Path, from_start: bool) -> Result<Session, Failure> {
    Ok(match from_start {
        true => Session::open_from_start(folder)?,
        false => Session::open(folder)?,
    })
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
    if matches!(devices, Devices::Cpu) && limits.gpu_form != Forms::default() {
        remark("note: --gpu-form has no effect, since the processor steps this run");
    }
    let control = Control {
        interrupted: signals.interrupted(),
        // A limit beyond the range of the clock is no limit.
        deadline: limits.max_time.and_then(|limit| began.checked_add(limit)),
        threads,
        devices,
        forms: limits.gpu_form,
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
    if let Some(form) = &outcome.gpu_form {
        log.write(&format!("form of blocks on GPUs: {form}"))?;
    }
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
    let choices = Choices { without_pictures: limits.no_plots, ..Choices::default() };
    let answer = Answer::of_session(session, &choices)?;
    session.write_parquet()?;
    doing.set_message("drawing plots");
    let plots = match limits.no_plots {
        true => Vec::new(),
        false => answer.draw(&session.folder().plots(), &Drawing::default())?,
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
