//! Steps a run with its log, and concludes it with its answer.

use std::path::PathBuf;
use std::time::Instant;

use beadwork_analysis::numbers::grouped;
use beadwork_cuda::Device;
use beadwork_engine::{Control, Devices, Outcome, Progress};
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_io::words::folder_name;
use beadwork_report::answer::{Answer, Choices};
use beadwork_report::data::Summary;
use beadwork_report::drawing::Drawing;
use beadwork_report::page::{self, Page};
use beadwork_session::Error;
use beadwork_session::part::jobs_of;
use beadwork_session::session::Session;

use super::log::Log;
use super::unit::Unit;
use crate::check::of_request;

/// Makes the steps that are left. The log gets the `command` by which a person asked for it, the devices, warnings, and how it
/// ended. `draws` is that of [`conclude`] afterwards.
///
/// # Errors
/// Errors of [`Session::run`], a log that cannot be written, and with `draws` a file in the place of the report that is none,
/// before the first step.
pub fn carry_out(
    session: &Session,
    control: &Control<'_>,
    progress: &Progress,
    command: &str,
    draws: bool,
) -> Result<Outcome, Error> {
    let began = Instant::now();
    if draws {
        page::refuse_foreign(&session.folder().root().join(page::FILE))?;
    }
    let mut log = Log::open(&session.folder().log())?;
    log.write(&format!("command: {command}"))?;
    log.write(&start_line(session, control.threads, &control.devices))?;
    for warning in &session.request().warnings {
        log.write(&format!("warning: {warning}"))?;
    }
    let outcome = session.run(control, progress).map_err(|error| {
        // The log may be on the same full disk; the first error is the one to report.
        let _ = log.write(&format!("stopped: {error}"));
        error
    })?;
    let (unit, seconds) = (Unit::of(session.plan()), began.elapsed().as_secs_f64());
    log.write(&format!(
        "{}: {} {} in {seconds:.1} s, {}",
        outcome.ending.name(),
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
    Ok(outcome)
}

/// Computes the answer of a run that is finished and writes it into its folder, with tables and, if `draws`, plots and the report.
/// `doing` is told what is being done. Returns the answer and the paths of the plots.
///
/// # Errors
/// A damaged table or trajectory; a file that cannot be written.
pub fn conclude(
    session: &Session,
    draws: bool,
    doing: impl Fn(&'static str),
) -> Result<(Summary, Vec<PathBuf>), Error> {
    doing("reading tables and frames");
    let choices = Choices { without_pictures: !draws, ..Choices::default() };
    let answer = Answer::of_session(session, &choices)?;
    session.write_parquet()?;
    doing("drawing plots");
    let plots = match draws {
        true => answer.draw(&session.folder().plots(), &Drawing::default())?,
        false => Vec::new(),
    };
    let root = session.folder().root();
    let summary = match draws {
        true => answer.write_before_report(root, &plots, &[])?,
        false => answer.write(root, &plots, &[])?,
    };
    if draws {
        doing("writing the report");
        let run = run_of_page(std::slice::from_ref(session.folder()), session.request());
        let page = Page { runs: vec![run], answers: vec![&answer], plots: &plots };
        page.write(&root.join(page::FILE))?;
    }
    Ok((summary, plots))
}

/// A run as a report describes it. It is named after its folder; parts after the folder of their jobs, or that which their input
/// names.
pub fn run_of_page<'a>(folders: &'a [RunFolder], request: &'a Request) -> page::Run<'a> {
    let named = || jobs_of(folders.first()?.root());
    let name = match folders {
        [one] => folder_name(one.root()),
        _ => folder_name(&named().unwrap_or_else(|| request.output.folder.clone())),
    };
    page::Run { name, folders, request, described: of_request(request) }
}

/// A line for each member that failed: `failed: pull.speed = 5 um/s: replica 17, step 400, …`.
pub fn failures<'a>(
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
