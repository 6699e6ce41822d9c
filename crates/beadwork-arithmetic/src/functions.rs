//! Logarithm, exponential, sine, cosine and arc cosine with the same bits on every machine.
//!
//! The functions use only additions, subtractions, multiplications, one division or square root, comparisons and
//! operations on bits, in a fixed order, each rounded once (IEEE 754). Any machine, vector width or GPU that keeps this
//! order and does not fuse operations gets the same bits. The order and the coefficients are frozen: changing one is
//! value-breaking.

use crate::fractions::rounded_number;
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

/// Coefficients of P in eʳ ≈ 1 + r + r²·P(r) for |r| ≤ ½ ln 2.
///
/// The minimax polynomial: the one whose largest relative error, here 3.2 · 10⁻⁹, is smallest. Remez's algorithm finds
/// it; each coefficient is rounded in turn, and the next ones are fitted again.
const EXPONENTIAL_SINGLE: [f64; 5] = [
    0.499_999_940_395_355_2,
    0.166_665_166_616_439_82,
    0.041_668_102_145_195_01,
    0.008_369_192_481_040_955,
    0.001_383_890_281_431_377,
];

/// As [`EXPONENTIAL_SINGLE`], with the first two coefficients those of Taylor's series; relative error 1.5 · 10⁻¹⁹.
const EXPONENTIAL_DOUBLE: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_66,
    0.041_666_666_666_666_4,
    0.008_333_333_333_327_845,
    0.001_388_888_888_905_442_5,
    0.000_198_412_698_737_888_7,
    2.480_158_695_853_410_6e-5,
    2.755_725_448_271_813e-6,
    2.755_759_850_945_439e-7,
    2.510_596_881_099_239_3e-8,
    2.081_282_906_773_076_6e-9,
];

/// Coefficients of P in arcsin s ≈ s + s·w·P(w), w = s² ≤ ¼: minimax as [`EXPONENTIAL_SINGLE`], with the relative error
/// 5.0 · 10⁻⁹.
const ARC_SINE_SINGLE: [f64; 5] = [
    0.166_667_535_901_069_64,
    0.074_952_520_430_088_04,
    0.045_476_041_734_218_6,
    0.024_152_090_772_986_412,
    0.042_211_804_538_965_225,
];

/// As [`ARC_SINE_SINGLE`], with the relative error 1.4 · 10⁻¹⁸.
const ARC_SINE_DOUBLE: [f64; 13] = [
    0.166_666_666_666_667_63,
    0.074_999_999_999_701_3,
    0.044_642_857_175_235_99,
    0.030_381_942_678_534_495,
    0.022_372_215_812_204_242,
    0.017_351_596_848_195_08,
    0.013_981_009_384_417_16,
    0.011_397_297_370_764_607,
    0.010_789_716_404_561_337,
    0.003_669_158_462_200_224_8,
    0.021_801_368_102_628_966,
    -0.021_135_863_646_482_823,
    0.032_716_031_434_259_93,
];

/// How many terms a precision takes from the series, and its constants.
///
/// The number of terms keeps the neglected rest of each series below 1/20 of the last place, that of the arc sine
/// below 1/10.
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
    /// Coefficients of the exponential's polynomial.
    const EXPONENTIAL: &'static [f64];
    /// The least number whose exponential is normal, and the greatest whose exponential is finite.
    const EXPONENTIAL_RANGE: [f64; 2];
    /// Coefficients of the arc sine's polynomial.
    const ARC_SINE: &'static [f64];
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

    /// The signed whole numbers in these bits, each rounded once to the nearest number, halves to even.
    #[inline(always)]
    fn from_signed(bits: Self::Bits) -> Self {
        rounded_number(bits)
    }
}

macro_rules! plain_number {
    ($number:ty, $bits:ty, $signed:ty) => {
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

            #[inline(always)]
            fn from_signed(bits: $bits) -> Self {
                bits as $signed as $number
            }
        }
    };
}

plain_number!(f32, u32, i32);
plain_number!(f64, u64, i64);

