//! Potentials of single beads in a field.

mod harmonic_trap;

use std::fmt::Debug;

use beadwork_arithmetic::{Elementary, Lane};

pub use harmonic_trap::HarmonicTrap;

use super::Parameters;
use super::listed::Singles;
use super::terms::terms;

/// A potential of one bead.
pub trait SinglePotential<T: Lane>: Parameters<T> {
    /// Energy, kcal/mol, of a bead at `position`, Å.
    fn energy(&self, position: [T; 3]) -> T;

    /// Force, kcal/(mol Å), on a bead at `position`, Å.
    fn force(&self, position: [T; 3]) -> [T; 3];
}

/// A formula of one bead: the [`SinglePotential`] in f64, with its form in other number types.
pub trait SingleFormula: SinglePotential<f64> + Debug + PartialEq + Send + Sync + 'static {
    /// Its name in messages, and the name of its file for GPUs.
    const NAME: &'static str;
    /// Parameters for residues, with which tests and `beadwork doctor` step the formula
    /// ([`System::add_every_formula`](crate::System::add_every_formula)).
    const EXAMPLE: Self;

    /// The same formula in another number type.
    type In<T: Elementary>: SinglePotential<T> + Debug + Send + Sync;

    /// Å: the point to which the field belongs. In a box it acts on the image of the bead that is nearest to this point.
    fn anchor(&self) -> [f64; 3];

    /// k, kcal/(mol Å²), if it acts as a spring; it limits the time step.
    fn stiffness(&self) -> f64 {
        0.0
    }
}

terms! {
    /// A term of single beads: a formula with the list of beads that it acts on.
    SingleTerm of Singles, SingleFormula, visited by SingleVisitor, made by SingleMaker:
    HarmonicTrap,
}
