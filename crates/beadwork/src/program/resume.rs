//! `beadwork resume`: continues a run.

use std::path::{Path, PathBuf};

use beadwork::session::Session;
use clap::Args;

use super::Failure;
use super::run::{Limits, carry_out};

const EXAMPLE: &str = "\
Example:
  beadwork resume runs/protein --threads 8 --max-time 45m";

/// Opens a run to continue it; `from_start` allows members without their checkpoints to begin anew.
pub fn open(folder: &Path, from_start: bool) -> Result<Session, Failure> {
    Ok(match from_start {
        true => Session::open_from_start(folder)?,
        false => Session::open(folder)?,
    })
}

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
        carry_out(&session, &self.limits, devices)
    }
}
