//! Times programs: calibrates them, repeats them in alternation, and compares them repeat by repeat.

use std::time::Instant;

use crate::Error;
use crate::machine::processor_seconds;
use crate::statistics::Spread;

#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub wall: f64,
    /// Processor time of all threads, if the system reports it.
    pub processor: Option<f64>,
}

impl Time {
    pub fn of<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Time), Error> {
        let before = processor_seconds();
        let began = Instant::now();
        let done = work()?;
        let wall = began.elapsed().as_secs_f64();
        // The system counts in hundredths of a second, so zero means that the time is unknown.
        let processor = before.zip(processor_seconds()).map(|(before, after)| after - before);
        Ok((done, Time { wall, processor: processor.filter(|seconds| *seconds > 0.0) }))
    }
}

impl From<f64> for Time {
    fn from(wall: f64) -> Time {
        Time { wall, processor: None }
    }
}

/// The aimed length of a repeat.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// Seconds of a repeat, about.
    pub seconds: f64,
    /// The share of a repeat that its fixed cost may take; a repeat becomes up to ten times as long to keep it.
    pub fixed_part: f64,
    /// Rounds of the first trial.
    pub first: u64,
    /// The most rounds of a repeat.
    pub most: u64,
}

impl Aim {
    /// A repeat of this many seconds, whatever its fixed cost.
    pub fn of(seconds: f64) -> Aim {
        Aim { seconds, fixed_part: 1.0, first: 4, most: 1 << 24 }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// Seconds of a single round, nearly all of which are a repeat's fixed cost.
    pub fixed: f64,
    pub rounds: u64,
}

/// Finds how many rounds a repeat needs; `time` returns the seconds of a number of rounds.
pub fn calibrate(
    aim: Aim,
    mut time: impl FnMut(u64) -> Result<f64, Error>,
) -> Result<Calibration, Error> {
    // A warm-up, which also compiles kernels.
    time(1)?;
    let fixed = time(1)?;
    let wanted = aim.seconds.max((fixed / aim.fixed_part).min(10.0 * aim.seconds));
    let mut rounds = aim.first.clamp(1, aim.most);
    loop {
        let seconds = (time(rounds)? - fixed).max(1e-9);
        let enough = (rounds as f64 * wanted / seconds) as u64;
        if seconds > 0.6 * wanted || enough <= rounds || rounds == aim.most {
            return Ok(Calibration { fixed, rounds: enough.clamp(1, aim.most) });
        }
        rounds = enough.min(rounds.saturating_mul(8)).min(aim.most);
    }
}

type Run<'a> = Box<dyn FnMut(u64) -> Result<Time, Error> + 'a>;

pub struct Measurement<'a> {
    /// What a round produces, in the unit of the reported rate.
    amount: f64,
    calibration: Calibration,
    run: Run<'a>,
}

impl<'a> Measurement<'a> {
    /// A program with a given number of rounds in each repeat.
    pub fn new(
        amount: f64,
        calibration: Calibration,
        run: impl FnMut(u64) -> Result<Time, Error> + 'a,
    ) -> Measurement<'a> {
        Measurement { amount, calibration, run: Box::new(run) }
    }

    /// A program whose number of rounds in a repeat is calibrated.
    pub fn calibrated<T: Into<Time>>(
        amount: f64,
        aim: Aim,
        mut run: impl FnMut(u64) -> Result<T, Error> + 'a,
    ) -> Result<Measurement<'a>, Error> {
        let mut run = move |rounds| run(rounds).map(Into::into);
        let calibration = calibrate(aim, |rounds| run(rounds).map(|time: Time| time.wall))?;
        Ok(Measurement::new(amount, calibration, run))
    }

    pub fn repeat(self, repeats: u16) -> Result<Timed, Error> {
        let mut all = alternate(repeats, vec![self])?;
        all.pop().ok_or_else(|| Error::Machine("nothing was timed".to_string()))
    }
}

/// Times `repeats` repeats of each program, one program after the other in turn.
pub fn alternate(repeats: u16, mut programs: Vec<Measurement<'_>>) -> Result<Vec<Timed>, Error> {
    let mut times = vec![Vec::new(); programs.len()];
    for _ in 0..repeats {
        for (program, times) in programs.iter_mut().zip(&mut times) {
            times.push((program.run)(program.calibration.rounds)?);
        }
    }
    let timed = |(program, times): (Measurement<'_>, _)| {
        let Measurement { amount, calibration, .. } = program;
        Timed { amount: amount * calibration.rounds as f64, calibration, times }
    };
    Ok(programs.into_iter().zip(times).map(timed).collect())
}

