//! Implement [`LaggedFibonacci`].

use serde::{Deserialize, Serialize};

use super::ecosystem::words_for_the_ecosystem;
use crate::error::Error;

/// Short and long lags whose trinomial is primitive, by rising length: P1's Table I, where 13470 stands as 12470.
pub const LAGS: [(usize, usize); 10] = [
    (1_252, 2_281),
    (3_004, 4_423),
    (5_502, 9_689),
    (10_095, 19_937),
    (13_470, 23_209),
    (23_463, 44_497),
    (54_454, 132_049),
    (279_695, 756_839),
    (288_477, 859_433),
    (1_010_202, 3_021_377),
];

/// Numbers that can be computed side by side, as none of them needs another: those of a step must be fewer.
pub const fn independent((short, long): (usize, usize)) -> usize {
    if short < long - short { short } else { long - short }
}

/// The lags for a system that takes so many numbers a step (beads times words): the first of [`LAGS`] with
/// min(short, long − short) above it, as P1's Algorithm 3 asks. Beyond the last of them the last; what runs side by side
/// then makes a step in rounds of fewer numbers, which are the same.
pub fn lags_for(numbers_a_step: usize) -> (usize, usize) {
    let fits = LAGS.into_iter().find(|lags| independent(*lags) > numbers_a_step);
    fits.unwrap_or(LAGS[LAGS.len() - 1])
}

/// Additive lagged Fibonacci: x_n = x_{n−short} + x_{n−long} modulo 2³².
///
/// One sequence for all beads of a replica (P1's cycle division): bead j of N takes, at its step t, the r numbers
/// (j + N t) r … + r − 1. The numbers of one step do not depend on each other as long as r N is below both short and
/// long − short.
///
/// * State: `long` words and a place, for all beads together. Period: 2³¹(2^long − 1).
/// * Seeding: `long` random words, one of them at least odd.
/// * Known failures: exact correlation of three numbers, x_n − x_{n−short} − x_{n−long} = 0, which has given wrong
///   energies in Monte Carlo simulations (Ferrenberg, Landau and Wong, Phys. Rev. Lett. 69, 3382 (1992)); where a lag is
///   a multiple of r N the three are the noise of one bead. The lowest bit has period 2^long − 1 and is linear.
///
/// # Reference
/// Zhmurov, Rybnikov, Kholodov and Barsegov, arXiv:1003.1123 (2010), equation 3 and Table I; its Algorithm 3, line 7,
/// has the lag long − short, the mirrored trinomial, which is not used here. Brent, Larvala and Zimmermann, Math. Comput.
/// 72, 1443 (2003), for the trinomials.
///
/// ```
/// use beadwork_random::LaggedFibonacci;
///
/// let mut generator = LaggedFibonacci::from_words((1, 3), vec![1, 10, 100])?;
/// assert_eq!([(); 4].map(|()| generator.next_u32()), [101, 111, 211, 312]);
/// # Ok::<(), beadwork_random::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct LaggedFibonacci {
    short: usize,
    words: Vec<u32>,
    place: usize,
}

impl LaggedFibonacci {
    /// A generator from the `long` numbers before its first one, the earliest first.
    ///
    /// # Errors
    /// [`Error::ImpossibleState`] where the number of words is not `long`, none of them is odd, or `short` does not lie
    /// between 0 and `long`.
    pub fn from_words((short, long): (usize, usize), words: Vec<u32>) -> Result<Self, Error> {
        let odd = words.iter().any(|word| word & 1 == 1);
        if words.len() != long || !odd || short == 0 || short >= long {
            return Err(Error::ImpossibleState { generator: "lagged-fibonacci" });
        }
        Ok(Self { short, words, place: 0 })
    }

    /// A generator from random words, of which `long` are drawn; should none be odd, the first one is made so.
    pub fn from_random_words(
        (short, long): (usize, usize),
        draw: impl Iterator<Item = u32>,
    ) -> Self {
        let mut words: Vec<u32> = draw.take(long).collect();
        if words.iter().all(|word| word & 1 == 0) {
            words[0] |= 1;
        }
        Self { short, words, place: 0 }
    }

    /// A generator from its [`LaggedFibonacci::ring`].
    ///
    /// # Errors
    /// Those of [`LaggedFibonacci::from_words`], and [`Error::ImpossibleState`] where the place is not within the ring.
    pub fn from_ring(lags: (usize, usize), words: Vec<u32>, place: usize) -> Result<Self, Error> {
        if place >= words.len() {
            return Err(Error::ImpossibleState { generator: "lagged-fibonacci" });
        }
        Ok(Self { place, ..Self::from_words(lags, words)? })
    }

    /// The last `long` numbers, around a circle, and the place of the earliest.
    pub fn ring(&self) -> (&[u32], usize) {
        (&self.words, self.place)
    }

