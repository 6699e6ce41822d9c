//! One timed run: makes the same run as `beadwork run`, into a folder of its own, and reads its files back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use beadwork_analysis::table::read_csv;
use beadwork_cpu::{PeriodicBox, reference};
use beadwork_engine::{Control, Devices, Ending, Forms, MemberPlan, Plan, Progress};
use beadwork_io::{RunFolder, TrajectoryFormat, frames};
use beadwork_model::made_systems::one_stage;
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Dynamics, Generator, System, Units};

use super::Workload;
use crate::statistics::largest;
use crate::timing::{Aim, Calibration, Time, calibrate};
use crate::{Error, SEED};

/// The folder of the runs, and the flag that stops them.
#[derive(Debug)]
pub struct Site {
    pub folder: tempfile::TempDir,
    /// A signal sets it.
    pub interrupted: Arc<AtomicBool>,
}

impl Site {
    /// An error if a signal asks the benchmark to stop.
    pub fn go_on(&self) -> Result<(), Error> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

#[derive(Clone, Debug)]
pub struct Job {
    pub system: Arc<System>,
    /// A system for each trajectory, where they differ.
    pub systems: Vec<Arc<System>>,
    /// The start of each trajectory, Å; where there is none, that of its system.
    pub starts: Vec<Arc<Vec<[f64; 3]>>>,
    pub dynamics: Dynamics,
    pub generator: Generator,
    pub replicas: u64,
    pub threads: usize,
    pub devices: Devices,
    pub steps: u64,
    /// Steps between rows of the table, and between frames.
    pub every: u64,
    pub seed: u64,
}

/// Rows of one trajectory, and values computed from its frames.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub steps: Vec<u64>,
    /// Energy of all interactions, kcal/mol.
    pub energy: Vec<f64>,
    /// kB T, kcal/mol: of the velocities, or from displacements since the previous row; NaN where there is none.
    pub temperature: Vec<f64>,
    /// Of the frames that were evaluated, the mean over beads of F·F, (kcal/(mol Å))²; with velocities of F·F/m,
    /// kcal/(mol ps²).
    pub square_force: Vec<f64>,
    /// The largest difference of an energy in the table from that of its frame, as a part of the
    /// sum of the terms' magnitudes and kT a bead.
    pub energy_difference: f64,
    /// Positions one row after the start, Å.
    pub first_frame: Vec<[f64; 3]>,
    /// Positions at the end, Å.
    pub end: Vec<[f64; 3]>,
}

impl Record {
    /// The mean energy of the rows after a step.
    pub fn mean_energy_after(&self, step: u64) -> f64 {
        let rows = self.steps.iter().zip(&self.energy).filter(|(number, _)| **number > step);
        let rows: Vec<f64> = rows.map(|(_, energy)| *energy).collect();
        rows.iter().sum::<f64>() / rows.len() as f64
    }
}

/// The most beads of frames that are evaluated of one run: more would take longer than the run.
const EVALUATED_BEADS: usize = 400_000;

impl Job {
    /// A workload on the processor with this many trajectories and threads. Its steps are set later.
    pub fn new(workload: &Workload, generator: Generator, replicas: u64, threads: usize) -> Job {
        let Workload { system, systems, dynamics, .. } = workload.clone();
        let devices = Devices::Cpu;
        let (starts, steps, every, seed) = (Vec::new(), 0, 1, SEED);
        Job {
            system,
            systems,
            starts,
            dynamics,
            generator,
            replicas,
            threads,
            devices,
            steps,
            every,
            seed,
        }
    }

    /// The engine's plan of the run.
    pub fn plan(&self) -> Plan {
        let protocol = |system: &System| {
            let (dynamics, beads) = (self.dynamics.clone(), system.beads());
            Arc::new(one_stage(dynamics, self.generator, self.seed, self.steps, beads))
        };
        // Trajectories of one system share its protocol, and are stepped together.
        let shared = protocol(&self.system);
        let member = |replica| {
            let system = self.system_of(replica).clone();
            let start = self.start_of(replica);
            let protocol = match self.systems.is_empty() {
                true => shared.clone(),
                false => protocol(&system),
            };
            MemberPlan { system, protocol, replica, start, velocities: None, exchange: None }
        };
        Plan {
            members: (0..self.replicas).map(member).collect(),
            table_every: self.every,
            trajectory: Some((self.every, TrajectoryFormat::Dcd.into())),
            checkpoint_seconds: 60.0,
            stop_on_failure: true,
            fingerprint: "bench".to_string(),
        }
    }

