//! `beadwork bench`: measures speed and checks the physics of the timed runs.

use beadwork_benchmarks::Benchmark;
use clap::Args;

use super::failure::Failure;
use super::output::say;
use super::threads::{threads_or_cores, use_threads};

const EXAMPLE: &str = "\
Examples:
  beadwork bench sop
  beadwork bench sop --workload ww --replicas 1,256 --threads 1 --peer openmm --python peers/bin/python
  beadwork bench sop --device cuda --replicas 1,1000
  beadwork bench dpd --beads 24000,240000 --device cuda
  beadwork bench melt --beads 8000 --threads 1
  beadwork bench fluid --beads 8000,64000
  beadwork bench growth --threads 1
  beadwork bench random --device cuda --generator philox4x32-10,hybrid-taus
  beadwork bench micro-streams --device cuda
  beadwork bench pair-streams --device cuda --beads 100000 --neighbours near
  beadwork bench oscillators --free --particles 10000,1000000 --device cuda
  beadwork bench polymer --monomers 55 --replicas 64";

/// Measure the speed of this machine, and check the physics of the timed runs.
///
/// A run that is timed writes the tables, trajectories and checkpoints that a user's run writes,
/// into a temporary folder. Energies and temperature of the same runs are checked, and the command
/// ends with 4 where a check fails.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Bench {
    #[command(subcommand)]
    benchmark: Benchmark,
}

impl Bench {
    pub fn run(self) -> Result<u8, Failure> {
        use_threads(threads_or_cores(None))?;
        let outcome = self.benchmark.run()?;
        say(&outcome.text)?;
        Ok(if outcome.holds { 0 } else { 4 })
    }
}
