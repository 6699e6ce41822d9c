//! NEON.

use std::arch::aarch64::*;

use super::vectors::{Loose, LooseFamily};

/// Its vectors.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

impl LooseFamily for Neon {
    type Single = Singles4;
    type Double = Doubles2;
}

macro_rules! loose {
    (
        $name:ident($register:ty): $number:ty, $width:literal lanes, $words:ident;
        splat $splat:ident, subtract $subtract:ident, multiply $multiply:ident, divide $divide:ident;
        plus $plus:ident, from $from:ident, less $less:ident, and $and:ident;
        words $to_words:ident, numbers $to_numbers:ident, load $load:ident;
        estimate $estimate:ident, $steps:literal steps;
    ) => {
        /// Lanes of a register.
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        // SAFETY of all intrinsics: every machine of this architecture has them.
        impl Loose for $name {
            type Scalar = $number;
            const WIDTH: usize = $width;
            // 8 bits, then twice as many with each.
            const NEWTON_STEPS: usize = $steps;

            #[inline(always)]
            fn splat(number: f64) -> Self {
                Self(unsafe { $splat(number as $number) })
            }

            #[inline(always)]
            unsafe fn load(pointer: *const $number) -> Self {
                // SAFETY: the caller's.
                Self(unsafe { pointer.cast::<$register>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn load_columns(pointer: *const $number, _columns: usize) -> Self {
                // SAFETY: the caller's.
                unsafe { Self::load(pointer) }
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
                Self(unsafe { $plus(term.0, self.0, factor.0) })
            }

            #[inline(always)]
            fn times_from(self, factor: Self, term: Self) -> Self {
                Self(unsafe { $from(term.0, self.0, factor.0) })
            }

            #[inline(always)]
            fn estimate(self) -> Self {
                Self(unsafe { $estimate(self.0) })
            }

            #[inline(always)]
            fn where_less(self, measure: Self, limit: Self) -> Self {
                let less = unsafe { $less(measure.0, limit.0) };
                Self(unsafe { $to_numbers($and(less, $to_words(self.0))) })
            }

            #[inline(always)]
            fn where_bits(self, bits: u32) -> Self {
                let mut words = [0; $width];
                for (lane, word) in words.iter_mut().enumerate() {
                    *word = if bits & (1 << lane) == 0 { 0 } else { $words::MAX };
                }
                Self(unsafe { $to_numbers($and($load(words.as_ptr()), $to_words(self.0))) })
            }
        }
    };
}

loose! {
    Singles4(float32x4_t): f32, 4 lanes, u32;
    splat vdupq_n_f32, subtract vsubq_f32, multiply vmulq_f32, divide vdivq_f32;
    plus vfmaq_f32, from vfmsq_f32, less vcltq_f32, and vandq_u32;
    words vreinterpretq_u32_f32, numbers vreinterpretq_f32_u32, load vld1q_u32;
    estimate vrecpeq_f32, 2 steps;
}

loose! {
    Doubles2(float64x2_t): f64, 2 lanes, u64;
    splat vdupq_n_f64, subtract vsubq_f64, multiply vmulq_f64, divide vdivq_f64;
    plus vfmaq_f64, from vfmsq_f64, less vcltq_f64, and vandq_u64;
    words vreinterpretq_u64_f64, numbers vreinterpretq_f64_u64, load vld1q_u64;
    estimate vrecpeq_f64, 3 steps;
}
