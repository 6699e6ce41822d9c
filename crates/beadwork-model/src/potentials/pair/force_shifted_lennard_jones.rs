//! The Lennard-Jones potential whose force goes to zero at the cutoff.

use beadwork_arithmetic::{Elementary, Lane};

use super::{LennardJones, PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = V_LJ(r) − V_LJ(r_c) + (r − r_c) F_c inside the cutoff r_c, zero at or beyond it, with V_LJ = 4ε[(σ/r)¹² − (σ/r)⁶]
/// and its force F_c = −V_LJ′(r_c) (Stoddard and Ford, Phys. Rev. A 8, 1504, 1973). Energy and force are continuous.
///
/// ```
/// use beadwork_model::potentials::{ForceShiftedLennardJones, PairPotential};
/// let potential = ForceShiftedLennardJones::new(1.0, 1.0, 2.5);
/// let near: f64 = 2.5 * (1.0 - 1e-9);
/// assert!(potential.energy(near * near).abs() < 1e-15);
/// assert!(potential.force_over_distance(near * near).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceShiftedLennardJones<T = f64> {
    /// ε, unit of the energy.
    pub depth: T,
    /// σ, unit of the length.
    pub diameter: T,
    /// r_c, unit of the length.
    pub cutoff: T,
    /// V_LJ(r_c), unit of the energy.
    pub energy_at_cutoff: T,
    /// F_c, energy over length; negative, because the pair attracts there.
    pub force_at_cutoff: T,
}

parameters!(ForceShiftedLennardJones {
    depth,
    diameter,
    cutoff,
    energy_at_cutoff,
    force_at_cutoff
});

impl ForceShiftedLennardJones {
    /// The potential of a depth, a diameter and a cutoff.
    pub fn new(depth: f64, diameter: f64, cutoff: f64) -> Self {
        let cut = LennardJones::cut(depth, diameter, cutoff);
        ForceShiftedLennardJones {
            depth,
            diameter,
            cutoff,
            energy_at_cutoff: cut.unshifted(cutoff * cutoff),
            force_at_cutoff: cut.unshifted_force_over_distance(cutoff * cutoff) * cutoff,
        }
    }
}

impl PairFormula for ForceShiftedLennardJones {
    const NAME: &'static str = "force_shifted_lennard_jones";
    const EXAMPLE: Self = ForceShiftedLennardJones {
        depth: 0.2,
        diameter: 3.3,
        cutoff: 9.0,
        energy_at_cutoff: -0.002,
        force_at_cutoff: -0.001_3,
    };
    const PREPARED: usize = 4;
    type In<T: Elementary> = ForceShiftedLennardJones<T>;

    /// 24 ε, σ², r_c² and F_c.
    fn prepared<T: Elementary>(pair: ForceShiftedLennardJones<T>) -> [T; MOST_PARAMETERS] {
        padded([
            T::from_f64(24.0) * pair.depth,
            pair.diameter * pair.diameter,
            pair.cutoff * pair.cutoff,
            pair.force_at_cutoff,
        ])
    }
}

impl<T: Lane> ForceShiftedLennardJones<T> {
    #[inline(always)]
    fn cut(&self) -> LennardJones<T> {
        let ForceShiftedLennardJones { depth, diameter, cutoff, .. } = *self;
        LennardJones { depth, diameter, cutoff, shift: T::zero() }
    }
}

impl<T: Lane> PairPotential<T> for ForceShiftedLennardJones<T> {
    fn energy(&self, r2: T) -> T {
        let inside = r2.less_than(self.cutoff * self.cutoff);
        let linear = (r2.sqrt() - self.cutoff) * self.force_at_cutoff;
        let energy = self.cut().unshifted(r2) - self.energy_at_cutoff + linear;
        T::select(inside, energy, T::zero())
    }

    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inside = r2.less_than(self.cutoff * self.cutoff);
        let shift = self.force_at_cutoff / r2.sqrt();
        T::select(inside, self.cut().unshifted_force_over_distance(r2) - shift, T::zero())
    }
}
