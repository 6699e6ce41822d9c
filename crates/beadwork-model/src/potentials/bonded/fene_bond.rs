//! The finitely extensible nonlinear elastic bond around a native length.

use beadwork_arithmetic::{Elementary, natural_logarithm};

use crate::potentials::pair::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;

/// V(r) = −(k/2) R² ln(1 − ((r − r₀)/R)²) (\[A\], equation 1, first term).
///
/// It diverges at |r − r₀| = R. Beyond it the bond is broken: a path must check [`PairPotential::holds`] and stop,
/// since the force formula then has the wrong sign.
///
/// ```
/// use beadwork_model::potentials::{FeneBond, PairPotential};
/// let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
/// assert_eq!(bond.energy(3.8 * 3.8), 0.0);
/// // Half way to the limit: 40 ln(4/3).
/// assert!((bond.energy(4.8 * 4.8) - 40.0 * (4.0f64 / 3.0).ln()).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeneBond<T = f64> {
    /// k, kcal/(mol Å²).
    pub stiffness: T,
    /// R, Å: the deviation from the native length at which the bond breaks.
    pub limit: T,
    /// r₀, Å.
    pub length: T,
}

parameters!(FeneBond { stiffness, limit, length });

impl PairFormula for FeneBond {
    const NAME: &'static str = "fene_bond";
    const EXAMPLE: Self = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
    const BREAKS: bool = true;
    type In<T: Elementary> = FeneBond<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn rest_length(&self) -> f64 {
        self.length
    }

    fn limit(&self) -> f64 {
        self.limit
    }
}

impl<T: Elementary> PairPotential<T> for FeneBond<T> {
    fn energy(&self, r2: T) -> T {
        let ratio = (r2.sqrt() - self.length) / self.limit;
        let remaining = T::from_f64(1.0) - ratio * ratio;
        T::from_f64(-0.5) * self.stiffness * self.limit * self.limit * natural_logarithm(remaining)
    }

    /// −k (r − r₀) / (1 − ((r − r₀)/R)²) / r.
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let r = r2.sqrt();
        let stretch = r - self.length;
        let ratio = stretch / self.limit;
        -(self.stiffness * stretch) / ((T::from_f64(1.0) - ratio * ratio) * r)
    }

    /// True if |r − r₀| < R.
    #[inline(always)]
    fn holds(&self, r2: T) -> T::Mask {
        (r2.sqrt() - self.length).abs().less_than(self.limit)
    }
}
