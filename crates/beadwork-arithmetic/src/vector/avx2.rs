//! Vectors of AVX2: 256 bits.
//!
//! SAFETY of all intrinsics here: these vectors are for use within [`Instructions::dispatch`](super::Instructions),
//! which makes sure that the machine has AVX2.

use std::arch::x86_64::*;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::spread::{MultiplyLowHalves, Spread};
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
    splat(word) => _mm256_set1_epi32(word);
    add(a, b) => _mm256_add_epi32(a, b);
    subtract(a, b) => _mm256_sub_epi32(a, b);
    and(a, b) => _mm256_and_si256(a, b);
    or(a, b) => _mm256_or_si256(a, b);
    xor(a, b) => _mm256_xor_si256(a, b);
    shift_left(a, bits) => _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Four words of 64 bits.
    Words64(__m256i): i64;
    splat(word) => _mm256_set1_epi64x(word);
    add(a, b) => _mm256_add_epi64(a, b);
    subtract(a, b) => _mm256_sub_epi64(a, b);
    and(a, b) => _mm256_and_si256(a, b);
    or(a, b) => _mm256_or_si256(a, b);
    xor(a, b) => _mm256_xor_si256(a, b);
    shift_left(a, bits) => _mm256_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm256_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    Words32;
    multiply(a, constant) => _mm256_mullo_epi32(a, constant);
    spread Spread<Words64>;
    spread(a) => Spread::new(Words64(a.0));
    join(a) => Words32(a.join().0);
}

impl MultiplyLowHalves for Words64 {
    #[inline(always)]
    fn multiply_low_halves(self, other: Self) -> Self {
        Self(unsafe { _mm256_mul_epu32(self.0, other.0) })
    }
}

number_lanes! {
    /// Eight numbers of single precision.
    Singles(__m256): f32;
    bits Words32;
    mask __m256;
    splat(value) => _mm256_set1_ps(value);
    to_bits(a) => _mm256_castps_si256(a);
    from_bits(a) => _mm256_castsi256_ps(a);
    add(a, b) => _mm256_add_ps(a, b);
    subtract(a, b) => _mm256_sub_ps(a, b);
    multiply(a, b) => _mm256_mul_ps(a, b);
    divide(a, b) => _mm256_div_ps(a, b);
    sqrt(a) => _mm256_sqrt_ps(a);
    less_than(a, b) => _mm256_cmp_ps::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm256_blendv_ps(b, a, mask);
    smaller(a, b) => _mm256_min_ps(a, b);
    larger(a, b) => _mm256_max_ps(a, b);
}

vector! {
    Singles(__m256): f32, 8 lanes;
    single_words!(Words32(__m256i), 8 lanes);
    any(mask) => _mm256_movemask_ps(mask) != 0;
    mask_to_bits(mask) => _mm256_movemask_ps(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let bits = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lanes);
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, lanes))
    };
    both(a, b) => _mm256_and_ps(a, b);
    either(a, b) => _mm256_or_ps(a, b);
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
    Doubles(__m256d): f64;
    bits Words64;
    mask __m256d;
    splat(value) => _mm256_set1_pd(value);
    to_bits(a) => _mm256_castpd_si256(a);
    from_bits(a) => _mm256_castsi256_pd(a);
    add(a, b) => _mm256_add_pd(a, b);
    subtract(a, b) => _mm256_sub_pd(a, b);
    multiply(a, b) => _mm256_mul_pd(a, b);
    divide(a, b) => _mm256_div_pd(a, b);
    sqrt(a) => _mm256_sqrt_pd(a);
    less_than(a, b) => _mm256_cmp_pd::<_CMP_LT_OQ>(a, b);
    select(mask, a, b) => _mm256_blendv_pd(b, a, mask);
    smaller(a, b) => _mm256_min_pd(a, b);
    larger(a, b) => _mm256_max_pd(a, b);
}

vector! {
    Doubles(__m256d): f64, 4 lanes;
    double_words!(Words32, Words64(__m256i), 4 lanes; to_bits(a) => a; from_bits(a) => a;);
    any(mask) => _mm256_movemask_pd(mask) != 0;
    mask_to_bits(mask) => _mm256_movemask_pd(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm256_setr_epi64x(1, 2, 4, 8);
        let bits = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), lanes);
        _mm256_castsi256_pd(_mm256_cmpeq_epi64(bits, lanes))
    };
    both(a, b) => _mm256_and_pd(a, b);
    either(a, b) => _mm256_or_pd(a, b);
    columns(four, _part) => _mm256_loadu_pd(four.as_ptr());
    rows(four, part) => _mm256_set1_pd(four[part]);
    to_f64(a) => a;
}
