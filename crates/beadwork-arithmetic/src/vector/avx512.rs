//! Vectors of AVX-512: 512 bits, masks with one bit a lane.
//!
//! SAFETY of all intrinsics here: these vectors are for use within [`Instructions::dispatch`](super::Instructions),
//! which makes sure that the machine has AVX-512 with its parts VL, BW and DQ.

use std::arch::x86_64::*;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::spread::{MultiplyLowHalves, Spread};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// The family of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Avx512;

impl Family for Avx512 {
    type Single = Singles;
    type Double = Doubles;
}

integer_lanes! {
    /// Sixteen words of 32 bits.
    Words32(__m512i): i32;
    splat(word) => _mm512_set1_epi32(word);
    add(a, b) => _mm512_add_epi32(a, b);
    subtract(a, b) => _mm512_sub_epi32(a, b);
    and(a, b) => _mm512_and_si512(a, b);
    or(a, b) => _mm512_or_si512(a, b);
    xor(a, b) => _mm512_xor_si512(a, b);
    shift_left(a, bits) => _mm512_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm512_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Eight words of 64 bits.
    Words64(__m512i): i64;
    splat(word) => _mm512_set1_epi64(word);
    add(a, b) => _mm512_add_epi64(a, b);
    subtract(a, b) => _mm512_sub_epi64(a, b);
    and(a, b) => _mm512_and_si512(a, b);
    or(a, b) => _mm512_or_si512(a, b);
    xor(a, b) => _mm512_xor_si512(a, b);
    shift_left(a, bits) => _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    Words32;
    multiply(a, constant) => _mm512_mullo_epi32(a, constant);
    spread Spread<Words64>;
    spread(a) => Spread::new(Words64(a.0));
    join(a) => Words32(a.join().0);
}

impl MultiplyLowHalves for Words64 {
    #[inline(always)]
    fn multiply_low_halves(self, other: Self) -> Self {
        Self(unsafe { _mm512_mul_epu32(self.0, other.0) })
    }
}

number_lanes! {
    /// Sixteen numbers of single precision.
    Singles(__m512): f32;
    bits Words32;
    mask __mmask16;
    splat(value) => _mm512_set1_ps(value);
    to_bits(a) => _mm512_castps_si512(a);
    from_bits(a) => _mm512_castsi512_ps(a);
    add(a, b) => _mm512_add_ps(a, b);
    subtract(a, b) => _mm512_sub_ps(a, b);
    multiply(a, b) => _mm512_mul_ps(a, b);
    divide(a, b) => _mm512_div_ps(a, b);
    sqrt(a) => _mm512_sqrt_ps(a);
    less_than(a, b) => _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm512_mask_blend_ps(mask, b, a);
    smaller(a, b) => _mm512_min_ps(a, b);
    larger(a, b) => _mm512_max_ps(a, b);
}

vector! {
    Singles(__m512): f32, 16 lanes;
    single_words!(Words32(__m512i), 16 lanes);
    any(mask) => mask != 0;
    mask_to_bits(mask) => u32::from(mask);
    mask_from_bits(bits) => bits as __mmask16;
    both(a, b) => a & b;
    either(a, b) => a | b;
    columns(four, _part) => _mm512_broadcast_f32x4(_mm_loadu_ps(four.as_ptr()));
    rows(four, _part) => {
        let rows = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        _mm512_permutexvar_ps(rows, _mm512_castps128_ps512(_mm_loadu_ps(four.as_ptr())))
    };
    to_f64(a) => [
        _mm512_cvtps_pd(_mm512_castps512_ps256(a)),
        _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(a)),
    ];
}

number_lanes! {
    /// Eight numbers of double precision.
    Doubles(__m512d): f64;
    bits Words64;
    mask __mmask8;
    splat(value) => _mm512_set1_pd(value);
    to_bits(a) => _mm512_castpd_si512(a);
    from_bits(a) => _mm512_castsi512_pd(a);
    add(a, b) => _mm512_add_pd(a, b);
    subtract(a, b) => _mm512_sub_pd(a, b);
    multiply(a, b) => _mm512_mul_pd(a, b);
    divide(a, b) => _mm512_div_pd(a, b);
    sqrt(a) => _mm512_sqrt_pd(a);
    less_than(a, b) => _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm512_mask_blend_pd(mask, b, a);
    smaller(a, b) => _mm512_min_pd(a, b);
    larger(a, b) => _mm512_max_pd(a, b);
}

vector! {
    Doubles(__m512d): f64, 8 lanes;
    double_words!(Words32, Words64(__m512i), 8 lanes; to_bits(a) => a; from_bits(a) => a;);
    any(mask) => mask != 0;
    mask_to_bits(mask) => u32::from(mask);
    mask_from_bits(bits) => bits as __mmask8;
    both(a, b) => a & b;
    either(a, b) => a | b;
    columns(four, _part) => _mm512_broadcast_f64x4(_mm256_loadu_pd(four.as_ptr()));
    rows(four, part) => {
        let first = _mm512_set1_pd(four[2 * part]);
        _mm512_mask_blend_pd(0b1111_0000, first, _mm512_set1_pd(four[2 * part + 1]))
    };
    to_f64(a) => a;
}
