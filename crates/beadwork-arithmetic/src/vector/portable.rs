//! Vectors of arrays, for architectures without a family of their own: 128 bits, left to the compiler.

use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Bits, Family, SpreadWords, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// The family of arrays.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Family for Portable {
    type Single = Singles;
    type Double = Doubles;
}

integer_lanes! {
    /// Four words of 32 bits.
    Words32([u32; 4]): u32;
    splat(word) => [word; 4];
    add(a, b) => from_fn(|n| u32::wrapping_add(a[n], b[n]));
    subtract(a, b) => from_fn(|n| u32::wrapping_sub(a[n], b[n]));
    and(a, b) => from_fn(|n| a[n] & b[n]);
    or(a, b) => from_fn(|n| a[n] | b[n]);
    xor(a, b) => from_fn(|n| a[n] ^ b[n]);
    shift_left(a, bits) => from_fn(|n| a[n] << bits);
    shift_right(a, bits) => from_fn(|n| a[n] >> bits);
}

integer_lanes! {
    /// Two words of 64 bits.
    Words64([u64; 2]): u64;
    splat(word) => [word; 2];
    add(a, b) => from_fn(|n| u64::wrapping_add(a[n], b[n]));
    subtract(a, b) => from_fn(|n| u64::wrapping_sub(a[n], b[n]));
    and(a, b) => from_fn(|n| a[n] & b[n]);
    or(a, b) => from_fn(|n| a[n] | b[n]);
    xor(a, b) => from_fn(|n| a[n] ^ b[n]);
    shift_left(a, bits) => from_fn(|n| a[n] << bits);
    shift_right(a, bits) => from_fn(|n| a[n] >> bits);
}

words! {
    Words32;
    multiply(a, constant) => from_fn(|n| u32::wrapping_mul(a[n], constant[n]));
    spread Self;
    spread(a) => a;
    join(a) => a;
}

impl SpreadWords for Words32 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Bits::wrapping_add(self, other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Bits::xor(self, other)
    }

    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let products = self.0.map(|word| u64::from(word) * u64::from(constant));
        let high = products.map(|product| (product >> 32) as u32);
        (Self(high), Self(products.map(|product| product as u32)))
    }
}

number_lanes! {
    /// Four numbers of single precision.
    Singles([f32; 4]): f32;
    bits Words32;
    mask [bool; 4];
    splat(value) => [value; 4];
    to_bits(a) => a.map(f32::to_bits);
    from_bits(a) => a.map(f32::from_bits);
    add(a, b) => from_fn(|n| a[n] + b[n]);
    subtract(a, b) => from_fn(|n| a[n] - b[n]);
    multiply(a, b) => from_fn(|n| a[n] * b[n]);
    divide(a, b) => from_fn(|n| a[n] / b[n]);
    sqrt(a) => a.map(f32::sqrt);
    less_than(a, b) => from_fn(|n| a[n] < b[n]);
    select(mask, a, b) => from_fn(|n| f32::select(mask[n], a[n], b[n]));
    smaller(a, b) => from_fn(|n| f32::select(a[n] < b[n], a[n], b[n]));
    larger(a, b) => from_fn(|n| f32::select(a[n] > b[n], a[n], b[n]));
}

vector! {
    Singles([f32; 4]): f32, 4 lanes;
    single_words!(Words32([u32; 4]), 4 lanes);
    any(mask) => mask.contains(&true);
    mask_to_bits(mask) => mask.iter().rev().fold(0, |bits, lane| bits << 1 | u32::from(*lane));
    mask_from_bits(bits) => from_fn(|n| bits >> n & 1 == 1);
    both(a, b) => from_fn(|n| a[n] & b[n]);
    either(a, b) => from_fn(|n| a[n] | b[n]);
    columns(four, _part) => *four;
    rows(four, part) => [four[part]; 4];
    to_f64(a) => a.map(f64::from);
}

number_lanes! {
    /// Two numbers of double precision.
    Doubles([f64; 2]): f64;
    bits Words64;
    mask [bool; 2];
    splat(value) => [value; 2];
    to_bits(a) => a.map(f64::to_bits);
    from_bits(a) => a.map(f64::from_bits);
    add(a, b) => from_fn(|n| a[n] + b[n]);
    subtract(a, b) => from_fn(|n| a[n] - b[n]);
    multiply(a, b) => from_fn(|n| a[n] * b[n]);
    divide(a, b) => from_fn(|n| a[n] / b[n]);
    sqrt(a) => a.map(f64::sqrt);
    less_than(a, b) => from_fn(|n| a[n] < b[n]);
    select(mask, a, b) => from_fn(|n| f64::select(mask[n], a[n], b[n]));
    smaller(a, b) => from_fn(|n| f64::select(a[n] < b[n], a[n], b[n]));
    larger(a, b) => from_fn(|n| f64::select(a[n] > b[n], a[n], b[n]));
}

vector! {
    Doubles([f64; 2]): f64, 2 lanes;
    double_words!(
        Words32, Words64([u64; 2]), 2 lanes;
        to_bits(a) => [join(a[0], a[1]), join(a[2], a[3])];
        from_bits(a) => [a[0] as u32, (a[0] >> 32) as u32, a[1] as u32, (a[1] >> 32) as u32];
    );
    any(mask) => mask.contains(&true);
    mask_to_bits(mask) => u32::from(mask[0]) | u32::from(mask[1]) << 1;
    mask_from_bits(bits) => from_fn(|n| bits >> n & 1 == 1);
    both(a, b) => from_fn(|n| a[n] & b[n]);
    either(a, b) => from_fn(|n| a[n] | b[n]);
    columns(four, part) => from_fn(|n| four[part % 2 * 2 + n]);
    rows(four, part) => [four[part / 2]; 2];
    to_f64(a) => a;
}

/// The even word below the odd one.
#[inline(always)]
fn join(even: u32, odd: u32) -> u64 {
    u64::from(even) | u64::from(odd) << 32
}
