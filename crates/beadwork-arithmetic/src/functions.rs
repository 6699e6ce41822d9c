//! Logarithm, sine and cosine with the same bits on every machine.
//!
//! The functions use only additions, subtractions, multiplications, one division and comparisons, in a fixed order,
//! each rounded once (IEEE 754). Any machine, vector width or GPU that keeps this order and does not fuse operations
//! gets the same bits. The order and the coefficients are frozen: changing one is value-breaking.

use crate::lane::Lane;
use crate::vector::Bits;

/// Coefficients of the logarithm's series, ln((1 + s)/(1 − s)) − 2s = s·w·(2/3 + 2w/5 + 2w²/7 + …) with w = s².
const LOGARITHM: [f64; 10] = [
    2.0 / 3.0,
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
];

/// Coefficients of the sine's series after the first, ±(2π)ⁿ/n! for n = 3, 5, …, 17.
const SINE: [f64; 8] = [
    -41.341_702_240_399_76,
    81.605_249_276_075_06,
    -76.705_859_753_061_39,
    42.058_693_944_897_654,
    -15.094_642_576_822_99,
    3.819_952_584_848_282,
    -0.718_122_301_778_500_6,
    0.104_229_162_208_139_84,
];

/// Coefficients of the cosine's series after the first, ±(2π)ⁿ/n! for n = 2, 4, …, 16.
const COSINE: [f64; 8] = [
    -19.739_208_802_178_716,
    64.939_394_022_668_3,
    -85.456_817_206_693_73,
    60.244_641_371_876_66,
    -26.426_256_783_374_4,
    7.903_536_371_318_469,
    -1.714_390_711_088_672,
    0.282_005_968_455_791_23,
];

/// How many terms a precision takes from the series, and its constants.
///
/// The number of terms keeps the neglected rest of each series below 1/20 of the last place.
pub trait Precision {
    /// Bits of the fraction.
    const FRACTION_BITS: u32;
    /// Bits of the exponent.
    const EXPONENT_BITS: u32;
    /// Terms taken from the logarithm's series, at most 10.
    const LOGARITHM_TERMS: usize;
    /// Terms taken from the sine's series, at most 8.
    const SINE_TERMS: usize;
    /// Terms taken from the cosine's series, at most 8.
    const COSINE_TERMS: usize;
    /// ln 2 as a short number, whose product with any exponent is exact, and the rest.
    const LOGARITHM_OF_TWO: [f64; 2];
    /// 2π as the nearest number of this precision, and the rest.
    const TWO_PI: [f64; 2];
    /// 1.5 · 2ᵖ with p the bits of the fraction. Adding and subtracting it rounds to a whole number, halves to even.
    const ROUNDING: f64;
}

/// Operations that [`Lane`] lacks and the functions of this file need, so that they are written once for all types.
pub trait Elementary: Lane {
    /// The precision of the numbers.
    type Number: Precision;
    /// The numbers' bits as whole numbers.
    type Bits: Bits;

    /// The bits of IEEE 754: sign, exponent, fraction.
    fn to_bits(self) -> Self::Bits;

    /// The numbers with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
}

macro_rules! plain_number {
    ($number:ty, $bits:ty) => {
        impl Elementary for $number {
            type Number = $number;
            type Bits = $bits;

            #[inline(always)]
            fn to_bits(self) -> $bits {
                self.to_bits()
            }

            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                Self::from_bits(bits)
            }
        }
    };
}

plain_number!(f32, u32);
plain_number!(f64, u64);

impl Precision for f32 {
    const FRACTION_BITS: u32 = 23;
    const EXPONENT_BITS: u32 = 8;
    const LOGARITHM_TERMS: usize = 4;
    const SINE_TERMS: usize = 4;
    const COSINE_TERMS: usize = 5;
    const LOGARITHM_OF_TWO: [f64; 2] = [0.693_145_751_953_125, 1.428_606_820_309_417_3e-6];
    const TWO_PI: [f64; 2] = [6.283_185_482_025_146_5, -1.748_455_600_074_497e-7];
    const ROUNDING: f64 = 12_582_912.0;
}

impl Precision for f64 {
    const FRACTION_BITS: u32 = 52;
    const EXPONENT_BITS: u32 = 11;
    const LOGARITHM_TERMS: usize = 10;
    const SINE_TERMS: usize = 8;
    const COSINE_TERMS: usize = 8;
    const LOGARITHM_OF_TWO: [f64; 2] = [0.693_147_180_559_890_3, 5.497_923_018_708_371e-14];
    const TWO_PI: [f64; 2] = [std::f64::consts::TAU, 2.449_293_598_294_706_4e-16];
    const ROUNDING: f64 = 6_755_399_441_055_744.0;
}

/// A positive normal number x = m · 2ᵉ as (m, e), with m in [√½, √2).
///
/// Subtract the bits of √½ from those of x: the exponent field holds e, the fraction the distance from √½ · 2ᵉ. Add
/// the sign bit: the top field holds e + 2ʷ > 0 (w exponent bits). Shift it into the fraction of the number 2ᵖ (p
/// fraction bits): this gives 2ᵖ + e + 2ʷ. Subtract 2ᵖ + 2ʷ: this gives e. All steps are exact.
#[inline(always)]
fn split_exponent<T: Elementary>(x: T) -> (T, T) {
    let root_of_half = T::from_f64(std::f64::consts::FRAC_1_SQRT_2).to_bits();
    let sign = T::from_f64(-0.0).to_bits();
    let fraction_bits = T::Number::FRACTION_BITS;
    let fraction = T::Bits::from_u64((1 << fraction_bits) - 1);
    let above_root = x.to_bits().wrapping_sub(root_of_half).wrapping_add(sign);
    let mantissa = T::from_bits((above_root & fraction).wrapping_add(root_of_half));

    let unit = (1_u64 << fraction_bits) as f64;
    let shifted = T::from_bits(above_root >> fraction_bits | T::from_f64(unit).to_bits());
    let exponent = shifted - T::from_f64(unit + (1_u64 << T::Number::EXPONENT_BITS) as f64);
    (mantissa, exponent)
}

