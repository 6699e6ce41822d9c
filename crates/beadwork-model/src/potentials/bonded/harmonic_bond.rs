//! The harmonic spring between two beads.

use beadwork_arithmetic::{Elementary, Lane};

use crate::potentials::pair::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;

/// V(r) = (k/2)(r − r₀)².
///
/// ```
/// use beadwork_model::potentials::{HarmonicBond, PairPotential};
/// let bond = HarmonicBond { stiffness: 2.0, length: 3.0 };
/// assert_eq!(bond.energy(16.0), 1.0);
/// assert_eq!(bond.force_over_distance(16.0) * 4.0, -2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HarmonicBond<T = f64> {
    /// k, kcal/(mol Å²).
    pub stiffness: T,
    /// r₀, Å.
    pub length: T,
}

parameters!(HarmonicBond { stiffness, length });

impl PairFormula for HarmonicBond {
    const NAME: &'static str = "harmonic_bond";
    const EXAMPLE: Self = HarmonicBond { stiffness: 0.8, length: 7.0 };
    type In<T: Elementary> = HarmonicBond<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl<T: Lane> PairPotential<T> for HarmonicBond<T> {
    fn energy(&self, r2: T) -> T {
        let stretch = r2.sqrt() - self.length;
        T::from_f64(0.5) * self.stiffness * stretch * stretch
    }

    /// −k (r − r₀)/r. With r₀ = 0 (a bond of a Rouse chain) the value is −k, also at r = 0.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let zero = T::from_f64(0.0);
        let r = r2.sqrt();
        let apart = zero.less_than(r);
        let relative = T::select(apart, self.length / T::select(apart, r, T::from_f64(1.0)), zero);
        self.stiffness * (relative - T::from_f64(1.0))
    }
}
