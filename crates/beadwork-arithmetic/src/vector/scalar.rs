//! Vectors of width one: the plain numbers.

use super::{Bits, Family, Pair, SpreadWords, Vector, Words};

/// The family of the plain numbers: one number at a time.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

impl Family for Scalar {
    type Single = f32;
    type Double = f64;
}

macro_rules! bits_of_integer {
    ($integer:ty) => {
        impl Bits for $integer {
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as $integer
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}

bits_of_integer!(u32);
bits_of_integer!(u64);

impl Words for u32 {
    type Spread = Self;

    #[inline(always)]
    fn spread(self) -> Self {
        self
    }

    #[inline(always)]
    fn join(spread: Self) -> Self {
        spread
    }

    #[inline(always)]
    fn wrapping_mul(self, constant: u32) -> Self {
        self.wrapping_mul(constant)
    }
}

impl SpreadWords for u32 {
    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let product = u64::from(self) * u64::from(constant);
        ((product >> 32) as u32, product as u32)
    }
}

macro_rules! vector_of_one {
    ($number:ty) => {
        type Scalar = $number;
        const WIDTH: usize = 1;

        #[inline(always)]
        unsafe fn load_unchecked(pointer: *const $number) -> Self {
            // SAFETY: the caller guarantees that one number can be read.
            unsafe { pointer.read_unaligned() }
        }

        #[inline(always)]
        unsafe fn store_unchecked(self, pointer: *mut $number) {
            // SAFETY: the caller guarantees room for one number.
            unsafe { pointer.write_unaligned(self) }
        }

        #[inline(always)]
        fn from_lanes(mut lane: impl FnMut(usize) -> $number) -> Self {
            lane(0)
        }

        #[inline(always)]
        fn lane(self, lane: usize) -> $number {
            [self][lane]
        }

        #[inline(always)]
        fn mask_to_bits(mask: bool) -> u32 {
            u32::from(mask)
        }

        #[inline(always)]
        fn mask_from_bits(bits: u32) -> bool {
            bits & 1 == 1
        }

        #[inline(always)]
        fn both(a: bool, b: bool) -> bool {
            a & b
        }

        #[inline(always)]
        fn columns(four: &[$number; 4], part: usize) -> Self {
            four[part % 4]
        }

        #[inline(always)]
        fn rows(four: &[$number; 4], part: usize) -> Self {
            four[part / 4 % 4]
        }

        #[inline(always)]
        fn to_f64_lanes(self, lanes: &mut [f64]) {
            lanes[0] = f64::from(self);
        }

        #[inline(always)]
        fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> Self::Words {
            Words::splat(lane(0))
        }

        #[inline(always)]
        fn word(words: Self::Words, lane: usize) -> u32 {
            [Self::words_to_bits(words) as u32][lane]
        }
    };
}

impl Vector for f32 {
    vector_of_one!(f32);

    type Words = u32;

    #[inline(always)]
    fn words_to_bits(words: u32) -> u32 {
        words
    }

    #[inline(always)]
    fn words_from_bits(bits: u32) -> u32 {
        bits
    }
}

/// The words of the lane are a [`Pair`], first the even and then the odd one.
impl Vector for f64 {
    vector_of_one!(f64);

    type Words = Pair<u32>;

    #[inline(always)]
    fn words_to_bits(words: Pair<u32>) -> u64 {
        u64::from(words.0) | u64::from(words.1) << 32
    }

    #[inline(always)]
    fn words_from_bits(bits: u64) -> Pair<u32> {
        Pair(bits as u32, (bits >> 32) as u32)
    }
}
