//! The soft repulsion of dissipative particle dynamics.

use beadwork_arithmetic::{Elementary, Lane};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = (a r_c/2)(1 − r/r_c)² inside the cutoff r_c, so that the force falls from a to zero on a straight line (Groot and
/// Warren, J. Chem. Phys. 107, 4423, 1997).
///
/// Beads at one point have no direction, and no force.
///
/// ```
/// use beadwork_model::potentials::{DpdConservative, PairPotential};
/// let pair = DpdConservative { strength: 25.0, cutoff: 1.0 };
/// assert_eq!((pair.energy(0.25), pair.force_over_distance(0.25)), (3.125, 25.0));
/// assert_eq!(pair.force_over_distance(0.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DpdConservative<T = f64> {
    /// a, energy over length: the largest force.
    pub strength: T,
    /// r_c, unit of the length.
    pub cutoff: T,
}

parameters!(DpdConservative { strength, cutoff });

impl PairFormula for DpdConservative {
    const NAME: &'static str = "dpd_conservative";
    const EXAMPLE: Self = DpdConservative { strength: 1.5, cutoff: 7.5 };
    const PREPARED: usize = 3;
    type In<T: Elementary> = DpdConservative<T>;

    /// a, r_c and 1/r_c.
    fn prepared<T: Elementary>(pair: DpdConservative<T>) -> [T; MOST_PARAMETERS] {
        padded([pair.strength, pair.cutoff, T::from_f64(1.0) / pair.cutoff])
    }
}

impl<T: Lane> PairPotential<T> for DpdConservative<T> {
    fn energy(&self, r2: T) -> T {
        let r = r2.sqrt();
        let overlap = T::from_f64(1.0) - r / self.cutoff;
        let energy = T::from_f64(0.5) * self.strength * self.cutoff * overlap * overlap;
        T::select(r.less_than(self.cutoff), energy, T::zero())
    }

    /// a (1/r − 1/r_c).
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let (zero, one) = (T::zero(), T::from_f64(1.0));
        let r = r2.sqrt();
        let apart = zero.less_than(r);
        let force = self.strength * (one / T::select(apart, r, one) - one / self.cutoff);
        T::select(r.less_than(self.cutoff), T::select(apart, force, zero), zero)
    }
}