#[derive(Clone, Debug)]
pub struct Timed {
    /// What a repeat produces, in the unit of the reported rate.
    amount: f64,
    /// Rounds of each repeat, and its fixed cost.
    pub calibration: Calibration,
    /// One for each repeat.
    pub times: Vec<Time>,
}

impl Timed {
    fn spread(&self, of: impl Fn(f64) -> f64) -> Spread {
        Spread::of(self.times.iter().map(|time| of(time.wall)).collect())
    }

    pub fn rate(&self) -> Spread {
        self.spread(|wall| self.amount / wall)
    }

    /// Wall time of a round, us.
    pub fn microseconds(&self) -> Spread {
        self.spread(|wall| 1e6 * wall / self.calibration.rounds as f64)
    }

    /// Wall time of a repeat, s.
    pub fn seconds(&self) -> Spread {
        self.spread(|wall| wall)
    }

    /// The ratio of this rate to that of another program, repeat by repeat.
    pub fn ratio(&self, other: &Timed) -> Spread {
        let rates = self.times.iter().zip(&other.times);
        let ratio = |(ours, theirs): (&Time, &Time)| {
            (self.amount / ours.wall) / (other.amount / theirs.wall)
        };
        Spread::of(rates.map(ratio).collect())
    }

    /// The ratio of rates by processor time, which depends less on other programs on the same cores; `None` if a repeat has no
    /// processor time.
    pub fn ratio_by_processor(&self, other: &Timed) -> Option<Spread> {
        let times = self.times.iter().zip(&other.times);
        let ratio = |(ours, theirs): (&Time, &Time)| {
            Some((self.amount / ours.processor?) / (other.amount / theirs.processor?))
        };
        times.map(ratio).collect::<Option<Vec<f64>>>().map(Spread::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that needs 2 s for each run and 1 ms for each round.
    fn seconds(rounds: u64) -> Result<f64, Error> {
        Ok(2.0 + 1e-3 * rounds as f64)
    }

    #[test]
    fn calibrated_repeats_take_the_aimed_time() {
        let aim = Aim { seconds: 4.0, fixed_part: 0.2, first: 1, most: 1 << 20 };
        let rounds = |aim| calibrate(aim, seconds).unwrap().rounds;
        // The fixed cost is 2 s, and may be a fifth.
        assert!(rounds(aim).abs_diff(10_000) < 30, "{}", rounds(aim));
        assert!(rounds(Aim { fixed_part: 1.0, ..aim }).abs_diff(4_000) < 10);
        // A repeat takes at most ten times as long as was asked for.
        assert!(rounds(Aim { seconds: 0.5, ..aim }).abs_diff(5_000) < 20);
        assert_eq!(rounds(Aim { most: 7, ..aim }), 7);
        assert_eq!(rounds(Aim { seconds: 1e-6, ..Aim::of(1e-6) }), 1);
    }

    #[test]
    fn programs_are_timed_in_turn() {
        let calls = std::cell::RefCell::new(Vec::new());
        let program = |name: char, amount: f64, rounds: u64| {
            let calls = &calls;
            let run = move |rounds: u64| {
                calls.borrow_mut().push(name);
                Ok(Time { wall: rounds as f64, processor: (name == 'a').then_some(1.0) })
            };
            Measurement::new(amount, Calibration { fixed: 0.0, rounds }, run)
        };
        let timed = alternate(2, vec![program('a', 6.0, 2), program('b', 3.0, 4)]).unwrap();
        assert_eq!(*calls.borrow(), ['a', 'b', 'a', 'b']);
        assert_eq!(timed[0].rate().values, [6.0, 6.0]);
        assert_eq!(timed[0].ratio(&timed[1]).median, 2.0);
        assert_eq!(timed[1].microseconds().median, 1e6);
        assert!(timed[0].ratio_by_processor(&timed[1]).is_none());
        assert_eq!(timed[0].ratio_by_processor(&timed[0]).unwrap().median, 1.0);
    }
}
