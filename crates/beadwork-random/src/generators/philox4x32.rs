//! [`philox4x32`], alone and in lanes.

use beadwork_arithmetic::{SpreadWords, Words};

/// Philox-4x32: four words from a 128-bit counter and a 64-bit key, without any state.
///
/// Each round multiplies two words by constants into 64 bits, and mixes the halves with the other two words and the
/// round's key, which a Weyl sequence advances. For a given key it is a bijection of the counter.
///
/// * State: none. Period: each key has 2¹²⁸ counters.
/// * Known failures: none with 7 rounds and more. Its authors found BigCrush passed with 7 and recommend 10, which
///   beadwork's noise uses.
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

/// [`philox4x32`] of the counters and keys in every lane; at most 10 rounds.
#[inline(always)]
pub fn philox4x32_in_lanes<const ROUNDS: usize, W: Words>(counter: [W; 4], key: [W; 2]) -> [W; 4] {
    const { assert!(ROUNDS <= 10, "ten rounds are written out below") };
    let [a, b, c, d] = counter;
    let mut words = [a.spread(), b.spread(), c.spread(), d.spread()];
    // Written out as a macro: compilers misjudge the cost of a round and do not unroll loops over vectors.
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

/// One round of Philox; the number of the round selects its key.
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
