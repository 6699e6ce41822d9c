//! Keyed noise: the random words for a given seed, purpose, replica, step, draw and beads.
//!
//! The key has 64 bits. For each seed and purpose it is a bijection of the replica number, so no two replicas of a run
//! share a key. The counter has 128 bits:
//!
//! | word | holds |
//! |---|---|
//! | 0 | step, low 32 bits |
//! | 1 | step, bits 32 to 47, in the low half; draw, 16 bits, in the high half |
//! | 2 | i, the bead, or the smaller bead number of a pair |
//! | 3 | j = 0 for a single bead, or the larger bead number of a pair |
//!
//! Philox4x32-10 turns both into four words. Layout and key derivation are frozen.

use crate::generators::philox4x32;
use crate::purposes::Purpose;

/// The last step with noise of its own, 2⁴⁸ − 1.
pub const MAXIMUM_STEP: u64 = (1 << 48) - 1;

/// A bijection of 64-bit numbers in which every input bit flips about half of the output bits: the finaliser of
/// SplitMix64 (variant 13 of Stafford; Steele, Lea and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195).
const fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The odd number nearest to 2⁶⁴/φ, SplitMix64's increment. It is added before `mix`, which maps zero to zero.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The key of all noise of one purpose in one replica of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoiseKey {
    words: [u32; 2],
}

impl NoiseKey {
    /// The key of a run's `seed`, a purpose and a replica number, which is unique over the whole ensemble.
    ///
    /// With all arithmetic modulo 2⁶⁴ and g = 0x9e3779b97f4a7c15:
    /// h = mix(mix(seed + g) ⊕ (purpose + g)), key = mix(h ⊕ mix(replica + g)).
    /// For given seed and purpose the key is a bijection of the replica; for given purpose, h is one of the seed.
    pub const fn new(seed: u64, purpose: Purpose, replica: u64) -> Self {
        let purpose = GOLDEN.wrapping_add(purpose.value() as u64);
        let hash = mix(mix(seed.wrapping_add(GOLDEN)) ^ purpose);
        let key = mix(hash ^ mix(replica.wrapping_add(GOLDEN)));
        Self { words: [key as u32, (key >> 32) as u32] }
    }

    pub(crate) const fn from_words(words: [u32; 2]) -> Self {
        Self { words }
    }

    /// The two words of the key, the lower one first, as Philox and the kernels take them.
    pub const fn key_words(self) -> [u32; 2] {
        self.words
    }

    /// Four random words of one draw at one step for a bead (`j = 0`) or a pair of beads (`i < j`).
    ///
    /// The caller must pass a `step` up to [`MAXIMUM_STEP`], and `j` zero or above `i`; debug builds assert both.
    #[inline(always)]
    pub fn words(self, step: u64, draw: u16, i: u32, j: u32) -> [u32; 4] {
        debug_assert!(j == 0 || i < j, "the smaller bead number of a pair comes first");
        philox4x32::<10>(counter(step, draw, i, j), self.words)
    }
}

/// Bits of counter word 1 that are below the draw.
pub(crate) const DRAW_SHIFT: u32 = 16;

/// Words 0 and 1 of the counters of a step, at draw 0. `step` is at most [`MAXIMUM_STEP`]; debug builds assert it.
#[inline(always)]
pub const fn step_words(step: u64) -> [u32; 2] {
    debug_assert!(step <= MAXIMUM_STEP, "a step beyond the last one that has noise");
    [step as u32, (step >> 32) as u32]
}

/// The four words of a counter, in the order in which Philox takes them.
#[inline(always)]
pub(crate) const fn counter(step: u64, draw: u16, i: u32, j: u32) -> [u32; 4] {
    let [low, high] = step_words(step);
    [low, high | ((draw as u32) << DRAW_SHIFT), i, j]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_has_the_frozen_layout() {
        let words = counter(0x1234_89ab_cdef, 0x5678, 3, 9);
        assert_eq!(words, [0x89ab_cdef, 0x5678_1234, 3, 9]);
        assert_eq!(step_words(0x1234_89ab_cdef), [0x89ab_cdef, 0x1234]);
        assert_eq!(counter(MAXIMUM_STEP, 0, 0, 0), [u32::MAX, 0xffff, 0, 0]);
    }

    #[test]
    fn the_mixer_is_the_finaliser_of_splitmix64() {
        // The first two outputs of SplitMix64 from state 0, as the authors' reference program prints them.
        assert_eq!(mix(GOLDEN), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(GOLDEN.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
    }
}
