//! At which steps a member is sampled: rows, frames, stop rules.

use beadwork_model::StopRule;

/// The number of steps that a member has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Steps of dynamics since the run began, by which rows and frames are counted.
    pub dynamics: u64,
    /// Steps since the stage began, by which stop rules are counted.
    pub stage: u64,
}

/// A point of a trajectory at which the member is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePoint {
    /// Steps since the previous point, at least 1.
    pub steps: u32,
    /// Whether a row of the table is written there, after which averages begin anew.
    pub row: bool,
}

/// When rows, frames and stop rules are due in a stage of dynamics.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<'a> {
    /// Steps of dynamics between rows.
    pub table_every: u64,
    /// Steps of dynamics between frames, if any are written.
    pub frame_every: Option<u64>,
    /// What ends the stage early.
    pub stops: &'a [StopRule],
}

impl Schedule<'_> {
    /// Steps until a row, a frame or a stop rule is due, at least 1.
    pub fn steps_to_next(&self, at: Steps) -> u64 {
        let until = |step: u64, every: u64| every - step % every;
        let row = until(at.dynamics, self.table_every);
        let frame = self.frame_every.map(|every| until(at.dynamics, every));
        let rules = self.stops.iter().map(|rule| until(at.stage, rule.every));
        frame.into_iter().chain(rules).fold(row, u64::min)
    }

    /// The sample points of the next `steps` steps, at most the first `most`. The last is at the end of these steps,
    /// even if nothing is due there.
    pub fn sample_points(&self, mut at: Steps, steps: u64, most: usize) -> Vec<SamplePoint> {
        let mut points = Vec::new();
        let mut left = steps.min(u64::from(u32::MAX));
        while left > 0 && points.len() < most {
            let next = self.steps_to_next(at).min(left);
            at = Steps { dynamics: at.dynamics + next, stage: at.stage + next };
            left -= next;
            let row = at.dynamics.is_multiple_of(self.table_every);
            points.push(SamplePoint { steps: next as u32, row });
        }
        points
    }
}
