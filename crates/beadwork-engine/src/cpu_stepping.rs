//! Members stepped on the processor, together where they can be.

use std::time::{Duration, Instant};

use beadwork_cpu::{Group, Member};

use crate::Error;
use crate::cpu_assignment::CpuAssignment;
use crate::member::{Mark, MemberRun};

/// Work between two looks at the clock.
pub const TIME_SLICE: Duration = Duration::from_millis(50);

/// A thread's lanes.
#[derive(Debug)]
pub struct CpuStepping {
    assignment: CpuAssignment,
    group: Group,
    steps_per_slice: u64,
}

impl CpuStepping {
    pub fn new(assignment: CpuAssignment) -> CpuStepping {
        CpuStepping { group: Group::new(assignment.instructions), assignment, steps_per_slice: 100 }
    }

    /// Some steps, rows, frames and stages of each member.
    pub fn run_slice(&mut self, runs: &mut [MemberRun<'_>]) -> Result<(), Error> {
        let began = Instant::now();
        let mut left = vec![self.steps_per_slice; runs.len()];
        while let Some((team, steps)) = self.next_team(runs, &left)? {
            let made = self.advance(runs, &team, steps)?;
            for &place in &team {
                left[place] = left[place].saturating_sub(made.max(1));
            }
        }
        // Aims at the length of a slice, by a factor of two at most so that one hiccup of the
        // machine changes little.
        let seconds = began.elapsed().as_secs_f64().max(1e-6);
        let factor = (TIME_SLICE.as_secs_f64() / seconds).clamp(0.5, 2.0);
        self.steps_per_slice = ((self.steps_per_slice as f64 * factor) as u64).clamp(1, 1 << 24);
        Ok(())
    }

    /// Members that can make steps together in this slice, by their places, and how many steps.
    fn next_team(
        &self,
        runs: &mut [MemberRun<'_>],
        left: &[u64],
    ) -> Result<Option<(Vec<usize>, u64)>, Error> {
        let mut team: Vec<usize> = Vec::new();
        let mut steps = u64::MAX;
        for (place, &left) in left.iter().enumerate() {
            if left == 0 || team.len() == self.assignment.together {
                continue;
            }
            let Some(wanted) = runs[place].steps_wanted()? else { continue };
            let fits = match team.first() {
                Some(&first) => {
                    let first = runs[first].member();
                    team.len() < self.group.width(first.precision())
                        && Group::fit(first, runs[place].member())
                }
                None => true,
            };
            if fits {
                team.push(place);
                steps = steps.min(wanted).min(left);
            }
        }
        Ok((!team.is_empty()).then_some((team, steps)))
    }

    /// Returns the steps made.
    fn advance(
        &mut self,
        runs: &mut [MemberRun<'_>],
        team: &[usize],
        steps: u64,
    ) -> Result<u64, Error> {
        if team.len() < self.assignment.worth_together {
            let mut most = 0;
            for &place in team {
                most = most.max(runs[place].advance_alone(steps)?);
            }
            return Ok(most);
        }
        let marks: Vec<Mark> = team.iter().map(|&place| runs[place].mark()).collect();
        let mut members: Vec<&mut Member> = Vec::with_capacity(team.len());
        for (place, run) in runs.iter_mut().enumerate() {
            if team.contains(&place) {
                members.push(run.member_mut());
            }
        }
        let outcomes = self.group.advance(&mut members, steps);
        let mut most = 0;
        let mut error = None;
        // All of them have made their steps: each is to be settled, whatever happened to another.
        for ((&place, mark), outcome) in team.iter().zip(&marks).zip(outcomes) {
            most = most.max(*outcome.as_ref().unwrap_or(&0));
            if let Err(failure) = runs[place].settle_steps(mark, outcome) {
                error.get_or_insert(failure);
            }
        }
        error.map_or(Ok(most), Err)
    }
}
