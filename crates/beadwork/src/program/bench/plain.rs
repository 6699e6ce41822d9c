//! The plain f64 path beside the path that was timed: both must have the same mean energy at the
//! same steps from the same start.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use beadwork::cpu::{CpuPath, Member};
use beadwork::cuda::{self, Device, Ensemble};
use beadwork::model::observables::Observable;
use beadwork::model::{Precision, Protocol};
use beadwork::simulation::SamplePoint;

use super::checks::{Check, Estimate};
use super::measure::{Job, Record, Scratch, stage, two_digits};
use crate::program::Failure;

/// Trajectories on either side: an error of a mean is known to a sixth of itself with twenty.
const TRAJECTORIES: u64 = 20;
/// Trajectories of one run of the timed path: more share no other code.
const MOST_REPLICAS: u64 = 64;
/// Rows of each trajectory; those of the second half are averaged.
const ROWS: u64 = 40;
/// Beads beyond which the reference path, which looks at all pairs, is not asked.
const MOST_BEADS: usize = 20_000;
/// So that none of these runs has the noise of a timed one.
const OWN_SEED: u64 = 1 << 20;

/// How the comparison is made.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Steps of each trajectory.
    pub steps: u64,
    /// Steps between rows.
    pub every: u64,
}

/// Mean energies over the second half of the window.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Where they were taken.
    pub window: Window,
    /// Of the path that was timed, kcal/mol.
    pub timed: Estimate,
    /// Of the reference path, kcal/mol.
    pub plain: Estimate,
}

impl Compared {
    /// Whether they agree.
    pub fn check(&self) -> Check {
        let (first, last) = (self.window.steps / 2, self.window.steps);
        let quantity =
            format!("total energy in steps {first} to {last}, against the plain f64 path");
        Check::of_means(&quantity, self.timed, self.plain)
    }
}

/// Compares the path that `job` takes with the plain one, which gets about `seconds` for it;
/// `None` where that is too little for this system.
pub fn compare(
    job: &Job,
    seconds: f64,
    scratch: &Scratch,
    interrupted: &AtomicBool,
) -> Result<Option<Compared>, Failure> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    if job.system.particles.positions.len() > MOST_BEADS {
        return Ok(None);
    }
    let Some(window) = window(job, seconds, workers)? else { return Ok(None) };
    let (Some(plain), Some(timed)) = (
        plain_energies(job, window, workers, interrupted)?,
        timed_energies(job, window, scratch, interrupted)?,
    ) else {
        return Ok(None);
    };
    Ok(Some(Compared { window, timed, plain }))
}

/// A member of `job` on the reference path, in the precision asked for.
fn member(job: &Job, precision: Precision, seed: u64, steps: u64, replica: u64) -> Member {
    let mut dynamics = job.dynamics.clone();
    dynamics.precision = precision;
    let protocol = Protocol {
        dynamics,
        stages: vec![stage(steps)],
        ends: (vec![0], vec![1]),
        seed,
        randomness: job.generator.into(),
    };
    let start = &job.system.particles.positions;
    Member::new(job.system.clone(), Arc::new(protocol), replica, start)
        .with_path(CpuPath::Reference)
}

fn advance(member: &mut Member, steps: u64) -> Result<(), Failure> {
    member.advance(steps).map(|_| ()).map_err(|failure| {
        Failure::unphysical(format!(
            "the plain f64 path became unphysical at step {}: {:?}",
            failure.step, failure.error
        ))
    })
}

/// Seconds of one step of the reference path, measured with a few.
fn seconds_per_step(job: &Job, seconds: f64) -> Result<f64, Failure> {
    let mut probe = member(job, Precision::Double, job.seed, u64::MAX, 0);
    // The first step builds lists.
    advance(&mut probe, 2)?;
    let began = Instant::now();
    let mut steps = 0;
    while steps < 1_000 && began.elapsed().as_secs_f64() < 0.02 * seconds {
        advance(&mut probe, 4)?;
        steps += 4;
    }
    Ok(began.elapsed().as_secs_f64() / steps.max(1) as f64)
}

/// As many steps as the time allows.
fn window(job: &Job, seconds: f64, workers: usize) -> Result<Option<Window>, Failure> {
    let step = seconds_per_step(job, seconds)?;
    let affordable = seconds * workers as f64 / (step * TRAJECTORIES as f64);
    let every = two_digits((affordable / ROWS as f64) as u64);
    // Bonds relax within ten steps of the start: below that there is nothing to see.
    let window = Window { steps: every * ROWS, every };
    Ok((window.steps >= 2 * ROWS).then_some(window))
}

/// Whether the beads of the first and the last trajectory of the last repeat are, at their first
/// frame, where the reference path in the same precision has them: to the bit, as beadwork promises.
/// `None` where the frames round or the reference path takes longer than `seconds`.
pub fn same_bits(job: &Job, records: &[Record], seconds: f64) -> Result<Option<Check>, Failure> {
    if job.dynamics.precision != Precision::Single
        || job.system.particles.positions.len() > MOST_BEADS
    {
        return Ok(None);
    }
    if seconds_per_step(job, seconds)? * 2.0 * job.every as f64 > seconds {
        return Ok(None);
    }
    let worst = largest_difference(job, records, |member| advance(member, job.every))?;
    let quantity = format!(
        "beads after {} step(s), against the reference path: largest difference, A",
        job.every
    );
    Ok(Some(Check::of_numbers(&quantity, worst, 0.0, 1.0, 0.0)))
}

