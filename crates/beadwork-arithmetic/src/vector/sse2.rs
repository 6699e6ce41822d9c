//! Vectors of SSE2, which every x86-64 machine has: 128 bits.
//!
//! SAFETY of all intrinsics here: SSE2 is part of the x86-64 architecture.

use std::arch::x86_64::*;

use super::spread::{MultiplyLowHalves, Spread, words};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// The family of SSE2.
#[derive(Clone, Copy, Debug)]
pub struct Sse2;

impl Family for Sse2 {
    type Single = Singles;
    type Double = Doubles;
}

integer_lanes! {
    /// Four words of 32 bits.
    Words32(__m128i): i32;
    splat _mm_set1_epi32;
    add _mm_add_epi32;
    subtract _mm_sub_epi32;
    and _mm_and_si128;
    or _mm_or_si128;
    xor _mm_xor_si128;
    shift_left(a, bits) => _mm_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Two words of 64 bits.
    Words64(__m128i): i64;
    splat _mm_set1_epi64x;
    add _mm_add_epi64;
    subtract _mm_sub_epi64;
    and _mm_and_si128;
    or _mm_or_si128;
    xor _mm_xor_si128;
    shift_left(a, bits) => _mm_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    multiply low_words_of_products;
    multiply_low_halves _mm_mul_epu32;
}

/// SSE2 has no 32-bit products: even and odd words apart, then in order again.
#[inline(always)]
fn low_words_of_products(a: __m128i, b: __m128i) -> __m128i {
    unsafe {
        let even = _mm_castsi128_ps(_mm_mul_epu32(a, b));
        let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        let low = _mm_shuffle_ps::<0b10_00_10_00>(even, _mm_castsi128_ps(odd));
        _mm_shuffle_epi32::<0b11_01_10_00>(_mm_castps_si128(low))
    }
}

number_lanes! {
    /// Four numbers of single precision.
    Singles(__m128): f32, 4 lanes;
    bits Words32 of u32;
    mask __m128;
    splat _mm_set1_ps;
    add _mm_add_ps;
    subtract _mm_sub_ps;
    multiply _mm_mul_ps;
    divide _mm_div_ps;
    sqrt _mm_sqrt_ps;
    less_than(a, b) => _mm_cmplt_ps(a, b);
    select(mask, a, b) => _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
    both(a, b) => _mm_and_ps(a, b);
    mask_to_bits(mask) => _mm_movemask_ps(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm_setr_epi32(1, 2, 4, 8);
        let bits = _mm_and_si128(_mm_set1_epi32(bits as i32), lanes);
        _mm_castsi128_ps(_mm_cmpeq_epi32(bits, lanes))
    };
    columns(four, _part) => _mm_loadu_ps(four.as_ptr());
    rows(four, part) => _mm_set1_ps(four[part]);
    to_f64(a) => [_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))];
}

number_lanes! {
    /// Two numbers of double precision.
    Doubles(__m128d): f64, 2 lanes;
    bits Words64 of u64;
    mask __m128d;
    splat _mm_set1_pd;
    add _mm_add_pd;
    subtract _mm_sub_pd;
    multiply _mm_mul_pd;
    divide _mm_div_pd;
    sqrt _mm_sqrt_pd;
    less_than(a, b) => _mm_cmplt_pd(a, b);
    select(mask, a, b) => _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b));
    both(a, b) => _mm_and_pd(a, b);
    mask_to_bits(mask) => _mm_movemask_pd(mask) as u32;
    mask_from_bits(bits) => {
        // 64-bit lanes cannot be compared; their equal halves can.
        let lanes = _mm_setr_epi32(1, 1, 2, 2);
        let bits = _mm_and_si128(_mm_set1_epi32(bits as i32), lanes);
        _mm_castsi128_pd(_mm_cmpeq_epi32(bits, lanes))
    };
    columns(four, part) => {
        let first = part % 2 * 2;
        _mm_setr_pd(four[first], four[first + 1])
    };
    rows(four, part) => _mm_set1_pd(four[part / 2]);
    to_f64(a) => a;
}
