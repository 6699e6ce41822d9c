//! Compares the reference path with the timed path: both must have the same bits where they can, and the same mean
//! energy at the same steps from the same start.

use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::Ensemble;
use beadwork_engine::Devices;
use beadwork_model::made_systems::one_stage;
use beadwork_model::observables::Observable;
use beadwork_model::{Dynamics, Precision};

use rayon::prelude::*;

use super::job::{Job, Record, Site, two_digits};
use crate::members::unphysical;
use crate::statistics::{Check, Estimate, Spread, largest};
use crate::{Error, Stepper};

/// Trajectories of each path: with twenty, the error of a mean is known to a sixth.
const TRAJECTORIES: u64 = 20;
/// The most trajectories in one run of the timed path; more would use no further code.
const MOST_REPLICAS: u64 = 64;
/// Rows of each trajectory; those of the second half are averaged.
const ROWS: u64 = 40;
/// The most beads of a system that is compared with the reference path.
const MOST_BEADS: usize = 20_000;
/// The first of the seeds of these runs, whose noise thus differs from that of timed runs.
const OWN_SEED: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub steps: u64,
    pub every: u64,
}

impl Window {
    /// `total energy in steps 100 to 200`.
    pub fn quantity(&self) -> String {
        format!("total energy in steps {} to {}", self.steps / 2, self.steps)
    }
}

/// Mean energies over the second half of the window.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    pub window: Window,
    /// Energy of the timed path, kcal/mol.
    timed: Estimate,
    /// Energy of the reference path, kcal/mol.
    pub reference: Estimate,
}

impl Compared {
    pub fn check(&self) -> Check {
        let quantity = format!("{}, against the f64 reference path", self.window.quantity());
        Check::of_means(&quantity, self.timed, self.reference)
    }
}

/// Compares the path of `job` with the reference path, which gets about `seconds`; `None` if that is too little for
/// this system.
pub fn compare(job: &Job, seconds: f64, site: &Site) -> Result<Option<Compared>, Error> {
    if job.system.particles.positions.len() > MOST_BEADS {
        return Ok(None);
    }
    // Peers start from the system's own positions, so these runs do too.
    let job = &Job { starts: Vec::new(), ..job.clone() };
    let Some(window) = window(job, seconds)? else { return Ok(None) };
    let energies = (reference_energies(job, window, site)?, timed_energies(job, window, site)?);
    let (Some(reference), Some(timed)) = energies else { return Ok(None) };
    Ok(Some(Compared { window, timed, reference }))
}

/// A member of `job` on the reference path in the given precision.
fn member(job: &Job, precision: Precision, seed: u64, steps: u64, replica: u64) -> Member {
    let dynamics = Dynamics { precision, ..job.dynamics.clone() };
    let system = job.system_of(replica);
    let start = job.start_of(replica);
    let protocol = one_stage(dynamics, job.generator, seed, steps, start.len());
    Member::new(system.clone(), Arc::new(protocol), replica, &start).with_path(CpuPath::Reference)
}

/// Seconds of one step of the reference path, measured over a few steps.
fn seconds_per_step(job: &Job, seconds: f64) -> Result<f64, Error> {
    let mut probe = member(job, Precision::Double, job.seed, u64::MAX, 0);
    // The first step builds lists.
    probe.advance(2).map_err(unphysical)?;
    let began = Instant::now();
    let mut steps = 0;
    while steps < 1_000 && began.elapsed().as_secs_f64() < 0.02 * seconds {
        probe.advance(4).map_err(unphysical)?;
        steps += 4;
    }
    Ok(began.elapsed().as_secs_f64() / steps.max(1) as f64)
}

/// The longest window that all cores can step in this time.
fn window(job: &Job, seconds: f64) -> Result<Option<Window>, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let affordable =
        seconds * cores as f64 / (seconds_per_step(job, seconds)? * TRAJECTORIES as f64);
    let every = two_digits((affordable / ROWS as f64) as u64);
    // Bonds relax within ten steps of the start, so a shorter window would show nothing.
    Ok((every >= 2).then_some(Window { steps: every * ROWS, every }))
}

