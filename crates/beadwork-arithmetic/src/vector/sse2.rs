//! Vectors of SSE2, which every x86-64 machine has: 128 bits.
//!
//! SAFETY of all intrinsics here: SSE2 is part of the x86-64 architecture.

use std::arch::x86_64::*;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::spread::{MultiplyLowHalves, Spread};
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
    splat(word) => _mm_set1_epi32(word);
    add(a, b) => _mm_add_epi32(a, b);
    subtract(a, b) => _mm_sub_epi32(a, b);
    and(a, b) => _mm_and_si128(a, b);
    or(a, b) => _mm_or_si128(a, b);
    xor(a, b) => _mm_xor_si128(a, b);
    shift_left(a, bits) => _mm_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
}

integer_lanes! {
    /// Two words of 64 bits.
    Words64(__m128i): i64;
    splat(word) => _mm_set1_epi64x(word);
    add(a, b) => _mm_add_epi64(a, b);
    subtract(a, b) => _mm_sub_epi64(a, b);
    and(a, b) => _mm_and_si128(a, b);
    or(a, b) => _mm_or_si128(a, b);
    xor(a, b) => _mm_xor_si128(a, b);
    shift_left(a, bits) => _mm_sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
    shift_right(a, bits) => _mm_srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
}

words! {
    Words32;
    multiply(a, constant) => low_words_of_products(a, constant);
    spread Spread<Words64>;
    spread(a) => Spread::new(Words64(a.0));
    join(a) => Words32(a.join().0);
}

impl MultiplyLowHalves for Words64 {
    #[inline(always)]
    fn multiply_low_halves(self, other: Self) -> Self {
        Self(unsafe { _mm_mul_epu32(self.0, other.0) })
    }
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
    Singles(__m128): f32;
    bits Words32;
    mask __m128;
    splat(value) => _mm_set1_ps(value);
    to_bits(a) => _mm_castps_si128(a);
    from_bits(a) => _mm_castsi128_ps(a);
    add(a, b) => _mm_add_ps(a, b);
    subtract(a, b) => _mm_sub_ps(a, b);
    multiply(a, b) => _mm_mul_ps(a, b);
    divide(a, b) => _mm_div_ps(a, b);
    sqrt(a) => _mm_sqrt_ps(a);
    less_than(a, b) => _mm_cmplt_ps(a, b);
    select(mask, a, b) => _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
    smaller(a, b) => _mm_min_ps(a, b);
    larger(a, b) => _mm_max_ps(a, b);
}

vector! {
    Singles(__m128): f32, 4 lanes;
    single_words!(Words32(__m128i), 4 lanes);
    any(mask) => _mm_movemask_ps(mask) != 0;
    mask_to_bits(mask) => _mm_movemask_ps(mask) as u32;
    mask_from_bits(bits) => {
        let lanes = _mm_setr_epi32(1, 2, 4, 8);
        let bits = _mm_and_si128(_mm_set1_epi32(bits as i32), lanes);
        _mm_castsi128_ps(_mm_cmpeq_epi32(bits, lanes))
    };
    both(a, b) => _mm_and_ps(a, b);
    either(a, b) => _mm_or_ps(a, b);
    columns(four, _part) => _mm_loadu_ps(four.as_ptr());
    rows(four, part) => _mm_set1_ps(four[part]);
    to_f64(a) => [_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))];
}

number_lanes! {
    /// Two numbers of double precision.
    Doubles(__m128d): f64;
    bits Words64;
    mask __m128d;
    splat(value) => _mm_set1_pd(value);
    to_bits(a) => _mm_castpd_si128(a);
    from_bits(a) => _mm_castsi128_pd(a);
    add(a, b) => _mm_add_pd(a, b);
    subtract(a, b) => _mm_sub_pd(a, b);
    multiply(a, b) => _mm_mul_pd(a, b);
    divide(a, b) => _mm_div_pd(a, b);
    sqrt(a) => _mm_sqrt_pd(a);
    less_than(a, b) => _mm_cmplt_pd(a, b);
    select(mask, a, b) => _mm_or_pd(_mm_and_pd(mask, a), _mm_andnot_pd(mask, b));
    smaller(a, b) => _mm_min_pd(a, b);
    larger(a, b) => _mm_max_pd(a, b);
}

vector! {
    Doubles(__m128d): f64, 2 lanes;
    double_words!(Words32, Words64(__m128i), 2 lanes; to_bits(a) => a; from_bits(a) => a;);
    any(mask) => _mm_movemask_pd(mask) != 0;
    mask_to_bits(mask) => _mm_movemask_pd(mask) as u32;
    mask_from_bits(bits) => {
        // 64-bit lanes cannot be compared; their equal halves can.
        let lanes = _mm_setr_epi32(1, 1, 2, 2);
        let bits = _mm_and_si128(_mm_set1_epi32(bits as i32), lanes);
        _mm_castsi128_pd(_mm_cmpeq_epi32(bits, lanes))
    };
    both(a, b) => _mm_and_pd(a, b);
    either(a, b) => _mm_or_pd(a, b);
    columns(four, part) => {
        let first = part % 2 * 2;
        _mm_setr_pd(four[first], four[first + 1])
    };
    rows(four, part) => _mm_set1_pd(four[part / 2]);
    to_f64(a) => a;
}
