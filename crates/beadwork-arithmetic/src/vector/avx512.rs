//! Vectors of AVX-512: 512 bits, masks with one bit a lane.
//!
//! SAFETY of all intrinsics here: these vectors are for use within [`Instructions::dispatch`](super::Instructions),
//! which makes sure that the machine has AVX-512 with its parts VL, BW and DQ.

use std::arch::x86_64::*;

use super::spread::{MultiplyLowHalves, Spread, words};
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
    splat _mm512_set1_epi32;
    add _mm512_add_epi32;
    subtract _mm512_sub_epi32;
    and _mm512_and_si512;
    or _mm512_or_si512;
    xor _mm512_xor_si512;
    shift_left(a, bits) => _mm512_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm512_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Eight words of 64 bits.
    Words64(__m512i): i64;
    splat _mm512_set1_epi64;
    add _mm512_add_epi64;
    subtract _mm512_sub_epi64;
    and _mm512_and_si512;
    or _mm512_or_si512;
    xor _mm512_xor_si512;
    shift_left(a, bits) => _mm512_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm512_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    multiply _mm512_mullo_epi32;
    multiply_low_halves _mm512_mul_epu32;
}

number_lanes! {
    /// Sixteen numbers of single precision.
    Singles(__m512): f32, 16 lanes;
    bits Words32 of u32;
    mask __mmask16;
    splat _mm512_set1_ps;
    add _mm512_add_ps;
    subtract _mm512_sub_ps;
    multiply _mm512_mul_ps;
    divide _mm512_div_ps;
    sqrt _mm512_sqrt_ps;
    less_than(a, b) => _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm512_mask_blend_ps(mask, b, a);
    both(a, b) => a & b;
    mask_to_bits(mask) => u32::from(mask);
    mask_from_bits(bits) => bits as __mmask16;
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
    Doubles(__m512d): f64, 8 lanes;
    bits Words64 of u64;
    mask __mmask8;
    splat _mm512_set1_pd;
    add _mm512_add_pd;
    subtract _mm512_sub_pd;
    multiply _mm512_mul_pd;
    divide _mm512_div_pd;
    sqrt _mm512_sqrt_pd;
    less_than(a, b) => _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm512_mask_blend_pd(mask, b, a);
    both(a, b) => a & b;
    mask_to_bits(mask) => u32::from(mask);
    mask_from_bits(bits) => bits as __mmask8;
    columns(four, _part) => _mm512_broadcast_f64x4(_mm256_loadu_pd(four.as_ptr()));
    rows(four, part) => {
        let first = _mm512_set1_pd(four[2 * part]);
        _mm512_mask_blend_pd(0b1111_0000, first, _mm512_set1_pd(four[2 * part + 1]))
    };
    to_f64(a) => a;
}
