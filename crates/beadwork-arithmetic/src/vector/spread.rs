//! [`Spread`], 32-bit words in the low halves of 64-bit lanes, where registers can multiply them.

use super::{Bits, SpreadWords};

/// 64-bit lanes that can multiply their low halves.
pub trait MultiplyLowHalves: Bits {
    /// The 64-bit products of the low halves; the high halves may hold anything.
    fn multiply_low_halves(self, other: Self) -> Self;
}

/// Even and odd words apart, each in the low half of a 64-bit lane. What the high halves hold is never looked at.
///
/// A product's high word is then one shift away and its low word is in place, where words side by side take shuffles
/// that cost more than the multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Spread<B> {
    even: B,
    odd: B,
}

impl<B: Bits> Spread<B> {
    /// Words side by side, the even ones in the low halves.
    #[inline(always)]
    pub(super) fn new(words: B) -> Self {
        Self { even: words, odd: words.shift_right(32) }
    }

    /// Side by side again.
    #[inline(always)]
    pub(super) fn join(self) -> B {
        self.even.and(B::splat(0xffff_ffff)).or(self.odd.shift_left(32))
    }
}

impl<B: MultiplyLowHalves> SpreadWords for Spread<B> {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Self { even: self.even.wrapping_add(other.even), odd: self.odd.wrapping_add(other.odd) }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self { even: self.even.xor(other.even), odd: self.odd.xor(other.odd) }
    }

    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let constant = B::splat(u64::from(constant));
        let even = self.even.multiply_low_halves(constant);
        let odd = self.odd.multiply_low_halves(constant);
        (Self { even: even.shift_right(32), odd: odd.shift_right(32) }, Self { even, odd })
    }
}
