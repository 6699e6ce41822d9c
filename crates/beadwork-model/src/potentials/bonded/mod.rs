//! Potentials between listed pairs of beads, each with parameters of its own.

mod fene_bond;
mod harmonic_bond;
mod native_contact;
mod repulsive_fene_bond;

pub use fene_bond::FeneBond;
pub use harmonic_bond::HarmonicBond;
pub use native_contact::NativeContact;
pub use repulsive_fene_bond::RepulsiveFeneBond;

use super::EnergyKind;
use super::listed::{Pair, Pairs};
use super::pair::PairFormula;
use super::terms::terms;

terms! {
    /// A bonded term of a system: a formula with its list of pairs. `ElasticNetworkSpring` has harmonic bonds that keep the beads
    /// of a folded domain at their distances (Tirion, Phys. Rev. Lett. 77, 1905, 1996) and count as contacts.
    BondedTerm of Pairs, PairFormula, visited by BondedVisitor, made by BondedMaker:
    FeneBond: FeneBond called FeneBond::<f64>::NAME,
    HarmonicBond: HarmonicBond called HarmonicBond::<f64>::NAME,
    NativeContact: NativeContact called NativeContact::<f64>::NAME,
    ElasticNetworkSpring: HarmonicBond called "elastic_network_spring",
    RepulsiveFeneBond: RepulsiveFeneBond called RepulsiveFeneBond::<f64>::NAME;
    standing for their formulas: FeneBond, HarmonicBond, NativeContact, RepulsiveFeneBond
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

/// The pairs of a term of this kind.
struct PairsOfTerm(EnergyKind);

impl BondedVisitor for PairsOfTerm {
    type Output = Vec<ListedPair>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let listed = |&Pair { i, j, potential }: &Pair<F>| ListedPair {
            beads: (i, j),
            kind: self.0,
            stiffness: potential.stiffness(),
            rest_length: potential.rest_length(),
        };
        term.iter().map(listed).collect()
    }
}

struct HasPairs;

impl BondedVisitor for HasPairs {
    type Output = bool;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> bool {
        !term.is_empty()
    }
}

impl BondedTerm {
    /// What the energy of its pairs counts as: [`EnergyKind::Bond`] or [`EnergyKind::Contact`]. Beads have few bonds, which viewers
    /// draw, and many contacts.
    pub fn energy_kind(&self) -> EnergyKind {
        match self {
            BondedTerm::FeneBond(_)
            | BondedTerm::HarmonicBond(_)
            | BondedTerm::RepulsiveFeneBond(_) => EnergyKind::Bond,
            BondedTerm::NativeContact(_) | BondedTerm::ElasticNetworkSpring(_) => {
                EnergyKind::Contact
            }
        }
    }

    /// Whether it has any pair.
    pub fn has_pairs(&self) -> bool {
        self.visit(HasPairs)
    }

    /// The pairs of beads, without their potentials.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.listed().into_iter().map(|pair| pair.beads).collect()
    }

    pub(crate) fn listed(&self) -> Vec<ListedPair> {
        self.visit(PairsOfTerm(self.energy_kind()))
    }
}
