//! Progress on standard error: a bar in a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use beadwork::engine::Progress;
use beadwork::running::Unit;
use beadwork::times::simulated;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use super::output::remark;

/// Rates are averages over this time, so neither the start nor a long past pause of the machine distorts them.
const WINDOW: Duration = Duration::from_secs(30);
/// Runs shorter than this show no progress.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The time between plain lines: 10 s for the first six, then a minute.
const LINES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(60)];

/// A bar, or lines from time to time.
#[derive(Debug)]
struct Display {
    bar: Option<ProgressBar>,
    last_line: Instant,
    lines: usize,
}

impl Display {
    fn new(total: u64) -> Display {
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| ProgressBar::new(total).with_finish(ProgressFinish::AndClear));
        let style = ProgressStyle::with_template("{percent:>3} % [{bar:24}] {msg}");
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Display { bar, last_line: Instant::now(), lines: 0 }
    }

    /// Shows `text` beside the bar, or prints a line if it is time for one.
    fn show(&mut self, position: u64, text: String, line: impl FnOnce(String) -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
            bar.set_message(text);
        } else if self.last_line.elapsed() >= LINES[usize::from(self.lines >= 6)] {
            remark(&line(text));
            self.last_line = Instant::now();
            self.lines += 1;
        }
    }
}

/// Steps settled and computed at recent moments.
#[derive(Debug, Default)]
struct Window {
    moments: VecDeque<(Instant, u64, u64)>,
}

/// Steps per second in the recent past.
struct Rate {
    computed: f64,
    settled: f64,
}

impl Window {
    fn push(&mut self, now: Instant, computed: u64, settled: u64) {
        self.moments.push_back((now, computed, settled));
        while self.moments.len() > 2 && now.duration_since(self.moments[1].0) >= WINDOW {
            self.moments.pop_front();
        }
    }

    fn rate(&self) -> Option<Rate> {
        let (first, last) = (self.moments.front()?, self.moments.back()?);
        let seconds = last.0.duration_since(first.0).as_secs_f64();
        (seconds > 0.5).then(|| Rate {
            computed: (last.1 - first.1) as f64 / seconds,
            settled: (last.2 - first.2) as f64 / seconds,
        })
    }
}

/// Shows `progress` towards `total` steps or sweeps until `done`, in a thread of its own.
pub fn show(progress: &Progress, total: u64, members: u64, unit: Unit, done: &AtomicBool) {
    let began = Instant::now();
    let mut display = None;
    let mut window = Window::default();
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(200));
        let (computed, settled) = (progress.computed.get(), progress.settled.get().min(total));
        window.push(Instant::now(), computed, settled);
        if began.elapsed() < PATIENCE {
            continue;
        }
        let text = line(progress, &window, (settled, total), members, unit);
        let percent = 100.0 * settled as f64 / total.max(1) as f64;
        let display = display.get_or_insert_with(|| Display::new(total));
        display.show(settled, text, |text| format!("{percent:5.1} %  {text}"));
    }
}

fn line(
    progress: &Progress,
    window: &Window,
    (settled, total): (u64, u64),
    members: u64,
    unit: Unit,
) -> String {
    let mut text = format!("{} of {members} done", progress.finished.get() + progress.failed.get());
    if progress.failed.get() > 0 {
        text.push_str(&format!(" ({} failed)", progress.failed.get()));
    }
    if let Some(rate) = window.rate() {
        text.push_str(&format!(", {}", unit.rate(rate.computed)));
        if unit == Unit::Steps {
            text.push_str(&format!(
                ", {} simulated",
                simulated(progress.femtoseconds.get() as f64 / 1e3)
            ));
        }
        let (attempted, accepted) = (progress.attempted.get(), progress.accepted.get());
        if attempted > 0 {
            let share = 100.0 * accepted as f64 / attempted as f64;
            let trips = progress.round_trips.get();
            text.push_str(&format!(", {share:.0} % of exchanges accepted, {trips} round trips"));
        }
        if rate.settled > 0.0 {
            let seconds = (total - settled) as f64 / rate.settled;
            let left = Duration::from_secs(seconds.min(1e9).ceil() as u64);
            text.push_str(&format!(", {} left", humantime::format_duration(left)));
        }
    }
    text
}

/// Shows what is being done where nothing is counted, such as drawing, until it is dropped: a line in a terminal, if it should not
/// be `quiet`.
pub fn doing(quiet: bool, what: &'static str) -> ProgressBar {
    // Hidden where standard error is no terminal.
    let line = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    let line = line.with_finish(ProgressFinish::AndClear).with_message(what);
    line.enable_steady_tick(Duration::from_millis(200));
    line
}

/// Counts finished things of a kind, and estimates the time for the rest.
#[derive(Debug)]
pub struct Counter {
    /// The name of the things.
    things: &'static str,
    total: usize,
    done: usize,
    failed: usize,
    began: Instant,
    display: Display,
}

impl Counter {
    pub fn new(things: &'static str, total: usize) -> Counter {
        let display = Display::new(total as u64);
        Counter { things, total, done: 0, failed: 0, began: Instant::now(), display }
    }

    /// Counts one more.
    pub fn count(&mut self, failed: bool) {
        self.done += 1;
        self.failed += usize::from(failed);
        let text = self.line(self.began.elapsed());
        self.display.show(self.done as u64, text, |text| text);
    }

    /// `30 of 140 programs done (1 failed), 2m 10s left`.
    fn line(&self, elapsed: Duration) -> String {
        let mut text = format!("{} of {} {} done", self.done, self.total, self.things);
        if self.failed > 0 {
            text.push_str(&format!(" ({} failed)", self.failed));
        }
        let left = self.total.saturating_sub(self.done) as f64;
        let seconds = elapsed.as_secs_f64() * left / self.done.max(1) as f64;
        let left = Duration::from_secs(seconds.ceil() as u64);
        text.push_str(&format!(", {} left", humantime::format_duration(left)));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_last_window() {
        let began = Instant::now();
        let mut window = Window::default();
        // 10 steps/s for a minute, then none for a minute: the rate must forget the first minute.
        for second in 0..60 {
            window.push(began + Duration::from_secs(second), second * 10, second * 10);
        }
        let rate = window.rate().unwrap();
        assert!((rate.computed - 10.0).abs() < 1e-9);
        for second in 60..120 {
            window.push(began + Duration::from_secs(second), 590, 590);
        }
        assert_eq!(window.rate().unwrap().settled, 0.0);
    }

    #[test]
    fn a_counter_estimates_the_time_left() {
        let mut counter = Counter::new("programs", 40);
        for number in 0..10 {
            counter.count(number == 3);
        }
        let line = counter.line(Duration::from_secs(20));
        assert_eq!(line, "10 of 40 programs done (1 failed), 1m left");
    }
}
