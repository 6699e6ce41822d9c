//! [`HybridTaus`], alone and in lanes.

use beadwork_arithmetic::{Vector, Words};
use serde::{Deserialize, Serialize};

use super::ecosystem::{seeds_for_the_ecosystem, state_of_words, words_for_the_ecosystem};
use crate::error::Error;
use crate::noise::NoiseKey;
use crate::purposes::Purpose;

/// The smallest seed of each component, as published programs choose them.
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
///   simple seeds the family failed SmallCrush (JuliaGPU/CUDA.jl#803): its quality depends on its seeds.
///   Meant for reproducing published work.
///
/// # Reference
/// Howes and Thomas, GPU Gems 3 (2007), chapter 37; Zhmurov, Rybnikov, Kholodov and Barsegov, arXiv:1003.1123 (2010),
/// which prints a factor 2³⁰ − 1 of the period for 2³¹ − 1; L'Ecuyer, Math. Comput. 65, 203 (1996), for taus88.
///
/// ```
/// use beadwork_random::HybridTaus;
///
/// let mut generator = HybridTaus::from_state([128, 129, 130, 131])?;
/// assert_eq!(generator.next_u32(), 0x48662404);
/// # Ok::<(), beadwork_random::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u32; 4]", into = "[u32; 4]")]
pub struct HybridTaus {
    state: [u32; 4],
}

impl HybridTaus {
    /// A generator with four random words as seeds; words below 128 are moved up by 128.
    pub fn from_random_words(words: [u32; 4]) -> Self {
        let state =
            words.map(|word| if word < SMALLEST_SEED { word + SMALLEST_SEED } else { word });
        Self { state }
    }

    /// The first generators of beads 0 to `beads` − 1 of a replica.
    ///
    /// Each starts from the keyed noise of its bead ([`Purpose::GeneratorState`], step 0, draw 0), so that no two beads,
    /// replicas or seeds start with related states.
    pub fn of_beads(seed: u64, replica: u64, beads: u32) -> Vec<Self> {
        let key = NoiseKey::new(seed, Purpose::GeneratorState, replica);
        (0..beads).map(|bead| Self::from_random_words(key.words(0, 0, bead, 0))).collect()
    }

    /// Continues from a state, or starts from published seeds. It is an error if the masked word of a Tausworthe
    /// component is zero, which no run reaches.
    pub fn from_state(state: [u32; 4]) -> Result<Self, Error> {
        for (component, (value, (.., mask))) in state.into_iter().zip(COMPONENTS).enumerate() {
            if value & mask == 0 {
                let message = format!(
                    "Word {value:#010x} of component {component} is no state of a Hybrid Taus generator: the component would \
                     return zeros forever. The file that it came from is damaged: go back to an older checkpoint."
                );
                return Err(Error::new("random/dead-state", message));
            }
        }
        Ok(Self { state })
    }

    /// The state: the words of the three Tausworthe components, then the linear congruential one's.
    pub const fn state(self) -> [u32; 4] {
        self.state
    }

    /// The generator of a lane, from states that [`normals_from_states`](crate::normals_from_states) advanced. Only
    /// debug builds check that they are states of generators.
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

/// The next word of a [`HybridTaus`] in every lane; advances the states given.
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

state_of_words!(HybridTaus, 4);
words_for_the_ecosystem!(HybridTaus);
seeds_for_the_ecosystem!(HybridTaus, 4);
