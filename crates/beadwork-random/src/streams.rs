//! [`Streams`], the words of any generator in any of its schemes, for all beads of a replica.

use serde::{Deserialize, Serialize};

use crate::catalogue::{Generator, Scheme};
use crate::distributions::{Distribution, Normal};
use crate::error::Error;
use crate::generators::{
    HybridTaus, LaggedFibonacci, Lcg, Mt19937, Ran2, Saru, Xorwow, lags_for, philox4x32,
};
use crate::micro_streams::{
    published_saru_stream, published_saru_tea_stream, published_seed, saru_stream, saru_tea_stream,
};
use crate::noise::{DRAW_SHIFT, NoiseKey, counter};
use crate::purposes::Purpose;
use crate::randomness::Randomness;

/// The seed and the replica whose thermal force the streams serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Seed of the run.
    pub seed: u64,
    /// Replica number, unique over the whole ensemble.
    pub replica: u64,
}

/// The states of a generator that keeps any; a checkpoint stores them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum States {
    /// One for each bead.
    Lcg(Vec<Lcg>),
    /// One for each bead.
    Ran2(Vec<Ran2>),
    /// One for each bead.
    HybridTaus(Vec<HybridTaus>),
    /// One for each bead.
    Xorwow(Vec<Xorwow>),
    /// One for each bead.
    Saru(Vec<Saru>),
    /// One for all beads.
    LaggedFibonacci(LaggedFibonacci),
    /// One for all beads.
    Mt19937(Mt19937),
}

/// Runs one piece of code for generators of beads of any kind, another for a generator of all beads.
macro_rules! with_states {
    ($states:expr, $of_beads:ident => $with_beads:expr, $of_all:ident => $with_all:expr) => {
        match $states {
            States::Lcg($of_beads) => $with_beads,
            States::Ran2($of_beads) => $with_beads,
            States::HybridTaus($of_beads) => $with_beads,
            States::Xorwow($of_beads) => $with_beads,
            States::Saru($of_beads) => $with_beads,
            States::LaggedFibonacci($of_all) => $with_all,
            States::Mt19937($of_all) => $with_all,
        }
    };
}

/// Runs one piece of code with a function that gives the stream of a step and a bead or pair; if the generator keeps
/// states, runs another with these.
macro_rules! with_streams {
    ($self:ident, $kept:expr, $stream:ident => $without:expr, $states:ident => $with:expr) => {{
        let key = $self.key;
        let [seed, _] = key.key_words();
        match ($kept, $self.generator, $self.scheme) {
            (Some($states), ..) => $with,
            (None, Generator::Saru, Scheme::OnePerCallPublished) => {
                let $stream = |step, i, j| published_saru_stream(seed, step as u32, i, j);
                $without
            }
            (None, Generator::SaruTea, Scheme::OnePerCallPublished) => {
                let $stream = |step, i, j| published_saru_tea_stream(seed, step as u32, i, j);
                $without
            }
            (None, Generator::Saru, _) => {
                let $stream = |step, i, j| saru_stream(key, step, i, j);
                $without
            }
            (None, Generator::SaruTea, _) => {
                let $stream = |step, i, j| saru_tea_stream(key, step, i, j);
                $without
            }
            (None, Generator::Philox4x32x7, _) => {
                let $stream = |step, i, j| Blocks::<7>::new(key, step, i, j);
                $without
            }
            (None, ..) => {
                let $stream = |step, i, j| Blocks::<10>::new(key, step, i, j);
                $without
            }
        }
    }};
}

/// The words of a generator for the beads of a replica: equally many for each bead at each step.
///
/// Without a state, words are a function of the step. With a state, they are the next ones: draw each step once, in
/// order. A bead's first words are those of Philox in the order of the draws, of a micro-stream, of the bead's own
/// generator, or of its part of the common sequence: bead j of N takes r words from (j + N t) r on at the t-th step.
///
/// First states come from the key of [`Purpose::GeneratorState`] at step 0. A generator for each bead takes the words
/// of draws 0, 1, … of the bead; Mersenne Twister, `init_by_array` of the four words of draw 0 of bead 0; Lagged
/// Fibonacci, four words each of draw 0 of beads 0, 1, …. The published seeding uses seed + replica.
///
/// ```
/// use beadwork_random::{Generator, Owner, Scheme, Streams};
///
/// let owner = Owner { seed: 20101, replica: 0 };
/// let mut streams = Streams::new(Generator::Xorwow, Scheme::OnePerThread, owner, 2, 4)?;
/// let mut words = [0; 8];
/// streams.draw(0, |_| true, &mut words);
/// # Ok::<(), beadwork_random::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streams {
    generator: Generator,
    scheme: Scheme,
    /// With the published seeding, the scrambled seed and 0.
    key: NoiseKey,
    states: Option<States>,
    beads: u32,
    words: usize,
}

