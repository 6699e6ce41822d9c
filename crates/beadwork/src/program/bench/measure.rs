//! One timed run: what `beadwork run` does, into a folder of its own, and what is read back from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use beadwork::analysis::table::read_csv;
use beadwork::engine::{Control, Devices, Ending, MemberPlan, Plan, Progress};
use beadwork::io::{RunFolder, TrajectoryFormat};
use beadwork::model::observables::Observable;
use beadwork::model::units::BOLTZMANN;
use beadwork::model::{Dynamics, Generator, Protocol, Stage, StageKind, System};

use super::cells::evaluate;
use super::frames::Frames;
use super::machine::processor_seconds;
use crate::program::Failure;

/// A folder for runs that are read once; it goes when this goes.
#[derive(Debug)]
pub struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// A new folder in `parent`, which must be there: a name with a slip of the pen must not become
    /// a folder, maybe on another disk than the one to be measured.
    pub fn new(parent: &Path) -> Result<Scratch, Failure> {
        if !parent.is_dir() {
            return Err(Failure::input(format!(
                "there is no folder {}: make it, or name another place by --scratch",
                parent.display()
            )));
        }
        let root = parent.join(format!("beadwork-bench-{}", std::process::id()));
        std::fs::create_dir_all(&root).map_err(|error| {
            Failure::machine(format!(
                "the folder {} cannot be made: {error}; name another place by --scratch",
                root.display()
            ))
        })?;
        Ok(Scratch { root })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.root
    }

    fn clear(&self, name: &str) -> PathBuf {
        let folder = self.root.join(name);
        // Of the run before; nothing to remove at the first.
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Beads and what acts on them.
    pub system: Arc<System>,
    /// How they move.
    pub dynamics: Dynamics,
    /// The source of the noise.
    pub generator: Generator,
    /// Trajectories.
    pub replicas: u64,
    /// Threads that step them.
    pub threads: usize,
    /// What steps them.
    pub devices: Devices,
    /// Steps of each.
    pub steps: u64,
    /// Steps between rows of the table, and between frames.
    pub every: u64,
    /// The seed of all noise.
    pub seed: u64,
}

/// Rows of one trajectory, and what its frames say of them.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Step of each row.
    pub steps: Vec<u64>,
    /// Total energy, kcal/mol.
    pub energy: Vec<f64>,
    /// kB T from displacements since the row before, kcal/mol; NaN in the first row.
    pub temperature: Vec<f64>,
    /// Mean F·F over beads, (kcal/(mol Å))², of the frames that were evaluated.
    pub square_force: Vec<f64>,
    /// The largest difference of an energy in the table from that of its frame, as a part of the
    /// sum of the terms' magnitudes and kT a bead.
    pub energy_difference: f64,
    /// Where the beads were one row after the start, Å.
    pub first_frame: Vec<[f64; 3]>,
    /// Where the beads ended, Å.
    pub end: Vec<[f64; 3]>,
}

/// A run that was timed.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Wall time of the run with its files, s.
    pub seconds: f64,
    /// Processor time of all threads for it, s, where the system tells.
    pub processor_seconds: Option<f64>,
    /// One for each trajectory.
    pub records: Vec<Record>,
}

/// Beads of frames that are evaluated of one run at most: more would take longer than the run.
const EVALUATED_BEADS: usize = 400_000;

impl Job {
    /// The steps of all trajectories together.
    pub fn trajectory_steps(&self) -> u64 {
        self.steps * self.replicas
    }

    /// What the engine is asked for.
    pub fn plan(&self) -> Plan {
        let last = self.system.particles.positions.len().saturating_sub(1);
        let protocol = Arc::new(Protocol {
            dynamics: self.dynamics.clone(),
            stages: vec![stage(self.steps)],
            ends: (vec![0], vec![last]),
            seed: self.seed,
            randomness: self.generator.into(),
        });
        let start = Arc::new(self.system.particles.positions.clone());
        let member = |replica| MemberPlan {
            system: self.system.clone(),
            protocol: protocol.clone(),
            replica,
            start: start.clone(),
            exchange: None,
        };
        Plan {
            members: (0..self.replicas).map(member).collect(),
            table_every: self.every,
            trajectory: Some((self.every, TrajectoryFormat::Dcd)),
            checkpoint_seconds: 60.0,
            stop_on_failure: true,
            fingerprint: "bench".to_string(),
        }
    }

    /// Runs it and times it: tables, trajectories and checkpoints are written and on the disk.
    fn run(
        &self,
        scratch: &Scratch,
        interrupted: &AtomicBool,
    ) -> Result<(Timed, RunFolder), Failure> {
        let root = scratch.clear("run");
        let plan = self.plan();
        let progress = Progress::default();
        let (threads, devices) = (self.threads, self.devices.clone());
        let control = Control { interrupted, deadline: None, threads, devices };
        let processor = processor_seconds();
        let began = Instant::now();
        let (folder, lock) = RunFolder::create(&root)?;
        let folder = folder.with_members(plan.members.len());
        let outcome = beadwork::engine::run(&folder, &plan, &control, &progress)
            .map_err(beadwork::Error::from)?;
        let seconds = began.elapsed().as_secs_f64();
        let processor_seconds =
            processor.and_then(|before| processor_seconds().map(|after| after - before));
        let timed = Timed { seconds, processor_seconds, records: Vec::new() };
        drop(lock);
        if let Some((_, message)) = outcome.failures().next() {
            return Err(Failure::unphysical(format!(
                "a trajectory became unphysical, so that its speed means nothing: {message}"
            )));
        }
        match outcome.ending {
            Ending::Finished => Ok((timed, folder)),
            _ => Err(Failure::interrupted("interrupted; nothing was kept".to_string())),
        }
    }

