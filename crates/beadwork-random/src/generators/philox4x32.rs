//! Implement [`philox4x32`], alone and in lanes, and the stream [`Philox4x32`].

use std::convert::Infallible;

use beadwork_arithmetic::{SpreadWords, Words};
use rand_core::{SeedableRng, TryRng, utils};

/// Philox-4x32: four words from a 128-bit counter and a 64-bit key, without any state.
///
/// Each round multiplies two words by constants into 64 bits, and mixes the halves with the other two words and the
/// round's key, which a Weyl sequence advances. For a given key it is a bijection of the counter.
///
/// * State: none. Period: each key has 2¹²⁸ counters.
/// * Known failures: none with 7 rounds and more. Its authors found BigCrush passed with 7 and recommend 10.
///
/// # Reference
/// Salmon, Moraes, Dror and Shaw, SC11 (2011), doi:10.1145/2063384.2063405; answers from Random123.
///
/// ```
/// use beadwork_random::philox4x32;
///
/// assert_eq!(philox4x32::<10>([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// ```
#[inline(always)]
pub fn philox4x32<const ROUNDS: usize>(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    philox4x32_in_lanes::<ROUNDS, u32>(counter, key)
}

/// [`philox4x32`] with the 10 rounds that its authors recommend and that beadwork's noise uses.
#[inline(always)]
pub fn philox4x32_10(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    philox4x32::<10>(counter, key)
}

/// [`philox4x32`] of the counters and keys in every lane; at most 10 rounds.
#[inline(always)]
pub fn philox4x32_in_lanes<const ROUNDS: usize, W: Words>(counter: [W; 4], key: [W; 2]) -> [W; 4] {
    const { assert!(ROUNDS <= 10, "ten rounds are written out below") };
    let [a, b, c, d] = counter;
    let mut words = [a.spread(), b.spread(), c.spread(), d.spread()];
    // Written out: compilers misjudge what a round costs and leave loops of vectors as they are.
    macro_rules! rounds {
        ($($number:literal)*) => {
            $(
                if $number < ROUNDS {
                    words = round::<W>(words, key, $number);
                }
            )*
        };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9);
    let [a, b, c, d] = words;
    [W::join(a), W::join(b), W::join(c), W::join(d)]
}

/// One round of Philox with the key of its number.
#[inline(always)]
fn round<W: Words>([a, b, c, d]: [W::Spread; 4], key: [W; 2], number: u32) -> [W::Spread; 4] {
    const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
    const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
    let first_key = key[0].wrapping_add(W::splat(number.wrapping_mul(WEYL[0])));
    let second_key = key[1].wrapping_add(W::splat(number.wrapping_mul(WEYL[1])));
    let (a_high, a_low) = a.widening_multiply(MULTIPLIERS[0]);
    let (c_high, c_low) = c.widening_multiply(MULTIPLIERS[1]);
    [c_high ^ b ^ first_key.spread(), c_low, a_high ^ d ^ second_key.spread(), a_low]
}

/// A stream of words: [`philox4x32`] of the counters 0, 1, 2, …, for work on the host that wants an ordinary generator.
///
/// Key and position are the whole state (24 bytes). The stream has 2¹²⁸ words. Its counters are those of
/// [`NoiseKey::words`](crate::NoiseKey::words), so give a stream a key of its own purpose.
///
/// ```
/// use beadwork_random::{NoiseKey, Philox4x32, Purpose};
/// use rand_core::Rng;
///
/// let key = NoiseKey::new(20101, Purpose::Test, 0).key_words();
/// let mut stream = <Philox4x32>::new(key, 0);
/// let first = stream.next_u32();
/// let mut later = <Philox4x32>::new(key, stream.position());
/// assert_eq!(stream.next_u32(), later.next_u32());
/// assert_ne!(first, stream.next_u32());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Philox4x32<const ROUNDS: usize = 10> {
    key: [u32; 2],
    position: u128,
    block: [u32; 4],
}

impl<const ROUNDS: usize> Philox4x32<ROUNDS> {
    /// The stream of a key from word number `position` on.
    pub fn new(key: [u32; 2], position: u128) -> Self {
        let block = Self::block(key, position);
        Self { key, position, block }
    }

    /// The number of the next word.
    pub const fn position(&self) -> u128 {
        self.position
    }

    fn block(key: [u32; 2], position: u128) -> [u32; 4] {
        let counter = position / 4;
        let words = [
            counter as u32,
            (counter >> 32) as u32,
            (counter >> 64) as u32,
            (counter >> 96) as u32,
        ];
        philox4x32::<ROUNDS>(words, key)
    }

    fn word(&mut self) -> u32 {
        let word = self.block[(self.position % 4) as usize];
        self.position = self.position.wrapping_add(1);
        if self.position.is_multiple_of(4) {
            self.block = Self::block(self.key, self.position);
        }
        word
    }
}

impl<const ROUNDS: usize> TryRng for Philox4x32<ROUNDS> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, destination: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(destination, || self.try_next_u32())
    }
}

impl<const ROUNDS: usize> SeedableRng for Philox4x32<ROUNDS> {
    type Seed = [u8; 8];

    /// The seed is the key, its words in little-endian order.
    fn from_seed(seed: [u8; 8]) -> Self {
        Self::new(utils::read_words(&seed), 0)
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;

    #[test]
    fn a_stream_steps_through_the_counters() {
        let key = [7, 8];
        let mut stream = <Philox4x32>::new(key, 0);
        for counter in 0..3 {
            let expected = philox4x32_10([counter, 0, 0, 0], key);
            assert_eq!([(); 4].map(|()| stream.next_u32()), expected);
        }
        assert_eq!(stream.position(), 12);
    }

    #[test]
    fn a_stream_continues_anywhere_and_carries_between_words() {
        let key = [7, 8];
        let mut whole = <Philox4x32>::new(key, 4 * u128::from(u32::MAX) + 2);
        let tail = philox4x32_10([u32::MAX, 0, 0, 0], key);
        let next = philox4x32_10([0, 1, 0, 0], key);
        assert_eq!([(); 4].map(|()| whole.next_u32()), [tail[2], tail[3], next[0], next[1]]);
        let mut resumed = <Philox4x32>::new(key, whole.position());
        assert_eq!(resumed, whole);
        assert_eq!(resumed.next_u32(), next[2]);
    }

    #[test]
    fn a_seed_is_a_key() {
        let mut stream = Philox4x32::<7>::from_seed([1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(stream.next_u32(), philox4x32::<7>([0; 4], [1, 2])[0]);
        let words = philox4x32::<7>([0; 4], [1, 2]);
        assert_eq!(stream.next_u64(), u64::from(words[2]) << 32 | u64::from(words[1]));
    }
}
