//! A bar in a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use beadwork::engine::{Plan, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use super::output::{grouped, remark, simulated};

/// Rates are of the last so many seconds, so that neither the first moments nor a pause of the
/// machine long ago spoil the estimate.
const WINDOW: Duration = Duration::from_secs(30);
/// Nothing is shown of runs that are shorter than this.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Between plain lines: 10 s at first, then a minute.
const LINES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(60)];

/// Steps settled and computed at recent moments.
#[derive(Debug, Default)]
struct Window {
    moments: VecDeque<(Instant, u64, u64)>,
}

/// What the recent past says of the future.
struct Rate {
    computed_per_second: f64,
    settled_per_second: f64,
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
            computed_per_second: (last.1 - first.1) as f64 / seconds,
            settled_per_second: (last.2 - first.2) as f64 / seconds,
        })
    }
}

/// What a run counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Steps of dynamics, which have a time.
    Steps,
    /// Sweeps of Monte Carlo, which have none.
    Sweeps,
}

impl Unit {
    /// Of a plan.
    pub fn of(plan: &Plan) -> Unit {
        match plan.members.first().is_some_and(|member| member.system.is_sampled()) {
            true => Unit::Sweeps,
            false => Unit::Steps,
        }
    }

    /// In a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Steps => "steps",
            Unit::Sweeps => "sweeps",
        }
    }

    /// `1 000 steps/s`.
    pub fn rate(self, per_second: f64) -> String {
        format!("{} {}/s", grouped(per_second.round() as u64), self.name())
    }

    /// `2.5 us of trajectory`, `1 000 sweeps`.
    pub fn done(self, count: u64, picoseconds: f64) -> String {
        match self {
            Unit::Steps => format!("{} of trajectory", simulated(picoseconds)),
            Unit::Sweeps => format!("{} sweeps", grouped(count)),
        }
    }
}

/// Shows `progress` towards `total` steps or sweeps until `done`. To be run in a thread of its own.
pub fn show(
    progress: &Progress,
    total: u64,
    members: u64,
    unit: Unit,
    quiet: bool,
    done: &AtomicBool,
) {
    let began = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    let mut bar: Option<ProgressBar> = None;
    let mut window = Window::default();
    let mut last_line = began;
    let mut lines = 0;
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(200));
        let now = Instant::now();
        let (computed, settled) = (progress.computed(), progress.settled().min(total));
        window.push(now, computed, settled);
        if quiet || now.duration_since(began) < PATIENCE {
            continue;
        }
        let text = line(progress, &window, (settled, total), members, unit);
        if terminal {
            let bar = bar.get_or_insert_with(|| new_bar(total));
            bar.set_position(settled);
            bar.set_message(text);
        } else if now.duration_since(last_line) >= LINES[usize::from(lines >= 6)] {
            let percent = 100.0 * settled as f64 / total.max(1) as f64;
            remark(&format!("{percent:5.1} %  {text}"));
            last_line = now;
            lines += 1;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn new_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{percent:>3} % [{bar:24}] {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

fn line(
    progress: &Progress,
    window: &Window,
    (settled, total): (u64, u64),
    members: u64,
    unit: Unit,
) -> String {
    let mut text = format!("{} of {members} done", progress.finished() + progress.failed());
    if progress.failed() > 0 {
        text.push_str(&format!(" ({} failed)", progress.failed()));
    }
    if let Some(rate) = window.rate() {
        text.push_str(&format!(", {}", unit.rate(rate.computed_per_second)));
        if unit == Unit::Steps {
            text.push_str(&format!(", {} simulated", simulated(progress.simulated_time())));
        }
        let [attempted, accepted] = progress.exchanges();
        if attempted > 0 {
            let share = 100.0 * accepted as f64 / attempted as f64;
            let trips = progress.round_trips();
            text.push_str(&format!(", {share:.0} % of exchanges accepted, {trips} round trips"));
        }
        if rate.settled_per_second > 0.0 {
            let seconds = (total - settled) as f64 / rate.settled_per_second;
            let left = Duration::from_secs(seconds.min(1e9).ceil() as u64);
            text.push_str(&format!(", {} left", humantime::format_duration(left)));
        }
    }
    text
}

/// Counts things that are done one after another, with the time that is left for the others.
#[derive(Debug)]
pub struct Counter {
    /// What they are called.
    things: &'static str,
    total: usize,
    done: usize,
    failed: usize,
    began: Instant,
    last_line: Instant,
    lines: usize,
    bar: Option<ProgressBar>,
}

impl Counter {
    /// None of `total` is done.
    pub fn new(things: &'static str, total: usize) -> Counter {
        let began = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| new_bar(total as u64));
        Counter { things, total, done: 0, failed: 0, began, last_line: began, lines: 0, bar }
    }

    /// One more is done.
    pub fn count(&mut self, failed: bool) {
        self.done += 1;
        self.failed += usize::from(failed);
        let now = Instant::now();
        let text = self.line(now.duration_since(self.began));
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(text);
        } else if now.duration_since(self.last_line) >= LINES[usize::from(self.lines >= 6)] {
            remark(&text);
            self.last_line = now;
            self.lines += 1;
        }
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

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_last_window() {
        let began = Instant::now();
        let mut window = Window::default();
        // 10 steps/s for a minute, then a standstill of a minute: the past must be forgotten.
        for second in 0..60 {
            window.push(began + Duration::from_secs(second), second * 10, second * 10);
        }
        let rate = window.rate().unwrap();
        assert!((rate.computed_per_second - 10.0).abs() < 1e-9);
        for second in 60..120 {
            window.push(began + Duration::from_secs(second), 590, 590);
        }
        assert_eq!(window.rate().unwrap().settled_per_second, 0.0);
    }

    #[test]
    fn a_tally_says_what_is_left() {
        let mut counter = Counter::new("programs", 40);
        for number in 0..10 {
            counter.count(number == 3);
        }
        let line = counter.line(Duration::from_secs(20));
        assert_eq!(line, "10 of 40 programs done (1 failed), 1m left");
    }
}
