//! The thermal noise of one member.

use std::ops::Range;

use beadwork_arithmetic::Instructions;
use beadwork_model::{Distribution, Generator, Randomness};
use beadwork_random::{HybridTaus, NoiseKey, Normal, Owner, Purpose, States, Streams};

use crate::arrays::coordinates::{Coordinates, split};
use crate::arrays::free::Free;
use crate::noise::kicks::{Kicks, KicksChunk, KicksScale, KicksSource};

/// Box-Muller numbers from keyed noise, from one Hybrid Taus for each bead, or from the words of another generator,
/// drawn in sequence; or numbers of another distribution, bead after bead.
#[derive(Clone, Debug)]
pub(crate) enum Noise<T> {
    Keyed(NoiseKey),
    Stateful(Vec<HybridTaus>),
    Drawn(DrawnWords),
    Made(MadeNumbers<T>),
}

/// Streams, and the words of the present step.
#[derive(Clone, Debug)]
pub(crate) struct DrawnWords {
    pub streams: Streams,
    words: Vec<u32>,
}

/// Streams, and the numbers of the present step.
#[derive(Clone, Debug)]
pub(crate) struct MadeNumbers<T> {
    pub streams: Streams,
    distribution: Distribution,
    numbers: Coordinates<T>,
}

impl<T: Normal> Noise<T> {
    pub fn new(randomness: Randomness, seed: u64, replica: u64, beads: usize) -> Self {
        let distribution = randomness.distribution();
        match (randomness.generator(), distribution) {
            (Generator::Philox4x32x10, Distribution::BoxMuller) => {
                return Noise::Keyed(NoiseKey::new(seed, Purpose::ThermalForce, replica));
            }
            (Generator::HybridTaus, Distribution::BoxMuller) => {
                return Noise::Stateful(HybridTaus::of_beads(seed, replica, beads as u32));
            }
            _ => {}
        }
        let owner = Owner { seed, replica };
        let words = distribution.words::<T>();
        let streams = Streams::in_simulations(randomness, owner, beads as u32, words);
        if distribution != Distribution::BoxMuller {
            let numbers = Coordinates::zero(beads);
            return Noise::Made(MadeNumbers { streams, distribution, numbers });
        }
        let words = vec![0; streams.words_a_step()];
        Noise::Drawn(DrawnWords { streams, words })
    }

    /// The states of generators that have any.
    pub fn states(&self) -> Option<States> {
        match self {
            Noise::Keyed(_) => None,
            Noise::Stateful(noise) => Some(States::HybridTaus(noise.clone())),
            Noise::Drawn(DrawnWords { streams, .. }) | Noise::Made(MadeNumbers { streams, .. }) => {
                streams.states().cloned()
            }
        }
    }

    /// The source of noise that all parts of a system read.
    fn source(&self) -> KicksSource<'_, T> {
        match self {
            Noise::Keyed(key) => KicksSource::Keyed(*key),
            Noise::Drawn(DrawnWords { words, .. }) => KicksSource::Drawn(words),
            Noise::Made(MadeNumbers { numbers, .. }) => KicksSource::Made(numbers),
            Noise::Stateful(_) => unreachable!("each bead has a generator"),
        }
    }

    /// Continues from states of the same generator and number of beads.
    ///
    /// # Panics
    /// If the states are of another generator or number of beads.
    pub fn restore(&mut self, states: States) {
        let restored = match (self, states) {
            (Noise::Stateful(noise), States::HybridTaus(states)) => {
                *noise = states;
                true
            }
            (
                Noise::Drawn(DrawnWords { streams, .. }) | Noise::Made(MadeNumbers { streams, .. }),
                states,
            ) => streams.restore(states).is_ok(),
            _ => false,
        };
        assert!(restored, "states of another generator or system");
    }
}

