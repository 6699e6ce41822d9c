//! Formulas of potentials, one file each, ordered by shape.
//!
//! | shape | acts between | a formula sees |
//! |---|---|---|
//! | [`pair`] | all pairs within a cutoff, with parameters by the types of the two beads | the squared distance |
//! | [`bonded`] | listed pairs, each with parameters of its own | the squared distance |
//! | [`angle`] | listed triples | the cosine of the angle |
//! | [`single`] | single beads | the position |
//!
//! [`DpdThermostat`] is a pair formula that also sees velocities and the noise of the pair.
//!
//! A formula is a struct of numbers that is generic over [`Lane`](beadwork_arithmetic::Lane), so that f64, f32 and
//! vectors share one text. It does not depend on how a path stores beads or sums forces. A new formula is a file here,
//! a line in the list of its shape, and a file with a line for GPUs.

pub mod angle;
pub mod bonded;
mod dpd_thermostat;
pub(crate) mod listed;
pub mod pair;
mod parameters;
pub mod single;
mod terms;

pub use angle::{
    AngleFormula, AnglePotential, AngleTerm, CosineAngle, CosineSquaredAngle, HarmonicAngle,
};
pub use bonded::{BondedTerm, FeneBond, HarmonicBond, NativeContact, RepulsiveFeneBond};
pub use dpd_thermostat::{DpdThermostat, PairNoise, PairThermostat};
pub use pair::{
    AshbaughHatch, DebyeHuckel, DpdConservative, ForceShiftedLennardJones, LennardJones, Morse,
    PairFormula, PairPotential, PairTerm, SixthPowerRepulsion, WangFrenkel,
};
pub use parameters::{MOST_PARAMETERS, Parameters, convert, padded};
pub use single::{HarmonicTrap, SingleFormula, SinglePotential, SingleTerm};

/// What the energy of a term counts as; each kind has a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnergyKind {
    /// Bonds that hold molecules together.
    Bond,
    /// Attractions of a native structure.
    Contact,
    /// Angles between bonds.
    Angle,
    /// Pairs within a cutoff, except their charges.
    Pair,
    /// Charges of pairs within a cutoff.
    Charge,
    /// Single beads in a field.
    Single,
}
