//! Vectors of width one: the plain numbers.

use super::{Bits, Family, SpreadWords, Vector, Words};

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
            fn splat(bits: u64) -> Self {
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

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn shift_left(self, bits: u32) -> Self {
                self << bits
            }

            #[inline(always)]
            fn shift_right(self, bits: u32) -> Self {
                self >> bits
            }
        }
    };
}

bits_of_integer!(u32);
bits_of_integer!(u64);

impl Words for u32 {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        self << bits
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        self >> bits
    }

    #[inline(always)]
    fn wrapping_mul(self, constant: u32) -> Self {
        self.wrapping_mul(constant)
    }

    type Spread = Self;

    #[inline(always)]
    fn spread(self) -> Self {
        self
    }

    #[inline(always)]
    fn join(spread: Self) -> Self {
        spread
    }
}

impl SpreadWords for u32 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Words::wrapping_add(self, other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Words::xor(self, other)
    }

    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let product = u64::from(self) * u64::from(constant);
        ((product >> 32) as u32, product as u32)
    }
}

/// The two words of a lane of double precision: the even one, the odd one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordPair(pub [u32; 2]);

impl WordPair {
    #[inline(always)]
    fn map(self, operation: impl Fn(u32) -> u32) -> Self {
        let [even, odd] = self.0;
        Self([operation(even), operation(odd)])
    }

    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(u32, u32) -> u32) -> Self {
        let ([even, odd], [other_even, other_odd]) = (self.0, other.0);
        Self([operation(even, other_even), operation(odd, other_odd)])
    }
}

impl Words for WordPair {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self([word; 2])
    }

    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_add)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn shift_left(self, bits: u32) -> Self {
        self.map(|word| word << bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        self.map(|word| word >> bits)
    }

    #[inline(always)]
    fn wrapping_mul(self, constant: u32) -> Self {
        self.map(|word| word.wrapping_mul(constant))
    }

    type Spread = Self;

    #[inline(always)]
    fn spread(self) -> Self {
        self
    }

    #[inline(always)]
    fn join(spread: Self) -> Self {
        spread
    }
}

impl SpreadWords for WordPair {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        Words::wrapping_add(self, other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Words::xor(self, other)
    }

    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let (even_high, even_low) = SpreadWords::widening_multiply(self.0[0], constant);
        let (odd_high, odd_low) = SpreadWords::widening_multiply(self.0[1], constant);
        (Self([even_high, odd_high]), Self([even_low, odd_low]))
    }
}

macro_rules! vector_of_one {
    ($number:ty) => {
        type Scalar = $number;
        const WIDTH: usize = 1;

        #[inline(always)]
        fn load(numbers: &[$number]) -> Self {
            numbers[0]
        }

        #[inline(always)]
        fn store(self, numbers: &mut [$number]) {
            numbers[0] = self;
        }

        #[inline(always)]
        unsafe fn load_unchecked(pointer: *const $number) -> Self {
            // SAFETY: the caller has one number to read.
            unsafe { pointer.read_unaligned() }
        }

        #[inline(always)]
        unsafe fn store_unchecked(self, pointer: *mut $number) {
            // SAFETY: the caller has room for one number.
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
        fn any(mask: bool) -> bool {
            mask
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
        fn either(a: bool, b: bool) -> bool {
            a | b
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
    };
}

impl Vector for f32 {
    vector_of_one!(f32);

    type Words = u32;
    const WORDS_A_LANE: usize = 1;

    #[inline(always)]
    fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> u32 {
        lane(0)
    }

    #[inline(always)]
    fn word(words: u32, lane: usize) -> u32 {
        [words][lane]
    }

    #[inline(always)]
    fn uniform(high: u32, _low: u32) -> Self {
        super::middle_of_cell(high >> 9)
    }

    #[inline(always)]
    fn odd_words(words: u32) -> u32 {
        words
    }

    #[inline(always)]
    fn splat_odd(_word: u32) -> u32 {
        0
    }
}

impl Vector for f64 {
    vector_of_one!(f64);

    type Words = WordPair;
    const WORDS_A_LANE: usize = 2;

    #[inline(always)]
    fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> WordPair {
        WordPair([lane(0); 2])
    }

    #[inline(always)]
    fn word(words: WordPair, lane: usize) -> u32 {
        [words.0[0]][lane]
    }

    #[inline(always)]
    fn uniform(high: WordPair, low: WordPair) -> Self {
        super::middle_of_cell(u64::from(high.0[0]) << 20 | u64::from(low.0[0]) >> 12)
    }

    #[inline(always)]
    fn odd_words(words: WordPair) -> WordPair {
        WordPair([words.0[1]; 2])
    }

    #[inline(always)]
    fn splat_odd(word: u32) -> WordPair {
        WordPair([0, word])
    }
}
