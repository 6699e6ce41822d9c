//! Potentials between listed pairs of beads, each with parameters of its own.

mod elastic_network_spring;
mod fene_bond;
mod harmonic_bond;
mod native_contact;
mod repulsive_fene_bond;

pub use elastic_network_spring::ElasticNetworkSpring;
pub use fene_bond::FeneBond;
pub use harmonic_bond::HarmonicBond;
pub use native_contact::NativeContact;
pub use repulsive_fene_bond::RepulsiveFeneBond;

use super::pair::PairFormula;
use super::terms::terms;
use crate::system::Pairs;

terms! {
    /// A bonded term of a system: a formula with its list of pairs.
    BondedTerm of Pairs, PairFormula, visited by BondedVisitor, made by BondedMaker:
    FeneBond,
    HarmonicBond,
    NativeContact,
    ElasticNetworkSpring,
    RepulsiveFeneBond,
}
