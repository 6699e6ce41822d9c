//! How many threads of a team share the work of a member, by what they have been measured to gain.
//!
//! Threads of a team wait for each other several times a step. Where other programs keep the cores busy, a thread that has to
//! wait for a core makes all others wait, and a team may be many times slower than one thread. No bit depends on the number of
//! threads, so it may change at any time: now and then a few steps are made with another number, and the faster one stays.

use std::time::Duration;

/// The shortest time of a measurement. A thread that shares a core with others gets it for some milliseconds at a time.
const SHORTEST: Duration = Duration::from_millis(40);
/// Steps of a measurement, unless they take too long: lists of near pairs are renewed every few steps.
const STEPS: u64 = 12;
/// The longest time of a measurement, however few steps were made.
const LONGEST: Duration = Duration::from_millis(400);
/// The time of steps between two measurements of other numbers: at first, and at most if none is faster.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(16);
/// A pause is at least so many times as long as the measurement before it, which was lost.
const PAUSE_OF_TRIAL: u32 = 20;
/// Another number of threads is taken if its steps take less than this part of the time.
const GAIN: f64 = 0.95;

/// The number of threads that share a member, at most `most`.
#[derive(Clone, Debug)]
pub(crate) struct TeamSize {
    most: usize,
    /// The number that is the fastest so far.
    best: usize,
    trial: Trial,
    /// Steps since the last change of number, the first one left out: it makes new lists.
    steps: u64,
    took: Duration,
    is_first: bool,
    pause: Duration,
    /// Which number is tried next.
    next: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trial {
    /// The fastest number works until it is time to compare.
    Pause,
    /// The fastest number is measured.
    Best,
    /// Another number is measured; the fastest one took so many seconds for a step just before.
    Other { size: usize, best_took: f64 },
}

impl TeamSize {
    pub fn new(most: usize) -> TeamSize {
        TeamSize {
            most,
            best: most,
            // A machine may be busy from the beginning.
            trial: Trial::Best,
            steps: 0,
            took: Duration::ZERO,
            is_first: true,
            pause: FIRST_PAUSE,
            next: 0,
        }
    }

    pub fn most(&self) -> usize {
        self.most
    }

    /// The number of threads for the next step.
    pub fn now(&self) -> usize {
        match self.trial {
            Trial::Other { size, .. } => size,
            Trial::Pause | Trial::Best => self.best,
        }
    }

    /// Counts a step that took so long.
    pub fn count(&mut self, took: Duration) {
        // The first step with a number makes lists and starts threads.
        if std::mem::take(&mut self.is_first) && took < LONGEST {
            return;
        }
        self.steps += 1;
        self.took += took;
        if self.most == 1 || !self.is_complete() {
            return;
        }
        let seconds = self.took.as_secs_f64() / self.steps as f64;
        match self.trial {
            Trial::Pause => self.begin(Trial::Best),
            Trial::Best => {
                let size = self.other();
                self.begin(Trial::Other { size, best_took: seconds });
            }
            Trial::Other { size, best_took } => {
                if seconds < GAIN * best_took {
                    self.best = size;
                    // The next comparisons come soon: a smaller number still may be faster, and a measurement may err.
                    self.pause = FIRST_PAUSE;
                    self.next = 0;
                } else {
                    self.pause =
                        (2 * self.pause).min(LONGEST_PAUSE).max(PAUSE_OF_TRIAL * self.took);
                }
                self.begin(Trial::Pause);
            }
        }
    }

    fn is_complete(&self) -> bool {
        match self.trial {
            Trial::Pause => self.took >= self.pause,
            Trial::Best | Trial::Other { .. } => {
                (self.took >= SHORTEST && self.steps >= STEPS) || self.took >= LONGEST
            }
        }
    }

    fn begin(&mut self, trial: Trial) {
        let before = self.now();
        self.trial = trial;
        self.is_first = self.now() != before;
        (self.steps, self.took) = (0, Duration::ZERO);
    }