/// Sine and cosine of an angle plus q quarter turns, from the sine and cosine of the angle. `counted` is
/// [`Precision::ROUNDING`] + q, q ≥ 0; its last bits are those of q.
///
/// For odd q the two are swapped. The new sine is negated if bit 1 of q is set, the new cosine if bit 1 of q + 1 is
/// set. The code works on bits because compilers turn selections into jumps, which random angles make slow.
#[inline(always)]
fn turn_by_quarters<T: Elementary>(counted: T, sine: T, cosine: T) -> (T, T) {
    let quarters = counted.to_bits();
    let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
    let bit = T::Bits::from_u64;
    let swap = bit(0).wrapping_sub(quarters & bit(1)) & (sine ^ cosine);
    // Shifts bit 1 to the sign.
    let shift = T::Number::FRACTION_BITS + T::Number::EXPONENT_BITS - 1;
    let negate_sine = (quarters & bit(2)) << shift;
    let negate_cosine = (quarters.wrapping_add(bit(1)) & bit(2)) << shift;
    (T::from_bits(sine ^ swap ^ negate_sine), T::from_bits(cosine ^ swap ^ negate_cosine))
}

/// c₀ + w(c₁ + w(c₂ + …)) over the first `terms` coefficients, each rounded to the precision of `w`.
#[inline(always)]
fn polynomial<T: Lane>(w: T, coefficients: &[f64], terms: usize) -> T {
    let mut sum = T::from_f64(coefficients[terms - 1]);
    for coefficient in coefficients[..terms - 1].iter().rev() {
        sum = sum * w + T::from_f64(*coefficient);
    }
    sum
}

/// ln x of a positive normal number x.
///
/// With x = 2ᵉ(1 + f), s = f/(2 + f) and w = s²: ln x = e ln 2 + f − (f²/2 − s(f²/2 + w(2/3 + 2w/5 + …))). This order
/// of the odd series in s adds the exact f last (fdlibm's `e_log.c` explains it).
///
/// Zero, subnormal and negative numbers, infinities and NaN give meaningless finite numbers.
///
/// Error, measured against higher precision: at most 0.86 units in the last place for `f32` (all numbers in (0, 1])
/// and 0.81 for `f64` (3·10⁵ random numbers).
///
/// ```
/// use beadwork_arithmetic::natural_logarithm;
///
/// assert_eq!(natural_logarithm(1.0_f32), 0.0);
/// assert_eq!(natural_logarithm(0.5_f64), -std::f64::consts::LN_2);
/// ```
#[inline(always)]
pub fn natural_logarithm<T: Elementary>(x: T) -> T {
    let (mantissa, exponent) = split_exponent(x);
    let f = mantissa - T::from_f64(1.0);
    let half_square = T::from_f64(0.5) * f * f;
    let s = f / (mantissa + T::from_f64(1.0));
    let w = s * s;
    let rest = w * polynomial(w, &LOGARITHM, T::Number::LOGARITHM_TERMS);
    let [high, low] = T::Number::LOGARITHM_OF_TWO;
    let correction = half_square - (s * (half_square + rest) + exponent * T::from_f64(low));
    exponent * T::from_f64(high) - (correction - f)
}

/// (sin 2πu, cos 2πu) of an angle of u turns, u in [0, 1].
///
/// Subtracting the nearest quarter turn q is exact and leaves r = u − q/4 in [−1/8, 1/8]. Taylor series in r follow,
/// then the quadrant swaps and negates the results. The error is relative near the zeros, too.
///
/// Angles outside [0, 1] give meaningless numbers.
///
/// Error, measured against higher precision: at most 1.58 units in the last place for `f32` (all multiples of 2⁻²⁴)
/// and 1.57 for `f64` (3·10⁵ random angles). It is largest where the sine is just below ½.
///
/// ```
/// use beadwork_arithmetic::sine_cosine_of_turns;
///
/// assert_eq!(sine_cosine_of_turns(0.25_f64), (1.0, 0.0));
/// assert_eq!(sine_cosine_of_turns(0.5_f32), (0.0, -1.0));
/// ```
#[inline(always)]
pub fn sine_cosine_of_turns<T: Elementary>(u: T) -> (T, T) {
    let rounding = T::from_f64(T::Number::ROUNDING);
    let counted = T::from_f64(4.0) * u + rounding;
    let r = u - T::from_f64(0.25) * (counted - rounding);
    let w = r * r;
    let [high, low] = T::Number::TWO_PI;
    let sine_tail = T::from_f64(low) + w * polynomial(w, &SINE, T::Number::SINE_TERMS);
    let sine = r * T::from_f64(high) + r * sine_tail;
    let cosine = T::from_f64(1.0) + w * polynomial(w, &COSINE, T::Number::COSINE_TERMS);

    turn_by_quarters(counted, sine, cosine)
}
