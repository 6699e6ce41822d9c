//! The harmonic well that holds a bead at a point.

use beadwork_arithmetic::Lane;

/// V(x) = (k/2)|x − c|²: an oscillator of P1, or a restraint.
///
/// ```
/// use beadwork_model::potentials::HarmonicTrap;
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

impl HarmonicTrap<f64> {
    /// The same trap in another number type.
    pub fn to_lane<T: Lane>(self) -> HarmonicTrap<T> {
        HarmonicTrap {
            stiffness: T::from_f64(self.stiffness),
            centre: self.centre.map(T::from_f64),
        }
    }
}

impl<T: Lane> HarmonicTrap<T> {
    /// Energy, kcal/mol, of a bead at `position`, Å.
    pub fn energy(&self, position: [T; 3]) -> T {
        let [x, y, z] = [0, 1, 2].map(|axis| position[axis] - self.centre[axis]);
        T::from_f64(0.5) * self.stiffness * (x * x + y * y + z * z)
    }

    /// Force, kcal/(mol Å), on a bead at `position`, Å.
    #[inline(always)]
    pub fn force(&self, position: [T; 3]) -> [T; 3] {
        let ([a, b, c], [x, y, z]) = (self.centre, position);
        [self.stiffness * (a - x), self.stiffness * (b - y), self.stiffness * (c - z)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_minus_the_slope_along_each_axis() {
        let trap = HarmonicTrap { stiffness: 3.0, centre: [1.0, -2.0, 0.5] };
        let at = [2.0, 1.0, -1.0];
        assert_eq!(trap.force(at), [-3.0, -9.0, 4.5]);
        // (3/2)(1 + 9 + 2.25)
        assert_eq!(trap.energy(at), 18.375);
        assert_eq!(trap.energy(trap.centre), 0.0);
        assert_eq!(trap.force(trap.centre), [0.0; 3]);
    }
}
