//! `beadwork import`: inputs of other programs.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::output::{remark, say, write_new};

const EXAMPLE: &str = "\
Examples:
  beadwork import pull.sop --output pull.toml
  beadwork import melt.data --output melt.toml";

/// Turn an input of SOP-GPU (`.sop`) or a data file of LAMMPS (`.data`, `.lmp`, `.lammps`) into an input of beadwork.
///
/// Notes on standard error name what cannot be imported.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Import {
    /// The input of the other program.
    file: PathBuf,
    /// The file to write; without it the input is printed.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

impl Import {
    pub fn run(self) -> Result<u8, Failure> {
        let ending = self.file.extension().map(|ending| ending.to_ascii_lowercase());
        let is_data = ending
            .is_some_and(|ending| ["data", "lmp", "lammps"].iter().any(|known| ending == *known));
        let imported = match is_data {
            true => beadwork::input::import_lammps(&self.file)?,
            false => beadwork::input::import_sop_gpu(&self.file)?,
        };
        for note in &imported.notes {
            remark(&format!("note: {note}"));
        }
        match self.output {
            None => say(&imported.toml)?,
            Some(file) => {
                write_new(&file, &imported.toml)?;
                remark(&format!(
                    "wrote {}; then: beadwork check {}",
                    file.display(),
                    file.display()
                ));
            }
        }
        Ok(0)
    }
}