    /// Short and long lag.
    pub const fn lags(&self) -> (usize, usize) {
        (self.short, self.words.len())
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        let place = self.place;
        // x_{n−long} is where x_n will be, x_{n−short} the short lag before it, around the circle.
        let earlier = if place >= self.short {
            place - self.short
        } else {
            place + self.words.len() - self.short
        };
        let word = self.words[place].wrapping_add(self.words[earlier]);
        self.words[place] = word;
        self.place = if place + 1 < self.words.len() { place + 1 } else { 0 };
        word
    }
}

/// What a checkpoint keeps.
#[derive(Serialize, Deserialize)]
struct Stored {
    short: usize,
    place: usize,
    words: Vec<u32>,
}

impl TryFrom<Stored> for LaggedFibonacci {
    type Error = Error;

    fn try_from(Stored { short, place, words }: Stored) -> Result<Self, Error> {
        Self::from_ring((short, words.len()), words, place)
    }
}

impl From<LaggedFibonacci> for Stored {
    fn from(LaggedFibonacci { short, words, place }: LaggedFibonacci) -> Self {
        Self { short, place, words }
    }
}

words_for_the_ecosystem!(LaggedFibonacci);

#[cfg(test)]
mod tests {
    use super::*;

    /// The polynomial squared, modulo x^long + x^short + 1; bits are coefficients.
    fn square(bits: &[u64], (short, long): (usize, usize)) -> Vec<u64> {
        let spread = |half: u64| (0..32).fold(0, |wide, bit| wide | (half >> bit & 1) << (2 * bit));
        let mut wide: Vec<u64> =
            bits.iter().flat_map(|word| [spread(word & 0xffff_ffff), spread(word >> 32)]).collect();
        for place in (long / 64..wide.len()).rev() {
            let kept = if place == long / 64 { (1 << (long % 64)) - 1 } else { 0 };
            let high = wide[place] & !kept;
            wide[place] &= kept;
            // x^long = x^short + 1; the bits kept may lie below the word's lower neighbours.
            for power in [0, short] {
                let first = (64 * place + power) as isize - long as isize;
                let (word, shift) = (first.div_euclid(64), first.rem_euclid(64));
                if word >= 0 {
                    wide[word as usize] ^= high << shift;
                }
                if shift > 0 {
                    wide[(word + 1) as usize] ^= high >> (64 - shift);
                }
            }
        }
        wide.truncate(bits.len());
        wide
    }

    /// Where `long` and 2^long − 1 are prime, primitive is irreducible, and that is x^(2^long) = x without a linear factor:
    /// the trinomial is 1 at x = 0 and at x = 1.
    fn is_primitive(lags: (usize, usize)) -> bool {
        let mut start = vec![0; lags.1 / 64 + 1];
        start[0] = 0b10;
        (0..lags.1).fold(start.clone(), |x, _| square(&x, lags)) == start
    }

    #[test]
    fn trinomials_are_primitive_and_the_misprint_is_not() {
        for lags in &LAGS[..5] {
            assert!(is_primitive(*lags), "{lags:?}");
        }
        assert!(!is_primitive((12_470, 23_209)));
    }

    #[test]
    fn numbers_a_step_choose_the_lags() {
        let limits = LAGS.map(independent);
        assert_eq!(
            limits,
            [1029, 1419, 4187, 9842, 9739, 21034, 54454, 279_695, 288_477, 1_010_202]
        );
        assert_eq!(lags_for(4 * 257), LAGS[0]);
        assert_eq!(lags_for(1029), LAGS[1]);
        assert_eq!(lags_for(9841), LAGS[3]);
        // The fifth pair serves no number that the fourth does not.
        assert_eq!(lags_for(9842), LAGS[5]);
        assert_eq!(lags_for(1_010_201), LAGS[9]);
        assert_eq!(lags_for(10_000_000), LAGS[9]);
    }

    #[test]
    fn words_without_an_odd_one_are_refused_or_mended() {
        let refused = Err(Error::ImpossibleState { generator: "lagged-fibonacci" });
        assert_eq!(LaggedFibonacci::from_words((1, 3), vec![2, 4, 6]), refused);
        assert_eq!(LaggedFibonacci::from_words((1, 3), vec![1, 4]), refused);
        let mended = LaggedFibonacci::from_random_words((1, 3), [2, 4, 6].into_iter());
        assert_eq!(Ok(mended), LaggedFibonacci::from_words((1, 3), vec![3, 4, 6]));
    }

    #[test]
    fn the_recurrence_is_that_of_the_sequence() {
        let (short, long) = LAGS[0];
        let mut generator =
            LaggedFibonacci::from_random_words((short, long), (0_u32..).map(|n| n * n + 1));
        let mut sequence = generator.words.clone();
        for _ in 0..3 * long {
            sequence.push(generator.next_u32());
        }
        for n in long..sequence.len() {
            assert_eq!(sequence[n], sequence[n - short].wrapping_add(sequence[n - long]));
        }
    }
}