/// The same for a GPU, whose bits are its own: whether the beads are where the card has them when it steps the
/// trajectory alone.
pub fn same_bits_alone(job: &Job, records: &[Record], card: &Device) -> Result<Check, Failure> {
    let mut ensemble = Ensemble::new(card).map_err(beadwork::Error::from)?;
    let points = [SamplePoint { steps: job.every as u32, row: true }];
    let worst = largest_difference(job, records, |member| {
        let flown =
            ensemble.advance(&[cuda::Job { member, points: &points }]).and_then(|results| {
                match results.first() {
                    Some(result) if result.samples() > 0 => result.bring(0, member),
                    // The timed run, which is to be the same, did not fail.
                    _ => Err(cuda::Error::Corrupt { what: "a failure".to_string() }),
                }
            });
        flown.map_err(beadwork::Error::from)?;
        Ok(())
    })?;
    let quantity = format!(
        "beads after {} step(s), against the trajectory alone on the GPU: largest difference, A",
        job.every
    );
    Ok(Check::of_numbers(&quantity, worst, 0.0, 1.0, 0.0))
}

/// How far the beads of the first and the last trajectory of the last repeat are, at their first frame, from where
/// `advance` brings them.
fn largest_difference(
    job: &Job,
    records: &[Record],
    mut advance: impl FnMut(&mut Member) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let last_repeat = records.len().saturating_sub(job.replicas as usize);
    let mut worst = 0.0_f64;
    for replica in [0, job.replicas - 1] {
        let Some(record) = records.get(last_repeat + replica as usize) else {
            return Ok(f64::NAN);
        };
        let mut member = member(job, Precision::Single, job.seed, job.every, replica);
        advance(&mut member)?;
        let expected = member.positions();
        if expected.len() != record.first_frame.len() {
            worst = f64::NAN;
        }
        for (expected, timed) in expected.iter().zip(&record.first_frame) {
            for axis in 0..3 {
                worst = super::largest(worst, expected[axis] - timed[axis]);
            }
        }
    }
    Ok(worst)
}

fn plain_energies(
    job: &Job,
    window: Window,
    workers: usize,
    interrupted: &AtomicBool,
) -> Result<Option<Estimate>, Failure> {
    let queue = AtomicUsize::new(0);
    let means = Mutex::new(Vec::new());
    let failure = Mutex::new(None);
    let one = |replica: u64| -> Result<f64, Failure> {
        let seed = job.seed + OWN_SEED;
        let mut member = member(job, Precision::Double, seed, window.steps, replica);
        let mut sum = 0.0;
        let mut rows = 0.0;
        while member.remaining() > 0 {
            if interrupted.load(Ordering::Relaxed) {
                return Err(Failure::interrupted("interrupted; nothing was kept".to_string()));
            }
            advance(&mut member, window.every)?;
            if member.step_number() > window.steps / 2 {
                let row = member.observe().map_err(|failure| {
                    Failure::unphysical(format!("the plain f64 path: {:?}", failure.error))
                })?;
                sum += row.get(Observable::TotalEnergy).unwrap_or(f64::NAN);
                rows += 1.0;
            }
        }
        Ok(sum / rows)
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let replica = queue.fetch_add(1, Ordering::Relaxed) as u64;
                    if replica >= TRAJECTORIES {
                        break;
                    }
                    match one(replica) {
                        Ok(mean) => {
                            if let Ok(mut means) = means.lock() {
                                means.push(mean);
                            }
                        }
                        Err(error) => {
                            if let Ok(mut failure) = failure.lock() {
                                failure.get_or_insert(error);
                            }
                            break;
                        }
                    }
                }
            });
        }
    });
    if let Ok(Some(failure)) = failure.into_inner() {
        return Err(failure);
    }
    Ok(Estimate::of(&means.into_inner().unwrap_or_default()))
}

/// Means of the same rows by the path that is timed, in runs of the same shape.
fn timed_energies(
    job: &Job,
    window: Window,
    scratch: &Scratch,
    interrupted: &AtomicBool,
) -> Result<Option<Estimate>, Failure> {
    let mut means = Vec::new();
    let mut run = 1;
    while (means.len() as u64) < TRAJECTORIES {
        let job = Job {
            replicas: job.replicas.min(MOST_REPLICAS),
            steps: window.steps,
            every: window.every,
            seed: job.seed + OWN_SEED + run,
            ..job.clone()
        };
        for record in job.time(scratch, interrupted)?.records {
            let rows: Vec<f64> = record
                .steps
                .iter()
                .zip(&record.energy)
                .filter_map(|(step, energy)| (*step > window.steps / 2).then_some(*energy))
                .collect();
            means.push(rows.iter().sum::<f64>() / rows.len() as f64);
        }
        run += 1;
    }
    Ok(Estimate::of(&means))
}
