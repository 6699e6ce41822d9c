//! The model that a system represents, with its own numbers and laws: one file for each.

mod elastic_polymer;
mod oscillators;
mod residues;

pub use elastic_polymer::{DIAMETER_PER_LENGTH, DIAMETERS_PER_CUTOFF, ElasticPolymer};
pub use oscillators::{Dimensions, Law, Oscillators};
pub use residues::Residues;

/// The model that a system represents. Inputs, reports and the program's text use it; all other code uses the contents
/// of the [`System`](crate::System).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Model {
    /// Molecules, by the Self-Organized Polymer model.
    #[default]
    Sop,
    /// Independent particles.
    Oscillators(Oscillators),
    /// One elastic, flexible chain, in reduced units.
    ElasticPolymer(ElasticPolymer),
    /// Proteins with a bead for each residue, in implicit water with salt.
    Residues(Residues),
    /// Beads with the interactions that the input lists.
    Beads,
}
