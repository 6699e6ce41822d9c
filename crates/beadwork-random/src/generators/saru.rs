//! [`Saru`] and its seeding by one to three words.

use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, words_for_the_ecosystem};

/// The smallest Weyl word that seeding can give.
const WEYL_START: u32 = 0xabcb_96f7;

const fn shift_signed(word: u32, bits: u32) -> u32 {
    ((word as i32) >> bits) as u32
}

/// Saru: a linear congruential generator and an offset Weyl sequence, mixed; made to be seeded anew at every call.
///
/// s = 0x4BEB5D59 s + 0x2600E1F7; w += 0x8009D14B (and 0xDA879ADD where w's top bit was set); v = (s ⊕ (s ≫ 26)) + w; the
/// word is (v ⊕ (v ≫ 20))·0x6957F5A7.
///
/// * State: 8 bytes; a micro-stream, seeded for each bead and step, keeps none. Period: 3666320093·2³² ≈ 2⁶³·⁷⁷.
/// * Seeding: a hash of one, two or three words, or the two words of [`tea`](crate::tea()) (`saru-tea`). A Weyl word of
///   0x5A916C28 … 0x8009D14A is on no circle and joins one with the first draw.
/// * Known failures: HOOMD-blue replaced it by Philox in 2019 for failures of its hash (glotzerlab/hoomd-blue#261).
///
/// # Reference
/// Worley and Afshar; Afshar, Schmid, Pishevar and Worley, Comput. Phys. Commun. 184, 1119 (2013),
/// doi:10.1016/j.cpc.2012.12.003. Phillips, Anderson and Glotzer, J. Comput. Phys. 230, 7191 (2011),
/// doi:10.1016/j.jcp.2011.05.021.
///
/// ```
/// use beadwork_random::Saru;
///
/// let mut stream = Saru::from_two(123, 456);
/// assert_eq!(stream.next_u32(), 0xa43cdbf5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Saru {
    state: [u32; 2],
}

impl Saru {
    /// The stream with state s, w.
    #[inline(always)]
    pub const fn from_state(state: [u32; 2]) -> Self {
        Self { state }
    }

    /// A stream from two random words; the second is moved into the range of Weyl words that seeding gives.
    pub const fn from_random_words([s, w]: [u32; 2]) -> Self {
        Self { state: [s, WEYL_START.wrapping_add(w >> 1)] }
    }

    /// The stream seeded by one word.
    #[inline(always)]
    pub const fn from_one(a: u32) -> Self {
        let s = scramble(a);
        Self::finish(s, a ^ shift_signed(s, 8))
    }

    /// The stream seeded by two words.
    #[inline(always)]
    pub const fn from_two(mut a: u32, mut b: u32) -> Self {
        b = b.wrapping_add(a << 16);
        a = a.wrapping_add(b << 11);
        b = b.wrapping_add(shift_signed(a, 7));
        a ^= shift_signed(b, 3);
        b = b.wrapping_mul(0xa536_6b4d);
        b ^= b >> 10;
        b ^= shift_signed(b, 19);
        a = a.wrapping_add(b ^ 0x6d2d_4e11);
        Self::from_mixed(a, b)
    }

    /// The stream seeded by three words.
    #[inline(always)]
    pub const fn from_three(mut a: u32, mut b: u32, mut c: u32) -> Self {
        c ^= (a << 7) ^ (b >> 6);
        b = b.wrapping_add((a >> 4) ^ (c >> 15));
        a ^= (b << 9).wrapping_add(c << 8);
        c ^= 0xa536_6b4d_u32.wrapping_mul((b >> 11) ^ (a << 1));
        b = b.wrapping_add(0x72be_1579_u32.wrapping_mul((a << 4) ^ (c >> 16)));
        a ^= 0x3f38_a6ed_u32.wrapping_mul((c >> 5) ^ shift_signed(b, 22));
        b = b.wrapping_add(a.wrapping_mul(c));
        a = a.wrapping_add(c ^ (b >> 2));
        b ^= shift_signed(b, 17);
        Self::from_mixed(a, b)
    }

    #[inline(always)]
    const fn from_mixed(a: u32, b: u32) -> Self {
        let s = scramble(a);
        Self::finish(s, s.wrapping_add(b) ^ shift_signed(s, 8))
    }

    #[inline(always)]
    const fn finish(s: u32, w: u32) -> Self {
        let s = s.wrapping_add(w.wrapping_mul(w ^ 0xdddf_97f5));
        Self { state: [s, WEYL_START.wrapping_add(w >> 1)] }
    }

    /// The state s, w.
    pub const fn state(self) -> [u32; 2] {
        self.state
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        let [s, w] = self.state;
        let s = s.wrapping_mul(0x4beb_5d59).wrapping_add(0x2600_e1f7);
        let offset = shift_signed(w, 31) & 0xda87_9add;
        let w = w.wrapping_add(0x8009_d14b).wrapping_add(offset);
        self.state = [s, w];
        let v = (s ^ (s >> 26)).wrapping_add(w);
        (v ^ (v >> 20)).wrapping_mul(0x6957_f5a7)
    }

    pub(crate) fn fill(mut self, words: &mut [u32]) {
        words.iter_mut().for_each(|word| *word = self.next_u32());
    }
}

#[inline(always)]
const fn scramble(a: u32) -> u32 {
    0x79de_dea3_u32.wrapping_mul(a ^ shift_signed(a, 14))
}

words_for_the_ecosystem!(Saru);
seeds_for_the_ecosystem!(Saru, 2);
