//! `beadwork.run` and `beadwork.resume`: a thread works, and the caller's thread listens for signals.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, park_timeout};
use std::time::{Duration, Instant};

use beadwork::device::Choice;
use beadwork::engine::{Control, Devices, Ending, Outcome, Progress};
use beadwork::running::{self, Beginning, carry_out, conclude};
use beadwork::session::Session;
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::request::{Source, choice};
use crate::threads::{TICK, refuse_after_fork, with_threads};

/// What the working thread and the caller's share.
#[derive(Debug, Default)]
pub struct Shared {
    pub interrupted: AtomicBool,
    is_over: AtomicBool,
    pub progress: Progress,
    /// Steps of all members; 0 until the run has begun.
    pub total: AtomicU64,
    /// Steps that were settled before, which `progress` counts as soon as checkpoints are read.
    pub settled_before: AtomicU64,
    remarks: Mutex<Vec<String>>,
}

impl Shared {
    pub fn remark(&self, text: &str) {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_string());
    }

    /// Says what a person should know of a run that has returned.
    fn remark_on(&self, session: &Session, outcome: &Outcome) {
        self.remark_on_some(outcome.notes.iter().map(|note| format!("note: {note}")));
        self.remark_on_some(running::failures(session, outcome));
    }

    /// Says the first of many, and how many there are.
    pub fn remark_on_some(&self, mut texts: impl Iterator<Item = String>) {
        for text in texts.by_ref().take(10) {
            self.remark(&text);
        }
        match texts.count() {
            0 => {}
            more => self.remark(&format!("note: {more} more like the last one")),
        }
    }

    fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What is asked for: a run of an input, or to go on with the one in a folder.
enum Asked {
    Run { source: Source, folder: Option<PathBuf>, replicas: Option<String>, go_on: bool },
    Resume { folder: PathBuf },
}

/// A run to be done.
struct Job {
    asked: Asked,
    from_start: bool,
    choice: Choice,
    threads: Option<u16>,
    max_time: Option<Duration>,
    draws: bool,
    command: String,
}

/// The folder of a run, and how it ended.
type Done = (PathBuf, &'static str, usize);

impl Job {
    fn begin(&self, threads: usize, shared: &Shared) -> Result<(Session, Devices), Failure> {
        match &self.asked {
            Asked::Run { source, folder, replicas, go_on } => {
                let asked = Beginning {
                    folder: folder.as_deref(),
                    replicas: replicas.as_deref(),
                    go_on: *go_on,
                    from_start: self.from_start,
                    choice: &self.choice,
                    threads,
                };
                Ok(running::begin(source.read()?, &asked, |text| shared.remark(text))?)
            }
            Asked::Resume { folder } => {
                let session = running::open(folder, self.from_start)?;
                let devices = session.devices(&self.choice)?;
                Ok((session, devices))
            }
        }
    }

    /// Does the run, and its answer if it finishes.
    fn work(&self, threads: usize, shared: &Shared) -> Result<Done, Failure> {
        let began = Instant::now();
        let (session, devices) = self.begin(threads, shared)?;
        shared.total.store(session.steps().max(1), Ordering::Relaxed);
        let control = Control {
            // A limit beyond the range of the clock is no limit.
            deadline: self.max_time.and_then(|limit| began.checked_add(limit)),
            devices,
            ..Control::on_processors(&shared.interrupted, threads)
        };
        let outcome = carry_out(&session, &control, &shared.progress, &self.command, self.draws);
        for notice in beadwork::cuda::notices() {
            shared.remark(&format!("note: {notice}"));
        }
        let outcome = outcome?;
        shared.remark_on(&session, &outcome);
        // Who stops a run does not wait for its answer.
        if outcome.ending == Ending::Finished && !shared.interrupted.load(Ordering::Relaxed) {
            conclude(&session, self.draws, |_| {})?;
        }
        let folder = session.folder().root().to_path_buf();
        Ok((folder, outcome.ending.name(), outcome.failures().count()))
    }
}

/// What is told to Python on the way: `progress(settled, total, members)` ten times a second, and `remark(text)`.
pub struct Listeners<'a, 'py> {
    pub progress: Option<&'a Bound<'py, PyAny>>,
    pub remark: &'a Bound<'py, PyAny>,
}

impl Listeners<'_, '_> {
    fn tell(&self, shared: &Shared) -> PyResult<()> {
        for text in shared.take_remarks() {
            self.remark.call1((text,))?;
        }
        let total = shared.total.load(Ordering::Relaxed);
        if let (Some(progress), 1..) = (self.progress, total) {
            let of_run = &shared.progress;
            let over = of_run.finished.get() + of_run.failed.get();
            let before = shared.settled_before.load(Ordering::Relaxed);
            progress.call1((of_run.settled.get().max(before).min(total), total, over))?;
        }
        Ok(())
    }
}

/// Does a job in another thread.
fn do_job(py: Python<'_>, job: Job, listeners: &Listeners<'_, '_>) -> PyResult<Done> {
    let became = |(folder, ending, _): &Done| {
        format!(
            "the run in {}: {ending}; what it has done is kept: beadwork.resume goes on",
            folder.display()
        )
    };
    let threads = job.threads;
    in_another_thread(py, threads, listeners, became, move |threads, shared| {
        job.work(threads, shared)
    })
}

/// Does `work` in another thread. An exception, such as that of Ctrl-C, stops it with checkpoints before it is raised with a note on
/// what `became` of the work.
pub fn in_another_thread<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<u16>,
    listeners: &Listeners<'_, '_>,
    became: impl Fn(&T) -> String,
    work: impl FnOnce(usize, &Shared) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    refuse_after_fork()?;
    let shared = Arc::new(Shared::default());
    let (of_worker, caller) = (shared.clone(), std::thread::current());
    let work = move || {
        let done = with_threads(threads, |threads| work(threads, &of_worker));
        of_worker.is_over.store(true, Ordering::Release);
        caller.unpark();
        done
    };
    let worker = Builder::new().name("beadwork".to_string()).spawn(work);
    let worker =
        worker.map_err(|error| Failure::machine(format!("a thread cannot be started: {error}")))?;
    let heard = loop {
        py.detach(|| park_timeout(TICK));
        let heard = py.check_signals().and_then(|()| listeners.tell(&shared));
        let is_over = shared.is_over.load(Ordering::Acquire) || worker.is_finished();
        if heard.is_err() || is_over {
            break heard;
        }
    };
    shared.interrupted.store(heard.is_err(), Ordering::Relaxed);
    let done = py.detach(|| worker.join());
    if let Err(error) = heard {
        if let Ok(Ok(done)) = &done {
            add_note(py, &error, &became(done));
        }
        return Err(error);
    }
    let done = done.unwrap_or_else(|_| {
        Err(Failure::machine(
            "the run stopped unexpectedly; please report this with the input".into(),
        ))
    });
    listeners.tell(&shared)?;
    Ok(done?)
}

