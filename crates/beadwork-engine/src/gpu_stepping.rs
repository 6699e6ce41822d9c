//! Steps members on a GPU: all members of a worker in one launch.

use std::time::{Duration, Instant};

use beadwork_cuda::{
    Device, Ensemble, Job, LaunchOverrides, Plan, most_steps_together, steps_on_host,
};
use beadwork_simulation::SamplePoint;

use crate::Error;
use crate::cpu_assignment::useful_threads;
use crate::cpu_stepping::TIME_SLICE;
use crate::gpu_assignment::SAMPLES;
use crate::member::MemberRun;
use crate::threads::on_each;

/// The most samples of a member in the first launch, and in any.
const FIRST_SAMPLES: usize = 16;
const MOST_SAMPLES: usize = 256;

/// With fewer samples, one thread writes their rows sooner than several are started.
const SAMPLES_A_THREAD: usize = 256;

/// The longest time for writing the rows and frames of a launch; signals are noticed only after it.
const WRITING_TIME: Duration = Duration::from_millis(400);

/// The most steps and bead-steps in the first launch: some tenths of a second on a slow card.
const FIRST_STEPS: u64 = 2_000;
const FIRST_BEAD_STEPS: u64 = 400_000_000;

/// The most bead-steps of the largest member in the first launch. They are few, since one block may step it alone.
const FIRST_BEAD_STEPS_OF_MEMBER: u64 = 400_000;

/// The fewest steps in the first launch. Members of millions of beads have the whole card, and their launches need not begin
/// with one step.
const FIRST_STEPS_AT_LEAST: u64 = 16;

/// The longest launch: signals are noticed only after it. Copies of the state of ten million beads take seconds.
const LONGEST_SLICE: Duration = Duration::from_secs(4);

/// The time of a launch for each bead of its largest member, so that the copies of its state take a small part of it.
const SLICE_OF_BEAD: Duration = Duration::from_micros(4);

/// The most steps in any launch.
const MOST_STEPS: u64 = 1 << 22;

/// Steps of a minimisation on the host between checks of the clock.
const MINIMISED_AT_A_TIME: u64 = 50;

/// A stream of launches.
#[derive(Debug)]
pub struct GpuStepping {
    ensemble: Ensemble,
    /// The most threads that write the rows and frames of a launch, and that share the CPU's steps of a minimisation: those with
    /// externals, and the first one of a push-off.
    threads: usize,
    steps: u64,
    /// Beads of the largest member of the previous launch; 0 before the first.
    largest: usize,
    /// The most samples of a member in the next launch.
    samples: usize,
}

impl GpuStepping {
    /// Launches on a card with a form of blocks; `members_on_card` counts the members of all its workers. Up to `threads` write
    /// its rows and share a minimisation on the host.
    pub fn new(
        device: &Device,
        members_on_card: usize,
        threads: usize,
        form: Option<(Plan, LaunchOverrides)>,
    ) -> Result<GpuStepping, Error> {
        let ensemble = Ensemble::new(device)?.with_members_on_device(members_on_card);
        Ok(GpuStepping {
            threads,
            ensemble: match form {
                Some((plan, form)) => ensemble.with_form(plan, form),
                None => ensemble,
            },
            steps: MOST_STEPS,
            largest: 0,
            samples: FIRST_SAMPLES,
        })
    }

    /// Runs a time slice: the steps that are the CPU's, then, once no member has any left, one launch.
    pub fn run_slice(&mut self, runs: &mut [MemberRun<'_>]) -> Result<(), Error> {
        let end = Instant::now() + TIME_SLICE;
        for run in runs.iter_mut() {
            // A launch takes as long for few members as for many, so it waits for all of them.
            if !step_on_host(run, end, self.threads)? {
                return Ok(());
            }
        }
        let mut ready: Vec<&mut MemberRun<'_>> =
            runs.iter_mut().filter(|run| run.has_steps_to_make()).collect();
        if ready.is_empty() {
            return Ok(());
        }
        let beads: Vec<usize> = ready.iter().map(|run| run.plan().system.beads()).collect();
        self.steps = steps_for(self.steps, self.largest, &beads);
        self.largest = largest_of(&beads);
        let most = |run: &MemberRun<'_>| {
            (SAMPLES / (ready.len() * run.sample_bytes())).clamp(1, self.samples)
        };
        let steps = self.steps.min(most_steps_together(ready.iter().map(|run| &run.member)));
        let points: Vec<Vec<SamplePoint>> =
            ready.iter().map(|run| run.next_samples(steps, most(run))).collect();
        let jobs =
            ready.iter().zip(&points).map(|(run, points)| Job { member: &run.member, points });
        let jobs: Vec<Job<'_>> = jobs.collect();
        let began = Instant::now();
        // If the launch fails, the members keep their states.
        let results = self.ensemble.advance(&jobs)?;
        let steps_of =
            |points: &Vec<SamplePoint>| points.iter().map(|point| u64::from(point.steps)).sum();
        let made = points.iter().map(steps_of).max().unwrap_or(0);
        self.steps =
            next_count(self.steps, made, slice_of(self.largest), began.elapsed(), MOST_STEPS);
        let returned = Instant::now();
        let samples = points.iter().map(Vec::len).sum::<usize>();
        let others = self.threads.min(samples / SAMPLES_A_THREAD).saturating_sub(1);
        let applied = on_each(others, ready.iter_mut().zip(&results), |(run, result)| {
            run.apply_batch(result)
        });
        self.samples = next_samples_at_most(self.samples, returned.elapsed());
        applied
    }
}

