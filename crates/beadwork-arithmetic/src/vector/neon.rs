//! Vectors of NEON, which every aarch64 machine has: 128 bits.
//!
//! SAFETY of all intrinsics here: NEON is part of the aarch64 architecture.

use std::arch::aarch64::*;

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
    splat vdupq_n_u32;
    add vaddq_u32;
    subtract vsubq_u32;
    and vandq_u32;
    or vorrq_u32;
    xor veorq_u32;
    shift_left(a, bits) => vshlq_u32(a, vdupq_n_s32(bits as i32));
    shift_right(a, bits) => vshlq_u32(a, vdupq_n_s32(-(bits as i32)));
}

integer_lanes! {
    /// Two words of 64 bits.
    Words64(uint64x2_t): u64;
    splat vdupq_n_u64;
    add vaddq_u64;
    subtract vsubq_u64;
    and vandq_u64;
    or vorrq_u64;
    xor veorq_u64;
    shift_left(a, bits) => vshlq_u64(a, vdupq_n_s64(i64::from(bits)));
    shift_right(a, bits) => vshlq_u64(a, vdupq_n_s64(-i64::from(bits)));
}

impl Words for Words32 {
    type Spread = Self;

    #[inline(always)]
    fn wrapping_mul(self, constant: u32) -> Self {
        // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
        Self(unsafe { vmulq_u32(self.0, vdupq_n_u32(constant)) })
    }

    #[inline(always)]
    fn spread(self) -> Self {
        self
    }

    #[inline(always)]
    fn join(spread: Self) -> Self {
        spread
    }
}

impl SpreadWords for Words32 {
    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
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
    Singles(float32x4_t): f32, 4 lanes;
    bits Words32 of u32;
    splat vdupq_n_f32;
    add vaddq_f32;
    subtract vsubq_f32;
    multiply vmulq_f32;
    divide vdivq_f32;
    sqrt vsqrtq_f32;
    mask uint32x4_t;
    less_than(a, b) => vcltq_f32(a, b);
    select(mask, a, b) => vbslq_f32(mask, a, b);
    both(a, b) => vandq_u32(a, b);
    mask_to_bits(mask) => vaddvq_u32(vandq_u32(mask, vld1q_u32([1, 2, 4, 8].as_ptr())));
    mask_from_bits(bits) => vtstq_u32(vdupq_n_u32(bits), vld1q_u32([1, 2, 4, 8].as_ptr()));
    columns(four, _part) => vld1q_f32(four.as_ptr());
    rows(four, part) => vdupq_n_f32(four[part]);
    to_f64(a) => [vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)];
}

number_lanes! {
    /// Two numbers of double precision.
    Doubles(float64x2_t): f64, 2 lanes;
    bits Words64 of u64;
    splat vdupq_n_f64;
    add vaddq_f64;
    subtract vsubq_f64;
    multiply vmulq_f64;
    divide vdivq_f64;
    sqrt vsqrtq_f64;
    mask uint64x2_t;
    less_than(a, b) => vcltq_f64(a, b);
    select(mask, a, b) => vbslq_f64(mask, a, b);
    both(a, b) => vandq_u64(a, b);
    mask_to_bits(mask) => vaddvq_u64(vandq_u64(mask, vld1q_u64([1, 2].as_ptr()))) as u32;
    mask_from_bits(bits) => vtstq_u64(vdupq_n_u64(u64::from(bits)), vld1q_u64([1, 2].as_ptr()));
    columns(four, part) => vld1q_f64(four.as_ptr().add(part % 2 * 2));
    rows(four, part) => vdupq_n_f64(four[part / 2]);
    to_f64(a) => a;
}
