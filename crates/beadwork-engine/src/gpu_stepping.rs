//! Members stepped on a GPU, all that a worker has in one launch.

use std::time::{Duration, Instant};

use beadwork_cuda::{Device, Ensemble, Job};
use beadwork_simulation::SamplePoint;

use crate::Error;
use crate::cpu_stepping::TIME_SLICE;
use crate::gpu_assignment::SAMPLES;
use crate::member::MemberRun;

/// Samples of a member in a launch: at first, and at most, since more would be as well taken in the next.
const FIRST_SAMPLES: usize = 16;
const MOST_SAMPLES: usize = 256;

/// Time for rows and frames of a launch, after which a person's wish to stop is noticed.
const PATIENCE: Duration = Duration::from_millis(400);

/// Steps of the first launch, and bead-steps: some tenths of a second on a slow card.
const FIRST_STEPS: u64 = 2_000;
const FIRST_BEAD_STEPS: u64 = 400_000_000;

/// Bead-steps of the largest member in it: a block steps a member by itself, however few others there are.
const FIRST_BEAD_STEPS_OF_MEMBER: u64 = 400_000;

/// Steps of a launch at most.
const MOST_STEPS: u64 = 1 << 22;

/// Steps of a minimisation between two looks at the clock.
const MINIMISED_AT_A_TIME: u64 = 50;

/// A stream of launches.
#[derive(Debug)]
pub struct GpuStepping {
    ensemble: Ensemble,
    /// Steps of the next launch.
    steps: u64,
    /// Beads of the largest member of the launch before; 0 before the first.
    largest: usize,
    /// Samples of a member in the next launch at most.
    samples: usize,
}

impl GpuStepping {
    /// Launches on a card on which so many members are stepped at a time, by all workers.
    pub fn new(device: &Device, members_on_card: usize) -> Result<GpuStepping, Error> {
        Ok(GpuStepping {
            ensemble: Ensemble::new(device)?.with_members_on_device(members_on_card),
            steps: MOST_STEPS,
            largest: 0,
            samples: FIRST_SAMPLES,
        })
    }

    /// Some steps, rows, frames and stages of each member: a launch, or as much of minimisations, which are made here,
    /// as takes about as long.
    pub fn run_slice(&mut self, runs: &mut [MemberRun<'_>]) -> Result<(), Error> {
        let end = Instant::now() + TIME_SLICE;
        for run in runs.iter_mut() {
            // A launch takes as long for few members as for many, so that it waits for the last of them.
            if !minimise(run, end)? {
                return Ok(());
            }
        }
        let ready: Vec<usize> =
            (0..runs.len()).filter(|&place| runs[place].has_steps_to_make()).collect();
        if ready.is_empty() {
            return Ok(());
        }
        let beads: Vec<usize> = ready.iter().map(|&place| runs[place].beads()).collect();
        self.steps = steps_in_company(self.steps, self.largest, &beads);
        self.largest = largest_of(&beads);
        let most = |run: &MemberRun<'_>| {
            (SAMPLES / (ready.len() * run.sample_bytes())).clamp(1, self.samples)
        };
        let points: Vec<Vec<SamplePoint>> = ready
            .iter()
            .map(|&place| runs[place].next_samples(self.steps, most(&runs[place])))
            .collect();
        let jobs: Vec<Job<'_>> = ready
            .iter()
            .zip(&points)
            .map(|(&place, points)| Job { member: runs[place].member(), points })
            .collect();
        let began = Instant::now();
        // Where this fails nothing has happened to the members.
        let results = self.ensemble.advance(&jobs)?;
        let steps_of =
            |points: &Vec<SamplePoint>| points.iter().map(|point| u64::from(point.steps)).sum();
        let steps = points.iter().map(steps_of);
        self.steps = next_steps(self.steps, steps.max().unwrap_or(0), began.elapsed());
        let landed = Instant::now();
        let mut error = None;
        for (&place, result) in ready.iter().zip(&results) {
            // What is in memory of the others is as good as it was.
            if let Err(failure) = runs[place].take_batch(result) {
                error.get_or_insert(failure);
            }
        }
        self.samples = next_samples_at_most(self.samples, landed.elapsed());
        error.map_or(Ok(()), Err)
    }
}

fn largest_of(beads: &[usize]) -> usize {
    beads.iter().copied().max().unwrap_or(0).max(1)
}

