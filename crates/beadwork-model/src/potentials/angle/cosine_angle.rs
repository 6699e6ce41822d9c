//! The stiffness of a chain.

use beadwork_arithmetic::{Elementary, Lane};

use super::{AngleFormula, AnglePotential};
use crate::potentials::parameters::parameters;

/// V(θ) = k (1 + cos θ): zero for a straight chain. It gives a worm-like chain its persistence length (Bulacu and van der
/// Giessen, J. Chem. Phys. 123, 114901, 2005; LAMMPS `angle_style cosine`).
///
/// ```
/// use beadwork_model::potentials::{AnglePotential, CosineAngle};
/// let angle = CosineAngle { stiffness: 4.0 };
/// assert_eq!((angle.energy(-1.0), angle.energy(0.5), angle.slope(0.5)), (0.0, 6.0, 4.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CosineAngle<T = f64> {
    /// k, kcal/mol.
    pub stiffness: T,
}

parameters!(CosineAngle { stiffness });

impl AngleFormula for CosineAngle {
    const NAME: &'static str = "cosine_angle";
    const EXAMPLE: Self = CosineAngle { stiffness: 1.5 };
    type In<T: Elementary> = CosineAngle<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness
    }
}

impl<T: Lane> AnglePotential<T> for CosineAngle<T> {
    #[inline(always)]
    fn energy(&self, cosine: T) -> T {
        self.stiffness * (T::from_f64(1.0) + cosine)
    }

    #[inline(always)]
    fn slope(&self, _: T) -> T {
        self.stiffness
    }
}
