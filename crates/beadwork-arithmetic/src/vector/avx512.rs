//! Vectors of AVX-512: 512 bits, masks with one bit a lane.
//!
//! SAFETY of all intrinsics here: only [`Instructions::dispatch`](super::Instructions) uses these vectors, after it has
//! checked that the machine has AVX-512 with its parts VL, BW and DQ.

use std::arch::x86_64::*;
use std::arch::x86_64::{
    _mm512_add_epi32 as add_epi32, _mm512_add_epi64 as add_epi64, _mm512_add_pd as add_pd,
    _mm512_add_ps as add_ps, _mm512_and_si512 as and_si, _mm512_div_pd as div_pd,
    _mm512_div_ps as div_ps, _mm512_mul_epu32 as mul_epu32, _mm512_mul_pd as mul_pd,
    _mm512_mul_ps as mul_ps, _mm512_mullo_epi32 as mullo_epi32, _mm512_or_si512 as or_si,
    _mm512_set1_epi32 as set1_epi32, _mm512_set1_epi64 as set1_epi64, _mm512_set1_pd as set1_pd,
    _mm512_set1_ps as set1_ps, _mm512_sll_epi32 as sll_epi32, _mm512_sll_epi64 as sll_epi64,
    _mm512_sqrt_pd as sqrt_pd, _mm512_sqrt_ps as sqrt_ps, _mm512_srl_epi32 as srl_epi32,
    _mm512_srl_epi64 as srl_epi64, _mm512_sub_epi32 as sub_epi32, _mm512_sub_epi64 as sub_epi64,
    _mm512_sub_pd as sub_pd, _mm512_sub_ps as sub_ps, _mm512_xor_si512 as xor_si,
};

use super::x86::{MultiplyLowHalves, Spread, x86_vectors};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

x86_vectors! {
    /// The family of AVX-512.
    Avx512 of __m512i;
    __m512, 16 lanes {
        mask __mmask16;
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
        from_signed(a) => _mm512_cvtepi32_ps(a);
        store_chosen(bits, from, to) => {
            let chosen = _mm512_maskz_compress_epi32(bits as __mmask16, _mm512_loadu_epi32(from.cast()));
            _mm512_storeu_epi32(to.cast(), chosen)
        };
    }
    __m512d, 8 lanes {
        mask __mmask8;
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
        from_signed(a) => _mm512_cvtepi64_pd(a);
        store_chosen(bits, from, to) => {
            let chosen = _mm256_maskz_compress_epi32(bits as __mmask8, _mm256_loadu_epi32(from.cast()));
            _mm256_storeu_epi32(to.cast(), chosen)
        };
    }
}
