//! The thermal noise of one member.

use std::ops::Range;

use beadwork_arithmetic::{Vector, Words};
use beadwork_model::Generator;
use beadwork_random::{
    HybridTaus, LaneCounter, NoiseKey, Normal, Owner, Purpose, StatefulNoise, States, Streams,
    normals_from_states, normals_from_words, normals_in_lanes, step_words,
};

use crate::lanes::{Triple, spread};
use crate::moves::Free;

/// Keyed noise, one Hybrid Taus for each bead, or words that another generator gives one after
/// another.
#[derive(Clone, Debug)]
pub(crate) enum Noise {
    Keyed(NoiseKey),
    Stateful(StatefulNoise),
    Drawn(Drawn),
}

/// Streams and the words of a step.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub streams: Streams,
    words: Vec<u32>,
}

impl Noise {
    pub fn new<T: Normal>(generator: Generator, seed: u64, replica: u64, beads: usize) -> Noise {
        match generator {
            Generator::Philox4x32x10 => {
                return Noise::Keyed(NoiseKey::new(seed, Purpose::ThermalForce, replica));
            }
            Generator::HybridTaus => {
                return Noise::Stateful(StatefulNoise::new(seed, replica, beads as u32));
            }
            _ => {}
        }
        let owner = Owner { seed, replica };
        let streams = Streams::in_simulations(generator, owner, beads as u32, T::WORDS);
        let words = vec![0; streams.words_a_step()];
        Noise::Drawn(Drawn { streams, words })
    }

    /// The states, where there are such.
    pub fn states(&self) -> Option<States> {
        match self {
            Noise::Keyed(_) => None,
            Noise::Stateful(noise) => Some(States::HybridTaus(noise.states().to_vec())),
            Noise::Drawn(drawn) => drawn.streams.states().cloned(),
        }
    }

    /// Goes on from states of the same generator and as many beads.
    ///
    /// # Panics
    /// With others.
    pub fn restore(&mut self, states: States) {
        let restored = match (self, states) {
            (Noise::Stateful(noise), States::HybridTaus(states)) => {
                *noise = StatefulNoise::from_states(states);
                true
            }
            (Noise::Drawn(drawn), states) => drawn.streams.restore(states).is_ok(),
            _ => false,
        };
        assert!(restored, "states of another generator or system");
    }
}

/// The noise of a member and how strongly it and the force move a bead in one step.
#[derive(Clone, Debug)]
pub(crate) struct Thermal<T> {
    pub noise: Noise,
    pub step: u64,
    /// h/ξ.
    pub mobility: T,
    /// √(2 kT h/ξ).
    pub amplitude: T,
}

impl<T: Normal> Thermal<T> {
    /// Draws the words of the present step, where they are not computed with the kicks. At T = 0
    /// nothing is drawn.
    pub fn draw(&mut self, free: &Free) {
        if let Noise::Drawn(Drawn { streams, words }) = &mut self.noise
            && self.amplitude != T::zero()
        {
            streams.draw(self.step, |bead| free.is_free(bead as usize), words);
        }
    }

    /// The noise of the present step for parts of the system: ranges of beads that follow each
    /// other.
    pub fn parts(&mut self, ranges: &[Range<usize>]) -> Vec<Kicks<'_, T>> {
        let (step, amplitude) = (self.step, self.amplitude);
        let mut rest = match &mut self.noise {
            Noise::Keyed(key) => {
                let key = *key;
                let part = |_| Kicks { source: Source::Keyed(key), step, amplitude };
                return ranges.iter().map(part).collect();
            }
            Noise::Drawn(Drawn { words, .. }) => {
                let words = words.as_slice();
                let part = |_| Kicks { source: Source::Drawn(words), step, amplitude };
                return ranges.iter().map(part).collect();
            }
            Noise::Stateful(noise) => noise.states_mut(),
        };
        let mut parts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let (states, others) = std::mem::take(&mut rest).split_at_mut(range.len());
            rest = others;
            let source = Source::Stateful { states, first: range.start };
            parts.push(Kicks { source, step, amplitude });
        }
        parts
    }

    /// The noise of the present step for the whole system.
    pub fn whole(&mut self) -> Kicks<'_, T> {
        let source = match &mut self.noise {
            Noise::Keyed(key) => Source::Keyed(*key),
            Noise::Stateful(noise) => Source::Stateful { states: noise.states_mut(), first: 0 },
            Noise::Drawn(Drawn { words, .. }) => Source::Drawn(words),
        };
        Kicks { source, step: self.step, amplitude: self.amplitude }
    }
}

/// Noise of one step for some beads.
#[derive(Debug)]
pub(crate) struct Kicks<'a, T> {
    source: Source<'a>,
    step: u64,
    amplitude: T,
}

#[derive(Debug)]
enum Source<'a> {
    Keyed(NoiseKey),
    /// The generators of the beads from `first` on.
    Stateful {
        states: &'a mut [HybridTaus],
        first: usize,
    },
    /// The words of all beads.
    Drawn(&'a [u32]),
}

impl<T: Normal> Kicks<'_, T> {
    /// The random displacements, Å, of the beads from `first` on, in lanes. At T = 0 nothing is
    /// drawn.
    ///
    /// A generator with a state is asked once a step for every free bead, in any order; the states
    /// of beads that are not free (bits not set in `free`) stay.
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
                // Lanes beyond the last bead have any words.
                normals_from_words::<V>(|lane, place| {
                    words.get((first + lane) * T::WORDS + place).copied().unwrap_or(0)
                })
            }
        };
        Triple(normals) * spread::<V>(self.amplitude)
    }
}

/// The next normal numbers of some beads' generators.
#[inline(always)]
fn draw<V: Vector>(states: &mut [HybridTaus], first: usize, free: u32) -> [V; 3] {
    // Lanes beyond the last bead have any state.
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
            match Noise::new::<f32>(generator, 1, 2, 3) {
                Noise::Drawn(drawn) => {
                    assert_eq!(drawn.streams.generator(), generator);
                    assert!(!generator.is_in_lanes());
                }
                Noise::Keyed(_) => assert_eq!(generator, Generator::Philox4x32x10),
                Noise::Stateful(_) => assert_eq!(generator, Generator::HybridTaus),
            }
        }
    }
}
