//! [`Vector`], lanes that an instruction set computes at once, and [`Bits`] and [`Words`], their integer lanes.
//!
//! A [`Family`] is the vectors of one instruction set. [`Instructions::dispatch`] runs a [`Kernel`] with one of the
//! families of the machine. Operations round as those of plain numbers do, so all families give the same bits; `f32`
//! and `f64` themselves are the vectors of width one.
//!
//! The methods are explicit instructions that are always inlined: arrays of numbers, left to the compiler, become
//! poor code for integer multiplications and shuffles.

#![allow(
    unused_unsafe,
    clippy::modulo_one,
    clippy::useless_transmute,
    reason = "the macros serve all widths, unsafe operations and safe ones"
)]

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
#[macro_use]
mod macros;
mod instructions;
mod pair;
mod portable;
mod scalar;

// Private: only `Instructions::dispatch` may use the families of wider instructions, after it has checked the machine.
// If they were public, safe code could run instructions that the machine lacks.
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

pub use instructions::{Instructions, Kernel};
pub use pair::Pair;
pub use portable::Portable;
pub use scalar::Scalar;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub use neon::Neon as Baseline;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little")
)))]
pub use portable::Portable as Baseline;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sse2 as Baseline;

use crate::functions::{Elementary, Precision};
use crate::lane::Real;

/// Integer lanes as wide as the numbers of a [`Lane`](crate::Lane): operations on bits, and wrapping arithmetic.
///
/// Shifts must be by fewer bits than a lane has; they shift in zeros.
pub trait Bits:
    Copy
    + Send
    + Sync
    + Debug
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The lowest bits of `bits`, as many as a lane has, in every lane.
    fn from_u64(bits: u64) -> Self;
    /// Sums modulo 2ⁿ, n the bits of a lane.
    fn wrapping_add(self, other: Self) -> Self;
    /// Differences modulo 2ⁿ, n the bits of a lane.
    fn wrapping_sub(self, other: Self) -> Self;
}

/// 32-bit lanes for generators of random words.
///
/// A vector of single precision has one word a lane; one of double precision has two, an even and an odd one.
pub trait Words: Bits {
    /// The words in the form that is multiplied fastest; products stay in this form.
    type Spread: SpreadWords;

    /// Converts to the form for products.
    fn spread(self) -> Self::Spread;
    /// Converts back from the form for products.
    fn join(spread: Self::Spread) -> Self;
    /// Products with a constant, modulo 2³².
    fn wrapping_mul(self, constant: u32) -> Self;

    /// The same word in every even and odd place.
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self::from_u64(u64::from(word))
    }

    /// High and low words of the 64-bit products with a constant.
    #[inline(always)]
    fn widening_multiply(self, constant: u32) -> (Self, Self) {
        let (high, low) = self.spread().widening_multiply(constant);
        (Self::join(high), Self::join(low))
    }
}

/// Words in a form in which products with constants are cheap; part of [`Words`].
pub trait SpreadWords: Copy + BitXor<Output = Self> {
    /// High and low words of the 64-bit products with a constant.
    fn widening_multiply(self, constant: u32) -> (Self, Self);
}

/// Numbers of one precision in the lanes of a register, or one plain number.
///
/// The four numbers of [`Vector::columns`] and [`Vector::rows`] belong to the beads on two sides of a tile of 4 × 4
/// pairs. A vector holds [`Vector::WIDTH`] of the 16 pairs, row by row; a wider vector repeats them from the first.
pub trait Vector: Elementary {
    /// One lane's number.
    type Scalar: Real;
    /// The integer lanes that random words are computed in, [`Vector::WORDS_A_LANE`] a lane.
    type Words: Words;
    /// Number of lanes: at most 16, or 32 in a [`Pair`].
    const WIDTH: usize;
    /// Words that fit into a lane: 1 in single precision, 2 in double precision.
    const WORDS_A_LANE: usize = size_of::<Self::Scalar>() / 4;

    /// Loads the first [`Vector::WIDTH`] numbers; panics if there are fewer.
    #[inline(always)]
    fn load(numbers: &[Self::Scalar]) -> Self {
        let numbers = &numbers[..Self::WIDTH];
        // SAFETY: the slice has as many numbers.
        unsafe { Self::load_unchecked(numbers.as_ptr()) }
    }

    /// Writes the lanes to the first [`Vector::WIDTH`] numbers; panics if there are fewer.
    #[inline(always)]
    fn store(self, numbers: &mut [Self::Scalar]) {
        let numbers = &mut numbers[..Self::WIDTH];
        // SAFETY: the slice has room for as many numbers.
        unsafe { self.store_unchecked(numbers.as_mut_ptr()) }
    }

    /// [`Vector::load`] from a pointer, without the check of the length.
    ///
    /// # Safety
    /// [`Vector::WIDTH`] numbers can be read from `pointer` on; any alignment will do.
    unsafe fn load_unchecked(pointer: *const Self::Scalar) -> Self;

