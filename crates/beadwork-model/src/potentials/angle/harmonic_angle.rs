//! The spring in the angle itself.

use beadwork_arithmetic::{Elementary, arc_cosine};

use super::{AngleFormula, AnglePotential};
use crate::potentials::parameters::parameters;

/// V(θ) = (k/2)(θ − θ₀)².
///
/// A straight angle is no minimum unless θ₀ = π, and the force there has no direction: the slope in cos θ is computed with
/// sin θ of at least [`SMALLEST_SINE`], so that it stays finite. In single precision the relative error of the slope is
/// about 10⁻⁷/sin² θ, since θ follows from cos θ.
///
/// ```
/// use beadwork_model::potentials::{AnglePotential, HarmonicAngle};
/// use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};
/// let angle = HarmonicAngle { stiffness: 4.0, angle: FRAC_PI_3 };
/// assert!((angle.energy(0.0) - 2.0 * (FRAC_PI_2 - FRAC_PI_3).powi(2)).abs() < 1e-15);
/// assert!((angle.slope(0.0) + 4.0 * (FRAC_PI_2 - FRAC_PI_3)).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HarmonicAngle<T = f64> {
    /// k, kcal/mol (per rad²).
    pub stiffness: T,
    /// θ₀, rad.
    pub angle: T,
}

/// Below this sin θ the slope no longer grows.
pub const SMALLEST_SINE: f64 = 1e-3;

parameters!(HarmonicAngle { stiffness, angle });

impl AngleFormula for HarmonicAngle {
    const NAME: &'static str = "harmonic_angle";
    const EXAMPLE: Self = HarmonicAngle { stiffness: 2.0, angle: 1.9 };
    type In<T: Elementary> = HarmonicAngle<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness
    }
}

impl<T: Elementary> AnglePotential<T> for HarmonicAngle<T> {
    #[inline(always)]
    fn energy(&self, cosine: T) -> T {
        let apart = arc_cosine(cosine) - self.angle;
        T::from_f64(0.5) * self.stiffness * apart * apart
    }

    /// −k (θ − θ₀)/sin θ.
    #[inline(always)]
    fn slope(&self, cosine: T) -> T {
        let apart = arc_cosine(cosine) - self.angle;
        let one = T::from_f64(1.0);
        let square = (one - cosine) * (one + cosine);
        let least = T::from_f64(SMALLEST_SINE * SMALLEST_SINE);
        let sine = T::select(least.less_than(square), square, least).sqrt();
        -(self.stiffness * apart) / sine
    }
}
