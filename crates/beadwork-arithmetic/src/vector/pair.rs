//! [`Pair`], two vectors as one.
//!
//! In a long formula each operation waits for the result of the one before, and a processor can reorder only about one
//! vector's worth of them. Two independent vectors side by side fill the waiting time.

use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, Mul, MulAssign, Neg, Shl, Shr, Sub, SubAssign,
};

use super::{Bits, SpreadWords, Vector, Words};
use crate::functions::Elementary;
use crate::lane::Lane;

/// Two vectors, or two of their integers: the lanes of the first, then those of the second.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V>(pub V, pub V);

macro_rules! operators {
    ($($trait:ident::$method:ident)*) => {
        $(
            impl<V: $trait<Output = V>> $trait for Pair<V> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self(self.0.$method(other.0), self.1.$method(other.1))
                }
            }
        )*
    };
}

operators! { Add::add Sub::sub Mul::mul Div::div BitAnd::bitand BitOr::bitor BitXor::bitxor }

macro_rules! shifts {
    ($($trait:ident::$method:ident)*) => {
        $(
            impl<V: $trait<u32, Output = V>> $trait<u32> for Pair<V> {
                type Output = Self;

                #[inline(always)]
                fn $method(self, bits: u32) -> Self {
                    Self(self.0.$method(bits), self.1.$method(bits))
                }
            }
        )*
    };
}

shifts! { Shl::shl Shr::shr }

macro_rules! operators_in_place {
    ($($trait:ident::$method:ident)*) => {
        $(
            impl<V: $trait> $trait for Pair<V> {
                #[inline(always)]
                fn $method(&mut self, other: Self) {
                    self.0.$method(other.0);
                    self.1.$method(other.1);
                }
            }
        )*
    };
}

operators_in_place! { AddAssign::add_assign SubAssign::sub_assign MulAssign::mul_assign }

impl<V: Neg<Output = V>> Neg for Pair<V> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<B: Bits> Bits for Pair<B> {
    #[inline(always)]
    fn from_u64(bits: u64) -> Self {
        Self(B::from_u64(bits), B::from_u64(bits))
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0), self.1.wrapping_add(other.1))
    }

    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0), self.1.wrapping_sub(other.1))
    }
}

impl<W: Words> Words for Pair<W> {
    type Spread = Pair<W::Spread>;

    #[inline(always)]
    fn spread(self) -> Self::Spread {
        Pair(self.0.spread(), self.1.spread())
    }

    #[inline(always)]
    fn join(spread: Self::Spread) -> Self {
        Self(W::join(spread.0), W::join(spread.1))
    }

    #[inline(always)]
    fn wrapping_mul(self, constant: u32) -> Self {
        Self(self.0.wrapping_mul(constant), self.1.wrapping_mul(constant))
    }
}

impl<S: SpreadWords> SpreadWords for Pair<S> {
    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let (first_high, first_low) = self.0.widening_multiply(constant);
        let (second_high, second_low) = self.1.widening_multiply(constant);
        (Self(first_high, second_high), Self(first_low, second_low))
    }
}

impl<V: Lane> Lane for Pair<V> {
    type Mask = (V::Mask, V::Mask);

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self(V::from_f64(value), V::from_f64(value))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn less_than(self, other: Self) -> Self::Mask {
        (self.0.less_than(other.0), self.1.less_than(other.1))
    }

    #[inline(always)]
    fn select(mask: Self::Mask, if_true: Self, if_false: Self) -> Self {
        Self(V::select(mask.0, if_true.0, if_false.0), V::select(mask.1, if_true.1, if_false.1))
    }
}

impl<V: Elementary> Elementary for Pair<V> {
    type Number = V::Number;
    type Bits = Pair<V::Bits>;

    #[inline(always)]
    fn to_bits(self) -> Self::Bits {
        Pair(self.0.to_bits(), self.1.to_bits())
    }

    #[inline(always)]
    fn from_bits(bits: Self::Bits) -> Self {
        Self(V::from_bits(bits.0), V::from_bits(bits.1))
    }

    #[inline(always)]
    fn from_signed(bits: Self::Bits) -> Self {
        Self(V::from_signed(bits.0), V::from_signed(bits.1))
    }
}

impl<V: Vector> Vector for Pair<V> {
    type Scalar = V::Scalar;
    type Words = Pair<V::Words>;
    const WIDTH: usize = 2 * V::WIDTH;

    #[inline(always)]
    unsafe fn load_unchecked(pointer: *const V::Scalar) -> Self {
        // SAFETY: the caller guarantees that as many numbers can be read.
        unsafe { Self(V::load_unchecked(pointer), V::load_unchecked(pointer.add(V::WIDTH))) }
    }

    #[inline(always)]
    unsafe fn store_unchecked(self, pointer: *mut V::Scalar) {
        // SAFETY: the caller guarantees room for as many numbers.
        unsafe {
            self.0.store_unchecked(pointer);
            self.1.store_unchecked(pointer.add(V::WIDTH));
        }
    }

    #[inline(always)]
    fn from_lanes(mut lane: impl FnMut(usize) -> V::Scalar) -> Self {
        let first = V::from_lanes(&mut lane);
        Self(first, V::from_lanes(|n| lane(V::WIDTH + n)))
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> V::Scalar {
        if lane < V::WIDTH { self.0.lane(lane) } else { self.1.lane(lane - V::WIDTH) }
    }

    #[inline(always)]
    fn mask_to_bits(mask: Self::Mask) -> u32 {
        V::mask_to_bits(mask.0) | V::mask_to_bits(mask.1) << V::WIDTH
    }

    #[inline(always)]
    fn mask_from_bits(bits: u32) -> Self::Mask {
        (V::mask_from_bits(bits), V::mask_from_bits(bits >> V::WIDTH))
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        (V::both(a.0, b.0), V::both(a.1, b.1))
    }

    #[inline(always)]
    fn columns(four: &[V::Scalar; 4], part: usize) -> Self {
        Self(V::columns(four, 2 * part), V::columns(four, 2 * part + 1))
    }

    #[inline(always)]
    fn rows(four: &[V::Scalar; 4], part: usize) -> Self {
        Self(V::rows(four, 2 * part), V::rows(four, 2 * part + 1))
    }

    #[inline(always)]
    fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> Self::Words {
        let first = V::words_from_lanes(&mut lane);
        Pair(first, V::words_from_lanes(|n| lane(V::WIDTH + n)))
    }

    #[inline(always)]
    fn word(words: Self::Words, lane: usize) -> u32 {
        if lane < V::WIDTH { V::word(words.0, lane) } else { V::word(words.1, lane - V::WIDTH) }
    }

    #[inline(always)]
    fn to_f64_lanes(self, lanes: &mut [f64]) {
        let (first, second) = lanes[..Self::WIDTH].split_at_mut(V::WIDTH);
        self.0.to_f64_lanes(first);
        self.1.to_f64_lanes(second);
    }

    #[inline(always)]
    fn words_to_bits(words: Self::Words) -> Self::Bits {
        Pair(V::words_to_bits(words.0), V::words_to_bits(words.1))
    }

    #[inline(always)]
    fn words_from_bits(bits: Self::Bits) -> Self::Words {
        Pair(V::words_from_bits(bits.0), V::words_from_bits(bits.1))
    }
}
