//! Coordinates in a periodic box: whole numbers in the bits of plain numbers.
//!
//! A coordinate is a signed number of 2⁻ⁿ sides, where n is the bits of the precision, and all 2ⁿ of them span one side.
//! Sums and differences wrap around, as the box does. The bits of many such coordinates are not a number; only the
//! functions of this file may compute with them. Loads, stores and selections keep them.

use crate::functions::{Elementary, Precision};
use crate::vector::Bits;

/// The bits of a number.
const fn bits_of<T: Precision>() -> u32 {
    1 + T::EXPONENT_BITS + T::FRACTION_BITS
}

/// 2ⁿ, the parts of a side.
#[inline(always)]
pub fn parts_of_a_side<T: Precision>() -> f64 {
    (2.0_f64).powi(bits_of::<T>() as i32)
}

/// [`Elementary::from_signed`] of vectors without an instruction for it.
///
/// The upper and the lower half of the bits are written into the fraction of 2ᵖ, p being its bits, from which they are
/// read exactly; only their sum rounds. The sign bit is flipped before and subtracted after.
#[inline(always)]
pub(crate) fn rounded_number<V: Elementary>(bits: V::Bits) -> V {
    let half = bits_of::<V::Number>() / 2;
    let empty = V::from_f64((1_u64 << V::Number::FRACTION_BITS) as f64);
    let sign = (1_u64 << (half - 1)) as f64;
    let flipped = bits ^ V::Bits::from_u64(1 << (2 * half - 1));
    let low_bits = V::Bits::from_u64((1 << half) - 1);
    let high = V::from_bits((flipped >> half) | empty.to_bits()) - (empty + V::from_f64(sign));
    let low = V::from_bits((bits & low_bits) | empty.to_bits()) - empty;
    high * V::from_f64((1_u64 << half) as f64) + low
}

/// A number below 2ⁿ in magnitude, rounded to the nearest whole number, halves to even, as bits.
///
/// The number is cut into a multiple of 2ⁿᐟ² and a rest, which both are rounded by adding a large number.
#[inline(always)]
fn rounded<V: Elementary>(number: V) -> V::Bits {
    let half = bits_of::<V::Number>() / 2;
    let (unit, large) = ((1_u64 << half) as f64, V::from_f64(V::Number::ROUNDING));
    let high = number * V::from_f64(1.0 / unit) + large;
    let low = number - (high - large) * V::from_f64(unit) + large;
    let high = high.to_bits().wrapping_sub(large.to_bits());
    (high << half).wrapping_add(low.to_bits().wrapping_sub(large.to_bits()))
}

/// a − b of two coordinates by the nearest image, in parts of a side.
///
/// ```
/// use beadwork_arithmetic::{Fraction, nearest_image};
///
/// // 0.375 and −0.375 of a side are a quarter of a side apart, across the face.
/// let [a, b] = [0.375, -0.375].map(|sides: f64| f64::from_fraction((sides * 2.0_f64.powi(64)) as i64));
/// assert_eq!(nearest_image(a, b), -0.25 * 2.0_f64.powi(64));
/// ```
#[inline(always)]
pub fn nearest_image<V: Elementary>(a: V, b: V) -> V {
    V::from_signed(a.to_bits().wrapping_sub(b.to_bits()))
}

/// A coordinate after a displacement of less than 2ⁿ⁻¹ parts of a side.
#[inline(always)]
pub fn displaced<V: Elementary>(coordinate: V, parts: V) -> V {
    V::from_bits(coordinate.to_bits().wrapping_add(rounded(parts)))
}

/// A plain number that holds a coordinate in its bits.
pub trait Fraction: Sized {
    /// The coordinate as a signed number of 2⁻⁶⁴ sides.
    fn to_fraction(self) -> i64;

    /// The coordinate of this precision at or just below a fraction.
    fn from_fraction(fraction: i64) -> Self;
}

impl Fraction for f32 {
    #[inline(always)]
    fn to_fraction(self) -> i64 {
        i64::from(self.to_bits() as i32) << 32
    }

    #[inline(always)]
    fn from_fraction(fraction: i64) -> Self {
        f32::from_bits((fraction >> 32) as u32)
    }
}

impl Fraction for f64 {
    #[inline(always)]
    fn to_fraction(self) -> i64 {
        self.to_bits() as i64
    }

    #[inline(always)]
    fn from_fraction(fraction: i64) -> Self {
        f64::from_bits(fraction as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::Lane;
    use crate::vector::{Family, Instructions, Kernel, Vector};

    /// Whole numbers of all sizes and signs, with halves of the last place of single precision among them.
    fn whole_numbers() -> impl Iterator<Item = i64> {
        let mut word = 1_u64;
        (0..20_000).map(move |count| {
            word = word
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            match count {
                0 => 0,
                1 => i64::MIN,
                2 => i64::MAX,
                3 => -1,
                _ => (word as i64) >> (count % 64),
            }
        })
    }

    #[test]
    fn conversions_round_as_those_of_the_language() {
        for whole in whole_numbers() {
            assert_eq!(rounded_number::<f64>(whole as u64), whole as f64, "{whole}");
            let short = whole as i32;
            assert_eq!(rounded_number::<f32>(short as u32), short as f32, "{short}");
        }
        for whole in whole_numbers() {
            let (wide, short) = (whole as f64 * 0.37, (whole >> 32) as f32 * 0.37);
            assert_eq!(rounded(wide), wide.round_ties_even() as i64 as u64, "{wide}");
            assert_eq!(rounded(short), short.round_ties_even() as i32 as u32, "{short}");
        }
        assert_eq!([0.5, 1.5, -0.5, -2.5_f32].map(rounded), [0, 2, 0, 2_u32.wrapping_neg()]);
    }

    struct SameInLanes;

    impl Kernel for SameInLanes {
        type Output = ();

        fn run<F: Family>(self) {
            check::<F::Single>();
            check::<F::Double>();
        }
    }

    fn check<V: Vector>()
    where
        V::Scalar: Elementary,
    {
        let all: Vec<_> = whole_numbers().map(V::Scalar::from_fraction).collect();
        for (a, b) in all.chunks_exact(16).zip(all[160..].chunks_exact(16)) {
            let (a, b) = (V::load(a), V::load(b));
            let parts = nearest_image(a, b);
            let moved = displaced(a, parts * V::from_f64(0.3));
            for lane in 0..V::WIDTH {
                let expected = nearest_image(a.lane(lane), b.lane(lane));
                assert_eq!(parts.lane(lane), expected);
                let expected = displaced(a.lane(lane), expected * V::Scalar::from_f64(0.3));
                assert_eq!(moved.lane(lane).to_fraction(), expected.to_fraction());
            }
        }
    }

    #[test]
    fn lanes_have_the_bits_of_plain_numbers() {
        for instructions in Instructions::ALL.into_iter().filter(|some| some.is_available()) {
            instructions.dispatch(SameInLanes);
        }
    }
}
