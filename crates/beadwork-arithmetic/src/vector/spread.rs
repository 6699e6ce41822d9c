//! [`Spread`], 32-bit words in the low halves of 64-bit lanes, where registers of x86-64 can multiply them.

use std::ops::BitXor;

use super::{Bits, SpreadWords};

/// 64-bit lanes that can multiply their low halves.
pub trait MultiplyLowHalves: Bits {
    /// The 64-bit products of the low halves; the high halves may hold anything.
    fn multiply_low_halves(self, other: Self) -> Self;
}

/// The even and the odd words, each in the low half of a 64-bit lane. The high halves may hold anything.
///
/// A product's high word is then one shift away and its low word is in place. Words side by side would need shuffles
/// that cost more than the multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Spread<B> {
    even: B,
    odd: B,
}

impl<B: Bits> Spread<B> {
    /// From words side by side, the even ones in the low halves.
    #[inline(always)]
    pub(super) fn new(words: B) -> Self {
        Self { even: words, odd: words >> 32 }
    }

    /// Side by side again.
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

/// [`Words`](super::Words) of `Words32`, whose products come from `Words64`.
macro_rules! words {
    (multiply $multiply:path; multiply_low_halves $multiply_low_halves:path;) => {
        impl Words for Words32 {
            type Spread = Spread<Words64>;

            #[inline(always)]
            fn wrapping_mul(self, constant: u32) -> Self {
                Self(unsafe { $multiply(self.0, Self::splat(constant).0) })
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
                Self(unsafe { $multiply_low_halves(self.0, other.0) })
            }
        }
    };
}

pub(super) use words;
