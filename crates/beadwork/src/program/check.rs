//! `beadwork check`: explains an input without running it.

mod beads;
mod chains;
mod dynamics;
mod json;
mod memory;
mod pace;
mod stages;
mod stepping;
mod systems;
mod warnings;
mod words;

use std::path::PathBuf;

use beadwork::engine::{CpuAssignment, Devices, GpuAssignment};
use beadwork::part::Part;
use beadwork::session::{plan, refuse_what_files_cannot_hold, refuse_what_is_not_built_in};
use clap::Args;

use super::failure::Failure;
use super::options::{DeviceChoice, Overrides};
use super::output::{remark, say, say_json};
use super::threads::{threads_or_cores, use_threads};
use stepping::Stepping;

const EXAMPLE: &str = "\
Example:
  beadwork check protein.toml --set pull.speed=\"1 um/s\"";

/// Explain an input without running it.
///
/// Counts beads, bonds and contacts, lists what each selection matched, compares the time step with the stiffest bond
/// and the chain's drag with the forces of interest, and estimates the duration from stepping some members for a
/// moment.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Check {
    /// The input.
    input: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    choice: DeviceChoice,
    /// Threads that the run will have; by default as many as the machine has cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub json: bool,
}

impl Check {
    pub fn run(self) -> Result<u8, Failure> {
        let threads = threads_or_cores(self.threads);
        use_threads(threads)?;
        let request = beadwork::input::load(&self.input, &self.overrides.parse()?)?;
        refuse_what_is_not_built_in(&request)?;
        refuse_what_files_cannot_hold(&request)?;
        let plan = plan(&request, &Part::whole(&request));
        let chosen = self.choice.device.for_plan(&plan, threads)?;
        if let Some(notice) = &chosen.notice {
            remark(&format!("note: {notice}"));
        }
        let members = plan.members.len();
        let (stepping, estimate) = match &chosen.devices {
            Devices::Cpu => {
                let assignment = CpuAssignment::of(&plan, members, threads);
                let stepping = Stepping::on_cpu(&assignment);
                (stepping, pace::on_cpu(&request, &plan, &assignment))
            }
            Devices::Cuda(cards) => {
                let assignment = GpuAssignment::new(cards, &plan, members, threads);
                let stepping = Stepping::on_gpus(&assignment);
                (stepping, pace::on_gpus(&cards[0], &plan, &assignment))
            }
        };
        if self.json {
            say_json(&json::as_json(&request, &stepping, &estimate))?;
        } else {
            say(&words::in_words(&request, &stepping, &estimate))?;
        }
        Ok(0)
    }
}
