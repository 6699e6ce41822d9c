//! SSE2, AVX2 with fused multiplication, AVX-512.
//!
//! SAFETY of all intrinsics here: [`super::vectors::dispatch`] makes sure that the machine has them.

use std::arch::x86_64::*;

use super::vectors::{Loose, LooseFamily, LooseKernel};

/// Runs work with AVX2.
#[target_feature(enable = "avx2,fma")]
pub fn run_avx2<K: LooseKernel>(kernel: K) {
    kernel.run::<Avx2>();
}

/// Runs work with AVX-512.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
pub fn run_avx512<K: LooseKernel>(kernel: K) {
    kernel.run::<Avx512>();
}

macro_rules! family {
    ($name:ident, $single:ident, $double:ident) => {
        /// Its vectors.
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl LooseFamily for $name {
            type Single = $single;
            type Double = $double;
        }
    };
}

family!(Sse2, Singles4, Doubles2);
family!(Avx2, Singles8, Doubles4);
family!(Avx512, Singles16, Doubles8);

macro_rules! loose {
    (
        $name:ident($register:ty): $number:ty, $width:literal lanes;
        splat($splat:ident) => $splat_of:expr;
        columns($from:ident, $columns:ident) => $columns_of:expr;
        subtract $subtract:ident, multiply $multiply:ident, divide $divide:ident;
        plus($plus_a:ident, $plus_b:ident, $plus_c:ident) => $plus:expr;
        from($from_a:ident, $from_b:ident, $from_c:ident) => $from_of:expr;
        estimate($x:ident), $steps:literal steps => $estimate:expr;
        less($less_v:ident, $less_a:ident, $less_b:ident) => $less:expr;
        bits($bits_v:ident, $bits:ident) => $bits_of:expr;
    ) => {
        /// Lanes of a register.
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        impl Loose for $name {
            type Scalar = $number;
            const WIDTH: usize = $width;
            const NEWTON_STEPS: usize = $steps;

            #[inline(always)]
            fn splat(number: f64) -> Self {
                let $splat = number as $number;
                Self(unsafe { $splat_of })
            }

            #[inline(always)]
            unsafe fn load(pointer: *const $number) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { pointer.cast::<$register>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn load_columns($from: *const $number, $columns: usize) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { $columns_of })
            }

            #[inline(always)]
            unsafe fn store(self, pointer: *mut $number) {
                // SAFETY: the caller's.
                unsafe { pointer.cast::<$register>().write_unaligned(self.0) }
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                Self(unsafe { $subtract(self.0, other.0) })
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                Self(unsafe { $multiply(self.0, other.0) })
            }

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                Self(unsafe { $divide(self.0, other.0) })
            }

            #[inline(always)]
            fn times_plus(self, factor: Self, term: Self) -> Self {
                let ($plus_a, $plus_b, $plus_c) = (self.0, factor.0, term.0);
                Self(unsafe { $plus })
            }

            #[inline(always)]
            fn times_from(self, factor: Self, term: Self) -> Self {
                let ($from_a, $from_b, $from_c) = (self.0, factor.0, term.0);
                Self(unsafe { $from_of })
            }

            #[inline(always)]
            fn estimate(self) -> Self {
                let $x = self.0;
                Self(unsafe { $estimate })
            }

            #[inline(always)]
            fn where_less(self, measure: Self, limit: Self) -> Self {
                let ($less_v, $less_a, $less_b) = (self.0, measure.0, limit.0);
                Self(unsafe { $less })
            }

            #[inline(always)]
            fn where_bits(self, bits: u32) -> Self {
                let ($bits_v, $bits) = (self.0, bits);
                Self(unsafe { $bits_of })
            }
        }
    };
}

loose! {
    Singles4(__m128): f32, 4 lanes;
    splat(number) => _mm_set1_ps(number);
    columns(from, _columns) => _mm_loadu_ps(from);
    subtract _mm_sub_ps, multiply _mm_mul_ps, divide _mm_div_ps;
    plus(a, b, c) => _mm_add_ps(_mm_mul_ps(a, b), c);
    from(a, b, c) => _mm_sub_ps(c, _mm_mul_ps(a, b));
    estimate(x), 1 steps => _mm_rcp_ps(x);
    less(v, a, b) => _mm_and_ps(_mm_cmplt_ps(a, b), v);
    bits(v, bits) => {
        let lanes = _mm_setr_epi32(1, 2, 4, 8);
        let set = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), lanes), lanes);
        _mm_and_ps(_mm_castsi128_ps(set), v)
    };
}

