//! [`LaggedFibonacci`] and its lags.

use serde::{Deserialize, Serialize};

use super::ecosystem::words_for_the_ecosystem;
use crate::error::Error;

/// Short and long lags whose trinomial is primitive, by rising length: Table I of the reference below, which misprints
/// 13470 as 12470.
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

/// How many successive numbers can replace the oldest ones of a ring at a time. [`lags_for`] chooses lags by it.
pub const fn replaced_together((short, long): (usize, usize)) -> usize {
    if short < long - short { short } else { long - short }
}

/// The lags for a system that draws `numbers_a_step` (beads times words): the first of [`LAGS`] with a larger
/// [`replaced_together`], as Algorithm 3 of the reference asks, otherwise the last.
pub fn lags_for(numbers_a_step: usize) -> (usize, usize) {
    let fits = LAGS.into_iter().find(|lags| replaced_together(*lags) > numbers_a_step);
    fits.unwrap_or(LAGS[LAGS.len() - 1])
}

/// Additive lagged Fibonacci: x_n = x_{n−short} + x_{n−long} modulo 2³².
///
/// One sequence for all beads of a replica ("cycle division"): bead j of N takes, at its step t, the r numbers
/// (j + N t) r … + r − 1. Up to `short` successive numbers do not depend on each other; of a sequence that is kept in one
/// ring, min(short, long − short) can be made at a time.
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
    /// A generator from the `long` numbers that precede its first one, earliest first; at least one must be odd.
    pub fn from_words((short, long): (usize, usize), words: Vec<u32>) -> Result<Self, Error> {
        let odd = words.iter().any(|word| word & 1 == 1);
        if words.len() != long || !odd || short == 0 || short >= long {
            return Err(Error::impossible_state("lagged-fibonacci"));
        }
        Ok(Self { short, words, place: 0 })
    }

    /// A generator from `long` random words; if none is odd, the first is made odd.
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
    pub fn from_ring(lags: (usize, usize), words: Vec<u32>, place: usize) -> Result<Self, Error> {
        if place >= words.len() {
            return Err(Error::impossible_state("lagged-fibonacci"));
        }
        Ok(Self { place, ..Self::from_words(lags, words)? })
    }

    /// The last `long` numbers in a ring buffer, and the place of the earliest.
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
        // x_n replaces x_{n−long}; x_{n−short} is `short` places before it in the ring.
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

/// The form of the state in a checkpoint.
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
