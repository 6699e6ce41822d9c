//! The thermal noise of one member.

use beadwork_model::Generator;
use beadwork_random::{NoiseKey, Normal, Purpose, StatefulNoise};

/// Keyed noise, or one generator with a state for each bead.
#[derive(Clone, Debug)]
pub(crate) enum Noise {
    Keyed(NoiseKey),
    Stateful(StatefulNoise),
}

impl Noise {
    pub fn new(generator: Generator, seed: u64, replica: u64, beads: usize) -> Noise {
        match generator {
            Generator::Philox4x32x10 => {
                Noise::Keyed(NoiseKey::new(seed, Purpose::ThermalForce, replica))
            }
            Generator::HybridTaus => {
                Noise::Stateful(StatefulNoise::new(seed, replica, beads as u32))
            }
        }
    }

    /// Three standard normal numbers for a bead at a step. A generator with a state is asked once a
    /// step for every free bead, in any order.
    #[inline(always)]
    pub fn normals<T: Normal>(&mut self, step: u64, bead: usize) -> [T; 3] {
        match self {
            Noise::Keyed(key) => T::normals(*key, step, bead as u32),
            Noise::Stateful(noise) => {
                let state = &mut noise.states_mut()[bead];
                T::normals_from(&mut || state.next_u32())
            }
        }
    }
}