/// Steps for a launch of members of so many beads, where `learnt` were right for the one before, whose largest member
/// had `largest`: nothing is known of the time that a larger one takes.
fn steps_in_company(learnt: u64, largest: usize, beads: &[usize]) -> u64 {
    let here = largest_of(beads);
    if here <= largest {
        return learnt;
    }
    let all: usize = beads.iter().sum();
    let first = (FIRST_BEAD_STEPS / all.max(1) as u64)
        .min(FIRST_BEAD_STEPS_OF_MEMBER / here as u64)
        .clamp(1, FIRST_STEPS);
    learnt.min(first)
}

/// Looks for a launch after which rows and frames are written within [`PATIENCE`], as they took so long.
fn next_samples_at_most(before: usize, took: Duration) -> usize {
    if took > PATIENCE {
        (before / 2).max(1)
    } else if took < PATIENCE / 4 {
        (before * 2).min(MOST_SAMPLES)
    } else {
        before
    }
}

/// Steps for a launch as long as a slice, after `made` steps took so long. It grows by a factor of two at most, and
/// falls by a factor of four, so that the time that a compiler took says little.
fn next_steps(before: u64, made: u64, took: Duration) -> u64 {
    let wanted = made as f64 * TIME_SLICE.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (wanted as u64).clamp(before / 4, 2 * before).clamp(1, MOST_STEPS)
}

/// Enters the next stage of dynamics, and makes the minimisations before it on the way; false where there is more to
/// be done than there is time for.
fn minimise(run: &mut MemberRun<'_>, end: Instant) -> Result<bool, Error> {
    while let Some(steps) = run.steps_wanted()? {
        if run.is_on_gpu() {
            break;
        }
        if Instant::now() >= end {
            return Ok(false);
        }
        run.advance_alone(steps.min(MINIMISED_AT_A_TIME))?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_become_as_long_as_a_slice() {
        // 2 µs a step, 100 µs for the launch: 25,000 steps in 50 ms.
        let mut steps = 2_000;
        for _ in 0..20 {
            let took = Duration::from_micros(100 + 2 * steps);
            assert!(took < Duration::from_millis(100));
            steps = next_steps(steps, steps, took);
        }
        assert!((24_000..26_000).contains(&steps), "{steps}");
        // A compiler at work, or another program on the card.
        assert_eq!(next_steps(steps, steps, Duration::from_secs(3)), steps / 4);
        // The last steps of a stage, whose launch takes as long as it does for other reasons.
        assert!(next_steps(steps, 10, Duration::from_micros(120)) >= steps / 4);
        assert_eq!(next_steps(1, 1, Duration::from_secs(1)), 1);
        let slow = |most| next_samples_at_most(most, Duration::from_secs(1));
        assert_eq!((slow(256), slow(1)), (128, 1));
        let fast = |most| next_samples_at_most(most, Duration::from_millis(10));
        assert_eq!((fast(16), fast(256)), (32, 256));
        assert_eq!(next_steps(MOST_STEPS, MOST_STEPS, Duration::ZERO), MOST_STEPS);
    }

    #[test]
    fn the_first_launch_with_a_larger_member_is_short() {
        let first = |beads: &[usize]| steps_in_company(MOST_STEPS, 0, beads);
        assert_eq!(first(&[34; 10]), FIRST_STEPS);
        assert_eq!(first(&[34; 4_000]), FIRST_STEPS);
        assert_eq!(first(&[89; 4_096]), 400_000_000 / (89 * 4_096));
        assert_eq!(first(&[7_000]), 57);
        // As long for the largest member, whoever is with it.
        assert_eq!(first(&[34, 7_000, 89]), 57);
        assert_eq!(first(&[500_000]), 1);

        // What was learnt holds for members that are not larger.
        assert_eq!(steps_in_company(25_000, 89, &[34, 89]), 25_000);
        assert_eq!(steps_in_company(25_000, 89, &[34, 7_000]), 57);
        assert_eq!(steps_in_company(20, 89, &[34, 7_000]), 20);
        // One that comes after smaller ones is new, even if there was such a one before.
        let mut flown = (MOST_STEPS, 0);
        for (beads, steps) in [([7_000, 34], 57), ([34, 34], 57), ([34, 7_000], 57)] {
            let made = steps_in_company(flown.0, flown.1, &beads);
            assert_eq!(made, steps, "{beads:?}");
            flown = (if beads == [34, 34] { 1 << 20 } else { made }, largest_of(&beads));
        }
    }
}