    /// Another number than the fastest: one thread, half as many, twice as many, in turn.
    fn other(&mut self) -> usize {
        let others = [1, self.best / 2, (2 * self.best).min(self.most)];
        let differs = |size: &usize| *size != self.best && *size > 0;
        let others: Vec<usize> = others.into_iter().filter(differs).collect();
        self.next += 1;
        // With two or more at most, there is always one.
        others.get((self.next - 1) % others.len().max(1)).copied().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets a team make steps for `seconds` of a clock that the test keeps. Returns the steps and the numbers of threads.
    fn work(
        size: &mut TeamSize,
        seconds: f64,
        took: impl Fn(usize, u64) -> f64,
    ) -> (u64, Vec<usize>) {
        let (mut clock, mut steps, mut sizes) = (0.0, 0, vec![size.now()]);
        while clock < seconds {
            let step = took(size.now(), steps);
            clock += step;
            steps += 1;
            size.count(Duration::from_secs_f64(step));
            if sizes.last() != Some(&size.now()) {
                sizes.push(size.now());
            }
        }
        (steps, sizes)
    }

    /// Every fifteenth step makes new lists and takes four times as long.
    fn with_lists(seconds: f64, step: u64) -> f64 {
        if step.is_multiple_of(15) { 4.0 * seconds } else { seconds }
    }

    #[test]
    fn a_team_on_idle_cores_stays_whole() {
        for most in [2, 3, 8, 64] {
            let mut size = TeamSize::new(most);
            let took = |threads: usize, step: u64| with_lists(1e-3 / threads as f64, step);
            let (steps, _) = work(&mut size, 60.0, took);
            let whole = 60.0 / (1e-3 / most as f64) / 1.2;
            assert_eq!(size.best, most);
            assert!(steps as f64 > 0.97 * whole, "{most}: {steps} of {whole}");
        }
    }

    #[test]
    fn a_team_that_is_slower_than_one_thread_becomes_one() {
        for (most, slower) in [(2, 1.3), (2, 8.0), (16, 8.0), (16, 20.0)] {
            let mut size = TeamSize::new(most);
            // Any team is slower than one thread; the larger, the more.
            let took = |threads: usize, step: u64| {
                let threads = threads as f64;
                let factor = if threads > 1.0 { slower * threads / 2.0 } else { 1.0 };
                with_lists(2.7e-3 * factor, step)
            };
            let (steps, _) = work(&mut size, 60.0, took);
            assert_eq!(size.best, 1, "{most}, {slower}");
            let alone = 60.0 / 2.7e-3 / 1.2;
            assert!(steps as f64 > 0.9 * alone, "{most}, {slower}: {steps} of {alone}");
        }
    }

    #[test]
    fn a_team_follows_the_load_of_the_machine() {
        let mut size = TeamSize::new(4);
        let idle = |threads: usize, step: u64| with_lists(1e-3 / threads as f64, step);
        let busy = |threads: usize, step: u64| with_lists(5e-3 * threads as f64, step);
        work(&mut size, 30.0, idle);
        assert_eq!(size.best, 4);
        work(&mut size, 30.0, busy);
        assert_eq!(size.best, 1);
        work(&mut size, 60.0, idle);
        assert_eq!(size.best, 4);
        // Half the cores are free.
        let half = |threads: usize, step: u64| {
            with_lists(if threads <= 2 { 1e-3 / threads as f64 } else { 5e-3 }, step)
        };
        work(&mut size, 60.0, half);
        assert_eq!(size.best, 2);
    }

    #[test]
    fn slow_steps_are_measured_one_by_one() {
        let mut size = TeamSize::new(2);
        let (_, sizes) = work(&mut size, 60.0, |threads, _| if threads == 2 { 3.0 } else { 1.0 });
        assert_eq!((size.best, sizes), (1, vec![2, 1, 2, 1]));
    }

    #[test]
    fn one_thread_stays_one() {
        let mut size = TeamSize::new(1);
        assert_eq!(work(&mut size, 10.0, |_, _| 1e-3).1, [1]);
    }
}
