//! Errors of the elementary functions against the true values, in units in the last place of the result's precision.

use std::f64::consts::TAU;

use beadwork_arithmetic::{natural_logarithm, sine_cosine_of_turns};

/// The error bounds that the documentation of the functions states.
const LOGARITHM_F32: f64 = 0.9;
const LOGARITHM_F64: f64 = 1.0;
const TURNS_F32: f64 = 1.6;
const TURNS_F64: f64 = 1.6;

/// Error of the standard library's functions that serve as the reference in double precision.
const REFERENCE: f64 = 1.0;

fn ulp(value: f64, fraction_bits: i32, smallest_exponent: i32) -> f64 {
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(smallest_exponent);
    2_f64.powi(exponent - fraction_bits)
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

fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| if error <= worst { worst } else { error })
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
