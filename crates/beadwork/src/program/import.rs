//! `beadwork import`: inputs of other programs.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::output::{remark, say, write_new};

const EXAMPLE: &str = "\
Examples:
  beadwork import pull.sop --output pull.toml
  beadwork import melt.data --output melt.toml";

/// Endings of files whose beads an input takes as they are.
const BEADS: [&str; 8] = ["xyz", "extxyz", "gsd", "pdb", "ent", "csv", "cif", "mmcif"];

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
        let ending = self.file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if BEADS.contains(&ending.as_str()) && self.file.is_file() {
            let file = self.file.display().to_string();
            return Err(Failure::input(format!(
                "{file} is no input of another program: import reads configurations of SOP-GPU and LAMMPS data files (.data, .lmp, .lammps), and start = {file:?} in [system] reads the beads of this file"
            )));
        }
        let imported = match ending.as_str() {
            "data" | "lmp" | "lammps" => {
                beadwork::input::import_lammps(&self.file, self.output.as_deref())?
            }
            _ => beadwork::input::import_sop_gpu(&self.file)?,
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