impl Streams {
    /// The streams of `beads` beads with `words` words a step; the generator must run in the scheme.
    pub fn new(
        generator: Generator,
        scheme: Scheme,
        owner: Owner,
        beads: u32,
        words: usize,
    ) -> Result<Self, Error> {
        let randomness = Randomness::new(generator, scheme, Distribution::BoxMuller)?;
        Ok(Self::in_simulations(randomness, owner, beads, words))
    }

    /// The streams of a simulation.
    pub fn in_simulations(randomness: Randomness, owner: Owner, beads: u32, words: usize) -> Self {
        let (generator, scheme) = (randomness.generator(), randomness.scheme());
        let key = match scheme {
            Scheme::OnePerCallPublished => {
                let seed = owner.seed.wrapping_add(owner.replica) as u32;
                NoiseKey::from_words([published_seed(seed), 0])
            }
            _ => NoiseKey::new(owner.seed, Purpose::ThermalForce, owner.replica),
        };
        let states = matches!(scheme, Scheme::OnePerThread | Scheme::OneForAllThreads)
            .then(|| States::new(generator, owner, beads, words));
        Self { generator, scheme, key, states, beads, words }
    }

    /// The two words of the key if words depend on key, step and bead alone; with the published seeding, the scrambled
    /// seed and 0; `None` for generators with a state.
    pub fn key(&self) -> Option<[u32; 2]> {
        self.states.is_none().then_some(self.key.key_words())
    }

    /// The generator.
    pub const fn generator(&self) -> Generator {
        self.generator
    }

    /// The scheme.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Beads of the replica.
    pub const fn beads(&self) -> u32 {
        self.beads
    }

    /// Words of a bead at a step.
    pub const fn words_of_a_bead(&self) -> usize {
        self.words
    }

    /// Words of all beads at a step.
    pub const fn words_a_step(&self) -> usize {
        self.beads as usize * self.words
    }

    /// The states, if the generator keeps any.
    pub const fn states(&self) -> Option<&States> {
        self.states.as_ref()
    }

    /// Whether the states belong to this generator and system; `None` fits generators without a state.
    pub fn fits(&self, states: Option<&States>) -> bool {
        match (&self.states, states) {
            (Some(own), Some(others)) => own.fits(others),
            (own, others) => own.is_none() && others.is_none(),
        }
    }

    /// Continues from the states of [`Streams::states`] for the same generator and system.
    pub fn restore(&mut self, states: States) -> Result<(), Error> {
        if !self.fits(Some(&states)) {
            return Err(Error::impossible_state(self.generator.name()));
        }
        self.states = Some(states);
        Ok(())
    }

    /// Writes the words of the next step, bead after bead. `step` is its number, at most
    /// [`MAXIMUM_STEP`](crate::MAXIMUM_STEP). Generators of beads that are not `free` do not advance; the words of
    /// these beads are meaningless.
    ///
    /// # Panics
    /// If the length of `words` is not [`Streams::words_a_step`].
    pub fn draw(&mut self, step: u64, free: impl Fn(u32) -> bool, words: &mut [u32]) {
        assert_eq!(words.len(), self.words_a_step(), "places for the words of all beads");
        let each = self.words;
        with_streams!(
            self,
            &mut self.states,
            stream => for (bead, words) in (0..).zip(words.chunks_exact_mut(each.max(1))) {
                stream(step, bead, 0).fill(words);
            },
            states => states.draw(free, each, words)
        );
    }

    /// Calls `give` with three numbers for each bead at the next step. `distribution` makes them from the bead's words:
    /// those of [`Streams::draw`], then more if it needs them. Beads that are not `free` may get none, and their
    /// generators do not advance.
    pub fn three_a_bead<T: Normal>(
        &mut self,
        distribution: Distribution,
        step: u64,
        free: impl Fn(u32) -> bool,
        mut give: impl FnMut(u32, [T; 3]),
    ) {
        let beads = self.beads;
        with_streams!(
            self,
            &mut self.states,
            stream => for bead in 0..beads {
                let mut stream = stream(step, bead, 0);
                give(bead, distribution.three(&mut || stream.next_u32()));
            },
            states => with_states!(
                states,
                of_beads => for (bead, state) in (0..).zip(of_beads).filter(|(bead, _)| free(*bead)) {
                    give(bead, distribution.three(&mut || state.next_u32()));
                },
                of_all => for bead in 0..beads {
                    give(bead, distribution.three(&mut || of_all.next_u32()));
                }
            )
        );
    }