    /// Runs it, times it, and reads back what it wrote.
    pub fn time(&self, scratch: &Scratch, interrupted: &AtomicBool) -> Result<Timed, Failure> {
        let (timed, folder) = self.run(scratch, interrupted)?;
        let rows = self.replicas * (self.steps / self.every + 1);
        let evaluated = (EVALUATED_BEADS / self.system.particles.positions.len()).max(4) as u64;
        let stride = rows.div_ceil(2 * evaluated).max(1) as usize;
        let records = (0..self.replicas as usize)
            .map(|member| self.read(&folder, member, stride))
            .collect::<Result<_, Failure>>()?;
        Ok(Timed { records, ..timed })
    }

    /// Rows and frames of one trajectory; of the frames of the second half each `stride`-th is
    /// evaluated.
    fn read(&self, folder: &RunFolder, member: usize, stride: usize) -> Result<Record, Failure> {
        let path = folder.table(member);
        let table = read_csv(&path).map_err(beadwork::Error::from)?;
        let column = |name: &str| table.numbers(name).map_err(beadwork::Error::from);
        let steps: Vec<u64> = column("step")?.iter().map(|step| *step as u64).collect();
        let energy = column(Observable::TotalEnergy.column())?;
        let temperature: Vec<f64> =
            column(Observable::Temperature.column())?.iter().map(|t| t * BOLTZMANN).collect();
        let mut record = Record { steps, energy, temperature, ..Record::default() };
        let beads = self.system.particles.positions.len();
        let mut frames = Frames::open(&folder.trajectory(member, TrajectoryFormat::Dcd), beads)?;
        let half = record.steps.len() / 2;
        let mut row = 0;
        while let Some(positions) = frames.next()? {
            // Counted over members, so that not all of a large ensemble leave out the same.
            if row > half && (row + member).is_multiple_of(stride) {
                let here = evaluate(&self.system, &positions);
                record.square_force.push(here.square_force);
                let terms = here.energies;
                let scale = terms.bonds.abs()
                    + terms.contacts.abs()
                    + terms.pairs.abs()
                    + self.dynamics.temperature * beads as f64;
                let written = record.energy.get(row).copied().unwrap_or(f64::NAN);
                let difference = (written - terms.total()).abs() / scale;
                // NaN must stay.
                if difference.is_nan() || difference > record.energy_difference {
                    record.energy_difference = difference;
                }
            }
            if row == 1 {
                record.first_frame.clone_from(&positions);
            }
            row += 1;
            record.end = positions;
        }
        if row != record.steps.len() {
            return Err(Failure::machine(format!(
                "{} has {} rows and the trajectory {row} frames: they should be as many",
                path.display(),
                record.steps.len()
            )));
        }
        Ok(record)
    }
}

/// A stage of plain dynamics.
pub fn stage(steps: u64) -> Stage {
    Stage {
        name: "bench".to_string(),
        kind: StageKind::Dynamics { steps },
        fixed: Vec::new(),
        drives: Vec::new(),
        stops: Vec::new(),
    }
}

/// Steps between rows of a run of so many steps: 10,000 as in SOP-GPU's examples, but at least
/// fifty rows, where this leaves 250 steps between them; at least eight rows in any case.
pub fn rows_every(steps: u64) -> u64 {
    (steps / 50).clamp(250, 10_000).min((steps / 8).max(1))
}

/// Fewer steps than these are mostly rows and frames, which real runs have far apart.
pub const LEAST_STEPS: u64 = 2_000;

/// The number of steps nearest to `steps` of which rows are a whole part.
pub fn whole_rows(steps: u64) -> u64 {
    let every = rows_every(steps);
    (steps / every).max(1) * every
}

/// How long runs of a job take.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// What a run takes without steps, s: folder, files, lists, checkpoints.
    pub fixed: f64,
    /// Steps of each trajectory for the time that was asked for.
    pub steps: u64,
}

/// Finds how many steps take about `seconds`, and longer where a run's fixed cost is so large that
/// little but it were measured: then five times that, up to ten times `seconds`.
pub fn calibrate(
    job: &Job,
    seconds: f64,
    scratch: &Scratch,
    interrupted: &AtomicBool,
) -> Result<Calibration, Failure> {
    let run = |steps: u64| -> Result<f64, Failure> {
        let trial = Job { steps, every: rows_every(steps), ..job.clone() };
        Ok(trial.run(scratch, interrupted)?.0.seconds)
    };
    if let Devices::Cuda(_) = job.devices {
        // Kernels are compiled.
        run(1)?;
    }
    let fixed = run(1)?;
    let wanted = seconds.max((5.0 * fixed).min(10.0 * seconds));
    let bead_steps = (job.system.particles.positions.len() as u64 * job.replicas).max(1);
    let mut steps = (200_000 / bead_steps).max(40);
    loop {
        let stepping = (run(steps)? - fixed).max(1e-4);
        let enough = steps as f64 * wanted / stepping;
        if stepping > 0.6 * wanted || enough <= steps as f64 {
            return Ok(Calibration { fixed, steps: two_digits(enough as u64).max(LEAST_STEPS) });
        }
        steps = (enough as u64).min(steps.saturating_mul(8)).max(steps + 1);
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
