//! [`Xorwow`].

use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, state_of_words, words_for_the_ecosystem};
use crate::error::Error;

/// The increment of the sixth word, a Weyl sequence.
const WEYL: u32 = 362_437;

/// XORWOW: five words shifted and combined by exclusive or, plus a Weyl sequence; cuRAND's default generator.
///
/// t = x ⊕ (x ≫ 2); x, y, z, w = y, z, w, v; v = v ⊕ (v ≪ 4) ⊕ t ⊕ (t ≪ 1); d += 362437; the word is v + d.
///
/// * State: 24 bytes. Period: 2¹⁹² − 2³².
/// * Seeding: any words x, y, z, w, v of which one is not zero, and d. cuRAND's `curand_init` fills them otherwise; from
///   the same state the words are the same.
/// * Known failures: BigCrush 7 (CollisionOver), 27 (SimpPoker) and 81 (LinearComp): all but the last sum are linear.
///
/// # Reference
/// Marsaglia, J. Stat. Softw. 8, 14 (2003), doi:10.18637/jss.v008.i14.
///
/// ```
/// use beadwork_random::Xorwow;
///
/// let state = [123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321, 6_615_241];
/// let mut generator = Xorwow::from_state(state)?;
/// assert_eq!(generator.next_u32(), 246_875_399);
/// # Ok::<(), beadwork_random::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u32; 6]", into = "[u32; 6]")]
pub struct Xorwow {
    state: [u32; 6],
}

impl Xorwow {
    /// Continues from x, y, z, w, v, d; at least one of the first five must be nonzero.
    pub fn from_state(state: [u32; 6]) -> Result<Self, Error> {
        if state[..5] == [0; 5] {
            return Err(Error::impossible_state("xorwow"));
        }
        Ok(Self { state })
    }

    /// A generator from six random words; if the first five are zero, the fifth is set to 1.
    pub fn from_random_words(mut words: [u32; 6]) -> Self {
        if words[..5] == [0; 5] {
            words[4] = 1;
        }
        Self { state: words }
    }

    /// The state x, y, z, w, v, d.
    pub const fn state(self) -> [u32; 6] {
        self.state
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        let [x, y, z, w, v, d] = self.state;
        let t = x ^ (x >> 2);
        let next = v ^ (v << 4) ^ t ^ (t << 1);
        let d = d.wrapping_add(WEYL);
        self.state = [y, z, w, v, next, d];
        next.wrapping_add(d)
    }
}

state_of_words!(Xorwow, 6);
words_for_the_ecosystem!(Xorwow);
seeds_for_the_ecosystem!(Xorwow, 6);
