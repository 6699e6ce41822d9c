//! Attraction and excluded volume of all monomers of a polymer, cut off and shifted.

use beadwork_arithmetic::{Elementary, Lane};

use super::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{EnergyKind, MOST_PARAMETERS, padded};

/// V(r) = 4ε[(σ/r)¹² − (σ/r)⁶] − V_c inside the cutoff r_c, zero at or beyond it; V_c is the value of the first part at
/// r_c (\[G\], equations 1 and 2).
///
/// ```
/// use beadwork_model::potentials::{LennardJones, PairPotential};
/// let potential: LennardJones = LennardJones { depth: 1.0, diameter: 1.0, cutoff: 2.5 };
/// assert_eq!(potential.energy(2.5 * 2.5), 0.0);
/// let crossing: f64 = potential.energy(1.0);
/// assert!((crossing + potential.energy_at_cutoff()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LennardJones<T = f64> {
    /// ε: the depth of the well before it is shifted. Unit of the energy.
    pub depth: T,
    /// σ: where the energy crosses zero before it is shifted. Unit of the length; the minimum is at 2^(1/6) σ.
    pub diameter: T,
    /// r_c, unit of the length.
    pub cutoff: T,
}

parameters!(LennardJones { depth, diameter, cutoff });

impl PairFormula for LennardJones {
    const NAME: &'static str = "lennard_jones";
    const EXAMPLE: Self = LennardJones { depth: 0.2, diameter: 3.5, cutoff: 10.0 };
    const ENERGY: EnergyKind = EnergyKind::Pair;
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

impl<T: Lane> LennardJones<T> {
    /// 4ε[(σ/r)¹² − (σ/r)⁶] at squared distance `r2`, without the cutoff.
    #[inline(always)]
    fn unshifted(&self, r2: T) -> T {
        let square = self.diameter * self.diameter / r2;
        let sixth = square * square * square;
        T::from_f64(4.0) * self.depth * sixth * (sixth - T::from_f64(1.0))
    }

    /// V_c, which is subtracted from all energies.
    pub fn energy_at_cutoff(&self) -> T {
        self.unshifted(self.cutoff * self.cutoff)
    }
}

impl<T: Lane> PairPotential<T> for LennardJones<T> {
    fn energy(&self, r2: T) -> T {
        let inside = r2.less_than(self.cutoff * self.cutoff);
        T::select(inside, self.unshifted(r2) - self.energy_at_cutoff(), T::zero())
    }

    /// 24 ε [2(σ/r)¹² − (σ/r)⁶] / r² inside the cutoff.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inverse = T::from_f64(1.0) / r2;
        let square = self.diameter * self.diameter * inverse;
        let sixth = square * square * square;
        let twice = sixth + sixth - T::from_f64(1.0);
        let inside = r2.less_than(self.cutoff * self.cutoff);
        T::select(inside, T::from_f64(24.0) * self.depth * inverse * sixth * twice, T::zero())
    }
}
