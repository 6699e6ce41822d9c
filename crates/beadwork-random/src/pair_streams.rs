//! The random words of a pair of beads, for pair thermostats.

use beadwork_arithmetic::{Vector, Words};

use crate::catalogue::{Generator, Scheme};
use crate::distributions::{box_muller, symmetric_uniform};
use crate::generators::{Saru, philox4x32, philox4x32_in_lanes};
use crate::micro_streams::{
    published_saru_stream, published_saru_tea_stream, published_seed, saru_stream, saru_tea_stream,
};
use crate::noise::{NoiseKey, counter, step_words};
use crate::purposes::Purpose;
use crate::randomness::Randomness;
use crate::streams::Owner;

/// Four random words for each step and pair of beads i < j, without any state.
///
/// Philox (\[H\], ten or seven rounds) and the micro-streams of Saru and SaruTEA (\[K\]) are those of the run's noise, under
/// the key of [`Purpose::PairThermostat`]. Runs with a generator that keeps a state take Philox with ten rounds: no pair
/// could keep one. Words and layout are frozen.
///
/// ```
/// use beadwork_random::{Generator, Owner, PairStream};
///
/// let owner = Owner { seed: 20101, replica: 0 };
/// let pairs = PairStream::new(Generator::Saru.into(), owner);
/// assert_ne!(pairs.words(7, 3, 5), pairs.words(7, 3, 6));
/// assert_ne!(pairs.words(7, 3, 5), pairs.words(8, 3, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairStream {
    generator: Generator,
    /// With the published seeding, the scrambled seed and 0.
    key: NoiseKey,
    published: bool,
}

impl PairStream {
    /// The words of a member's pairs.
    pub fn new(randomness: Randomness, owner: Owner) -> Self {
        let published = randomness.scheme() == Scheme::OnePerCallPublished;
        let key = if published {
            NoiseKey::from_words([published_seed(owner.seed.wrapping_add(owner.replica) as u32), 0])
        } else {
            NoiseKey::new(owner.seed, Purpose::PairThermostat, owner.replica)
        };
        let generator = match (randomness.generator(), randomness.scheme()) {
            (Generator::Saru, Scheme::OnePerThread) => Generator::Philox4x32x10,
            (some @ (Generator::Philox4x32x7 | Generator::Saru | Generator::SaruTea), _) => some,
            _ => Generator::Philox4x32x10,
        };
        PairStream { generator, key, published }
    }

    /// The generator.
    pub const fn generator(self) -> Generator {
        self.generator
    }

    /// The two words of the key, for [`pair_words_of_members`].
    pub const fn key_words(self) -> [u32; 2] {
        self.key.key_words()
    }

    /// The words of beads i < j at a step.
    #[inline(always)]
    pub fn words(self, step: u64, i: u32, j: u32) -> [u32; 4] {
        let [seed, _] = self.key.key_words();
        let key = self.key;
        match (self.generator, self.published) {
            (Generator::Saru, false) => four(saru_stream(key, step, i, j)),
            (Generator::SaruTea, false) => four(saru_tea_stream(key, step, i, j)),
            (Generator::Saru, true) => four(published_saru_stream(seed, step as u32, i, j)),
            (Generator::SaruTea, true) => four(published_saru_tea_stream(seed, step as u32, i, j)),
            (Generator::Philox4x32x7, _) => {
                philox4x32::<7>(counter(step, 0, i, j), key.key_words())
            }
            _ => key.words(step, 0, i, j),
        }
    }

    /// The words of one member's pairs, a pair in each lane.
    #[inline(always)]
    pub fn words_in_lanes<V: Vector>(
        self,
        step: u64,
        i: impl Fn(usize) -> u32,
        j: impl Fn(usize) -> u32,
    ) -> [V::Words; 4] {
        if self.generator == Generator::Philox4x32x10 {
            let [low, high] = step_words(step);
            let [a, b] = self.key.key_words();
            let (i, j) = (V::words_from_lanes(i), V::words_from_lanes(j));
            let counter = [V::Words::splat(low), V::Words::splat(high), i, j];
            return philox4x32_in_lanes::<10, _>(counter, [V::Words::splat(a), V::Words::splat(b)]);
        }
        let mut words = [[0; 4]; 32];
        for (lane, words) in words.iter_mut().enumerate().take(V::WIDTH) {
            *words = self.words(step, i(lane), j(lane));
        }
        [
            V::words_from_lanes(|lane| words[lane][0]),
            V::words_from_lanes(|lane| words[lane][1]),
            V::words_from_lanes(|lane| words[lane][2]),
            V::words_from_lanes(|lane| words[lane][3]),
        ]
    }
}