/// The noise of a member, with the factors that scale force and noise in a step.
#[derive(Clone, Debug)]
pub(crate) struct Thermal<T> {
    pub noise: Noise<T>,
    step: u64,
    /// h/ξ.
    pub mobility: T,
    /// √(2 kT h/ξ); with velocities 1, or 0 without noise, since each type then has a size of its own.
    pub amplitude: T,
    /// Room for the displacements of a chunk of beads of each part.
    chunks: Vec<KicksChunk<T>>,
}

impl<T: Normal> Thermal<T> {
    pub fn new(noise: Noise<T>, mobility: T, amplitude: T) -> Self {
        Thermal { noise, step: 0, mobility, amplitude, chunks: Vec::new() }
    }

    /// The noise of this step is asked for from now on.
    pub fn begin_step(&mut self, step: u64) {
        self.step = step;
    }

    /// Draws the words or numbers of the present step if they are not computed with the kicks. Nothing is drawn at T =
    /// 0.
    pub fn draw(&mut self, free: &Free) {
        if self.amplitude == T::zero() {
            return;
        }
        let is_free = |bead| free.is_free(bead as usize);
        match &mut self.noise {
            Noise::Keyed(_) | Noise::Stateful(_) => {}
            Noise::Drawn(DrawnWords { streams, words }) => streams.draw(self.step, is_free, words),
            Noise::Made(MadeNumbers { streams, distribution, numbers }) => {
                let put = |bead, three| numbers.set(bead as usize, three);
                streams.three_a_bead(*distribution, self.step, is_free, put);
            }
        }
    }

    /// The noise of the present step for parts of the system: consecutive ranges of beads.
    pub fn parts(
        &mut self,
        ranges: &[Range<usize>],
        instructions: Instructions,
    ) -> Vec<Kicks<'_, T>> {
        let scale = self.scale(instructions);
        let Thermal { noise, chunks, .. } = self;
        if chunks.len() < ranges.len() {
            chunks.resize_with(ranges.len(), KicksChunk::default);
        }
        let parts = ranges.iter().zip(chunks);
        match noise {
            Noise::Stateful(noise) => {
                let states = split(noise, ranges.iter().map(Range::len));
                let parts = parts.zip(states).map(|((range, chunk), states)| {
                    let source = KicksSource::Stateful { states, first: range.start };
                    Kicks::new(source, scale, range.end, chunk)
                });
                parts.collect()
            }
            shared => parts
                .map(|(range, chunk)| Kicks::new(shared.source(), scale, range.end, chunk))
                .collect(),
        }
    }

    /// The noise of the present step for the whole system of so many beads.
    pub fn whole(&mut self, beads: usize, instructions: Instructions) -> Kicks<'_, T> {
        let scale = self.scale(instructions);
        let Thermal { noise, chunks, .. } = self;
        if chunks.is_empty() {
            chunks.push(KicksChunk::default());
        }
        let source = match noise {
            Noise::Stateful(noise) => KicksSource::Stateful { states: noise, first: 0 },
            shared => shared.source(),
        };
        Kicks::new(source, scale, beads, &mut chunks[0])
    }

    fn scale(&self, instructions: Instructions) -> KicksScale<T> {
        KicksScale { step: self.step, amplitude: self.amplitude, instructions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_those_of_the_same_name() {
        for generator in Generator::ALL {
            for distribution in Distribution::ALL {
                for &scheme in generator.schemes() {
                    let Ok(randomness) = Randomness::new(generator, scheme, distribution) else {
                        continue;
                    };
                    match Noise::<f32>::new(randomness, 1, 2, 3) {
                        Noise::Drawn(DrawnWords { streams, .. })
                        | Noise::Made(MadeNumbers { streams, .. }) => {
                            assert_eq!(
                                (streams.generator(), streams.scheme()),
                                (generator, scheme)
                            );
                            assert!(!randomness.is_in_lanes());
                        }
                        Noise::Keyed(_) | Noise::Stateful(_) => assert!(randomness.is_in_lanes()),
                    }
                }
            }
        }
    }
}
