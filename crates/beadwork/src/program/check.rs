//! `beadwork check`: explains an input without running it.

use std::path::{Path, PathBuf};

use beadwork::check::Explanation;
use beadwork::input::{Request, contact_list};
use clap::Args;

use super::failure::{Failure, UNPHYSICAL};
use super::options::{DeviceChoice, Overrides};
use super::output::{refuse_dash, remark, say, say_json, write_new};
use super::threads::{threads_or_cores, use_threads};

const EXAMPLE: &str = "\
Examples:
  beadwork check protein.toml --set pull.speed=\"1 um/s\"
  beadwork check protein.toml --contacts contacts.csv";

/// Explain an input without running it.
///
/// Counts beads, bonds and contacts, lists what each selection matched, compares the time step with the stiffest bond
/// and the chain's drag with the forces of interest, and estimates the duration from stepping some members for a
/// moment. A run that fails in its first steps is named at the top, and the exit code is 3, as that of the run.
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
    /// Write the native contacts with their lengths and energies into a new CSV file, which `contacts = { file = … }`
    /// reads.
    #[arg(long, value_name = "FILE")]
    contacts: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub json: bool,
}

impl Check {
    pub fn run(self) -> Result<u8, Failure> {
        let threads = threads_or_cores(self.threads);
        use_threads(threads)?;
        let request = beadwork::input::load(&self.input, &self.overrides.parse()?)?;
        let explained = Explanation::of(&request, &self.choice.device, threads)?;
        if let Some(file) = &self.contacts {
            write_contacts(&request, file)?;
        }
        if let Some(notice) = &explained.notice {
            remark(&format!("note: {notice}"));
        }
        match self.json {
            true => say_json(&explained.as_json())?,
            false => say(&explained.in_words())?,
        }
        Ok(if explained.failure.is_some() { UNPHYSICAL } else { 0 })
    }
}

/// Writes the list of native contacts, which all points must share.
fn write_contacts(request: &Request, file: &Path) -> Result<(), Failure> {
    let mut lists = request.points.iter().map(|point| contact_list(&point.system));
    let Some(list) = lists.next().flatten() else {
        let problem = "--contacts: the system has no native contacts to list: leave the option out";
        return Err(Failure::input(problem.to_string()));
    };
    if lists.any(|other| other.as_ref() != Some(&list)) {
        let problem = "--contacts: the points of the sweep have different contacts, and a list is of one: leave the swept keys of [system] out of [ensemble.sweep], and give them by --set";
        return Err(Failure::input(problem.to_string()));
    }
    refuse_dash(file, "give another name")?;
    write_new(file, &list)?;
    remark(&format!("wrote {} contact(s) to {}", list.lines().count() - 1, file.display()));
    Ok(())
}