    /// [`Vector::store`] to a pointer, without the check of the length.
    ///
    /// # Safety
    /// [`Vector::WIDTH`] numbers can be written from `pointer` on; any alignment will do.
    unsafe fn store_unchecked(self, pointer: *mut Self::Scalar);

    /// A vector of the numbers that `lane` returns for each lane, called in ascending order.
    fn from_lanes(lane: impl FnMut(usize) -> Self::Scalar) -> Self;

    /// The number in a lane; panics beyond the last.
    fn lane(self, lane: usize) -> Self::Scalar;

    /// Whether the mask holds in any lane.
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::mask_to_bits(mask) != 0
    }

    /// The mask as a number whose bit l is lane l.
    fn mask_to_bits(mask: Self::Mask) -> u32;

    /// The mask whose lane l is bit l; bits beyond the last lane are ignored.
    fn mask_from_bits(bits: u32) -> Self::Mask;

    /// The mask of lanes in which both masks hold.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// In lane l of part p, number (p · WIDTH + l) mod 4 of the four: the columns of a 4 × 4 tile.
    fn columns(four: &[Self::Scalar; 4], part: usize) -> Self;

    /// In lane l of part p, number ⌊(p · WIDTH + l)/4⌋ mod 4 of the four: the rows of a 4 × 4 tile.
    fn rows(four: &[Self::Scalar; 4], part: usize) -> Self;

    /// The words that `lane` returns for each lane, called in ascending order. In double precision, both words of a
    /// lane get the value.
    fn words_from_lanes(lane: impl FnMut(usize) -> u32) -> Self::Words;

    /// The word of a lane (in double precision the even one); panics beyond the last lane.
    fn word(words: Self::Words, lane: usize) -> u32;

    /// Converts the words to integers as wide as the lanes, with even words in the low halves.
    fn words_to_bits(words: Self::Words) -> Self::Bits;

    /// Converts integers as wide as the lanes to words.
    fn words_from_bits(bits: Self::Bits) -> Self::Words;

    /// Copies the numbers of the lanes whose bits are set to the beginning of `to`, and returns how many. It may change
    /// as many numbers of `to` as there are lanes; panics if one of the arrays has fewer.
    #[inline(always)]
    fn store_chosen(bits: u32, from: &[u32], to: &mut [u32]) -> usize {
        let (from, to) = (&from[..Self::WIDTH], &mut to[..Self::WIDTH]);
        let mut count = 0;
        for (lane, &number) in from.iter().enumerate() {
            // Without a branch, which would be mispredicted.
            to[count] = number;
            count += (bits >> lane & 1) as usize;
        }
        count
    }

    /// Writes the lanes, exactly converted to double precision, to the first [`Vector::WIDTH`] numbers; panics if there
    /// are fewer.
    fn to_f64_lanes(self, lanes: &mut [f64]);

    /// Uniform numbers strictly inside (0, 1) from random words: (n + ½) · 2⁻²³ in single precision, n being the top 23
    /// bits of `high`; (n + ½) · 2⁻⁵² in double precision, n being the top 52 bits of the 64-bit number made of the
    /// even words of `high` and `low`.
    #[inline(always)]
    fn uniform(high: Self::Words, low: Self::Words) -> Self {
        let high = Self::words_to_bits(high);
        if Self::WORDS_A_LANE == 1 {
            return middle_of_cell(high >> 9);
        }
        let low = Self::words_to_bits(low) & Self::Bits::from_u64(0xffff_ffff);
        middle_of_cell((high << 32 | low) >> 12)
    }

    /// Moves odd words to the even places and leaves the odd places unspecified; in single precision it changes
    /// nothing.
    #[inline(always)]
    fn odd_words(words: Self::Words) -> Self::Words {
        if Self::WORDS_A_LANE == 1 {
            return words;
        }
        Self::words_from_bits(Self::words_to_bits(words) >> 32)
    }

    /// The word in all odd places and zero in the even ones; in single precision zero everywhere.
    #[inline(always)]
    fn splat_odd(word: u32) -> Self::Words {
        if Self::WORDS_A_LANE == 1 {
            return Self::Words::splat(0);
        }
        Self::words_from_bits(Self::Bits::from_u64(u64::from(word) << 32))
    }
}

/// The vectors of one instruction set.
pub trait Family: Copy + Send + Sync + Debug + 'static {
    /// Its vector of single precision.
    type Single: Vector<Scalar = f32>;
    /// Its vector of double precision.
    type Double: Vector<Scalar = f64>;
}

/// The middle of cell n of the 2ᵖ equal cells in (0, 1), (n + ½) · 2⁻ᵖ with p the fraction's bits.
///
/// Writing n into the fraction of a number in [1, 2) gives 1 + n · 2⁻ᵖ; subtracting 1 − 2⁻ᵖ⁻¹ is then exact.
#[inline(always)]
fn middle_of_cell<T: Elementary>(cell: T::Bits) -> T {
    let half_cell = 0.5 / (1_u64 << T::Number::FRACTION_BITS) as f64;
    let one = T::from_f64(1.0);
    T::from_bits(cell | one.to_bits()) - T::from_f64(1.0 - half_cell)
}