/// Steps a second of the first trajectory on a GPU without any output, in launches of about this many seconds: the median of
/// five. `None` on the CPU.
pub fn bare_rate(job: &Job, seconds: f64) -> Result<Option<Spread>, Error> {
    let Devices::Cuda(cards) = &job.devices else { return Ok(None) };
    let Some(card) = cards.first() else { return Ok(None) };
    let mut stepper = Stepper::Card(Ensemble::new(card)?.into());
    let mut one = [member(job, job.dynamics.precision, job.seed, u64::MAX, 0)];
    let mut steps = 50;
    let mut timed = |steps: u64| -> Result<f64, Error> {
        let began = Instant::now();
        stepper.advance(&mut one, steps)?;
        Ok(steps as f64 / began.elapsed().as_secs_f64())
    };
    // The first launch compiles; then the steps grow until the copies before and after them cost little.
    timed(steps)?;
    loop {
        let rate = timed(steps)?;
        let enough = (rate * seconds) as u64;
        if enough < 2 * steps || steps > 1 << 28 {
            break;
        }
        steps = enough.min(16 * steps);
    }
    let rates: Result<Vec<f64>, Error> = (0..5).map(|_| timed(steps)).collect();
    Ok(Some(Spread::of(rates?)))
}

/// Compares the first frames of the first and the last trajectory of the last repeat, to the last bit of a frame, with the same
/// trajectories stepped alone: on the CPU by the reference path in the same precision, on a GPU, whose bits differ, by
/// the card. Returns the reason if they cannot be compared.
pub fn same_bits(
    job: &Job,
    records: &[Record],
    seconds: f64,
) -> Result<Result<Check, String>, Error> {
    let (mut stepper, what) = match &job.devices {
        Devices::Cuda(cards) => {
            let Some(card) = cards.first() else { return Ok(Err("no GPU".to_string())) };
            (Stepper::Card(Ensemble::new(card)?.into()), "the trajectory alone on the GPU")
        }
        Devices::Cpu => {
            let is_large = job.system.particles.positions.len() > MOST_BEADS;
            if is_large || seconds_per_step(job, seconds)? * 2.0 * job.every as f64 > seconds {
                let reason = "too many beads or too little time";
                return Ok(Err(format!("beads not compared with the reference path's: {reason}")));
            }
            (Stepper::Cpu, "the reference path")
        }
    };
    let last_repeat = records.len().saturating_sub(job.replicas as usize);
    let mut worst = 0.0_f64;
    for replica in [0, job.replicas - 1] {
        let mut alone = [member(job, job.dynamics.precision, job.seed, job.every, replica)];
        stepper.advance(&mut alone, job.every)?;
        let expected = alone[0].positions();
        let found = &records[last_repeat + replica as usize].first_frame;
        let pairs = expected.iter().flatten().zip(found.iter().flatten());
        let missing = if found.len() == expected.len() { 0.0 } else { f64::NAN };
        // A frame rounds positions to single precision: those in a box, and in double precision, have more digits.
        let differences = pairs.map(|(&expected, found)| f64::from(expected as f32) - found);
        worst = largest(differences.chain([worst, missing]));
    }
    let quantity =
        format!("beads after {} step(s), against {what}: largest difference, A", job.every);
    Ok(Ok(Check::of_difference(&quantity, worst, 0.0)))
}

/// The mean of the rows in the window's second half, over the trajectories of the reference path.
fn reference_energies(job: &Job, window: Window, site: &Site) -> Result<Option<Estimate>, Error> {
    let one = |replica: u64| -> Result<f64, Error> {
        let seed = job.seed + OWN_SEED;
        let mut member = member(job, Precision::Double, seed, window.steps, replica);
        let mut rows = Vec::new();
        while member.remaining() > 0 {
            site.go_on()?;
            member.advance(window.every).map_err(unphysical)?;
            if member.step_number() > window.steps / 2 {
                let row = member.observe().map_err(unphysical)?;
                rows.push(
                    row.get(Observable::of_all_interactions(&job.dynamics)).unwrap_or(f64::NAN),
                );
            }
        }
        Ok(rows.iter().sum::<f64>() / rows.len() as f64)
    };
    let means: Result<Vec<f64>, Error> = (0..TRAJECTORIES).into_par_iter().map(one).collect();
    Ok(Estimate::of(&means?))
}

/// The mean of the same rows on the timed path, in runs with the same numbers of members and threads.
fn timed_energies(job: &Job, window: Window, site: &Site) -> Result<Option<Estimate>, Error> {
    let mut means = Vec::new();
    let mut job = Job {
        replicas: job.replicas.min(MOST_REPLICAS),
        steps: window.steps,
        every: window.every,
        seed: job.seed + OWN_SEED,
        ..job.clone()
    };
    while (means.len() as u64) < TRAJECTORIES {
        job.seed += 1;
        let (_, records) = job.time(site)?;
        means.extend(records.iter().map(|record| record.mean_energy_after(window.steps / 2)));
    }
    Ok(Estimate::of(&means))
}
