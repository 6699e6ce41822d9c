//! Errors of the elementary functions against the true values, in units in the last place of the result's precision.

use std::f64::consts::TAU;

use beadwork_arithmetic::{arc_cosine, exponential, natural_logarithm, sine_cosine_of_turns};
use beadwork_testing::few_or_many;

/// The error bounds that the documentation of the functions states.
const LOGARITHM_F32: f64 = 0.9;
const LOGARITHM_F64: f64 = 1.0;
const TURNS_F32: f64 = 1.6;
const TURNS_F64: f64 = 1.6;
const EXPONENTIAL_F32: f64 = 0.9;
const EXPONENTIAL_F64: f64 = 0.9;
const ARC_COSINE_F32: f64 = 1.2;
const ARC_COSINE_F64: f64 = 1.2;

/// The least and the greatest number whose exponential is normal and finite; bits of the magnitude in single precision.
const LEAST_F32: u32 = 0x42ae_ac4f;
const GREATEST_F32: u32 = 0x42b1_7217;
const LEAST_F64: f64 = -708.396_418_532_264_1;
const GREATEST_F64: f64 = 709.782_712_893_384;

/// Error of the standard library's functions that serve as the reference in double precision.
const REFERENCE: f64 = 1.0;

fn ulp(value: f64, fraction_bits: i32, smallest_exponent: i32) -> f64 {
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(smallest_exponent);
    // `powi` cannot compute the smallest powers of two.
    f64::from_bits(((exponent + 1023) as u64) << 52) * 2_f64.powi(-fraction_bits)
}

fn error_f32(value: f32, expected: f64) -> f64 {
    (f64::from(value) - expected).abs() / ulp(expected, 23, -126)
}

fn error_f64(value: f64, expected: f64) -> f64 {
    (value - expected).abs() / ulp(expected, 52, -1022)
}

/// Sine and cosine in double precision of n/2ᵇ turns; whole numbers find the quadrant.
fn reference_of_turns(n: u64, bits: u32) -> (f64, f64) {
    let quarter = 1_u64 << (bits - 2);
    let quadrant = (n + quarter / 2) / quarter;
    let rest = (n as i64 - (quadrant * quarter) as i64) as f64 / (1_u64 << bits) as f64;
    // 2π · rest as a rounded product, and the part lost by rounding and by the constant.
    let angle = TAU * rest;
    let lost = TAU.mul_add(rest, -angle) + 2.449_293_598_294_706_4e-16 * rest;
    let sine = angle.sin() + lost * angle.cos();
    let cosine = angle.cos() - lost * angle.sin();
    match quadrant % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The largest error; NaN counts as an infinite one.
fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| if error.is_nan() { f64::INFINITY } else { error.max(worst) })
}

