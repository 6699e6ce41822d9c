//! Signals that stop the program. From its first moment on a signal ends it at once, until a command takes over: while a run is
//! stepped, the first signal leaves checkpoints and the second ends the program.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle, park_timeout, sleep};
use std::time::Duration;

use beadwork::io::{abandon_folders, atomic};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::complaint::asks_for_json;
use super::failure::Failure;
use super::output::{remark, remark_as_is};
use super::threads::refused;

/// The number of the signal; other systems than Unix lack its name.
const SIGHUP: i32 = 1;

/// Signals within this time count as one: `timeout` and shells signal both a process and its group.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// How often a thread looks whether a signal has come.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// What is said after a signal waits so long for one who reads it.
const LONGEST_WORDS: Duration = Duration::from_secs(1);

/// Lets a file that grows beyond the limit of a shell (`ulimit -f`) be an error of writing. Otherwise the signal for it ends the
/// program, and leaves the half of a file behind.
pub fn outlive_file_limits() -> Result<(), Failure> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
        .map_err(not_set)?;
    Ok(())
}

/// The signals that stop the program, SIGHUP first, so that all are heard once the others are.
fn stopping() -> impl Iterator<Item = i32> {
    hang_up().into_iter().chain([SIGINT, SIGTERM])
}

/// SIGHUP, which a terminal sends that closes. A signal that is ignored, as under `nohup`, stays so, which a handler would end. Where
/// no `/proc` says which ones are ignored, it keeps the meaning that it has.
fn hang_up() -> Option<i32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored & (1_u64 << (SIGHUP - 1)) == 0).then_some(SIGHUP)
}

fn not_set(error: std::io::Error) -> Failure {
    Failure::machine(format!("the handler of signals cannot be set: {error}"))
}

/// What happens at a signal before a command takes over.
struct Early {
    /// What is said then.
    words: &'static str,
    is_json: bool,
    /// Whether the command makes the folder of a run, which goes on once it is whole.
    makes_run: bool,
    is_over: bool,
    /// The flag that signals set, and the thread that looks at it.
    watch: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

static EARLY: Mutex<Early> = Mutex::new(Early {
    words: "interrupted; no file is half written, and the same command can be given again",
    is_json: false,
    makes_run: false,
    is_over: false,
    watch: None,
});

fn early() -> MutexGuard<'static, Early> {
    EARLY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a signal end the program at once, from now on until a command takes over.
///
/// # Errors
/// If a handler cannot be set, or the machine refuses to start a thread.
pub fn end_at_once() -> Result<(), Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in stopping() {
        signal_hook::flag::register(signal, interrupted.clone()).map_err(not_set)?;
    }
    let flag = interrupted.clone();
    let started = Builder::new().spawn(move || end_early(&flag));
    let thread = started.map_err(|error| refused("a thread", &error.to_string()))?;
    let mut early = early();
    early.is_json = asks_for_json();
    early.watch = Some((interrupted, thread));
    Ok(())
}

/// Says what a signal would interrupt: `words`, as an error of JSON if `is_json`.
pub fn would_interrupt(words: &'static str, is_json: bool, makes_run: bool) {
    let mut early = early();
    (early.words, early.is_json, early.makes_run) = (words, is_json, makes_run);
}

fn end_early(interrupted: &AtomicBool) {
    loop {
        park_timeout(LOOKS_EVERY);
        let early = early();
        if early.is_over {
            return;
        }
        if !interrupted.load(Ordering::Relaxed) {
            continue;
        }
        // Benchmarks of runs have a temporary folder, which they remove themselves.
        if beadwork_benchmarks::interrupt() {
            return;
        }
        // A run whose folder is whole takes the signal over in a moment.
        let Some(_abandoned) = abandon_folders(early.makes_run) else { continue };
        let (words, is_json) = (early.words, early.is_json);
        say_in_time(move || say_interruption(words, is_json));
        std::process::exit(130)
    }
}

/// Lets a command decide what signals do, which has set its own handlers. True if one came before; the program ends here if it is
/// about to end.
fn take_over() -> bool {
    let watch = {
        let mut early = early();
        early.is_over = true;
        early.watch.take()
    };
    watch.is_some_and(|(interrupted, thread)| {
        // Once the thread has ended, its place is free for another one.
        thread.thread().unpark();
        let _ = thread.join();
        interrupted.load(Ordering::Relaxed)
    })
}

