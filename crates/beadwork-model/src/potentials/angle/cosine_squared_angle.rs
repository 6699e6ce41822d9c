//! The spring in the cosine of an angle.

use beadwork_arithmetic::{Elementary, Lane, sine_cosine_of_turns};

use super::{AngleFormula, AnglePotential};
use crate::potentials::parameters::parameters;

/// V(θ) = (k/2)(cos θ − c₀)² (van Gunsteren and Berendsen, GROMOS; GROMACS manual, angle type 2). It has no singular
/// force at θ = 180°.
///
/// ```
/// use beadwork_model::potentials::{AnglePotential, CosineSquaredAngle};
/// let angle = CosineSquaredAngle { stiffness: 4.0, cosine: -0.5 };
/// assert_eq!(angle.energy(0.5), 2.0);
/// assert_eq!(angle.slope(0.5), 4.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CosineSquaredAngle<T = f64> {
    /// k, kcal/mol.
    pub stiffness: T,
    /// c₀: the cosine of the angle at rest.
    pub cosine: T,
}

parameters!(CosineSquaredAngle { stiffness, cosine });

impl CosineSquaredAngle {
    /// The potential with an angle at rest in degrees.
    pub fn at_degrees(stiffness: f64, degrees: f64) -> Self {
        let (_, cosine) = sine_cosine_of_turns(degrees / 360.0);
        CosineSquaredAngle { stiffness, cosine }
    }
}

impl AngleFormula for CosineSquaredAngle {
    const NAME: &'static str = "cosine_squared_angle";
    const EXAMPLE: Self = CosineSquaredAngle { stiffness: 3.0, cosine: -0.1 };
    type In<T: Elementary> = CosineSquaredAngle<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness * (1.0 - self.cosine * self.cosine)
    }
}

impl<T: Lane> AnglePotential<T> for CosineSquaredAngle<T> {
    #[inline(always)]
    fn energy(&self, cosine: T) -> T {
        let apart = cosine - self.cosine;
        T::from_f64(0.5) * self.stiffness * apart * apart
    }

    #[inline(always)]
    fn slope(&self, cosine: T) -> T {
        self.stiffness * (cosine - self.cosine)
    }
}
