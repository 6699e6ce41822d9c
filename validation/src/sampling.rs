//! Members that relax and are then looked at at equal distances of time, on either device.

use beadwork_benchmarks::Stepper;
use beadwork_cpu::Member;
use beadwork_cuda::{Ensemble, Job, sample_bytes};
use beadwork_simulation::SamplePoint;
use rayon::prelude::*;

use crate::Failure;
use crate::backend::Backend;

/// The most bytes of samples that a launch brings, and the most samples of a member.
const MOST_BYTES: usize = 1 << 28;
const MOST_POINTS: usize = 256;

/// When members are sampled.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// The time before the first interval.
    pub relaxation: f64,
    /// The time between samples; a member makes the nearest whole number of steps.
    pub apart: f64,
    /// The number of samples.
    pub count: usize,
}

impl Sampling {
    /// Samples over this time.
    pub fn over(time: f64, relaxation: f64, apart: f64) -> Sampling {
        Sampling { relaxation, apart, count: (time / apart).round() as usize }
    }
}

impl Backend {
    /// Begins `count` members, and calls `visit` at each sample with what it has found of the member so far. Returns what was
    /// found of each member, in order.
    pub fn sample<S: Default + Send>(
        &self,
        count: usize,
        sampling: Sampling,
        begin: impl Fn(u64) -> Result<Member, Failure> + Sync,
        visit: impl Fn(&mut S, &mut Member) -> Result<(), Failure> + Sync,
    ) -> Result<Vec<S>, Failure> {
        self.map(count, |numbers, stepper| {
            let mut members: Vec<Member> =
                numbers.into_par_iter().map(&begin).collect::<Result<_, Failure>>()?;
            let mut found: Vec<S> = members.iter().map(|_| S::default()).collect();
            let relax = steps_of(sampling.relaxation);
            visit_points(stepper, &mut members, &mut found, relax, 1, |_, _| Ok(()))?;
            let apart = steps_of(sampling.apart);
            visit_points(stepper, &mut members, &mut found, apart, sampling.count, &visit)?;
            Ok(found)
        })
    }
}

/// The steps of a member in this time.
fn steps_of(time: f64) -> impl Fn(&Member) -> u32 + Sync {
    move |member| (time / member.protocol().dynamics.timestep).round() as u32
}

fn visit_points<S: Send>(
    stepper: &mut Stepper,
    members: &mut [Member],
    found: &mut [S],
    steps: impl Fn(&Member) -> u32,
    count: usize,
    visit: impl Fn(&mut S, &mut Member) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let ensemble = match stepper {
        Stepper::Card(ensemble) => ensemble,
        Stepper::Cpu => {
            for (member, found) in members.iter_mut().zip(found) {
                for _ in 0..count {
                    member.advance(steps(member).into()).map_err(|error| format!("{error:?}"))?;
                    visit(found, member)?;
                }
            }
            return Ok(());
        }
    };
    let bytes = |member: &Member| sample_bytes(member.system(), member.protocol());
    let at_once = MOST_BYTES / members.iter().map(bytes).sum::<usize>().max(1);
    let mut left = count;
    while left > 0 {
        let now = at_once.clamp(1, MOST_POINTS).min(left);
        launch(ensemble, members, found, (&steps, now), &visit)?;
        left -= now;
    }
    Ok(())
}

/// Steps members to the next `count` points in one launch.
fn launch<S: Send>(
    ensemble: &mut Ensemble,
    members: &mut [Member],
    found: &mut [S],
    (steps, count): (&impl Fn(&Member) -> u32, usize),
    visit: &(impl Fn(&mut S, &mut Member) -> Result<(), Failure> + Sync),
) -> Result<(), Failure> {
    let points: Vec<Vec<SamplePoint>> = members
        .iter()
        .map(|member| vec![SamplePoint { steps: steps(member), row: true }; count])
        .collect();
    let jobs: Vec<Job<'_>> =
        members.iter().zip(&points).map(|(member, points)| Job { member, points }).collect();
    let results = ensemble.advance(&jobs)?;
    members.par_iter_mut().zip(found).zip(&results).try_for_each(|((member, found), result)| {
        for number in 0..result.samples() {
            result.bring(number, member)?;
            visit(found, member)?;
        }
        match result.fail(member)? {
            Some(failure) => Err(format!("{failure:?}").into()),
            None => Ok(()),
        }
    })
}
