//! The pair thermostat of dissipative particle dynamics.

use beadwork_arithmetic::{Elementary, Lane};

use super::pair::PairTable;

/// Drag and noise along the line between two beads (\[K\], equations 4 and 5; Groot and Warren, J. Chem. Phys. 107, 4423,
/// 1997):
/// F = −γ ω² (v·r̂) r̂ − R ω √(2 kT γ/h) r̂ with ω = 1 − r/r_c and a random number R of mean 0 and variance 1 of the pair.
///
/// Both beads get opposite forces. Beads at one point have no direction, and no force.
///
/// ```
/// use beadwork_model::potentials::DpdThermostat;
/// let pair = DpdThermostat { friction: 4.0, cutoff: 2.0 };
/// // Half a cutoff apart and moving apart by 3: −4 · ½² · 3, over the distance 1.
/// assert_eq!(pair.force_over_distance(1.0, 3.0, 0.0), -3.0);
/// assert_eq!(pair.force_over_distance(1.0, 0.0, 8.0), -4.0);
/// assert_eq!(pair.force_over_distance(4.0, 3.0, 8.0), 0.0);
/// assert_eq!(pair.force_over_distance(0.0, 0.0, 8.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DpdThermostat<T = f64> {
    /// γ, kcal ps/(mol Å²).
    pub friction: T,
    /// r_c, Å.
    pub cutoff: T,
}

impl<T: Lane> DpdThermostat<T> {
    /// Force over distance at squared distance `r2`, Å², for Δr·Δv `approach`, Å²/ps, and random force `noise`, which is
    /// R √(2 kT γ/h): times (r_i − r_j) it is the force on bead i.
    #[inline(always)]
    pub fn force_over_distance(&self, r2: T, approach: T, noise: T) -> T {
        let (zero, one) = (T::zero(), T::from_f64(1.0));
        let r = r2.sqrt();
        let apart = zero.less_than(r);
        let weight = one / T::select(apart, r, one) - one / self.cutoff;
        let weight = T::select(r.less_than(self.cutoff), T::select(apart, weight, zero), zero);
        -(weight * (self.friction * (weight * approach) + noise))
    }
}

impl DpdThermostat {
    /// The same in another number type, each parameter rounded once.
    pub fn convert<T: Elementary>(self) -> DpdThermostat<T> {
        DpdThermostat { friction: T::from_f64(self.friction), cutoff: T::from_f64(self.cutoff) }
    }
}

/// The random numbers of a pair thermostat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PairNoise {
    /// Uniform in (−√3, √3).
    #[default]
    Uniform,
    /// Normal, by the method of Box and Muller.
    Normal,
}

/// A pair thermostat of a system. It needs the integrator `velocity-verlet`, and acts beside any pair terms, on pairs that
/// are not excluded.
#[derive(Clone, Debug, PartialEq)]
pub struct PairThermostat {
    /// Friction and cutoff by the types of two beads.
    pub table: PairTable<DpdThermostat>,
    /// The distribution of its random numbers.
    pub noise: PairNoise,
}

impl PairThermostat {
    /// The same friction and cutoff, Å, between all beads of a system of one type, with uniform noise.
    pub fn of_one_type(friction: f64, cutoff: f64) -> Self {
        let formula = DpdThermostat { friction, cutoff };
        PairThermostat { table: PairTable::of_one_type(formula, cutoff), noise: PairNoise::Uniform }
    }
}