/// The words of one pair in several members, one in each lane, by Philox with ten rounds; keys and steps as in
/// [`LaneCounter`](crate::LaneCounter).
#[inline(always)]
pub fn pair_words_of_members<V: Vector>(
    key: [V::Words; 2],
    [low, high]: [V::Words; 2],
    i: u32,
    j: u32,
) -> [V::Words; 4] {
    let counter = [low, high, V::Words::splat(i), V::Words::splat(j)];
    philox4x32_in_lanes::<10, _>(counter, key)
}

fn four(mut stream: Saru) -> [u32; 4] {
    [(); 4].map(|()| stream.next_u32())
}

/// A number of mean 0 and variance 1, uniform or normal, from the words of a pair.
///
/// In single precision a uniform number needs one word, in double precision two, the high one first. A normal one is the
/// first of Box and Muller's two, from the first and the next uniform number.
#[inline(always)]
pub fn pair_number<V: Vector>([a, b, c, d]: [V::Words; 4], normal: bool) -> V {
    let (first, second) = match V::WORDS_A_LANE {
        1 => (V::uniform(a, a), V::uniform(b, b)),
        _ => (V::uniform(a, b), V::uniform(c, d)),
    };
    if normal {
        let [number, _] = box_muller(first, second);
        return number;
    }
    symmetric_uniform(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distributions::{uniform_f32, uniform_f64};
    use beadwork_arithmetic::{Family, Instructions, Kernel};

    fn streams() -> impl Iterator<Item = PairStream> {
        Generator::ALL.into_iter().flat_map(|generator| {
            generator.schemes().iter().filter_map(move |&scheme| {
                let distribution = crate::Distribution::BoxMuller;
                let randomness = Randomness::new(generator, scheme, distribution).ok()?;
                Some(PairStream::new(randomness, Owner { seed: 9, replica: 4 }))
            })
        })
    }

    #[test]
    fn words_are_those_of_the_purpose_and_the_published_streams() {
        let of =
            |generator: Generator| PairStream::new(generator.into(), Owner { seed: 9, replica: 4 });
        let key = NoiseKey::new(9, Purpose::PairThermostat, 4);
        let step = 5_000_000_007;
        assert_eq!(of(Generator::Philox4x32x10).words(step, 2, 6), key.words(step, 0, 2, 6));
        assert_eq!(of(Generator::Ran2).words(step, 2, 6), key.words(step, 0, 2, 6));
        let mut saru = saru_stream(key, step, 2, 6);
        assert_eq!(of(Generator::Saru).words(step, 2, 6)[0], saru.next_u32());
        let randomness = Randomness::new(
            Generator::Saru,
            Scheme::OnePerCallPublished,
            crate::Distribution::BoxMuller,
        );
        let published = PairStream::new(randomness.unwrap(), Owner { seed: 9, replica: 4 });
        let mut stream = published_saru_stream(published_seed(13), step as u32, 2, 6);
        assert_eq!(published.words(step, 2, 6)[0], stream.next_u32());
    }

    struct SameInLanes(PairStream);

    impl Kernel for SameInLanes {
        type Output = ();

        fn run<F: Family>(self) {
            check::<F::Single>(self.0, uniform_f32(self.0.words(8, 4, 9)[0]).into());
            let [high, low, ..] = self.0.words(8, 4, 9);
            check::<F::Double>(self.0, uniform_f64(high, low));
        }
    }

    fn check<V: Vector>(stream: PairStream, uniform: f64) {
        let words = stream.words_in_lanes::<V>(8, |_| 4, |lane| 9 + lane as u32);
        for lane in 0..V::WIDTH {
            for (place, word) in stream.words(8, 4, 9 + lane as u32).into_iter().enumerate() {
                assert_eq!(V::word(words[place], lane), word);
            }
        }
        let expected = symmetric_uniform(V::from_f64(uniform)).lane(0);
        assert_eq!(pair_number::<V>(words, false).lane(0), expected);
    }

    #[test]
    fn lanes_have_the_words_of_single_pairs() {
        for stream in streams() {
            for instructions in Instructions::ALL.into_iter().filter(|some| some.is_available()) {
                instructions.dispatch(SameInLanes(stream));
            }
        }
    }
}
