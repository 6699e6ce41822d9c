//! `beadwork import`: inputs of other programs.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::output::{remark, say, write_new};

const EXAMPLE: &str = "\
Examples:
  beadwork import pull.sop --output pull.toml
  beadwork import melt.data --output melt.toml";

/// Turn an input of SOP-GPU (`.sop`) or a data file of LAMMPS into an input of beadwork.
///
/// The ending of a name (`.data`, `.lmp`, `.lammps`), or else the content, tells data files of LAMMPS.
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
        let imported = beadwork::input::import(&self.file, self.output.as_deref())?;
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