    /// The beads of a trajectory, on average.
    pub fn mean_beads(&self) -> f64 {
        let beads = (0..self.replicas).map(|replica| self.system_of(replica).beads());
        beads.sum::<usize>() as f64 / self.replicas as f64
    }

    /// The system of a trajectory.
    pub fn system_of(&self, replica: u64) -> &Arc<System> {
        self.systems.get(replica as usize).unwrap_or(&self.system)
    }

    /// The start of a trajectory, Å.
    pub fn start_of(&self, replica: u64) -> Arc<Vec<[f64; 3]>> {
        let own = self.starts.get(replica as usize).cloned();
        own.unwrap_or_else(|| Arc::new(self.system_of(replica).particles.positions.clone()))
    }

    /// Makes this many steps of each trajectory, and takes their ends as the starts of all later runs. The one shape from
    /// which they begin has not the mean energy, which the checks of many trajectories would notice.
    pub fn relax(&mut self, steps: u64, site: &Site) -> Result<(), Error> {
        let run = Job { steps, every: steps, ..self.clone() };
        let (_, folder) = run.run(site)?;
        let ends = (0..self.replicas as usize).map(|member| run.read(&folder, member, usize::MAX));
        self.starts = ends.map(|record| Ok(Arc::new(record?.end))).collect::<Result<_, Error>>()?;
        Ok(())
    }

    /// Runs the job and times it, until tables, trajectories and checkpoints are on the disk.
    fn run(&self, site: &Site) -> Result<(Time, RunFolder), Error> {
        let root = site.folder.path().join("run");
        // Removes the folder of the previous run; the first run has none.
        let _ = std::fs::remove_dir_all(&root);
        let plan = self.plan();
        let control = Control {
            devices: self.devices.clone(),
            forms: Forms::Usual,
            ..Control::on_processors(&site.interrupted, self.threads)
        };
        let work = || {
            let (folder, lock) = RunFolder::create(&root)?;
            let folder = folder.with_members(plan.members.len());
            let outcome = beadwork_engine::run(&folder, &plan, &control, &Progress::default())?;
            drop(lock);
            Ok((folder, outcome))
        };
        let ((folder, outcome), time) = Time::of(work)?;
        if let Some((_, message)) = outcome.failures().next() {
            return Err(Error::Unphysical(format!(
                "a trajectory became unphysical, so that its speed means nothing: {message}"
            )));
        }
        match outcome.ending {
            Ending::Finished => Ok((time, folder)),
            _ => Err(Error::Interrupted),
        }
    }

    /// Runs the job, times it, and reads its files.
    pub fn time(&self, site: &Site) -> Result<(Time, Vec<Record>), Error> {
        let (time, folder) = self.run(site)?;
        let rows = self.replicas * (self.steps / self.every + 1);
        let evaluated = (EVALUATED_BEADS / self.system.beads()).max(4) as u64;
        let stride = rows.div_ceil(2 * evaluated).max(1) as usize;
        let members = 0..self.replicas as usize;
        let records = members.map(|member| self.read(&folder, member, stride));
        Ok((time, records.collect::<Result<_, Error>>()?))
    }

