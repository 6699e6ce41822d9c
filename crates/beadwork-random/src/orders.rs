//! Orders the words of a generator as simulations use them, for batteries of statistical tests.

use crate::catalogue::{Generator, Scheme};
use crate::error::Error;
use crate::streams::{Owner, Streams};

/// Words for a particle and step, one for each axis, as in Phillips, Anderson and Glotzer (2011).
const WORDS: usize = 3;

/// Neighbours of the particle in [`Order::Neighbors`], as in the same paper.
const NEIGHBORS: u32 = 50;

/// The order in which words are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// Three words of each particle of a system, then those of the next step: correlations in the whole system.
    System,
    /// Three words of one particle, step after step: correlations in the force on it.
    Particle,
    /// A word of each pair of one particle with the same 50 neighbours, step after step: correlations in a pair
    /// thermostat. A generator that keeps a state for each bead keeps one for each pair here.
    Neighbors,
    /// The first three words of one particle with one seed, then with the next seed.
    Seeds,
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 4] = [Self::System, Self::Particle, Self::Neighbors, Self::Seeds];

    /// The name used in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Particle => "particle",
            Self::Neighbors => "neighbors",
            Self::Seeds => "seeds",
        }
    }
}

/// A request for words in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The generator.
    pub generator: Generator,
    /// The scheme in which the generator runs.
    pub scheme: Scheme,
    /// The order of the words.
    pub order: Order,
    /// The seed; for [`Order::Seeds`], the first one.
    pub seed: u64,
    /// Particles of the system. Except in [`Order::System`], the number matters only if all particles share a
    /// generator.
    pub particles: u32,
}

/// The words of a request, in blocks of one step or seed.
#[derive(Clone, Debug)]
pub struct OrderedWords {
    request: Request,
    streams: Streams,
    words: Vec<u32>,
    block: u64,
}

impl OrderedWords {
    /// The words from the first step, or from the first seed; the generator must run in the scheme.
    pub fn new(request: Request) -> Result<Self, Error> {
        let Request { generator, scheme, order, seed, particles } = request;
        let shared = scheme == Scheme::OneForAllThreads;
        let (beads, words) = match order {
            Order::System => (particles, WORDS),
            Order::Particle if shared => (particles, WORDS),
            Order::Particle | Order::Seeds => (1, WORDS),
            Order::Neighbors => (NEIGHBORS, 1),
        };
        let streams = Streams::new(generator, scheme, Owner { seed, replica: 0 }, beads, words)?;
        let words = vec![0; streams.words_a_step()];
        Ok(Self { request, streams, words, block: 0 })
    }

    /// The words of the next step, or of the next seed.
    pub fn next_block(&mut self) -> &[u32] {
        let block = self.block;
        self.block += 1;
        match self.request.order {
            Order::System => self.streams.draw(block, |_| true, &mut self.words),
            Order::Particle => {
                self.streams.draw(block, |_| true, &mut self.words);
                return &self.words[..WORDS];
            }
            Order::Neighbors => {
                let partners: [u32; NEIGHBORS as usize] = std::array::from_fn(|n| n as u32 + 1);
                if !self.streams.draw_pairs(block, 0, &partners, &mut self.words) {
                    self.streams.draw(block, |_| true, &mut self.words);
                }
            }
            Order::Seeds => {
                let Request { generator, scheme, seed, .. } = self.request;
                let owner = Owner { seed: seed.wrapping_add(block), replica: 0 };
                if let Ok(mut streams) = Streams::new(generator, scheme, owner, 1, WORDS) {
                    streams.draw(0, |_| true, &mut self.words);
                }
            }
        }
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::micro_streams::{published_saru_stream, published_seed};

    fn words(generator: Generator, scheme: Scheme, order: Order, particles: u32) -> Vec<u32> {
        let request = Request { generator, scheme, order, seed: 7, particles };
        let mut words = OrderedWords::new(request).unwrap();
        [words.next_block().to_vec(), words.next_block().to_vec()].concat()
    }

    #[test]
    fn orders_are_those_of_the_paper() {
        let of = |order| words(Generator::Saru, Scheme::OnePerCallPublished, order, 4);
        let stream = |step: u32, i: u32, j: u32, count: usize| {
            let mut stream = published_saru_stream(published_seed(7), step, i, j);
            std::iter::repeat_with(move || stream.next_u32()).take(count)
        };
        let system = (0..2).flat_map(|step| (0..4).flat_map(move |i| stream(step, i, 0, 3)));
        assert_eq!(of(Order::System), system.collect::<Vec<_>>());
        let particle = (0..2).flat_map(|step| stream(step, 0, 0, 3));
        assert_eq!(of(Order::Particle), particle.collect::<Vec<_>>());
        let pairs = (0..2).flat_map(|step| (1..=50).flat_map(move |j| stream(step, 0, j, 1)));
        assert_eq!(of(Order::Neighbors), pairs.collect::<Vec<_>>());
        let mut second = published_saru_stream(published_seed(8), 0, 0, 0);
        assert_eq!(of(Order::Seeds)[3], second.next_u32());
    }

    #[test]
    fn a_particle_has_the_words_that_it_has_in_the_system() {
        for generator in Generator::ALL {
            for scheme in generator.schemes() {
                let of = |order| words(generator, *scheme, order, 4);
                let (system, particle) = (of(Order::System), of(Order::Particle));
                assert_eq!(particle[..3], system[..3], "{generator:?}");
                assert_eq!(particle[3..], system[12..15], "{generator:?}");
                assert_eq!(of(Order::Neighbors).len(), 100);
                let seeds = of(Order::Seeds);
                assert_eq!(seeds.len(), 6);
                assert_ne!(seeds[..3], seeds[3..], "{generator:?}");
            }
        }
    }
}
