//! The attraction between residues that touch in the native structure.

use beadwork_arithmetic::{Elementary, Lane};

use crate::potentials::pair::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;
use crate::potentials::{MOST_PARAMETERS, padded};

/// V(r) = ε[(r₀/r)¹² − 2(r₀/r)⁶] (\[A\], equation 1, second term): depth ε at r₀, no cutoff.
///
/// ```
/// use beadwork_model::potentials::{NativeContact, PairPotential};
/// let contact = NativeContact { depth: 1.5, length: 6.0 };
/// assert_eq!(contact.energy(36.0), -1.5);
/// assert_eq!(contact.force_over_distance(36.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NativeContact<T = f64> {
    /// ε, kcal/mol.
    pub depth: T,
    /// r₀, Å: the distance in the native structure.
    pub length: T,
}

parameters!(NativeContact { depth, length });

impl PairFormula for NativeContact {
    const NAME: &'static str = "native_contact";
    const EXAMPLE: Self = NativeContact { depth: 1.0, length: 6.0 };
    const PREPARED: usize = 2;
    type In<T: Elementary> = NativeContact<T>;

    /// 12 ε and r₀².
    fn prepared<T: Elementary>(contact: NativeContact<T>) -> [T; MOST_PARAMETERS] {
        padded([T::from_f64(12.0) * contact.depth, contact.length * contact.length])
    }

    /// 72 ε/r₀², the second derivative at r₀.
    fn stiffness(&self) -> f64 {
        72.0 * self.depth / (self.length * self.length)
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl<T: Lane> PairPotential<T> for NativeContact<T> {
    fn energy(&self, r2: T) -> T {
        let square = self.length * self.length / r2;
        let sixth = square * square * square;
        self.depth * sixth * (sixth - T::from_f64(2.0))
    }

    /// 12 ε [(r₀/r)¹² − (r₀/r)⁶] / r².
    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        let inverse = T::from_f64(1.0) / r2;
        let square = self.length * self.length * inverse;
        let sixth = square * square * square;
        T::from_f64(12.0) * self.depth * inverse * sixth * (sixth - T::from_f64(1.0))
    }
}
