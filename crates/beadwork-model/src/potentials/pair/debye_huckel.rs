//! Charges in a salt solution: the screened Coulomb potential.

use beadwork_arithmetic::{Elementary, exponential};

use super::{PairFormula, PairPotential};
use crate::potentials::EnergyKind;
use crate::potentials::parameters::parameters;

/// V(r) = A exp(−κr)/r − V_s, the potential of Debye and Hückel, or of Yukawa. A is q_i q_j times l_B kT: beads of one type
/// have one charge, so the product of charges is a parameter of the two types.
///
/// ```
/// use beadwork_model::potentials::{DebyeHuckel, PairPotential};
/// let pair = DebyeHuckel::shifted(2.0, 0.1, 35.0);
/// assert!((pair.energy(35.0 * 35.0) as f64).abs() < 1e-16);
/// let bare = DebyeHuckel { strength: 2.0, inverse_length: 0.0, shift: 0.0 };
/// assert_eq!((bare.energy(16.0), bare.force_over_distance(16.0)), (0.5, 2.0 / 64.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebyeHuckel<T = f64> {
    /// A, energy times length.
    pub strength: T,
    /// κ, the inverse of the screening length.
    pub inverse_length: T,
    /// V_s, unit of the energy.
    pub shift: T,
}

parameters!(DebyeHuckel { strength, inverse_length, shift });

impl DebyeHuckel {
    /// The potential that is zero at a cutoff.
    pub fn shifted(strength: f64, inverse_length: f64, cutoff: f64) -> Self {
        let bare = DebyeHuckel { strength, inverse_length, shift: 0.0 };
        DebyeHuckel { shift: bare.energy(cutoff * cutoff), ..bare }
    }
}

impl PairFormula for DebyeHuckel {
    const NAME: &'static str = "debye_huckel";
    const EXAMPLE: Self = DebyeHuckel { strength: 3.5, inverse_length: 0.11, shift: 0.1 };
    const ENERGY: EnergyKind = EnergyKind::Charge;
    const PREPARED: usize = 2;
    type In<T: Elementary> = DebyeHuckel<T>;
}

impl<T: Elementary> PairPotential<T> for DebyeHuckel<T> {
    fn energy(&self, r2: T) -> T {
        let r = r2.sqrt();
        self.strength * exponential(-(self.inverse_length * r)) / r - self.shift
    }

    /// A exp(−κr) (1/r + κ) / r².
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let r = r2.sqrt();
        let inverse = T::from_f64(1.0) / r2;
        let screened = self.strength * exponential(-(self.inverse_length * r));
        screened * (r * inverse + self.inverse_length) * inverse
    }
}