impl Precision for f32 {
    const FRACTION_BITS: u32 = 23;
    const EXPONENT_BITS: u32 = 8;
    const LOGARITHM_TERMS: usize = 4;
    const SINE_TERMS: usize = 4;
    const COSINE_TERMS: usize = 5;
    const EXPONENTIAL: &'static [f64] = &EXPONENTIAL_SINGLE;
    const EXPONENTIAL_RANGE: [f64; 2] = [-87.336_540_222_167_97, 88.722_831_726_074_22];
    const ARC_SINE: &'static [f64] = &ARC_SINE_SINGLE;
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
    const EXPONENTIAL: &'static [f64] = &EXPONENTIAL_DOUBLE;
    const EXPONENTIAL_RANGE: [f64; 2] = [-708.396_418_532_264_1, 709.782_712_893_384];
    const ARC_SINE: &'static [f64] = &ARC_SINE_DOUBLE;
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

/// eˣ.
///
/// With n the whole number nearest to x/ln 2 and r = x − n ln 2: eˣ = 2ⁿ(1 + r + r²·P(r)), |r| ≤ ½ ln 2. The product of
/// n with the high part of ln 2 is exact, and so is its difference from x; the product with the low part is subtracted
/// from the small term r²·P, and 1 is added last. Adding n to the bits of the exponent multiplies by 2ⁿ exactly.
///
/// Where eˣ is below the smallest normal number (x < −87.33654 in `f32`, −708.396418532264 in `f64`), the result is +0.
/// Above x = 88.72283 in `f32` and 709.782712893384 in `f64`, the last at which eˣ is finite, the result remains what
/// it is there, just below the largest number. NaN gives the same.
///
/// Error, measured against higher precision: at most 0.90 units in the last place for `f32` (all inputs) and 0.83 for
/// `f64` (4·10⁵ random numbers).
///
/// ```
/// use beadwork_arithmetic::exponential;
///
/// assert_eq!(exponential(0.0_f32), 1.0);
/// assert_eq!(exponential(-1000.0_f64), 0.0);
/// ```
#[inline(always)]
pub fn exponential<T: Elementary>(x: T) -> T {
    let [least, greatest] = T::Number::EXPONENTIAL_RANGE.map(T::from_f64);
    let bounded = T::select(x.less_than(greatest), x, greatest);
    let rounding = T::from_f64(T::Number::ROUNDING);
    let counted = bounded * T::from_f64(std::f64::consts::LOG2_E) + rounding;
    let n = counted - rounding;

    let [high, low] = T::Number::LOGARITHM_OF_TWO;
    let near = bounded - n * T::from_f64(high);
    let low = n * T::from_f64(low);
    let r = near - low;
    let sum = polynomial(r, T::Number::EXPONENTIAL, T::Number::EXPONENTIAL.len());
    let power = T::from_f64(1.0) + (near + (r * r * sum - low));

    // The last bits of `counted` are those of n: the shift moves them to the exponent and the others out.
    let exponent = counted.to_bits() << T::Number::FRACTION_BITS;
    let scaled = T::from_bits(power.to_bits().wrapping_add(exponent));
    T::select(x.less_than(least), T::zero(), scaled)
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

/// arccos x in radians, x in [−1, 1].
///
/// For |x| ≤ ½ it is π/2 − arcsin x. For |x| > ½ it is 2 arcsin s or, if x < 0, π − 2 arcsin s, with
/// s = √((1 − |x|)/2), which is at most ½: (1 − |x|)/2 is exact, so the error is relative near x = 1, too. Both are
/// q π/2 − (v + v·w·P(w)) with v = x or ∓2s, w = x² or s², and q = 0, 1 or 2.
///
/// Numbers outside [−1, 1] count as the nearer end, since a computed cosine may exceed it; NaN gives 0 or π.
///
/// Error, measured against higher precision: at most 1.16 units in the last place for `f32` (all inputs) and 1.05
/// for `f64` (4·10⁵ random numbers).
///
/// ```
/// use beadwork_arithmetic::arc_cosine;
///
/// assert_eq!(arc_cosine(1.0_f32), 0.0);
/// assert_eq!(arc_cosine(-1.0_f64), std::f64::consts::PI);
/// ```
#[inline(always)]
pub fn arc_cosine<T: Elementary>(x: T) -> T {
    let (one, half) = (T::from_f64(1.0), T::from_f64(0.5));
    let magnitude = T::select(x.abs().less_than(one), x.abs(), one);
    let outer = half.less_than(magnitude);
    // ±1 with the sign of x.
    let side = T::from_bits(one.to_bits() | (x.to_bits() & T::from_f64(-0.0).to_bits()));
    let half_gap = half - half * magnitude;

    let w = T::select(outer, half_gap, x * x);
    let v = T::select(outer, T::from_f64(-2.0) * side * half_gap.sqrt(), x);
    let q = T::select(outer, one - side, one);

    let [high, low] = T::Number::TWO_PI.map(|part| T::from_f64(0.25 * part));
    let rest = w * polynomial(w, T::Number::ARC_SINE, T::Number::ARC_SINE.len());
    q * high - (v - (q * low - v * rest))
}
