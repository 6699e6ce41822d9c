//! [`StatefulNoise`], one generator with a state for each bead.

use serde::{Deserialize, Serialize};

use crate::distributions::Normal;
use crate::generators::HybridTaus;
use crate::noise::NoiseKey;
use crate::purposes::Purpose;

/// One [`HybridTaus`] per bead of a replica, the published papers' scheme; its states belong in the checkpoint.
///
/// Unlike theirs, the first states come from keyed noise ([`Purpose::GeneratorState`]), so that no two beads, replicas
/// or seeds start with related states, and a state belongs to a bead, not to a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatefulNoise {
    states: Vec<HybridTaus>,
}

impl StatefulNoise {
    /// Generators of beads 0 to `beads` − 1 of a replica.
    ///
    /// Bead i starts with the four words of step 0, draw 0 of bead i under the key of
    /// (`seed`, [`Purpose::GeneratorState`], `replica`), moved to seeds by [`HybridTaus::from_random_words`].
    pub fn new(seed: u64, replica: u64, beads: u32) -> Self {
        let key = NoiseKey::new(seed, Purpose::GeneratorState, replica);
        let states = (0..beads)
            .map(|bead| HybridTaus::from_random_words(key.words(0, 0, bead, 0)))
            .collect();
        Self { states }
    }

    /// Generators that go on from given states, one a bead.
    pub const fn from_states(states: Vec<HybridTaus>) -> Self {
        Self { states }
    }

    /// The generators, one a bead.
    pub fn states(&self) -> &[HybridTaus] {
        &self.states
    }

    /// The generators, one a bead, to draw from.
    pub fn states_mut(&mut self) -> &mut [HybridTaus] {
        &mut self.states
    }

    /// The next three standard normal numbers of each bead, in the order of the beads.
    pub fn normals<T: Normal>(&mut self) -> impl Iterator<Item = [T; 3]> {
        self.states.iter_mut().map(|state| T::normals_from(&mut || state.next_u32()))
    }
}
