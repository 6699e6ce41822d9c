//! Attraction and excluded volume: the Lennard-Jones potential, cut or cut and shifted.

use beadwork_arithmetic::{Elementary, Lane};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = 4ε[(σ/r)¹² − (σ/r)⁶] − V_s inside the cutoff r_c, zero at or beyond it. The energy is only cut (V_s = 0) or also
/// shifted (V_s is the value of the first part at r_c: \[G\], equations 1 and 2); the force is the same.
///
/// ```
/// use beadwork_model::potentials::{LennardJones, PairPotential};
/// let shifted = LennardJones::shifted(1.0, 1.0, 2.5);
/// assert_eq!(shifted.energy(2.4999999 * 2.4999999).abs() < 1e-8, true);
/// assert_eq!(LennardJones::cut(1.0, 1.0, 2.5).energy(1.0), 0.0);
/// let repulsion = LennardJones::weeks_chandler_andersen(1.0, 1.0);
/// assert_eq!(repulsion.energy(1.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LennardJones<T = f64> {
    /// ε: the depth of the well before it is shifted. Unit of the energy.
    pub depth: T,
    /// σ: where the energy crosses zero before it is shifted. Unit of the length; the minimum is at 2^(1/6) σ.
    pub diameter: T,
    /// r_c, unit of the length.
    pub cutoff: T,
    /// V_s, unit of the energy.
    pub shift: T,
}

parameters!(LennardJones { depth, diameter, cutoff, shift });

impl PairFormula for LennardJones {
    const NAME: &'static str = "lennard_jones";
    const EXAMPLE: Self = LennardJones { depth: 0.2, diameter: 3.5, cutoff: 10.0, shift: -0.001_5 };
    const PREPARED: usize = 3;
    type In<T: Elementary> = LennardJones<T>;

    /// 24 ε, σ² and r_c².
    fn prepared<T: Elementary>(pair: LennardJones<T>) -> [T; MOST_PARAMETERS] {
        padded([
            T::from_f64(24.0) * pair.depth,
            pair.diameter * pair.diameter,
            pair.cutoff * pair.cutoff,
        ])
    }
}

/// (r_m/σ)² = 2^(1/3) of the distance r_m with the lowest energy.
pub const SQUARE_MINIMUM_PER_DIAMETER: f64 = 1.259_921_049_894_873_2;

impl LennardJones {
    /// The potential with its energy cut off: it jumps to zero at the cutoff.
    pub fn cut(depth: f64, diameter: f64, cutoff: f64) -> Self {
        LennardJones { depth, diameter, cutoff, shift: 0.0 }
    }

    /// The potential with an energy that is zero at the cutoff.
    pub fn shifted(depth: f64, diameter: f64, cutoff: f64) -> Self {
        let cut = LennardJones::cut(depth, diameter, cutoff);
        LennardJones { shift: cut.unshifted(cutoff * cutoff), ..cut }
    }

    /// The repulsive part alone, shifted to zero where it ends (Weeks, Chandler and Andersen, J. Chem. Phys. 54, 5237,
    /// 1971).
    pub fn weeks_chandler_andersen(depth: f64, diameter: f64) -> Self {
        let cutoff = SQUARE_MINIMUM_PER_DIAMETER.sqrt() * diameter;
        LennardJones { depth, diameter, cutoff, shift: -depth }
    }
}

impl<T: Lane> LennardJones<T> {
    /// 4ε[(σ/r)¹² − (σ/r)⁶] at squared distance `r2`, without the cutoff.
    #[inline(always)]
    pub(super) fn unshifted(&self, r2: T) -> T {
        let square = self.diameter * self.diameter / r2;
        let sixth = square * square * square;
        T::from_f64(4.0) * self.depth * sixth * (sixth - T::from_f64(1.0))
    }

    /// 24 ε [2(σ/r)¹² − (σ/r)⁶] / r², without the cutoff.
    #[inline(always)]
    pub(super) fn unshifted_force_over_distance(&self, r2: T) -> T {
        let inverse = T::from_f64(1.0) / r2;
        let square = self.diameter * self.diameter * inverse;
        let sixth = square * square * square;
        let twice = sixth + sixth - T::from_f64(1.0);
        T::from_f64(24.0) * self.depth * inverse * sixth * twice
    }
}

impl<T: Lane> PairPotential<T> for LennardJones<T> {
    fn energy(&self, r2: T) -> T {
        let inside = r2.less_than(self.cutoff * self.cutoff);
        T::select(inside, self.unshifted(r2) - self.shift, T::zero())
    }

    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inside = r2.less_than(self.cutoff * self.cutoff);
        T::select(inside, self.unshifted_force_over_distance(r2), T::zero())
    }
}
