//! Vectors of AVX2: 256 bits.
//!
//! SAFETY of all intrinsics here: only [`Instructions::dispatch`](super::Instructions) uses these vectors, after it has
//! checked that the machine has AVX2.

use std::arch::x86_64::*;
use std::arch::x86_64::{
    _mm256_add_epi32 as add_epi32, _mm256_add_epi64 as add_epi64, _mm256_add_pd as add_pd,
    _mm256_add_ps as add_ps, _mm256_and_si256 as and_si, _mm256_div_pd as div_pd,
    _mm256_div_ps as div_ps, _mm256_mul_epu32 as mul_epu32, _mm256_mul_pd as mul_pd,
    _mm256_mul_ps as mul_ps, _mm256_mullo_epi32 as mullo_epi32, _mm256_or_si256 as or_si,
    _mm256_set1_epi32 as set1_epi32, _mm256_set1_epi64x as set1_epi64, _mm256_set1_pd as set1_pd,
    _mm256_set1_ps as set1_ps, _mm256_sll_epi32 as sll_epi32, _mm256_sll_epi64 as sll_epi64,
    _mm256_sqrt_pd as sqrt_pd, _mm256_sqrt_ps as sqrt_ps, _mm256_srl_epi32 as srl_epi32,
    _mm256_srl_epi64 as srl_epi64, _mm256_sub_epi32 as sub_epi32, _mm256_sub_epi64 as sub_epi64,
    _mm256_sub_pd as sub_pd, _mm256_sub_ps as sub_ps, _mm256_xor_si256 as xor_si,
};

use super::x86::{MultiplyLowHalves, Spread, x86_vectors};
use super::{Bits, Family, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

x86_vectors! {
    /// The family of AVX2.
    Avx2 of __m256i;
    __m256, 8 lanes {
        mask __m256;
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
        from_signed(a) => _mm256_cvtepi32_ps(a);
        store_chosen(bits, from, to) => {
            let chosen = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(CHOSEN[bits as usize] as i64));
            let all = _mm256_loadu_si256(from.cast());
            _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(all, chosen))
        };
    }
    __m256d, 4 lanes {
        mask __m256d;
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
        store_chosen(bits, from, to) => {
            let chosen = _mm_cvtepu8_epi32(_mm_cvtsi64_si128(CHOSEN[bits as usize] as i64));
            let all = _mm_castsi128_ps(_mm_loadu_si128(from.cast()));
            _mm_storeu_si128(to.cast(), _mm_castps_si128(_mm_permutevar_ps(all, chosen)))
        };
    }
}

/// For each set of eight lanes, the numbers of its lanes, ascending, one in each byte from the lowest on.
static CHOSEN: [u64; 256] = {
    let mut chosen = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                chosen[bits] |= (lane as u64) << (8 * count);
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    chosen
};
