//! The soft repulsion that keeps a chain from crossing itself.

use beadwork_arithmetic::{Elementary, Lane};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = ε(σ/r)⁶ (\[A\], equation 1, third and fourth term).
///
/// ```
/// use beadwork_model::potentials::{PairPotential, SixthPowerRepulsion};
/// let repulsion = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
/// assert_eq!(repulsion.energy(3.8 * 3.8), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SixthPowerRepulsion<T = f64> {
    /// ε, kcal/mol.
    pub strength: T,
    /// σ, Å.
    pub diameter: T,
}

parameters!(SixthPowerRepulsion { strength, diameter });

impl PairFormula for SixthPowerRepulsion {
    const NAME: &'static str = "sixth_power_repulsion";
    const EXAMPLE: Self = SixthPowerRepulsion { strength: 1.0, diameter: 3.4 };
    const PREPARED: usize = 1;
    type In<T: Elementary> = SixthPowerRepulsion<T>;

    /// 6 ε σ⁶.
    fn prepared<T: Elementary>(repulsion: SixthPowerRepulsion<T>) -> [T; MOST_PARAMETERS] {
        padded([repulsion.scale()])
    }
}

impl<T: Lane> SixthPowerRepulsion<T> {
    /// 6 ε σ⁶.
    #[inline(always)]
    fn scale(&self) -> T {
        let square = self.diameter * self.diameter;
        T::from_f64(6.0) * self.strength * (square * square * square)
    }
}

impl<T: Lane> PairPotential<T> for SixthPowerRepulsion<T> {
    fn energy(&self, r2: T) -> T {
        let square = self.diameter * self.diameter / r2;
        self.strength * square * square * square
    }

    /// 6 ε σ⁶ / r⁸. The constant comes first, so that a loop over pairs computes it once.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inverse = T::from_f64(1.0) / r2;
        let fourth = inverse * inverse;
        self.scale() * (fourth * fourth)
    }
}
