//! Steps a run to its end, shows its progress, and prints its answer.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use beadwork::engine::{Control, Devices, Ending, Forms, Outcome, Progress};
use beadwork::page;
use beadwork::part::way_on;
use beadwork::running::{Unit, carry_out, conclude, failures};
use beadwork::session::Session;
use serde_json::json;

use super::failure::{Failure, UNPHYSICAL};
use super::options::Limits;
use super::output::{remark, say, say_json};
use super::progress;
use super::signals::{LastWord, Signals, leave_no_half_files, say_below};
use super::threads::{Beside, beside_work};

/// Runs a session to its end and prints its answer.
pub fn run_to_end(session: &Session, limits: &Limits, devices: Devices) -> Result<u8, Failure> {
    let signals = Signals::listen()?;
    let began = Instant::now();
    let threads = limits.start_threads()?;
    if matches!(devices, Devices::Cpu) && limits.gpu_form != Forms::default() {
        remark("note: --gpu-form has no effect, since the processor steps this run");
    }
    let control = Control {
        interrupted: signals.interrupted(),
        // A limit beyond the range of the clock is no limit.
        deadline: limits.max_time.and_then(|limit| began.checked_add(limit)),
        until: None,
        threads,
        devices,
        forms: limits.gpu_form,
    };
    let progress = Progress::default();
    let outcome = step(session, &control, &progress, limits, &signals);
    for notice in beadwork::cuda::notices() {
        remark(&format!("note: {notice}"));
    }
    let (outcome, seconds) = (outcome?, began.elapsed().as_secs_f64());
    finish(session, &outcome, &progress, seconds, limits)
}

/// Steps a session while other threads show its progress and watch for a second signal.
fn step(
    session: &Session,
    control: &Control<'_>,
    progress: &Progress,
    limits: &Limits,
    signals: &Signals,
) -> Result<Outcome, Failure> {
    let (members, total) = (session.part().members(), session.steps());
    let unit = Unit::of(session.plan());
    let display = |done: &AtomicBool| progress::show(progress, total, members, unit, done);
    let watch = |done: &AtomicBool| signals.watch(done);
    let beside: Vec<Beside<'_>> = match limits.quiet {
        true => vec![&watch],
        false => vec![&watch, &display],
    };
    let command: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let work = || carry_out(session, control, progress, &command.join(" "), !limits.no_plots);
    Ok(beside_work(&beside, work)??)
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
        Ending::Paused => ("paused; checkpoints are written,", 5),
        Ending::Failure => ("stopped at the first failure, as [run] on_failure says;", 3),
    };
    remark(&format!("{word} {}", way_on(session.folder().root())));
    if reporting.json {
        let root = session.folder().root();
        say_json(&json!({ "folder": root, "ending": outcome.ending.name(), "exit": code }))?;
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
    let last_word = leave_no_half_answer(session, reporting.json)?;
    let line = progress::doing(limits.quiet, "");
    let before = drawn(session);
    let (summary, plots) = conclude(session, !limits.no_plots, |what| line.set_message(what))?;
    drop(line);
    last_word.take();
    if limits.no_plots {
        note_removed(session, before);
    }
    let code = if has_failures { UNPHYSICAL } else { reporting.exit_code(&summary) };
    if reporting.json {
        say_json(&json!({
            "folder": session.folder().root(),
            "ending": Ending::Finished.name(),
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
        false => writeln!(
            text,
            "tables, trajectories and {count} plots are in {folder}; report.html shows all"
        ),
    };
    say(&text)?;
    Ok(code)
}

/// Lets a signal end the program in the middle of a figure: the steps are done and checkpoints are written.
fn leave_no_half_answer(session: &Session, is_json: bool) -> Result<LastWord, Failure> {
    let folder = session.folder().root().to_path_buf();
    leave_no_half_files(move || {
        say_below(&format!(
            "interrupted while the answer was written; all steps are done, and `beadwork plot {}` writes it",
            folder.display()
        ));
        if is_json {
            let ending = Ending::Finished.name();
            // The exit code stays that of a signal.
            let _ = say_json(&json!({ "folder": folder, "ending": ending, "exit": 130 }));
        }
    })
}

/// Whether a run has a report, and the number of its figures.
fn drawn(session: &Session) -> (bool, usize) {
    let folder = session.folder();
    let figures = std::fs::read_dir(folder.plots()).map_or(0, Iterator::count);
    (page::is_report(&folder.root().join(page::FILE)), figures)
}

/// Says what an answer without plots has removed: what was drawn of the answer before it.
fn note_removed(session: &Session, (had_report, figures): (bool, usize)) {
    let (has_report, left) = drawn(session);
    let mut removed = Vec::new();
    if had_report && !has_report {
        removed.push(page::FILE.to_string());
    }
    if left < figures {
        removed.push(format!("{} file(s) in plots", figures - left));
    }
    if !removed.is_empty() {
        remark(&format!(
            "note: removed of the earlier answer: {}, since --no-plots or BEADWORK_NO_PLOTS draws none of the new one: `beadwork plot {}` does",
            removed.join(" and "),
            session.folder().root().display()
        ));
    }
}
