//! Potentials between all pairs of beads within a cutoff.

mod lennard_jones;
mod sixth_power_repulsion;
mod table;

use std::fmt::Debug;

use beadwork_arithmetic::{Elementary, Lane};

pub use lennard_jones::LennardJones;
pub use sixth_power_repulsion::SixthPowerRepulsion;
pub use table::{PairEntry, PairTable};

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

    /// Where a bond has not broken; everywhere for what cannot break. False where the distance is not a number.
    #[inline(always)]
    fn holds(&self, r2: T) -> T::Mask {
        let _ = r2;
        T::zero().less_than(T::from_f64(1.0))
    }
}

/// A formula of the distance, for pairs within a cutoff and for listed pairs: the [`PairPotential`] in f64, and what it
/// is in other number types.
pub trait PairFormula: PairPotential<f64> + Debug + PartialEq + Send + Sync + 'static {
    /// The word for it in messages, and the name of its file for GPUs.
    const NAME: &'static str;
    /// Parameters for residues, with which tests and `beadwork doctor` step the formula
    /// ([`System::add_every_formula`](crate::System::add_every_formula)).
    const EXAMPLE: Self;
    /// The energy that it counts as.
    const ENERGY: EnergyKind;
    /// Whether it ends at some distance, as a bond of finite extension does. [`PairPotential::holds`] says where.
    const BREAKS: bool = false;
    /// How many numbers [`PairFormula::prepared`] has.
    const PREPARED: usize = <Self as Parameters<f64>>::COUNT;

    /// The same formula in another number type.
    type In<T: Elementary>: PairPotential<T> + Debug + Send + Sync;

    /// The numbers that kernels keep of it, in the order of its struct there: what follows from the parameters alone is
    /// computed once.
    fn prepared<T: Elementary>(formula: Self::In<T>) -> [T; MOST_PARAMETERS] {
        formula.to_array()
    }

    /// k, kcal/(mol Å²), where it acts as a spring near its rest length: what limits the time step.
    fn stiffness(&self) -> f64 {
        0.0
    }

    /// Å: where a bond is at rest.
    fn rest_length(&self) -> f64 {
        0.0
    }

    /// Å: the deviation from the rest length at which it ends, for [`PairFormula::BREAKS`].
    fn limit(&self) -> f64 {
        f64::INFINITY
    }
}

terms! {
    /// A pair term of a system: a formula with a table by types.
    PairTerm of PairTable, PairFormula, visited by PairVisitor, made by PairMaker:
    SixthPowerRepulsion,
    LennardJones,
}
