//! Parts shared by the vectors of x86-64: [`Spread`], 32-bit words in the low halves of 64-bit lanes, where registers
//! can multiply them, and operations whose instructions differ only in width.

use std::ops::BitXor;

use super::{Bits, SpreadWords};

/// 64-bit lanes that can multiply their low halves.
pub trait MultiplyLowHalves: Bits {
    /// The 64-bit products of the low halves; the high halves of the operands are ignored.
    fn multiply_low_halves(self, other: Self) -> Self;
}

/// The even and the odd words, each in the low half of a 64-bit lane. The high halves may hold anything.
///
/// The low word of a product is then in place and one shift gives its high word. Words side by side would need
/// shuffles, which cost more than the multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Spread<B> {
    even: B,
    odd: B,
}

impl<B: Bits> Spread<B> {
    /// From words side by side, whose even words are in the low halves.
    #[inline(always)]
    pub(super) fn new(words: B) -> Self {
        Self { even: words, odd: words >> 32 }
    }

    /// Back to words side by side.
    #[inline(always)]
    pub(super) fn join(self) -> B {
        self.even & B::from_u64(0xffff_ffff) | self.odd << 32
    }
}

impl<B: Bits> BitXor for Spread<B> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self { even: self.even ^ other.even, odd: self.odd ^ other.odd }
    }
}

impl<B: MultiplyLowHalves> SpreadWords for Spread<B> {
    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let constant = B::from_u64(u64::from(constant));
        let even = self.even.multiply_low_halves(constant);
        let odd = self.odd.multiply_low_halves(constant);
        (Self { even: even >> 32, odd: odd >> 32 }, Self { even, odd })
    }
}

/// Defines the family of an x86-64 instruction set from its registers, its widths and its own operations.
///
/// The file of the instruction set imports the intrinsics of its width under the names that are used here.
macro_rules! x86_vectors {
    (
        $(#[$doc:meta])*
        $family:ident of $integers:ty;
        $singles:ty, $single_width:tt lanes { $($single:tt)* }
        $doubles:ty, $double_width:tt lanes { $($double:tt)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $family;

        impl Family for $family {
            type Single = Singles;
            type Double = Doubles;
        }

        integer_lanes! {
            /// Words of 32 bits.
            Words32($integers): i32;
            splat set1_epi32;
            add add_epi32;
            subtract sub_epi32;
            and and_si;
            or or_si;
            xor xor_si;
            shift_left(a, bits) => sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
            shift_right(a, bits) => srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
        }

        integer_lanes! {
            /// Words of 64 bits.
            Words64($integers): i64;
            splat set1_epi64;
            add add_epi64;
            subtract sub_epi64;
            and and_si;
            or or_si;
            xor xor_si;
            shift_left(a, bits) => sll_epi64(a, _mm_cvtsi32_si128(bits as i32));
            shift_right(a, bits) => srl_epi64(a, _mm_cvtsi32_si128(bits as i32));
        }

        impl Words for Words32 {
            type Spread = Spread<Words64>;

            #[inline(always)]
            fn wrapping_mul(self, constant: u32) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { mullo_epi32(self.0, Self::splat(constant).0) })
            }

            #[inline(always)]
            fn spread(self) -> Spread<Words64> {
                Spread::new(Words64(self.0))
            }

            #[inline(always)]
            fn join(spread: Spread<Words64>) -> Self {
                Self(spread.join().0)
            }
        }

        impl MultiplyLowHalves for Words64 {
            #[inline(always)]
            fn multiply_low_halves(self, other: Self) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { mul_epu32(self.0, other.0) })
            }
        }

        number_lanes! {
            /// Numbers of single precision.
            Singles($singles): f32, $single_width lanes;
            bits Words32 of u32;
            splat set1_ps;
            add add_ps;
            subtract sub_ps;
            multiply mul_ps;
            divide div_ps;
            sqrt sqrt_ps;
            $($single)*
        }

        number_lanes! {
            /// Numbers of double precision.
            Doubles($doubles): f64, $double_width lanes;
            bits Words64 of u64;
            splat set1_pd;
            add add_pd;
            subtract sub_pd;
            multiply mul_pd;
            divide div_pd;
            sqrt sqrt_pd;
            $($double)*
        }
    };
}

pub(super) use x86_vectors;