/// Reproducible pseudo-random whole numbers, used as test points.
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).map(|n| {
        let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let n = (n ^ (n >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        n ^ (n >> 32)
    })
}

#[test]
fn logarithm_in_single_precision_of_every_uniform() {
    let uniforms = (0..1_u32 << 23).map(|n| (n as f32 + 0.5) / 8_388_608.0);
    let worst = worst(uniforms.map(|x| error_f32(natural_logarithm(x), f64::from(x).ln())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= LOGARITHM_F32);
}

#[test]
fn logarithm_in_single_precision_over_the_whole_domain() {
    // Every 97th positive normal number up to 1.
    let numbers = (0x0080_0000..=0x3f80_0000_u32).rev().step_by(97).map(f32::from_bits);
    let worst = worst(numbers.map(|x| error_f32(natural_logarithm(x), f64::from(x).ln())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= LOGARITHM_F32);
}

#[test]
fn turns_in_single_precision_of_every_multiple() {
    let worst = worst((0..=1_u64 << 24).map(|n| {
        let (sine, cosine) = sine_cosine_of_turns(n as f32 / 16_777_216.0);
        let (expected_sine, expected_cosine) = reference_of_turns(n, 24);
        error_f32(sine, expected_sine).max(error_f32(cosine, expected_cosine))
    }));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= TURNS_F32);
}

#[test]
fn logarithm_in_double_precision() {
    let uniform = |n: u64| ((n >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0;
    let any = |n: u64| f64::from_bits(0x0010_0000_0000_0000 + n % 0x3fe0_0000_0000_0000);
    let below_one = (0..10_000).map(|n| 1.0 - f64::from(n) * f64::EPSILON / 2.0);
    let around_the_split =
        (0..10_000).map(|n| 0.5_f64.sqrt() * (1.0 + f64::from(n - 5000) * f64::EPSILON));
    let numbers = scattered(500_000)
        .map(uniform)
        .chain(scattered(500_000).map(any))
        .chain(below_one)
        .chain(around_the_split);
    let worst = worst(numbers.map(|x| error_f64(natural_logarithm(x), x.ln())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= LOGARITHM_F64 + REFERENCE);
}

#[test]
fn turns_in_double_precision() {
    let borders = (0..=16).flat_map(|eighth: i64| {
        let centre = eighth << 49;
        (centre - 1000..=centre + 1000).filter(|n| (0..=1 << 53).contains(n)).map(|n| n as u64)
    });
    let near_zeros =
        (0..4).flat_map(|quarter: u64| (0..51).map(move |bit| (quarter << 51) + (1 << bit)));
    let numbers = scattered(1_000_000).map(|n| n >> 11).chain(borders).chain(near_zeros);
    let worst = worst(numbers.map(|n| {
        let (sine, cosine) = sine_cosine_of_turns(n as f64 / (1_u64 << 53) as f64);
        let (expected_sine, expected_cosine) = reference_of_turns(n, 53);
        error_f64(sine, expected_sine).max(error_f64(cosine, expected_cosine))
    }));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= TURNS_F64 + REFERENCE);
}

/// Numbers of either sign, by their bits: from −0 to −`least` and from 0 to `greatest`, every 61st or all.
fn singles(least: u32, greatest: u32) -> impl Iterator<Item = f32> {
    let bits = (0x8000_0000..=0x8000_0000 + least).chain(0..=greatest);
    bits.step_by(few_or_many(61, 1)).map(f32::from_bits)
}

/// Numbers of either sign and any magnitude up to 2ᵉ, e = `exponent`, but not below 2⁻⁶⁰.
fn any_magnitude(count: u64, exponent: u64) -> impl Iterator<Item = f64> {
    scattered(count).map(move |n| {
        let magnitude = (1023 - 60 + (n >> 40) % (60 + exponent)) << 52;
        f64::from_bits((n & 0x800f_ffff_ffff_ffff) | magnitude)
    })
}

/// Multiples of 2⁻⁵³ in [0, 1), uniformly distributed.
fn uniform(count: u64) -> impl Iterator<Item = f64> {
    scattered(count).map(|n| (n >> 11) as f64 / 9_007_199_254_740_992.0)
}

#[test]
fn exponential_in_single_precision() {
    let numbers = singles(LEAST_F32, GREATEST_F32);
    let worst = worst(numbers.map(|x| error_f32(exponential(x), f64::from(x).exp())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= EXPONENTIAL_F32);
}

#[test]
fn exponential_in_double_precision() {
    let whole_range = uniform(500_000).map(|u| LEAST_F64 + u * (GREATEST_F64 - LEAST_F64));
    let numbers = whole_range.chain(any_magnitude(500_000, 9)).chain([LEAST_F64, GREATEST_F64]);
    let worst = worst(numbers.map(|x| error_f64(exponential(x), x.exp())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= EXPONENTIAL_F64 + REFERENCE);
}

#[test]
fn exponential_at_the_ends_of_its_domain() {
    assert_eq!([0.0_f32, -0.0].map(exponential), [1.0; 2]);
    assert_eq!([0.0_f64, -0.0].map(exponential), [1.0; 2]);

    let least = f32::from_bits(0x8000_0000 | LEAST_F32);
    for x in [least.next_down(), -1000.0, f32::MIN, f32::NEG_INFINITY] {
        assert_eq!(exponential(x).to_bits(), 0, "{x}");
    }
    for x in [LEAST_F64.next_down(), -1000.0, f64::MIN, f64::NEG_INFINITY] {
        assert_eq!(exponential(x).to_bits(), 0, "{x}");
    }
    assert!(exponential(least) >= f32::MIN_POSITIVE && exponential(LEAST_F64) >= f64::MIN_POSITIVE);

    let greatest = f32::from_bits(GREATEST_F32);
    assert!(exponential(greatest) > 0.999_99 * f32::MAX);
    for x in [greatest.next_up(), f32::MAX, f32::INFINITY, f32::NAN] {
        assert_eq!(exponential(x), exponential(greatest), "{x}");
    }
    assert!(exponential(GREATEST_F64) > (1.0 - 1e-12) * f64::MAX);
    for x in [GREATEST_F64.next_up(), f64::MAX, f64::INFINITY, f64::NAN] {
        assert_eq!(exponential(x), exponential(GREATEST_F64), "{x}");
    }
}

#[test]
fn exponential_rises_where_the_power_of_two_changes() {
    // From 2 on, the exponentials of neighbours differ by more than their errors.
    for n in (-126..-3).chain(3..128) {
        let border = (f64::from(n) + 0.5) * std::f64::consts::LN_2;
        let mut x = (border - 1e-5 * border.abs()) as f32;
        while f64::from(x) < border + 1e-5 * border.abs() && x < f32::from_bits(GREATEST_F32) {
            assert!(exponential(x) < exponential(x.next_up()), "{x}");
            x = x.next_up();
        }
    }
}

#[test]
fn arc_cosine_in_single_precision() {
    let numbers = singles(0x3f80_0000, 0x3f80_0000);
    let worst = worst(numbers.map(|x| error_f32(arc_cosine(x), f64::from(x).acos())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= ARC_COSINE_F32);
}

#[test]
fn arc_cosine_in_double_precision() {
    let near_ends = any_magnitude(300_000, 0).map(|gap| gap.signum() - gap);
    let around_the_split = (0..10_000).map(|n| 0.5 + f64::from(n - 5000) * f64::EPSILON);
    let numbers = uniform(500_000)
        .map(|u| 2.0 * u - 1.0)
        .chain(any_magnitude(300_000, 0))
        .chain(near_ends)
        .chain(around_the_split.flat_map(|x| [x, -x]));
    let worst = worst(numbers.map(|x| error_f64(arc_cosine(x), x.acos())));
    println!("worst error {worst:.3} ulp");
    assert!(worst <= ARC_COSINE_F64 + REFERENCE);
}

#[test]
fn arc_cosine_at_and_beyond_the_ends() {
    use std::f64::consts::{FRAC_PI_2, PI};
    for x in [1.0, 1.0 + f32::EPSILON, 7.0, f32::INFINITY] {
        assert_eq!(arc_cosine(x).to_bits(), 0, "{x}");
        assert_eq!(arc_cosine(-x), PI as f32, "{}", -x);
    }
    for x in [1.0, 1.0 + f64::EPSILON, 7.0, f64::INFINITY] {
        assert_eq!(arc_cosine(x).to_bits(), 0, "{x}");
        assert_eq!(arc_cosine(-x), PI, "{}", -x);
    }
    assert_eq!([0.0_f32, -0.0].map(arc_cosine), [FRAC_PI_2 as f32; 2]);
    assert_eq!([0.0_f64, -0.0].map(arc_cosine), [FRAC_PI_2; 2]);
}

#[test]
fn arc_cosine_falls_towards_one_and_minus_one() {
    for n in 0..100_000_u32 {
        let gap = f32::EPSILON / 2.0 * n as f32;
        let (inner, outer) = (arc_cosine(1.0 - gap - f32::EPSILON / 2.0), arc_cosine(1.0 - gap));
        assert!(inner > outer, "{gap}");
        let (inner, outer) = (arc_cosine(gap + f32::EPSILON / 2.0 - 1.0), arc_cosine(gap - 1.0));
        assert!(inner <= outer, "{gap}");
    }
}
