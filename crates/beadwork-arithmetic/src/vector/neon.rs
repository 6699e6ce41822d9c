//! Vectors of NEON, which every aarch64 machine has: 128 bits.
//!
//! SAFETY of all intrinsics here: NEON is part of the aarch64 architecture.

use std::arch::aarch64::*;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Bits, Family, SpreadWords, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// The family of NEON.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

impl Family for Neon {
    type Single = Singles;
    type Double = Doubles;
}

integer_lanes! {
    /// Four words of 32 bits.
    Words32(uint32x4_t): u32;
    splat(word) => vdupq_n_u32(word);
    add(a, b) => vaddq_u32(a, b);
    subtract(a, b) => vsubq_u32(a, b);
    and(a, b) => vandq_u32(a, b);
    or(a, b) => vorrq_u32(a, b);
    xor(a, b) => veorq_u32(a, b);
    shift_left(a, bits) => vshlq_u32(a, vdupq_n_s32(bits as i32));
    shift_right(a, bits) => vshlq_u32(a, vdupq_n_s32(-(bits as i32)));
}

integer_lanes! {
    /// Two words of 64 bits.
    Words64(uint64x2_t): u64;
    splat(word) => vdupq_n_u64(word);
    add(a, b) => vaddq_u64(a, b);
    subtract(a, b) => vsubq_u64(a, b);
    and(a, b) => vandq_u64(a, b);
    or(a, b) => vorrq_u64(a, b);
    xor(a, b) => veorq_u64(a, b);
    shift_left(a, bits) => vshlq_u64(a, vdupq_n_s64(i64::from(bits)));
    shift_right(a, bits) => vshlq_u64(a, vdupq_n_s64(-i64::from(bits)));
}

words! {
    Words32;
    multiply(a, constant) => vmulq_u32(a, constant);
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
        unsafe {
            let constant = vdupq_n_u32(constant);
            let first = vmull_u32(vget_low_u32(self.0), vget_low_u32(constant));
            let first = vreinterpretq_u32_u64(first);
            let second = vreinterpretq_u32_u64(vmull_high_u32(self.0, constant));
            (Self(vuzp2q_u32(first, second)), Self(vuzp1q_u32(first, second)))
        }
    }
}

number_lanes! {
    /// Four numbers of single precision.
    Singles(float32x4_t): f32;
    bits Words32;
    mask uint32x4_t;
    splat(value) => vdupq_n_f32(value);
    to_bits(a) => vreinterpretq_u32_f32(a);
    from_bits(a) => vreinterpretq_f32_u32(a);
    add(a, b) => vaddq_f32(a, b);
    subtract(a, b) => vsubq_f32(a, b);
    multiply(a, b) => vmulq_f32(a, b);
    divide(a, b) => vdivq_f32(a, b);
    sqrt(a) => vsqrtq_f32(a);
    less_than(a, b) => vcltq_f32(a, b);
    select(mask, a, b) => vbslq_f32(mask, a, b);
    // Not NEON's own minimum and maximum, which pass NaN on.
    smaller(a, b) => vbslq_f32(vcltq_f32(a, b), a, b);
    larger(a, b) => vbslq_f32(vcgtq_f32(a, b), a, b);
}

vector! {
    Singles(float32x4_t): f32, 4 lanes;
    single_words!(Words32(uint32x4_t), 4 lanes);
    any(mask) => vmaxvq_u32(mask) != 0;
    mask_to_bits(mask) => vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr())));
    mask_from_bits(bits) => vtstq_u32(vdupq_n_u32(bits), vld1q_u32([1, 2, 4, 8].as_ptr()));
    both(a, b) => vandq_u32(a, b);
    either(a, b) => vorrq_u32(a, b);
    columns(four, _part) => vld1q_f32(four.as_ptr());
    rows(four, part) => vdupq_n_f32(four[part]);
    to_f64(a) => [vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)];
}

number_lanes! {
    /// Two numbers of double precision.
    Doubles(float64x2_t): f64;
    bits Words64;
    mask uint64x2_t;
    splat(value) => vdupq_n_f64(value);
    to_bits(a) => vreinterpretq_u64_f64(a);
    from_bits(a) => vreinterpretq_f64_u64(a);
    add(a, b) => vaddq_f64(a, b);
    subtract(a, b) => vsubq_f64(a, b);
    multiply(a, b) => vmulq_f64(a, b);
    divide(a, b) => vdivq_f64(a, b);
    sqrt(a) => vsqrtq_f64(a);
    less_than(a, b) => vcltq_f64(a, b);
    select(mask, a, b) => vbslq_f64(mask, a, b);
    smaller(a, b) => vbslq_f64(vcltq_f64(a, b), a, b);
    larger(a, b) => vbslq_f64(vcgtq_f64(a, b), a, b);
}

vector! {
    Doubles(float64x2_t): f64, 2 lanes;
    double_words!(
        Words32, Words64(uint64x2_t), 2 lanes;
        to_bits(a) => unsafe { vreinterpretq_u64_u32(a) };
        from_bits(a) => unsafe { vreinterpretq_u32_u64(a) };
    );
    any(mask) => vmaxvq_u32(vreinterpretq_u32_u64(mask)) != 0;
    mask_to_bits(mask) => vaddvq_u64(vandq_u64(mask, vld1q_u64([1, 2].as_ptr()))) as u32;
    mask_from_bits(bits) => vtstq_u64(vdupq_n_u64(u64::from(bits)), vld1q_u64([1, 2].as_ptr()));
    both(a, b) => vandq_u64(a, b);
    either(a, b) => vorrq_u64(a, b);
    columns(four, part) => vld1q_f64(four.as_ptr().add(part % 2 * 2));
    rows(four, part) => vdupq_n_f64(four[part / 2]);
    to_f64(a) => a;
}
