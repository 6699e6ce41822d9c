//! Potentials between all pairs of beads within a cutoff.

mod ashbaugh_hatch;
mod debye_huckel;
mod dpd_conservative;
mod force_shifted_lennard_jones;
mod lennard_jones;
mod morse;
mod sixth_power_repulsion;
mod table;
mod wang_frenkel;

use std::fmt::Debug;

use beadwork_arithmetic::{Elementary, Lane};

pub use ashbaugh_hatch::AshbaughHatch;
pub use debye_huckel::DebyeHuckel;
pub use dpd_conservative::DpdConservative;
pub use force_shifted_lennard_jones::ForceShiftedLennardJones;
pub use lennard_jones::{LennardJones, SQUARE_MINIMUM_PER_DIAMETER};
pub use morse::Morse;
pub use sixth_power_repulsion::SixthPowerRepulsion;
pub use table::{PairCutoffs, PairEntry, PairTable};
pub use wang_frenkel::{MOST_MU, MOST_NU, WangFrenkel};

use super::terms::terms;
use super::{EnergyKind, MOST_PARAMETERS, Parameters};

/// A potential between two beads that depends on their distance alone.
///
/// It takes the squared distance, which a loop over pairs computes anyway.
pub trait PairPotential<T: Lane>: Parameters<T> {
    /// Energy, kcal/mol, at squared distance `r2`, Å².
    fn energy(&self, r2: T) -> T;

    /// −V′(r)/r, kcal/(mol Å²): times (r_i − r_j) it is the force on bead i.
    fn force_over_distance(&self, r2: T) -> T;

    /// Whether a bond holds; always true for potentials that cannot break. False if `r2` is not a number.
    #[inline(always)]
    fn holds(&self, r2: T) -> T::Mask {
        let _ = r2;
        T::zero().less_than(T::from_f64(1.0))
    }
}

/// A formula of the distance, for pairs within a cutoff and for listed pairs: the [`PairPotential`] in f64, with its
/// form in other number types.
pub trait PairFormula: PairPotential<f64> + Debug + PartialEq + Send + Sync + 'static {
    /// Its name in messages, and the name of its file for GPUs.
    const NAME: &'static str;
    /// Parameters for residues, with which tests and `beadwork doctor` step the formula
    /// ([`System::add_every_formula`](crate::System::add_every_formula)).
    const EXAMPLE: Self;
    /// What the energy of pairs within a cutoff counts as. That of listed pairs is a property of their term
    /// ([`BondedTerm::energy_kind`](super::BondedTerm::energy_kind)).
    const ENERGY: EnergyKind = EnergyKind::Pair;
    /// Whether the bond breaks at some distance, as one of finite extension does; see [`PairPotential::holds`].
    const BREAKS: bool = false;
    /// The number of values that [`PairFormula::prepared`] returns.
    const PREPARED: usize = <Self as Parameters<f64>>::COUNT;

    /// The same formula in another number type.
    type In<T: Elementary>: PairPotential<T> + Debug + Send + Sync;

    /// The numbers that kernels store for it, in the order of its struct there: values that follow from the parameters
    /// alone are computed once.
    fn prepared<T: Elementary>(formula: Self::In<T>) -> [T; MOST_PARAMETERS] {
        formula.to_array()
    }

    /// k, kcal/(mol Å²), of the spring that it is near its rest length; it limits the time step.
    fn stiffness(&self) -> f64 {
        0.0
    }

    /// Å: the rest length of a bond.
    fn rest_length(&self) -> f64 {
        0.0
    }

    /// Å: the deviation from the rest length at which the bond breaks, for [`PairFormula::BREAKS`].
    fn limit(&self) -> f64 {
        f64::INFINITY
    }

    /// Å: how much farther apart than where its energy is lowest the beads of the bond may come before it breaks; infinite if
    /// it does not.
    fn room(&self) -> f64 {
        self.limit()
    }
}

terms! {
    /// A pair term of a system: a formula with a table by types.
    PairTerm of PairTable, PairFormula, visited by PairVisitor, made by PairMaker:
    SixthPowerRepulsion,
    LennardJones,
    ForceShiftedLennardJones,
    AshbaughHatch,
    DebyeHuckel,
    WangFrenkel,
    DpdConservative,
    Morse,
}

struct TypesOfTable;

impl PairVisitor for TypesOfTable {
    type Output = usize;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> usize {
        term.types()
    }
}

impl PairTerm {
    /// The number of types in its table.
    pub fn types(&self) -> usize {
        self.visit(TypesOfTable)
    }
}