    /// Writes the words of the pairs of bead `i` with each of the larger `partners`, equally many for each pair.
    /// Returns false and writes nothing if the generator keeps a state, because it then has no words for pairs.
    pub fn draw_pairs(&self, step: u64, i: u32, partners: &[u32], words: &mut [u32]) -> bool {
        let each = words.len() / partners.len().max(1);
        with_streams!(
            self,
            &self.states,
            stream => for (&j, words) in partners.iter().zip(words.chunks_exact_mut(each.max(1))) {
                stream(step, i, j).fill(words);
            },
            _states => return false
        );
        true
    }
}

/// The words of Philox at draws 0, 1, … of a bead or pair, one after another.
struct Blocks<const ROUNDS: usize> {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    taken: usize,
}

impl<const ROUNDS: usize> Blocks<ROUNDS> {
    fn new(key: NoiseKey, step: u64, i: u32, j: u32) -> Self {
        let counter = counter(step, 0, i, j);
        Self { key: key.key_words(), counter, block: [0; 4], taken: 4 }
    }

    #[inline(always)]
    fn next_block(&mut self) -> [u32; 4] {
        let block = philox4x32::<ROUNDS>(self.counter, self.key);
        self.counter[1] = self.counter[1].wrapping_add(1 << DRAW_SHIFT);
        block
    }

    #[inline(always)]
    fn next_u32(&mut self) -> u32 {
        if self.taken == 4 {
            self.block = self.next_block();
            self.taken = 0;
        }
        self.taken += 1;
        self.block[self.taken - 1]
    }

    fn fill(mut self, words: &mut [u32]) {
        for words in words.chunks_mut(4) {
            words.copy_from_slice(&self.next_block()[..words.len()]);
        }
    }
}

/// The first `N` words of the draws 0, 1, … of a bead at step 0.
fn first_words<const N: usize>(key: NoiseKey, bead: u32) -> [u32; N] {
    let mut words = [0; N];
    Blocks::<10>::new(key, 0, bead, 0).fill(&mut words);
    words
}

impl States {
    fn new(generator: Generator, owner: Owner, beads: u32, words: usize) -> Self {
        let key = NoiseKey::new(owner.seed, Purpose::GeneratorState, owner.replica);
        macro_rules! one_a_bead {
            ($generator:ident) => {{
                let first = |bead| $generator::from_random_words(first_words(key, bead));
                Self::$generator((0..beads).map(first).collect())
            }};
        }
        match generator {
            Generator::Lcg => one_a_bead!(Lcg),
            Generator::Ran2 => one_a_bead!(Ran2),
            Generator::HybridTaus => one_a_bead!(HybridTaus),
            Generator::Xorwow => one_a_bead!(Xorwow),
            Generator::Mt19937 => Self::Mt19937(Mt19937::from_random_words(first_words(key, 0))),
            Generator::LaggedFibonacci => {
                let lags = lags_for(beads as usize * words);
                let draw = (0..).flat_map(|block| first_words::<4>(key, block));
                Self::LaggedFibonacci(LaggedFibonacci::from_random_words(lags, draw))
            }
            Generator::Saru
            | Generator::SaruTea
            | Generator::Philox4x32x10
            | Generator::Philox4x32x7 => one_a_bead!(Saru),
        }
    }

    /// Whether both belong to the same generator and number of beads.
    fn fits(&self, other: &Self) -> bool {
        if let (Self::LaggedFibonacci(a), Self::LaggedFibonacci(b)) = (self, other) {
            return a.lags() == b.lags();
        }
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.packed_words() == other.packed_words()
    }

    fn draw(&mut self, free: impl Fn(u32) -> bool, each: usize, words: &mut [u32]) {
        with_states!(
            self,
            of_beads => {
                let each_bead = (0..).zip(of_beads).zip(words.chunks_exact_mut(each.max(1)));
                for ((bead, state), words) in each_bead {
                    if free(bead) {
                        words.iter_mut().for_each(|word| *word = state.next_u32());
                    }
                }
            },
            of_all => words.iter_mut().for_each(|word| *word = of_all.next_u32())
        );
    }
}