/// Adds a note to an exception, which Python 3.10 cannot have.
fn add_note(py: Python<'_>, error: &PyErr, note: &str) {
    // The exception itself is what counts.
    let _ = error.value(py).call_method1("add_note", (note,));
}

pub fn max_time(text: Option<&str>) -> Result<Option<Duration>, Failure> {
    let Some(text) = text else { return Ok(None) };
    humantime::parse_duration(text).map(Some).map_err(|error| {
        Failure::argument(format!(
            "max_time \"{text}\" cannot be read ({error}): write seconds as a number, or a text such as \"90s\", \"45m\" or \"23h 50m\""
        ))
    })
}

/// Runs an input; returns the folder, how the run ended, and how many members failed.
#[pyfunction]
#[pyo3(signature = (name, text, base, settings, folder, replicas, go_on, from_start, device, threads, max_time, draws, command, progress, remark))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the function that people call")]
pub fn run(
    py: Python<'_>,
    name: PathBuf,
    text: Option<String>,
    base: PathBuf,
    settings: Vec<(String, String)>,
    folder: Option<PathBuf>,
    replicas: Option<String>,
    go_on: bool,
    from_start: bool,
    device: Option<&str>,
    threads: Option<u16>,
    max_time: Option<&str>,
    draws: bool,
    command: String,
    progress: Option<&Bound<'_, PyAny>>,
    remark: &Bound<'_, PyAny>,
) -> PyResult<Done> {
    let source = Source { name, text, base, settings };
    let job = Job {
        asked: Asked::Run { source, folder, replicas, go_on },
        from_start,
        choice: choice(device)?,
        threads,
        max_time: self::max_time(max_time)?,
        draws,
        command,
    };
    do_job(py, job, &Listeners { progress, remark })
}

/// Goes on with the run in a folder; returns what [`run`] returns.
#[pyfunction]
#[pyo3(signature = (folder, from_start, device, threads, max_time, draws, command, progress, remark))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the function that people call")]
pub fn resume(
    py: Python<'_>,
    folder: PathBuf,
    from_start: bool,
    device: Option<&str>,
    threads: Option<u16>,
    max_time: Option<&str>,
    draws: bool,
    command: String,
    progress: Option<&Bound<'_, PyAny>>,
    remark: &Bound<'_, PyAny>,
) -> PyResult<Done> {
    let job = Job {
        asked: Asked::Resume { folder },
        from_start,
        choice: choice(device)?,
        threads,
        max_time: self::max_time(max_time)?,
        draws,
        command,
    };
    do_job(py, job, &Listeners { progress, remark })
}