/// Masks of two lanes for each number of two bits.
static TWO_LANES: [[u64; 2]; 4] = [[0, 0], [u64::MAX, 0], [0, u64::MAX], [u64::MAX, u64::MAX]];

loose! {
    Doubles2(__m128d): f64, 2 lanes;
    splat(number) => _mm_set1_pd(number);
    columns(from, _columns) => _mm_loadu_pd(from);
    subtract _mm_sub_pd, multiply _mm_mul_pd, divide _mm_div_pd;
    plus(a, b, c) => _mm_add_pd(_mm_mul_pd(a, b), c);
    from(a, b, c) => _mm_sub_pd(c, _mm_mul_pd(a, b));
    estimate(x), 0 steps => _mm_div_pd(_mm_set1_pd(1.0), x);
    less(v, a, b) => _mm_and_pd(_mm_cmplt_pd(a, b), v);
    bits(v, bits) => {
        let mask = TWO_LANES[bits as usize & 3].as_ptr().cast::<f64>();
        _mm_and_pd(_mm_loadu_pd(mask), v)
    };
}

loose! {
    Singles8(__m256): f32, 8 lanes;
    splat(number) => _mm256_set1_ps(number);
    columns(from, columns) => if columns == 4 {
        _mm256_broadcast_ps(&*from.cast::<__m128>())
    } else {
        _mm256_loadu_ps(from)
    };
    subtract _mm256_sub_ps, multiply _mm256_mul_ps, divide _mm256_div_ps;
    plus(a, b, c) => _mm256_fmadd_ps(a, b, c);
    from(a, b, c) => _mm256_fnmadd_ps(a, b, c);
    estimate(x), 1 steps => _mm256_rcp_ps(x);
    less(v, a, b) => _mm256_and_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b), v);
    bits(v, bits) => {
        let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), lanes);
        _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lanes)), v)
    };
}

loose! {
    Doubles4(__m256d): f64, 4 lanes;
    splat(number) => _mm256_set1_pd(number);
    columns(from, _columns) => _mm256_loadu_pd(from);
    subtract _mm256_sub_pd, multiply _mm256_mul_pd, divide _mm256_div_pd;
    plus(a, b, c) => _mm256_fmadd_pd(a, b, c);
    from(a, b, c) => _mm256_fnmadd_pd(a, b, c);
    estimate(x), 0 steps => _mm256_div_pd(_mm256_set1_pd(1.0), x);
    less(v, a, b) => _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b), v);
    bits(v, bits) => {
        let lanes = _mm256_setr_epi64x(1, 2, 4, 8);
        let set = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), lanes);
        _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(set, lanes)), v)
    };
}

loose! {
    Singles16(__m512): f32, 16 lanes;
    splat(number) => _mm512_set1_ps(number);
    columns(from, columns) => if columns == 4 {
        _mm512_broadcast_f32x4(_mm_loadu_ps(from))
    } else {
        _mm512_broadcast_f32x8(_mm256_loadu_ps(from))
    };
    subtract _mm512_sub_ps, multiply _mm512_mul_ps, divide _mm512_div_ps;
    plus(a, b, c) => _mm512_fmadd_ps(a, b, c);
    from(a, b, c) => _mm512_fnmadd_ps(a, b, c);
    estimate(x), 1 steps => _mm512_rcp14_ps(x);
    less(v, a, b) => _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), v);
    bits(v, bits) => _mm512_maskz_mov_ps(bits as __mmask16, v);
}

loose! {
    Doubles8(__m512d): f64, 8 lanes;
    splat(number) => _mm512_set1_pd(number);
    columns(from, columns) => if columns == 4 {
        _mm512_broadcast_f64x4(_mm256_loadu_pd(from))
    } else {
        _mm512_loadu_pd(from)
    };
    subtract _mm512_sub_pd, multiply _mm512_mul_pd, divide _mm512_div_pd;
    plus(a, b, c) => _mm512_fmadd_pd(a, b, c);
    from(a, b, c) => _mm512_fnmadd_pd(a, b, c);
    // 14 bits, 28, 56: one step would not reach double precision.
    estimate(x), 2 steps => _mm512_rcp14_pd(x);
    less(v, a, b) => _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), v);
    bits(v, bits) => _mm512_maskz_mov_pd(bits as __mmask8, v);
}
