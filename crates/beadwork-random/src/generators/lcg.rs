//! [`Lcg`].

use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, words_for_the_ecosystem};

const MULTIPLIER: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;

/// The linear congruential generator "quick and dirty": x ← 1664525 x + 1013904223 modulo 2³², its state the word.
///
/// * State: 4 bytes. Period: 2³² from any state, so that all generators run through one circle of numbers.
/// * Seeding: any word. In [`Streams`](crate::Streams) a word of keyed noise for each bead.
/// * Known failures: bit k has period 2ᵏ⁺¹; vectors lie in few planes; it fails SmallCrush and much less. With four
///   words a step, beads repeat their noise after 2³⁰ steps and go through a nearly opposite one after 2²⁹. It serves as
///   a known-bad control.
///
/// # Reference
/// Press, Teukolsky, Vetterling and Flannery, Numerical Recipes in C, 2nd ed. (1992), "ranqd1"; Zhmurov, Rybnikov,
/// Kholodov and Barsegov, arXiv:1003.1123 (2010), equation 1.
///
/// ```
/// use beadwork_random::Lcg;
///
/// let mut generator = Lcg::from_state(0);
/// assert_eq!(generator.next_u32(), 1_013_904_223);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lcg {
    state: u32,
}

impl Lcg {
    /// A generator whose last word was `state`.
    pub const fn from_state(state: u32) -> Self {
        Self { state }
    }

    /// A generator from a random word.
    pub const fn from_random_words([state]: [u32; 1]) -> Self {
        Self { state }
    }

    /// The last word.
    pub const fn state(self) -> u32 {
        self.state
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        self.state
    }

    /// Skips this many words at once, by squaring the step (Brown, Trans. Am. Nucl. Soc. 71, 202 (1994)).
    pub fn pass_over(&mut self, words: u64) {
        let (mut multiplier, mut increment) = (MULTIPLIER, INCREMENT);
        let mut left = words;
        while left > 0 {
            if left & 1 == 1 {
                self.state = self.state.wrapping_mul(multiplier).wrapping_add(increment);
            }
            increment = increment.wrapping_mul(multiplier.wrapping_add(1));
            multiplier = multiplier.wrapping_mul(multiplier);
            left >>= 1;
        }
    }
}

words_for_the_ecosystem!(Lcg);
seeds_for_the_ecosystem!(Lcg, 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_over_words_is_drawing_them() {
        for words in [0, 1, 2, 3, 10, 1000, 4097] {
            let mut drawn = Lcg::from_state(20101);
            for _ in 0..words {
                drawn.next_u32();
            }
            let mut passed = Lcg::from_state(20101);
            passed.pass_over(words);
            assert_eq!(passed, drawn, "{words} words");
        }
    }

    #[test]
    fn bits_have_the_periods_of_the_documentation() {
        let start = Lcg::from_state(20101);
        for bit in 0..32 {
            let mut generator = start;
            generator.pass_over(1 << (bit + 1));
            let differing = generator.state() ^ start.state();
            assert_eq!(differing & (u32::MAX >> (31 - bit)), 0, "bit {bit}");
            // Half a period earlier, the bit has the opposite value.
            let mut generator = start;
            generator.pass_over(1 << bit);
            assert_eq!((generator.state() ^ start.state()) >> bit & 1, 1, "bit {bit}");
        }
    }
}
