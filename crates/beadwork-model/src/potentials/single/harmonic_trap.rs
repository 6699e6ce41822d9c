//! The harmonic well that holds a bead at a point.

use beadwork_arithmetic::{Elementary, Lane};

use super::{SingleFormula, SinglePotential};
use crate::potentials::{MOST_PARAMETERS, Parameters, padded};

/// V(x) = (k/2)|x − c|²: an oscillator of \[C\], or a restraint.
///
/// ```
/// use beadwork_model::potentials::{HarmonicTrap, SinglePotential};
/// let trap = HarmonicTrap { stiffness: 2.0, centre: [1.0, 0.0, 0.0] };
/// assert_eq!(trap.energy([3.0, 0.0, 0.0]), 4.0);
/// assert_eq!(trap.force([3.0, 0.0, 0.0]), [-4.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HarmonicTrap<T = f64> {
    /// k, kcal/(mol Å²).
    pub stiffness: T,
    /// c, Å.
    pub centre: [T; 3],
}

impl<T: Lane> Parameters<T> for HarmonicTrap<T> {
    const COUNT: usize = 4;

    #[inline(always)]
    fn to_array(self) -> [T; MOST_PARAMETERS] {
        let [x, y, z] = self.centre;
        padded([self.stiffness, x, y, z])
    }

    #[inline(always)]
    fn from_array([stiffness, x, y, z, ..]: [T; MOST_PARAMETERS]) -> Self {
        HarmonicTrap { stiffness, centre: [x, y, z] }
    }
}

impl SingleFormula for HarmonicTrap {
    const NAME: &'static str = "harmonic_trap";
    const EXAMPLE: Self = HarmonicTrap { stiffness: 0.2, centre: [0.0; 3] };
    type In<T: Elementary> = HarmonicTrap<T>;

    fn anchor(&self) -> [f64; 3] {
        self.centre
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }
}

impl<T: Lane> SinglePotential<T> for HarmonicTrap<T> {
    fn energy(&self, position: [T; 3]) -> T {
        let [x, y, z] = [0, 1, 2].map(|axis| position[axis] - self.centre[axis]);
        T::from_f64(0.5) * self.stiffness * (x * x + y * y + z * z)
    }

    #[inline(always)]
    fn force(&self, position: [T; 3]) -> [T; 3] {
        let ([a, b, c], [x, y, z]) = (self.centre, position);
        [self.stiffness * (a - x), self.stiffness * (b - y), self.stiffness * (c - z)]
    }
}
