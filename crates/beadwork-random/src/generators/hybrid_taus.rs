//! Implement [`HybridTaus`], alone and in lanes.

use std::convert::Infallible;

use beadwork_arithmetic::{Vector, Words};
use rand_core::{SeedableRng, TryRng, utils};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The smallest seed of each component.
const SMALLEST_SEED: u32 = 128;

/// Shifts and masks of the three Tausworthe components (taus88).
const COMPONENTS: [(u32, u32, u32, u32); 3] =
    [(13, 19, 12, 0xffff_fffe), (2, 25, 4, 0xffff_fff8), (3, 11, 17, 0xffff_fff0)];

/// Hybrid Taus: three Tausworthe generators and a linear congruential one, combined by exclusive or.
///
/// A component (p, q, r, mask) of state z steps to ((z & mask) ≪ r) ⊕ (((z ≪ p) ⊕ z) ≫ q); the fourth to
/// 1664525 z + 1013904223 modulo 2³².
///
/// * State: 16 bytes. Period: (2³¹ − 1)(2²⁹ − 1)(2²⁸ − 1)·2³² ≈ 2¹²⁰.
/// * Known failures: bit k of the output obeys a linear recurrence over GF(2) of length 89 + 2ᵏ (tested here), so the
///   low bits fail tests of linear complexity and matrix rank; use the high ones. With one generator a thread and
///   simple seeds the family failed SmallCrush (JuliaGPU/CUDA.jl#803): it stands or falls with its seeds.
///   Meant for reproducing published work.
///
/// # Reference
/// Howes and Thomas, GPU Gems 3 (2007), chapter 37; Zhmurov, Rybnikov, Kholodov and Barsegov, arXiv:1003.1123 (2010),
/// which prints a factor 2³⁰ − 1 of the period for 2³¹ − 1; L'Ecuyer, Math. Comput. 65, 203 (1996), for taus88.
///
/// ```
/// use beadwork_random::HybridTaus;
///
/// let mut generator = HybridTaus::from_seeds([128, 129, 130, 131])?;
/// assert_eq!(generator.next_u32(), 0x48662404);
/// # Ok::<(), beadwork_random::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u32; 4]", into = "[u32; 4]")]
pub struct HybridTaus {
    state: [u32; 4],
}

impl HybridTaus {
    /// A generator with four seeds as published programs choose them.
    ///
    /// # Errors
    /// [`Error::SeedTooSmall`] for a seed below 128.
    pub fn from_seeds(seeds: [u32; 4]) -> Result<Self, Error> {
        match seeds.iter().position(|seed| *seed < SMALLEST_SEED) {
            Some(component) => Err(Error::SeedTooSmall { component, value: seeds[component] }),
            None => Ok(Self { state: seeds }),
        }
    }

    /// A generator with four random words as seeds; words below 128 are moved up by 128.
    pub fn from_random_words(words: [u32; 4]) -> Self {
        let state =
            words.map(|word| if word < SMALLEST_SEED { word + SMALLEST_SEED } else { word });
        Self { state }
    }

    /// A generator that goes on from a state read back from [`HybridTaus::state`].
    ///
    /// # Errors
    /// [`Error::DeadState`] where the masked word of a Tausworthe component is zero, which no run reaches.
    pub fn from_state(state: [u32; 4]) -> Result<Self, Error> {
        for (component, (value, (.., mask))) in state.into_iter().zip(COMPONENTS).enumerate() {
            if value & mask == 0 {
                return Err(Error::DeadState { component, value });
            }
        }
        Ok(Self { state })
    }

    /// The state: the words of the three Tausworthe components, then the linear congruential one's.
    pub const fn state(self) -> [u32; 4] {
        self.state
    }

    /// The generator of a lane, from states that [`normals_from_states`](crate::normals_from_states) advanced. That they
    /// are states of generators is not checked again; debug builds assert it.
    #[inline(always)]
    pub fn from_lanes<V: Vector>(states: &[V::Words; 4], lane: usize) -> Self {
        let state = states.map(|words| V::word(words, lane));
        debug_assert!(Self::from_state(state).is_ok(), "no generator reaches this state");
        Self { state }
    }

    /// The next word.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        hybrid_taus_in_lanes(&mut self.state)
    }
}

/// The next word of a [`HybridTaus`] in every lane, whose states are given and advanced.
#[inline(always)]
pub fn hybrid_taus_in_lanes<W: Words>(state: &mut [W; 4]) -> W {
    for (z, (p, q, r, mask)) in state.iter_mut().zip(COMPONENTS) {
        *z = (*z & W::splat(mask)) << r ^ ((*z << p ^ *z) >> q);
    }
    let [a, b, c, d] = *state;
    let d = d.wrapping_mul(1_664_525).wrapping_add(W::splat(1_013_904_223));
    state[3] = d;
    a ^ b ^ c ^ d
}

impl TryFrom<[u32; 4]> for HybridTaus {
    type Error = Error;

    fn try_from(state: [u32; 4]) -> Result<Self, Error> {
        Self::from_state(state)
    }
}

impl From<HybridTaus> for [u32; 4] {
    fn from(generator: HybridTaus) -> Self {
        generator.state
    }
}

impl TryRng for HybridTaus {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, destination: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(destination, || self.try_next_u32())
    }
}

impl SeedableRng for HybridTaus {
    type Seed = [u8; 16];

    /// Four little-endian words, treated as [`HybridTaus::from_random_words`] does.
    fn from_seed(seed: [u8; 16]) -> Self {
        Self::from_random_words(utils::read_words(&seed))
    }
}
