//! Vectors of SSE2, which every x86-64 machine has: 128 bits.
//!
//! SAFETY of all intrinsics here: SSE2 is part of the x86-64 architecture.

use std::arch::x86_64::*;
use std::arch::x86_64::{
    _mm_add_epi32 as add_epi32, _mm_add_epi64 as add_epi64, _mm_add_pd as add_pd,
    _mm_add_ps as add_ps, _mm_and_si128 as and_si, _mm_div_pd as div_pd, _mm_div_ps as div_ps,
    _mm_mul_epu32 as mul_epu32, _mm_mul_pd as mul_pd, _mm_mul_ps as mul_ps, _mm_or_si128 as or_si,
    _mm_set1_epi32 as set1_epi32, _mm_set1_epi64x as set1_epi64, _mm_set1_pd as set1_pd,
    _mm_set1_ps as set1_ps, _mm_sll_epi32 as sll_epi32, _mm_sll_epi64 as sll_epi64,
    _mm_sqrt_pd as sqrt_pd, _mm_sqrt_ps as sqrt_ps, _mm_srl_epi32 as srl_epi32,
    _mm_srl_epi64 as srl_epi64, _mm_sub_epi32 as sub_epi32, _mm_sub_epi64 as sub_epi64,
    _mm_sub_pd as sub_pd, _mm_sub_ps as sub_ps, _mm_xor_si128 as xor_si,
};

use super::x86::{MultiplyLowHalves, Spread, x86_vectors};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

x86_vectors! {
    /// The family of SSE2.
    Sse2 of __m128i;
    __m128, 4 lanes {
        mask __m128;
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
        from_signed(a) => _mm_cvtepi32_ps(a);
    }
    __m128d, 2 lanes {
        mask __m128d;
        less_than(a, b) => _mm_cmplt_pd(a, b);
        select(mask, a, b) => _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b));
        both(a, b) => _mm_and_pd(a, b);
        mask_to_bits(mask) => _mm_movemask_pd(mask) as u32;
        mask_from_bits(bits) => {
            // SSE2 cannot compare 64-bit lanes; compare their halves, of which both must be equal.
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
}

/// SSE2 has no 32-bit products: multiplies even and odd words separately, then interleaves the results.
#[inline(always)]
fn mullo_epi32(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
    unsafe {
        let even = _mm_castsi128_ps(_mm_mul_epu32(a, b));
        let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        let low = _mm_shuffle_ps::<0b10_00_10_00>(even, _mm_castsi128_ps(odd));
        _mm_shuffle_epi32::<0b11_01_10_00>(_mm_castps_si128(low))
    }
}
