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

use super::EnergyKind;
use super::listed::{Pair, Pairs};
use super::pair::PairFormula;
use super::terms::terms;

terms! {
    /// A bonded term of a system: a formula with its list of pairs.
    BondedTerm of Pairs, PairFormula, visited by BondedVisitor, made by BondedMaker:
    FeneBond,
    HarmonicBond,
    NativeContact,
    ElasticNetworkSpring,
    RepulsiveFeneBond,
}

/// A pair of a bonded term, without its formula.
pub(crate) struct ListedPair {
    pub beads: (usize, usize),
    /// [`EnergyKind::Bond`] for bonds, other kinds for contacts.
    pub kind: EnergyKind,
    /// kcal/(mol Å²).
    pub stiffness: f64,
    /// Å.
    pub rest_length: f64,
}

struct PairsOfTerm;

impl BondedVisitor for PairsOfTerm {
    type Output = Vec<ListedPair>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let listed = |&Pair { i, j, potential }: &Pair<F>| ListedPair {
            beads: (i, j),
            kind: F::ENERGY,
            stiffness: potential.stiffness(),
            rest_length: potential.rest_length(),
        };
        term.iter().map(listed).collect()
    }
}

impl BondedTerm {
    /// The pairs of beads, without their potentials.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.listed().into_iter().map(|pair| pair.beads).collect()
    }

    pub(crate) fn listed(&self) -> Vec<ListedPair> {
        self.visit(PairsOfTerm)
    }
}
