//! A well with a finite core.

use beadwork_arithmetic::{Elementary, exponential};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = D [(1 − exp(−a(r − r₀)))² − 1] − V_s (Morse, Phys. Rev. 34, 57, 1929): depth D at r₀.
///
/// Beads at one point have no direction, and no force.
///
/// ```
/// use beadwork_model::potentials::{Morse, PairPotential};
/// let pair = Morse { depth: 2.0, steepness: 1.5, length: 4.0, shift: 0.0 };
/// assert_eq!((pair.energy(16.0), pair.force_over_distance(16.0)), (-2.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Morse<T = f64> {
    /// D, unit of the energy.
    pub depth: T,
    /// a, the inverse of a length.
    pub steepness: T,
    /// r₀, unit of the length.
    pub length: T,
    /// V_s, unit of the energy.
    pub shift: T,
}

parameters!(Morse { depth, steepness, length, shift });

impl Morse {
    /// The potential that is zero at a cutoff.
    pub fn shifted(depth: f64, steepness: f64, length: f64, cutoff: f64) -> Self {
        let bare = Morse { depth, steepness, length, shift: 0.0 };
        Morse { shift: bare.energy(cutoff * cutoff), ..bare }
    }
}

impl PairFormula for Morse {
    const NAME: &'static str = "morse";
    const EXAMPLE: Self = Morse { depth: 0.4, steepness: 0.7, length: 5.2, shift: -0.01 };
    const PREPARED: usize = 3;
    type In<T: Elementary> = Morse<T>;

    /// 2 D a, a and r₀.
    fn prepared<T: Elementary>(pair: Morse<T>) -> [T; MOST_PARAMETERS] {
        padded([T::from_f64(2.0) * pair.depth * pair.steepness, pair.steepness, pair.length])
    }
}

impl<T: Elementary> Morse<T> {
    /// exp(−a(r − r₀)).
    #[inline(always)]
    fn decay(&self, r: T) -> T {
        exponential(self.steepness * (self.length - r))
    }
}

impl<T: Elementary> PairPotential<T> for Morse<T> {
    fn energy(&self, r2: T) -> T {
        let decay = self.decay(r2.sqrt());
        self.depth * decay * (decay - T::from_f64(2.0)) - self.shift
    }

    /// 2 D a e (e − 1)/r with e = exp(−a(r − r₀)).
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let (zero, one) = (T::zero(), T::from_f64(1.0));
        let r = r2.sqrt();
        let apart = zero.less_than(r);
        let decay = self.decay(r);
        let scale = T::from_f64(2.0) * self.depth * self.steepness;
        T::select(apart, scale * decay * (decay - one) / T::select(apart, r, one), zero)
    }
}
