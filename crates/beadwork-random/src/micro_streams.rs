//! Micro-streams: generators seeded for one bead or pair and one step, and dropped after use.
//!
//! The scheme of Phillips, Anderson and Glotzer, J. Comput. Phys. 230, 7191 (2011). Their seeding takes 32 bits of seed
//! and adds the step, so that two seeds have the same noise at different steps. Functions named `published` follow it;
//! the others keep seeds, replicas, steps and beads apart.

use crate::generators::{Saru, TEA_KEY, tea};
use crate::noise::NoiseKey;

/// Saru's stream of a bead (`j = 0`) or a pair (`i < j`) at a step: its hash of three words,
/// key₀ ⊕ i, key₁ ⊕ j ⊕ (step ≫ 32 ≪ 16) and the low word of the step.
#[inline(always)]
pub const fn saru_stream(key: NoiseKey, step: u64, i: u32, j: u32) -> Saru {
    let [first, second] = key.key_words();
    let high = ((step >> 32) as u32) << 16;
    Saru::from_three(first ^ i, second ^ j ^ high, step as u32)
}

/// The same, with the state from TEA8 of (i, j) under the key (key₀, key₁, k₃ ⊕ low word of the step, k₄ ⊕ high word).
#[inline(always)]
pub const fn saru_tea_stream(key: NoiseKey, step: u64, i: u32, j: u32) -> Saru {
    let [first, second] = key.key_words();
    let [.., third, fourth] = TEA_KEY;
    let key = [first, second, third ^ step as u32, fourth ^ (step >> 32) as u32];
    Saru::from_state(tea::<8>([i, j], key))
}

/// The scrambled seed of the published seeding.
///
/// ```
/// use beadwork_random::micro_streams::published_seed;
///
/// assert_eq!([0, 1, 2].map(published_seed), [0xef728324, 0x3b83d9c1, 0x9f92ba8a]);
/// ```
pub const fn published_seed(seed: u32) -> u32 {
    let seed = seed.wrapping_mul(0x1234_5677).wrapping_add(0x12345);
    (seed ^ (seed >> 16)).wrapping_mul(0x45679)
}

/// The published SaruSaru of a scrambled seed: (particle, step + seed) for a bead, (i, j, step + seed) for a pair.
#[inline(always)]
pub const fn published_saru_stream(seed: u32, step: u32, i: u32, j: u32) -> Saru {
    let time = step.wrapping_add(seed);
    if j == 0 { Saru::from_two(i, time) } else { Saru::from_three(i, j, time) }
}

/// The published SaruTEA with a scrambled seed: for a bead, TEA8 of (particle, step) with k₁ the seed; for a pair, TEA8
/// of (i, j) with k₁ the step and k₂ the seed.
#[inline(always)]
pub const fn published_saru_tea_stream(seed: u32, step: u32, i: u32, j: u32) -> Saru {
    let [_, second, third, fourth] = TEA_KEY;
    Saru::from_state(if j == 0 {
        tea::<8>([i, step], [seed, second, third, fourth])
    } else {
        tea::<8>([i, j], [step, seed, third, fourth])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two seeds have the same noise at different steps, so the published seeding is for comparisons only.
    #[test]
    fn published_seeds_share_their_noise_at_other_steps() {
        let [first, second] = [1, 2].map(published_seed);
        let later = first.wrapping_sub(second);
        assert_eq!(
            published_saru_stream(first, 0, 7, 0),
            published_saru_stream(second, later, 7, 0)
        );
    }
}