/// The time of a launch whose largest member has so many beads.
fn slice_of(largest: usize) -> Duration {
    let beads = u32::try_from(largest).unwrap_or(u32::MAX);
    SLICE_OF_BEAD.saturating_mul(beads).clamp(TIME_SLICE, LONGEST_SLICE)
}

fn largest_of(beads: &[usize]) -> usize {
    beads.iter().copied().max().unwrap_or(0).max(1)
}

/// Steps of a launch for members with these numbers of beads. `learnt` steps suited the previous launch, whose largest
/// member had `largest` beads. The first launch of a larger member is short, because its time is unknown.
fn steps_for(learnt: u64, largest: usize, beads: &[usize]) -> u64 {
    let here = largest_of(beads);
    if here <= largest {
        return learnt;
    }
    let all: usize = beads.iter().sum();
    let first = (FIRST_BEAD_STEPS / all.max(1) as u64)
        .min(FIRST_BEAD_STEPS_OF_MEMBER / here as u64)
        .clamp(FIRST_STEPS_AT_LEAST, FIRST_STEPS);
    learnt.min(first)
}

/// The most samples of a member in the next launch: writing them takes about [`WRITING_TIME`]; `before` took `took`.
fn next_samples_at_most(before: usize, took: Duration) -> usize {
    if took > WRITING_TIME {
        (before / 2).max(1)
    } else if took < WRITING_TIME / 4 {
        (before * 2).min(MOST_SAMPLES)
    } else {
        before
    }
}

/// Steps or moves of a launch that lasts a time slice; `made` of them took `took`. The count at most doubles and falls
/// to a quarter at most, so that the time of a compiler has little effect.
pub fn next_count(before: u64, made: u64, slice: Duration, took: Duration, most: u64) -> u64 {
    let wanted = made as f64 * slice.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (wanted as u64).clamp(before / 4, 2 * before).clamp(1, most)
}

/// Makes the steps that are the host's, and enters the next stage after them. False if there was not enough time.
fn step_on_host(run: &mut MemberRun<'_>, end: Instant, threads: usize) -> Result<bool, Error> {
    while run.steps_wanted()?.is_some() {
        let steps = steps_on_host(&run.member);
        if steps == 0 {
            run.member.prepare();
            break;
        }
        if Instant::now() >= end {
            return Ok(false);
        }
        run.member.set_threads(useful_threads(run.plan().system.beads(), threads));
        run.advance_alone(steps.min(MINIMISED_AT_A_TIME))?;
    }
    run.member.set_threads(1);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next_steps(before: u64, made: u64, took: Duration) -> u64 {
        next_count(before, made, TIME_SLICE, took, MOST_STEPS)
    }

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
        // A slow launch: kernels are compiled, or another program uses the card.
        assert_eq!(next_steps(steps, steps, Duration::from_secs(3)), steps / 4);
        // The last steps of a stage: the fixed cost of the launch dominates its time.
        assert!(next_steps(steps, 10, Duration::from_micros(120)) >= steps / 4);
        assert_eq!(next_steps(1, 1, Duration::from_secs(1)), 1);
        let slow = |most| next_samples_at_most(most, Duration::from_secs(1));
        assert_eq!((slow(256), slow(1)), (128, 1));
        let fast = |most| next_samples_at_most(most, Duration::from_millis(10));
        assert_eq!((fast(16), fast(256)), (32, 256));
        assert_eq!(next_steps(MOST_STEPS, MOST_STEPS, Duration::ZERO), MOST_STEPS);
    }

    #[test]
    fn launches_of_large_members_last_longer() {
        for (beads, milliseconds) in [(34, 50), (24_000, 96), (192_000, 768), (10_000_000, 4_000)] {
            assert_eq!(slice_of(beads), Duration::from_millis(milliseconds));
        }
    }

    #[test]
    fn the_first_launch_with_a_larger_member_is_short() {
        let first = |beads: &[usize]| steps_for(MOST_STEPS, 0, beads);
        assert_eq!(first(&[34; 10]), FIRST_STEPS);
        assert_eq!(first(&[34; 4_000]), FIRST_STEPS);
        assert_eq!(first(&[89; 4_096]), 400_000_000 / (89 * 4_096));
        assert_eq!(first(&[7_000]), 57);
        // The first launch is as short if the largest member is among smaller ones.
        assert_eq!(first(&[34, 7_000, 89]), 57);
        assert_eq!(first(&[500_000]), FIRST_STEPS_AT_LEAST);

        // The learnt number of steps holds for members that are not larger.
        assert_eq!(steps_for(25_000, 89, &[34, 89]), 25_000);
        assert_eq!(steps_for(25_000, 89, &[34, 7_000]), 57);
        assert_eq!(steps_for(20, 89, &[34, 7_000]), 20);
        // After smaller members, a large one has a short launch again, even if an earlier launch had such a member.
        let mut launch = (MOST_STEPS, 0);
        for (beads, steps) in [([7_000, 34], 57), ([34, 34], 57), ([34, 7_000], 57)] {
            let made = steps_for(launch.0, launch.1, &beads);
            assert_eq!(made, steps, "{beads:?}");
            launch = (if beads == [34, 34] { 1 << 20 } else { made }, largest_of(&beads));
        }
    }
}
