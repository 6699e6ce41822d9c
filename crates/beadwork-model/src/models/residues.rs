//! Proteins with a bead for each residue.

use crate::force_fields::residues::{ResidueModel, Solution};

/// The model that a system of residues was built by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residues {
    /// The parameters.
    pub model: ResidueModel,
    /// The water around the chains, where the model depends on it.
    pub solution: Solution,
}
