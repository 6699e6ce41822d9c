//! The attraction between residues of disordered proteins, scaled by their stickiness.

use beadwork_arithmetic::{Elementary, Lane};

use super::lennard_jones::SQUARE_MINIMUM_PER_DIAMETER;
use super::{LennardJones, PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = V_LJ(r) + ε(1 − λ) − V_s up to the minimum of V_LJ = 4ε[(σ/r)¹² − (σ/r)⁶], λ V_LJ(r) − V_s beyond it (Ashbaugh and
/// Hatch, J. Am. Chem. Soc. 130, 9536, 2008). With V_s = λ V_LJ(r_c) the energy is zero at the cutoff, as in CALVADOS (Tesei
/// et al., PNAS 118, e2111696118, 2021).
///
/// λ may be negative or above 1. The core does not depend on it, apart from a constant.
///
/// ```
/// use beadwork_model::potentials::{AshbaughHatch, PairPotential};
/// let pair = AshbaughHatch::shifted(0.2, 6.0, 0.5, 20.0);
/// assert!((pair.energy(20.0 * 20.0) as f64).abs() < 1e-18);
/// let minimum = 2f64.powf(1.0 / 3.0) * 36.0;
/// assert!((pair.energy(minimum) - (-0.1 - pair.shift)).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AshbaughHatch<T = f64> {
    /// ε, unit of the energy.
    pub depth: T,
    /// σ, unit of the length.
    pub diameter: T,
    /// λ: 0 for repulsion alone, 1 for the full well.
    pub stickiness: T,
    /// V_s, unit of the energy.
    pub shift: T,
}

parameters!(AshbaughHatch { depth, diameter, stickiness, shift });

impl AshbaughHatch {
    /// The potential that is zero at a cutoff.
    pub fn shifted(depth: f64, diameter: f64, stickiness: f64, cutoff: f64) -> Self {
        let at_cutoff = LennardJones::cut(depth, diameter, cutoff).unshifted(cutoff * cutoff);
        AshbaughHatch { depth, diameter, stickiness, shift: stickiness * at_cutoff }
    }
}

impl PairFormula for AshbaughHatch {
    const NAME: &'static str = "ashbaugh_hatch";
    const EXAMPLE: Self =
        AshbaughHatch { depth: 0.2, diameter: 5.1, stickiness: 0.6, shift: -0.002 };
    const PREPARED: usize = 4;
    type In<T: Elementary> = AshbaughHatch<T>;

    /// 24 ε, σ², 24 ε λ and the square of the distance with the lowest energy.
    fn prepared<T: Elementary>(pair: AshbaughHatch<T>) -> [T; MOST_PARAMETERS] {
        let scale = T::from_f64(24.0) * pair.depth;
        let square = pair.diameter * pair.diameter;
        padded([scale, square, scale * pair.stickiness, pair.square_minimum()])
    }
}

impl<T: Lane> AshbaughHatch<T> {
    #[inline(always)]
    fn well(&self) -> LennardJones<T> {
        LennardJones {
            depth: self.depth,
            diameter: self.diameter,
            cutoff: T::zero(),
            shift: T::zero(),
        }
    }

    /// The square of the distance with the lowest energy.
    #[inline(always)]
    fn square_minimum(&self) -> T {
        T::from_f64(SQUARE_MINIMUM_PER_DIAMETER) * (self.diameter * self.diameter)
    }
}

impl<T: Lane> PairPotential<T> for AshbaughHatch<T> {
    fn energy(&self, r2: T) -> T {
        let well = self.well().unshifted(r2);
        let core = well + self.depth * (T::from_f64(1.0) - self.stickiness);
        let beyond = self.square_minimum().less_than(r2);
        T::select(beyond, self.stickiness * well, core) - self.shift
    }

    /// 24 ε [2(σ/r)¹² − (σ/r)⁶] / r², times λ beyond the minimum.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inverse = T::from_f64(1.0) / r2;
        let square = self.diameter * self.diameter * inverse;
        let sixth = square * square * square;
        let twice = sixth + sixth - T::from_f64(1.0);
        let scale = T::from_f64(24.0) * self.depth;
        let beyond = self.square_minimum().less_than(r2);
        T::select(beyond, scale * self.stickiness, scale) * inverse * sixth * twice
    }
}
