//! [`Ran2`].

use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, words_for_the_ecosystem};
use crate::error::Error;

/// m, a, q = ⌊m/a⌋ and r = m mod a of the two congruential generators.
const FIRST: [i32; 4] = [2_147_483_563, 40_014, 53_668, 12_211];
const SECOND: [i32; 4] = [2_147_483_399, 40_692, 52_774, 3_791];

/// Entries of the shuffling table, and the count of numbers that select one entry.
const TABLE: usize = 32;
const NUMBERS_A_PLACE: i32 = 1 + (FIRST[0] - 1) / TABLE as i32;

/// Numbers that are discarded before the table is filled.
const WARM_UP: usize = 8;

/// a x modulo m without overflow (Schrage).
#[inline(always)]
const fn multiply(state: i32, [modulus, multiplier, quotient, remainder]: [i32; 4]) -> i32 {
    let times = state / quotient;
    let product = multiplier * (state - times * quotient) - times * remainder;
    if product < 0 { product + modulus } else { product }
}

/// Ran2: L'Ecuyer's two combined multiplicative generators with the shuffle of Bays and Durham.
///
/// With idum and idum2 the states of the two generators, iy the last number and iv the table: j = iy/67108862,
/// iy = iv\[j\] − idum2, iv\[j\] = idum, plus 2147483562 where iy < 1. The number is iy, in 1 … 2147483562, and
/// u = iy/2147483563.
///
/// * State: 35 words (140 bytes; Zhmurov and others count 35 of 64 bits, 280 bytes). Period: (2³¹ − 86)(2³¹ − 250)/2 ≈ 2.3·10¹⁸.
/// * Seeding: from one number in 1 … 2147483562 for both generators as published, or a number of its own for each.
///   The circle of numbers is short for many generators: n of them that draw k words each are expected to overlap in
///   some n² k/2.3·10¹⁸ places.
/// * Known failures: none of TestU01's in its 31 bits. A word here is ⌊2³² u⌋: its lowest bit follows from the high ones.
///
/// # Reference
/// Press, Teukolsky, Vetterling and Flannery, Numerical Recipes in C, 2nd ed. (1992); L'Ecuyer, Commun. ACM 31, 742
/// (1988). Zhmurov, Rybnikov, Kholodov and Barsegov, arXiv:1003.1123 (2010), Algorithm 2, writes IA for IA1 once and
/// does not set iy after the warm-up.
///
/// ```
/// use beadwork_random::Ran2;
///
/// let mut generator = Ran2::from_seed_number(1).ok_or("out of range")?;
/// assert_eq!(generator.next_number(), 612_850_790);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<i32>", into = "Vec<i32>")]
pub struct Ran2 {
    first: i32,
    second: i32,
    last: i32,
    table: [i32; TABLE],
}

impl Ran2 {
    /// A generator with the published seeding, one number for both generators; `None` outside 1 … 2147483562.
    pub fn from_seed_number(seed: u32) -> Option<Self> {
        let seed = i32::try_from(seed).ok().filter(|seed| (1..FIRST[0]).contains(seed))?;
        Some(Self::warmed_up(seed, seed))
    }

    /// A generator from two random words; each seeds one of the two generators with 1 + word mod (m − 1).
    pub fn from_random_words([first, second]: [u32; 2]) -> Self {
        let seed = |word: u32, [modulus, ..]: [i32; 4]| 1 + (word % (modulus - 1) as u32) as i32;
        Self::warmed_up(seed(first, FIRST), seed(second, SECOND))
    }

    fn warmed_up(first: i32, second: i32) -> Self {
        let mut generator = Self { first, second, last: 0, table: [0; TABLE] };
        for _ in 0..WARM_UP {
            generator.first = multiply(generator.first, FIRST);
        }
        for place in (0..TABLE).rev() {
            generator.first = multiply(generator.first, FIRST);
            generator.table[place] = generator.first;
        }
        generator.last = generator.table[0];
        generator
    }

    /// The next number, from 1 to 2147483562.
    #[inline(always)]
    pub fn next_number(&mut self) -> i32 {
        self.first = multiply(self.first, FIRST);
        self.second = multiply(self.second, SECOND);
        let place = (self.last / NUMBERS_A_PLACE) as usize;
        self.last = self.table[place] - self.second;
        self.table[place] = self.first;
        if self.last < 1 {
            self.last += FIRST[0] - 1;
        }
        self.last
    }

    /// The next word, ⌊2³² u⌋.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        (((self.next_number() as u64) << 32) / FIRST[0] as u64) as u32
    }
}

impl TryFrom<Vec<i32>> for Ran2 {
    type Error = Error;

    fn try_from(state: Vec<i32>) -> Result<Self, Error> {
        let impossible = Error::impossible_state("ran2");
        let [first, second, last, table @ ..] = state.as_slice() else { return Err(impossible) };
        let table: [i32; TABLE] = table.try_into().map_err(|_| impossible.clone())?;
        let of_first = |number: &i32| (1..FIRST[0]).contains(number);
        let sound = of_first(first)
            && (1..SECOND[0]).contains(second)
            && of_first(last)
            && table.iter().all(of_first);
        if !sound {
            return Err(impossible);
        }
        Ok(Self { first: *first, second: *second, last: *last, table })
    }
}

impl From<Ran2> for Vec<i32> {
    fn from(generator: Ran2) -> Self {
        let mut state = vec![generator.first, generator.second, generator.last];
        state.extend(generator.table);
        state
    }
}

words_for_the_ecosystem!(Ran2);
seeds_for_the_ecosystem!(Ran2, 2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_outside_the_range_are_refused() {
        for value in [0, 2_147_483_563, u32::MAX] {
            assert_eq!(Ran2::from_seed_number(value), None);
        }
        assert!(Ran2::from_seed_number(2_147_483_562).is_some());
    }

    #[test]
    fn products_do_not_overflow() {
        for constants in [FIRST, SECOND] {
            let [modulus, multiplier, ..] = constants.map(i64::from);
            for state in [1, 2, 53_668, 53_669, 1_000_000_007, constants[0] - 1] {
                let expected = i64::from(state) * multiplier % modulus;
                assert_eq!(i64::from(multiply(state, constants)), expected);
            }
        }
    }

    #[test]
    fn words_are_the_uniform_numbers_in_units_of_their_cells() {
        let mut numbers = Ran2::from_random_words([1, u32::MAX]);
        let mut words = numbers.clone();
        for _ in 0..1000 {
            let uniform = f64::from(numbers.next_number()) / f64::from(FIRST[0]);
            assert_eq!(f64::from(words.next_u32()), (uniform * 2_f64.powi(32)).floor());
        }
    }
}