    /// Rows and frames of one trajectory. In the second half, every `stride`-th frame is evaluated.
    fn read(&self, folder: &RunFolder, member: usize, stride: usize) -> Result<Record, Error> {
        let path = folder.table(member);
        let system = self.system_of(member as u64);
        let (table, units) = (read_csv(&path)?, system.units);
        let column = |name: &str| table.numbers(name);
        let mut record = Record {
            steps: column("step")?.iter().map(|step| *step as u64).collect(),
            energy: column(Observable::of_all_interactions(&self.dynamics).column_in(units))?,
            temperature: column(Observable::Temperature.column_in(units))?,
            ..Record::default()
        };
        if units == Units::Real {
            record.temperature.iter_mut().for_each(|kelvin| *kelvin *= BOLTZMANN);
        }
        let half = record.steps.len() / 2;
        let mut row = 0;
        let trajectory = folder.trajectory(member, TrajectoryFormat::Dcd);
        frames::read(&trajectory, TrajectoryFormat::Dcd, |frame| {
            let positions: Vec<[f64; 3]> =
                frame.as_chunks::<3>().0.iter().map(|position| position.map(f64::from)).collect();
            // The member's number shifts the choice, so that the members evaluate different rows.
            if row > half && (row + member).is_multiple_of(stride) {
                record.square_force.push(self.square_force(system, &positions));
                let terms = system.energies(&positions);
                let scale = terms.bonds.abs()
                    + terms.contacts.abs()
                    + terms.pairs.abs()
                    + self.dynamics.temperature * positions.len() as f64;
                let written = record.energy.get(row).copied().unwrap_or(f64::NAN);
                let difference = (written - terms.total()) / scale;
                record.energy_difference = largest([record.energy_difference, difference]);
            }
            if row == 1 {
                record.first_frame.clone_from(&positions);
            }
            row += 1;
            record.end = positions;
        })?;
        if row != record.steps.len() {
            return Err(Error::Machine(format!(
                "{} has {} rows and the trajectory {row} frames: they should be as many",
                path.display(),
                record.steps.len()
            )));
        }
        Ok(record)
    }
}

/// Steps between rows of a run of this many steps: 10,000 as in SOP-GPU's examples; but at least fifty rows if these
/// are 250 steps apart, and at least eight rows in any case.
pub fn rows_every(steps: u64) -> u64 {
    (steps / 50).clamp(250, 10_000).min((steps / 8).max(1))
}

/// Shorter runs mostly write rows and frames, which real runs do rarely.
const LEAST_STEPS: u64 = 2_000;

/// The number of steps nearest to `steps` that is a whole number of rows.
pub fn whole_rows(steps: u64) -> u64 {
    let every = rows_every(steps);
    (steps / every).max(1) * every
}

impl Job {
    /// See [`Record::square_force`]; by the reference path.
    fn square_force(&self, system: &Arc<System>, positions: &[[f64; 3]]) -> f64 {
        let mut forces = vec![[0.0; 3]; positions.len()];
        // A broken bond has no force to compare.
        let sides = PeriodicBox::<f64>::of(system);
        let coordinate = |&at: &[f64; 3]| sides.as_ref().map_or(at, |sides| sides.coordinate(at));
        let positions: Vec<[f64; 3]> = positions.iter().map(coordinate).collect();
        if reference::Forces::new(system, 0.0).evaluate(&positions, &mut forces).is_err() {
            return f64::NAN;
        }
        let weight = |mass: f64| match self.dynamics.integrator.has_velocities() {
            true => system.units.acceleration() / mass,
            false => 1.0,
        };
        let squares = forces.iter().map(|force| force.iter().map(|f| f * f).sum::<f64>());
        let weighted = squares.zip(system.masses(0..system.beads()));
        weighted.map(|(square, mass)| square * weight(mass)).sum::<f64>() / positions.len() as f64
    }

    /// Finds how many steps take about `seconds`; more if files and lists alone take a fifth of it.
    pub fn calibrated(&self, seconds: f64, site: &Site) -> Result<Calibration, Error> {
        let bead_steps = (self.system.particles.positions.len() as u64 * self.replicas).max(1);
        let first = (200_000 / bead_steps).max(40);
        let aim = Aim { seconds, fixed_part: 0.2, first, most: 1 << 40 };
        let mut calibration = calibrate(aim, |steps| {
            let trial = Job { steps, every: rows_every(steps), ..self.clone() };
            Ok(trial.run(site)?.0.wall)
        })?;
        calibration.rounds = two_digits(calibration.rounds).max(LEAST_STEPS);
        Ok(calibration)
    }
}

/// A round number, so that results can be repeated by hand.
pub fn two_digits(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_divide_the_run() {
        assert_eq!((rows_every(5), whole_rows(5)), (1, 5));
        assert_eq!((rows_every(400), whole_rows(400)), (50, 400));
        assert_eq!((rows_every(2_100), whole_rows(2_100)), (250, 2_000));
        assert_eq!((rows_every(10_010), whole_rows(10_010)), (250, 10_000));
        assert_eq!((rows_every(2_000_000), whole_rows(2_000_000)), (10_000, 2_000_000));
        assert_eq!(two_digits(98_765), 98_000);
        assert_eq!(two_digits(7), 7);
    }
}
