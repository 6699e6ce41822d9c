//! [`Lane`], the number type of formulas, and [`Real`], a single plain number.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::fractions::Fraction;
use crate::vector::{Family, Vector};

/// A number, or a vector of numbers that all go through the same formula.
///
/// Write formulas without branches: compare with [`Lane::less_than`], then [`Lane::select`] one of two values that
/// have both been computed. Every operation rounds once (IEEE 754), and Rust never contracts `a * b + c` into one
/// rounding, so a formula has the same bits in every lane, vector width and build.
///
/// ```
/// use beadwork_arithmetic::Lane;
///
/// /// k (r − r₀)² / 2 inside the cutoff, nothing outside.
/// fn energy<T: Lane>(distance: T, stiffness: T, rest_length: T, cutoff: T) -> T {
///     let stretch = distance - rest_length;
///     let energy = T::from_f64(0.5) * stiffness * stretch * stretch;
///     T::select(distance.less_than(cutoff), energy, T::zero())
/// }
///
/// assert_eq!(energy(3.0_f64, 2.0, 1.0, 5.0), 4.0);
/// assert_eq!(energy(3.0_f32, 2.0, 1.0, 2.5), 0.0);
/// ```
pub trait Lane:
    Copy
    + Send
    + Sync
    + Debug
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The result of a comparison: `bool` for one number; for a vector, one bit or word a lane.
    type Mask: Copy;

    /// `value`, rounded to this precision, in every lane. Formulas write constants with it.
    fn from_f64(value: f64) -> Self;

    /// The square root, correctly rounded; NaN below zero.
    fn sqrt(self) -> Self;

    /// The magnitude.
    fn abs(self) -> Self;

    /// The mask of lanes with `self < other`; false if either number is NaN.
    fn less_than(self, other: Self) -> Self::Mask;

    /// `if_true` in lanes where the mask holds, `if_false` in the others. Both are computed, so neither may trap.
    fn select(mask: Self::Mask, if_true: Self, if_false: Self) -> Self;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
}

/// One plain number: `f32` or `f64`.
pub trait Real: Lane<Mask = bool> + Fraction + PartialOrd + Default + Display {
    /// Vectors of such numbers, in a family of vectors.
    type Vector<F: Family>: Vector<Scalar = Self>;

    /// The same value in double precision; the conversion is exact.
    fn to_f64(self) -> f64;

    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

macro_rules! scalar {
    ($type:ty, $vector:ident) => {
        impl Lane for $type {
            type Mask = bool;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                <$type>::sqrt(self)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                <$type>::abs(self)
            }

            #[inline(always)]
            fn less_than(self, other: Self) -> bool {
                self < other
            }

            #[inline(always)]
            fn select(mask: bool, if_true: Self, if_false: Self) -> Self {
                std::hint::select_unpredictable(mask, if_true, if_false)
            }
        }

        impl Real for $type {
            type Vector<F: Family> = F::$vector;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
        }
    };
}

scalar!(f32, Single);
scalar!(f64, Double);
