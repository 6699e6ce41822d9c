//! `beadwork resume`: continues a run.

use std::path::PathBuf;

use beadwork::running::open;
use clap::Args;

use super::carrying_out::run_to_end;
use super::failure::Failure;
use super::options::Limits;

const EXAMPLE: &str = "\
Example:
  beadwork resume runs/protein --threads 8 --max-time 45m";

/// Continue a run that was stopped.
///
/// Every member continues from its last checkpoint; tables and trajectories equal those of an uninterrupted run byte
/// for byte. A finished run is only analysed again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Resume {
    /// The run's folder.
    folder: PathBuf,
    /// Begin members anew whose checkpoints are gone. What they had written is dropped; others continue.
    #[arg(long)]
    from_start: bool,
    #[command(flatten)]
    pub limits: Limits,
}

impl Resume {
    pub fn run(self) -> Result<u8, Failure> {
        self.limits.start_threads()?;
        let session = open(&self.folder, self.from_start)?;
        let devices = session.devices(&self.limits.choice.device)?;
        run_to_end(&session, &self.limits, devices)
    }
}
