//! The thermal noise of one member.

use std::ops::Range;

use beadwork_arithmetic::{Vector, Words};
use beadwork_model::{Distribution, Generator, Randomness};
use beadwork_random::{
    HybridTaus, LaneCounter, NoiseKey, Normal, Owner, Purpose, States, Streams,
    normals_from_states, normals_from_words, normals_in_lanes, step_words,
};

use crate::coordinates::{Coordinates, split};
use crate::free::Free;
use crate::lanes::{Triple, spread};

/// Box-Muller numbers from keyed noise, from one Hybrid Taus for each bead, or from the words of another generator,
/// drawn in sequence; or numbers of another distribution, bead after bead.
#[derive(Clone, Debug)]
pub(crate) enum Noise<T> {
    Keyed(NoiseKey),
    Stateful(Vec<HybridTaus>),
    Drawn(Drawn),
    Made(Made<T>),
}

/// Streams, and the words of the present step.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub streams: Streams,
    words: Vec<u32>,
}

/// Streams, and the numbers of the present step.
#[derive(Clone, Debug)]
pub(crate) struct Made<T> {
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
            return Noise::Made(Made { streams, distribution, numbers });
        }
        let words = vec![0; streams.words_a_step()];
        Noise::Drawn(Drawn { streams, words })
    }

    /// The states of generators that have any.
    pub fn states(&self) -> Option<States> {
        match self {
            Noise::Keyed(_) => None,
            Noise::Stateful(noise) => Some(States::HybridTaus(noise.clone())),
            Noise::Drawn(Drawn { streams, .. }) | Noise::Made(Made { streams, .. }) => {
                streams.states().cloned()
            }
        }
    }

    /// The source of noise that all parts of a system read.
    fn source(&self) -> Source<'_, T> {
        match self {
            Noise::Keyed(key) => Source::Keyed(*key),
            Noise::Drawn(Drawn { words, .. }) => Source::Drawn(words),
            Noise::Made(Made { numbers, .. }) => Source::Made(numbers),
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
            (Noise::Drawn(Drawn { streams, .. }) | Noise::Made(Made { streams, .. }), states) => {
                streams.restore(states).is_ok()
            }
            _ => false,
        };
        assert!(restored, "states of another generator or system");
    }
}

/// The noise of a member, with the factors that scale force and noise in a step.
#[derive(Clone, Debug)]
pub(crate) struct Thermal<T> {
    pub noise: Noise<T>,
    pub step: u64,
    /// h/ξ.
    pub mobility: T,
    /// √(2 kT h/ξ); with velocities 1, or 0 without noise, since each type then has a size of its own.
    pub amplitude: T,
}

impl<T: Normal> Thermal<T> {
    /// Draws the words or numbers of the present step if they are not computed with the kicks. Nothing is drawn at T =
    /// 0.
    pub fn draw(&mut self, free: &Free) {
        if self.amplitude == T::zero() {
            return;
        }
        let is_free = |bead| free.is_free(bead as usize);
        match &mut self.noise {
            Noise::Keyed(_) | Noise::Stateful(_) => {}
            Noise::Drawn(Drawn { streams, words }) => streams.draw(self.step, is_free, words),
            Noise::Made(Made { streams, distribution, numbers }) => {
                let put = |bead, three| numbers.set(bead as usize, three);
                streams.three_a_bead(*distribution, self.step, is_free, put);
            }
        }
    }

    /// The noise of the present step for parts of the system: consecutive ranges of beads.
    pub fn parts(&mut self, ranges: &[Range<usize>]) -> Vec<Kicks<'_, T>> {
        let (step, amplitude) = (self.step, self.amplitude);
        match &mut self.noise {
            Noise::Stateful(noise) => {
                let states = split(noise, ranges.iter().map(Range::len));
                let parts = ranges.iter().zip(states).map(|(range, states)| Kicks {
                    source: Source::Stateful { states, first: range.start },
                    step,
                    amplitude,
                });
                parts.collect()
            }
            shared => {
                let part = |_| Kicks { source: shared.source(), step, amplitude };
                ranges.iter().map(part).collect()
            }
        }
    }

    /// The noise of the present step for the whole system.
    pub fn whole(&mut self) -> Kicks<'_, T> {
        let source = match &mut self.noise {
            Noise::Stateful(noise) => Source::Stateful { states: noise, first: 0 },
            shared => shared.source(),
        };
        Kicks { source, step: self.step, amplitude: self.amplitude }
    }
}

/// Noise of one step for some beads.
#[derive(Debug)]
pub(crate) struct Kicks<'a, T> {
    source: Source<'a, T>,
    step: u64,
    amplitude: T,
}

#[derive(Debug)]
enum Source<'a, T> {
    Keyed(NoiseKey),
    /// The generators of the range's beads.
    Stateful {
        states: &'a mut [HybridTaus],
        first: usize,
    },
    /// The words of all beads.
    Drawn(&'a [u32]),
    /// The numbers of all beads.
    Made(&'a Coordinates<T>),
}

impl<T: Normal> Kicks<'_, T> {
    /// The random displacements, Å, of the beads from `first` on, one in each lane. Nothing is drawn at T = 0.
    ///
    /// A generator with a state draws once a step for every free bead, in any order. The states of beads that are not
    /// free (bits not set in `free`) do not change.
    #[inline(always)]
    pub fn of<V: Vector<Scalar = T>>(&mut self, first: usize, free: u32) -> Triple<V> {
        if self.amplitude == T::zero() {
            return Triple::zero();
        }
        let normals = match &mut self.source {
            Source::Keyed(key) => {
                let [a, b] = key.key_words();
                let [c, d] = step_words(self.step);
                normals_in_lanes::<V>(LaneCounter {
                    key: [V::Words::splat(a), V::Words::splat(b)],
                    step: [V::Words::splat(c), V::Words::splat(d)],
                    bead: V::words_from_lanes(|lane| (first + lane) as u32),
                })
            }
            Source::Stateful { states, first: offset } => draw(states, first - *offset, free),
            Source::Drawn(words) => {
                let words: &[u32] = words;
                // Lanes beyond the last bead have arbitrary words.
                normals_from_words::<V>(|lane, place| {
                    words.get((first + lane) * T::WORDS + place).copied().unwrap_or(0)
                })
            }
            Source::Made(numbers) => numbers.load::<V>(first).0,
        };
        Triple(normals) * spread::<V>(self.amplitude)
    }
}

/// The next normal numbers from the generators of some beads.
#[inline(always)]
fn draw<V: Vector>(states: &mut [HybridTaus], first: usize, free: u32) -> [V; 3] {
    // Lanes beyond the last bead have arbitrary states.
    let mut words = [[u32::MAX; 4]; 32];
    for (words, generator) in words.iter_mut().zip(states.iter().skip(first).take(V::WIDTH)) {
        *words = generator.state();
    }
    let mut lanes = [
        V::words_from_lanes(|lane| words[lane][0]),
        V::words_from_lanes(|lane| words[lane][1]),
        V::words_from_lanes(|lane| words[lane][2]),
        V::words_from_lanes(|lane| words[lane][3]),
    ];
    let normals = normals_from_states::<V>(&mut lanes);
    for (lane, generator) in states.iter_mut().skip(first).take(V::WIDTH).enumerate() {
        if free & (1 << lane) != 0 {
            *generator = HybridTaus::from_lanes::<V>(&lanes, lane);
        }
    }
    normals
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
                        Noise::Drawn(Drawn { streams, .. }) | Noise::Made(Made { streams, .. }) => {
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