/// Lets signals no longer end the program, for the short rest of a command that must not be given again. If one has come already,
/// this waits for the end of the program, which is near.
pub fn outlive_signals() {
    loop {
        {
            let mut early = early();
            let has_come = |(flag, _): &(Arc<AtomicBool>, _)| flag.load(Ordering::Relaxed);
            // Once it is over, a signal that comes changes nothing.
            if early.is_over || !early.watch.as_ref().is_some_and(has_come) {
                early.is_over = true;
                return;
            }
        }
        sleep(LOOKS_EVERY);
    }
}

/// Lets a signal end the program at once, without files that are half written: for commands that read a run and write about it,
/// and for runs whose steps are done. `words` says so then, unless the command has taken the last word.
///
/// # Errors
/// If a handler cannot be set, or the machine refuses to start a thread.
pub fn leave_no_half_files(words: impl FnOnce() + Send + 'static) -> Result<LastWord, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in stopping() {
        signal_hook::flag::register(signal, interrupted.clone()).map_err(not_set)?;
    }
    if take_over() {
        interrupted.store(true, Ordering::Relaxed);
    }
    let last_word = LastWord::default();
    let of_signals = last_word.clone();
    let started = Builder::new().spawn(move || end_by_signal(&interrupted, &of_signals, words));
    started.map_err(|error| refused("a thread", &error.to_string()))?;
    Ok(last_word)
}

fn end_by_signal(
    interrupted: &AtomicBool,
    last_word: &LastWord,
    words: impl FnOnce() + Send + 'static,
) {
    while !interrupted.load(Ordering::Relaxed) {
        sleep(LOOKS_EVERY);
    }
    match last_word.claim() {
        true => say_in_time(words),
        // The answer is being said, and the program ends by itself unless nothing reads it.
        false => sleep(LONGEST_WORDS),
    }
    let _abandoned = atomic::abandon();
    std::process::exit(130)
}

/// Says something in a thread of its own: a full pipe must not keep the program from ending.
fn say_in_time(words: impl FnOnce() + Send + 'static) {
    let (done, said) = mpsc::channel();
    let started = Builder::new().spawn(move || {
        words();
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = said.recv_timeout(LONGEST_WORDS);
    }
}

/// The last word of a command: its answer or, if a signal comes before it, that it was interrupted.
#[derive(Clone, Debug, Default)]
pub struct LastWord(Arc<AtomicBool>);

impl LastWord {
    /// Takes it for the answer. If a signal has taken it, this waits for the end of the program, which is near.
    pub fn take(&self) {
        while !self.claim() {
            sleep(LONGEST_WORDS);
        }
    }

    /// Takes it; false if it was taken before.
    fn claim(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// Says that a command was interrupted which begins anew when it is given again.
pub fn say_interrupted() {
    let words = "interrupted; no file is half written, and the same command begins anew";
    say_interruption(words, asks_for_json());
}

/// Says on standard error that a command was interrupted or, for those who ask for JSON, as an error on standard output.
fn say_interruption(words: &str, is_json: bool) {
    match is_json {
        true => Failure::interrupted(words.to_string()).print_json(),
        false => say_below(words),
    }
}

/// Says something on a line of its own: before it a terminal shows what is being done, and `^C`.
pub fn say_below(text: &str) {
    if std::io::stderr().is_terminal() {
        remark_as_is("");
    }
    remark(text);
}

/// Flags that signals set.
pub struct Signals {
    interrupted: Arc<AtomicBool>,
    /// Whether the next signal ends the program at once.
    is_second: Arc<AtomicBool>,
}

impl Signals {
    pub fn listen() -> Result<Signals, Failure> {
        let signals = Signals { interrupted: Arc::default(), is_second: Arc::default() };
        for signal in stopping() {
            let is_second = signals.is_second.clone();
            let second = signal_hook::flag::register_conditional_shutdown(signal, 130, is_second);
            let first = signal_hook::flag::register(signal, signals.interrupted.clone());
            second.and(first).map_err(not_set)?;
        }
        if take_over() {
            signals.interrupted.store(true, Ordering::Relaxed);
        }
        Ok(signals)
    }

    /// Whether a signal has come.
    pub fn interrupted(&self) -> &AtomicBool {
        &self.interrupted
    }

    /// Lets a second signal end the program, some time after the first, until `done`.
    pub fn watch(&self, done: &AtomicBool) {
        while !done.load(Ordering::Relaxed) {
            if self.interrupted.load(Ordering::Relaxed) {
                std::thread::park_timeout(ONE_SIGNAL);
                self.is_second.store(true, Ordering::Relaxed);
            }
            std::thread::park_timeout(Duration::from_millis(100));
        }
        self.is_second.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_last_word() {
        let last_word = LastWord::default();
        last_word.take();
        assert!(!last_word.clone().claim());
    }
}
