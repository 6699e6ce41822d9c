//! [`Mt19937`].

use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, words_for_the_ecosystem};
use crate::error::Error;

const WORDS: usize = 624;
/// Offset of the second word in the recurrence.
const MIDDLE: usize = 397;
const TWIST: u32 = 0x9908_b0df;
const TOP_BIT: u32 = 0x8000_0000;

/// The Mersenne Twister MT19937.
///
/// x_{k+624} = x_{k+397} ⊕ (y ≫ 1) ⊕ (y odd ? 0x9908b0df : 0), y being the top bit of x_k with the others of x_{k+1};
/// the word is x tempered. Each word is computed as it is asked for, from words at least 227 places back, so that 227
/// threads may compute one each.
///
/// * State: 2500 bytes (624 words and a place). Period: 2¹⁹⁹³⁷ − 1.
/// * Seeding: by `init_genrand` from one word or by `init_by_array` from several, both as published. After a state with few
///   bits set it takes hundreds of thousands of words to recover.
/// * Known failures: linear complexity (Crush 71 and 72, BigCrush 80 and 81), as every bit is linear over GF(2).
///
/// # Reference
/// Matsumoto and Nishimura, ACM Trans. Model. Comput. Simul. 8, 3 (1998), doi:10.1145/272991.272995, with the
/// initialisation of 2002.
///
/// ```
/// use beadwork_random::Mt19937;
///
/// let mut generator = Mt19937::from_seed_number(5489);
/// assert_eq!(generator.next_u32(), 3_499_211_612);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Mt19937 {
    words: Vec<u32>,
    place: usize,
}

impl Mt19937 {
    /// Seeds with `init_genrand`.
    pub fn from_seed_number(seed: u32) -> Self {
        let mut words = vec![seed; WORDS];
        for n in 1..WORDS {
            let before = words[n - 1];
            words[n] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(n as u32);
        }
        Self { words, place: 0 }
    }

    /// Seeds with `init_by_array`, from 1 to 624 words.
    pub fn from_array(key: &[u32]) -> Self {
        let mut generator = Self::from_seed_number(19_650_218);
        let words = &mut generator.words;
        let mut n = 1;
        for round in 0..WORDS.max(key.len()) {
            let number = round % key.len();
            let mixed = (words[n - 1] ^ (words[n - 1] >> 30)).wrapping_mul(1_664_525);
            words[n] = (words[n] ^ mixed).wrapping_add(key[number]).wrapping_add(number as u32);
            n = next_place(words, n);
        }
        for _ in 1..WORDS {
            let mixed = (words[n - 1] ^ (words[n - 1] >> 30)).wrapping_mul(1_566_083_941);
            words[n] = (words[n] ^ mixed).wrapping_sub(n as u32);
            n = next_place(words, n);
        }
        words[0] = TOP_BIT;
        generator
    }

    /// Seeds with `init_by_array` from four random words.
    pub fn from_random_words(words: [u32; 4]) -> Self {
        Self::from_array(&words)
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        let place = self.place;
        let ahead = |distance: usize| {
            let sum = place + distance;
            if sum < WORDS { sum } else { sum - WORDS }
        };
        let y = (self.words[place] & TOP_BIT) | (self.words[ahead(1)] & !TOP_BIT);
        let twist = if y & 1 == 1 { TWIST } else { 0 };
        let mut word = self.words[ahead(MIDDLE)] ^ (y >> 1) ^ twist;
        self.words[place] = word;
        self.place = ahead(1);
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }
}

/// The index after n in `init_by_array`, which copies the last word to the first at the end of a round.
fn next_place(words: &mut [u32], n: usize) -> usize {
    if n + 1 < WORDS {
        return n + 1;
    }
    words[0] = words[WORDS - 1];
    1
}

impl TryFrom<Vec<u32>> for Mt19937 {
    type Error = Error;

    fn try_from(mut state: Vec<u32>) -> Result<Self, Error> {
        let impossible = Error::impossible_state("mt19937");
        let Some(place) = state.pop().map(|place| place as usize) else { return Err(impossible) };
        let alive = state.get(place).is_some_and(|word| word & TOP_BIT != 0)
            || state.iter().enumerate().any(|(n, word)| n != place && *word != 0);
        if state.len() != WORDS || place >= WORDS || !alive {
            return Err(impossible);
        }
        Ok(Self { words: state, place })
    }
}

impl From<Mt19937> for Vec<u32> {
    fn from(generator: Mt19937) -> Self {
        let mut state = generator.words;
        state.push(generator.place as u32);
        state
    }
}

words_for_the_ecosystem!(Mt19937);
seeds_for_the_ecosystem!(Mt19937, 4);
