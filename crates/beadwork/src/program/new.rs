//! `beadwork new`: a commented input to begin with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::output::{remark, say, write_new};

const EXAMPLES: &str = "\
Examples:
  beadwork new sop protein.toml
  beadwork new indentation shell.toml
  beadwork new residues disordered.toml
  beadwork new dpd copolymer.toml
  beadwork new melt chains.toml
  beadwork new chain polymer.toml
  beadwork new fluid argon.toml
  beadwork new beads polymers.toml
  beadwork new elastic-polymer chain.toml";

/// Write a commented input for a model or a kind of system.
///
/// Each input runs as it stands: proteins and shells have a structure that is built in. Read it, put in what is yours, then run
/// `beadwork check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct New {
    /// The model: sop, a folded protein with a bead for each residue; indentation, the shell of a virus by the same model under
    /// the tip of an atomic force microscope; residues, disordered proteins in water with salt, by
    /// CALVADOS, HPS or Mpipi; beads, any bead model, open or periodic, and four kinds of it: dpd, block copolymers by
    /// dissipative particle dynamics, melt, chains of Kremer and Grest, chain, one of them in open space, fluid,
    /// Lennard-Jones beads; oscillators, independent
    /// particles; elastic-polymer, a chain that is sampled by Monte Carlo moves, its replicas exchanging temperatures.
    model: Model,
    /// The file to write; without one the input is printed.
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    Sop,
    Indentation,
    Residues,
    Beads,
    Dpd,
    Melt,
    Chain,
    Fluid,
    Oscillators,
    #[value(aliases = ["elastic_polymer", "polymer"])]
    ElasticPolymer,
}

impl New {
    pub fn run(self) -> Result<u8, Failure> {
        let template = match self.model {
            Model::Sop => beadwork::input::TEMPLATE_SOP,
            Model::Indentation => beadwork::input::TEMPLATE_INDENTATION,
            Model::Residues => beadwork::input::TEMPLATE_RESIDUES,
            Model::Beads => beadwork::input::TEMPLATE_BEADS,
            Model::Dpd => beadwork::input::TEMPLATE_DPD,
            Model::Melt => beadwork::input::TEMPLATE_MELT,
            Model::Chain => beadwork::input::TEMPLATE_CHAIN,
            Model::Fluid => beadwork::input::TEMPLATE_FLUID,
            Model::Oscillators => beadwork::input::TEMPLATE_OSCILLATORS,
            Model::ElasticPolymer => beadwork::input::TEMPLATE_ELASTIC_POLYMER,
        };
        let Some(file) = self.file else {
            say(template)?;
            return Ok(0);
        };
        write_new(&file, template)?;
        remark(&format!("wrote {}; then: beadwork check {}", file.display(), file.display()));
        Ok(0)
    }
}
