//! Steps members on the processor, together where that is possible.

use std::time::{Duration, Instant};

use beadwork_cpu::{Group, Member};

use crate::Error;
use crate::cpu_assignment::CpuAssignment;
use crate::member::{MemberRun, StepMark};

/// The time that a worker steps before it checks signals, the time limit and due checkpoints.
pub const TIME_SLICE: Duration = Duration::from_millis(50);

/// A slice that takes longer than this ends early: the machine has become slower since its steps were counted, and a signal
/// must not wait for them.
const LONGEST_SLICE: Duration = Duration::from_millis(100);

/// Looks at the clock in a slice. Members that are stepped together are packed into vectors after each.
const LOOKS: u64 = 8;

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

    /// Steps each member for a time slice, and writes its rows and frames.
    pub fn run_slice(&mut self, runs: &mut [MemberRun<'_>]) -> Result<(), Error> {
        let began = Instant::now();
        let mut left = vec![self.steps_per_slice; runs.len()];
        while let Some((group, steps)) = self.next_group(runs, &left)? {
            let made = self.advance(runs, &group, steps.min(self.steps_at_a_time()))?;
            for &place in &group {
                left[place] = left[place].saturating_sub(made.max(1));
            }
            if began.elapsed() > LONGEST_SLICE {
                end_slice(&mut left, self.steps_per_slice);
            }
        }
        // The number of steps changes by a factor of two at most, so that one pause of the machine has little effect.
        let seconds = began.elapsed().as_secs_f64().max(1e-6);
        let factor = (TIME_SLICE.as_secs_f64() / seconds).clamp(0.5, 2.0);
        self.steps_per_slice = ((self.steps_per_slice as f64 * factor) as u64).clamp(1, 1 << 24);
        Ok(())
    }

    /// Steps between looks at the clock.
    fn steps_at_a_time(&self) -> u64 {
        self.steps_per_slice.div_ceil(LOOKS)
    }

    /// Members that can be stepped together now, by their index, and the number of steps.
    fn next_group(
        &self,
        runs: &mut [MemberRun<'_>],
        left: &[u64],
    ) -> Result<Option<(Vec<usize>, u64)>, Error> {
        let mut group: Vec<usize> = Vec::new();
        let mut steps = u64::MAX;
        for (place, &left) in left.iter().enumerate() {
            if left == 0 || group.len() == self.assignment.together {
                continue;
            }
            let Some(wanted) = runs[place].steps_wanted()? else { continue };
            let fits = group.first().is_none_or(|&first| {
                let first = &runs[first].member;
                group.len() < self.group.width(first.precision())
                    && Group::fit(first, &runs[place].member)
            });
            if fits {
                group.push(place);
                steps = steps.min(wanted).min(left);
            }
        }
        Ok((!group.is_empty()).then_some((group, steps)))
    }

    /// Steps some members; returns the most steps that one of them made.
    fn advance(
        &mut self,
        runs: &mut [MemberRun<'_>],
        group: &[usize],
        steps: u64,
    ) -> Result<u64, Error> {
        if group.len() < self.assignment.worth_together {
            let mut most = 0;
            for &place in group {
                most = most.max(runs[place].advance_alone(steps)?);
            }
            return Ok(most);
        }
        let marks: Vec<StepMark> = group.iter().map(|&place| runs[place].mark()).collect();
        let members = runs.iter_mut().enumerate().filter(|(place, _)| group.contains(place));
        let mut members: Vec<&mut Member> = members.map(|(_, run)| &mut run.member).collect();
        let outcomes = self.group.advance(&mut members, steps);
        let (mut most, mut written) = (0, Ok(()));
        // All members have made their steps, so each gets its rows and frames, even if writing failed for another.
        for ((&place, mark), outcome) in group.iter().zip(&marks).zip(outcomes) {
            most = most.max(*outcome.as_ref().unwrap_or(&0));
            written = written.and(runs[place].after_steps(mark, outcome));
        }
        written.map(|()| most)
    }
}

/// Ends a slice of so many steps: members that made some wait for the next one, the others make one step.
fn end_slice(left: &mut [u64], steps: u64) {
    left.iter_mut().for_each(|left| *left = u64::from(*left == steps));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_that_takes_too_long_leaves_no_member_out() {
        let mut left = [1_000, 875, 0, 1];
        end_slice(&mut left, 1_000);
        assert_eq!(left, [1, 0, 0, 0]);
        // With one step a slice each member has it, however long it takes.
        let mut left = [1, 0];
        end_slice(&mut left, 1);
        assert_eq!(left, [1, 0]);
    }
}
