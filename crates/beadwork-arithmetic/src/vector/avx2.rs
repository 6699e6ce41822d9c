//! Vectors of AVX2: 256 bits.
//!
//! SAFETY of all intrinsics here: these vectors are for use within [`Instructions::dispatch`](super::Instructions),
//! which makes sure that the machine has AVX2.

use std::arch::x86_64::*;

use super::spread::{MultiplyLowHalves, Spread, words};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// The family of AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

impl Family for Avx2 {
    type Single = Singles;
    type Double = Doubles;
}

integer_lanes! {
    /// Eight words of 32 bits.
    Words32(__m256i): i32;
    splat _mm256_set1_epi32;
    add _mm256_add_epi32;
    subtract _mm256_sub_epi32;
    and _mm256_and_si256;
    or _mm256_or_si256;
    xor _mm256_xor_si256;
    shift_left(a, bits) => _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Four words of 64 bits.
    Words64(__m256i): i64;
    splat _mm256_set1_epi64x;
    add _mm256_add_epi64;
    subtract _mm256_sub_epi64;
    and _mm256_and_si256;
    or _mm256_or_si256;
    xor _mm256_xor_si256;
    shift_left(a, bits) => _mm256_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm256_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    multiply _mm256_mullo_epi32;
    multiply_low_halves _mm256_mul_epu32;
}

number_lanes! {
    /// Eight numbers of single precision.
    Singles(__m256): f32, 8 lanes;
    bits Words32 of u32;
    mask __m256;
    splat _mm256_set1_ps;
    add _mm256_add_ps;
    subtract _mm256_sub_ps;
    multiply _mm256_mul_ps;
    divide _mm256_div_ps;
    sqrt _mm256_sqrt_ps;
    less_than(a, b) => _mm256_cmp_ps::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm256_blendv_ps(b, a, mask);
    both(a, b) => _mm256_and_ps(a, b);
    mask_to_bits(mask) => _mm256_movemask_ps(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let bits = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lanes);
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, lanes))
    };
    columns(four, _part) => {
        let four = _mm_loadu_ps(four.as_ptr());
        _mm256_set_m128(four, four)
    };
    rows(four, part) => {
        let first = _mm256_set1_ps(four[2 * part]);
        let second = _mm256_set1_ps(four[2 * part + 1]);
        _mm256_blend_ps::<0b1111_0000>(first, second)
    };
    to_f64(a) => [
        _mm256_cvtps_pd(_mm256_castps256_ps128(a)),
        _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(a)),
    ];
}

number_lanes! {
    /// Four numbers of double precision.
    Doubles(__m256d): f64, 4 lanes;
    bits Words64 of u64;
    mask __m256d;
    splat _mm256_set1_pd;
    add _mm256_add_pd;
    subtract _mm256_sub_pd;
    multiply _mm256_mul_pd;
    divide _mm256_div_pd;
    sqrt _mm256_sqrt_pd;
    less_than(a, b) => _mm256_cmp_pd::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm256_blendv_pd(b, a, mask);
    both(a, b) => _mm256_and_pd(a, b);
    mask_to_bits(mask) => _mm256_movemask_pd(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm256_setr_epi64x(1, 2, 4, 8);
        let bits = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), lanes);
        _mm256_castsi256_pd(_mm256_cmpeq_epi64(bits, lanes))
    };
    columns(four, _part) => _mm256_loadu_pd(four.as_ptr());
    rows(four, part) => _mm256_set1_pd(four[part]);
    to_f64(a) => a;
}
