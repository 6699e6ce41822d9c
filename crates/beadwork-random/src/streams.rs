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
use crate::noise::{Counter, NoiseKey};
use crate::purposes::Purpose;
use crate::randomness::Randomness;

/// Whose words streams are. They are those of the thermal force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Of the run.
    pub seed: u64,
    /// Unique over the whole ensemble.
    pub replica: u64,
}

/// The words of a generator that keeps a state: a checkpoint's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum States {
    /// One a bead.
    Lcg(Vec<Lcg>),
    /// One a bead.
    Ran2(Vec<Ran2>),
    /// One a bead.
    HybridTaus(Vec<HybridTaus>),
    /// One a bead.
    Xorwow(Vec<Xorwow>),
    /// One a bead.
    Saru(Vec<Saru>),
    /// One for all beads.
    LaggedFibonacci(LaggedFibonacci),
    /// One for all beads.
    Mt19937(Mt19937),
}

/// Where words come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Philox10(NoiseKey),
    Philox7(NoiseKey),
    Saru(NoiseKey),
    SaruTea(NoiseKey),
    /// With the scrambled seed.
    PublishedSaru(u32),
    PublishedSaruTea(u32),
    Kept(States),
}

/// The words that a generator gives the beads of a replica, the same number to each bead at each step.
///
/// Without a state, the words of a step are a function of the step. With one, they are the next ones, and each step is
/// to be asked for once, in order. A bead's first words are those of Philox in the order of the draws, of a micro-stream,
/// of the bead's own generator, or of its part of the common sequence: bead j of N takes r words from (j + N t) r on at
/// the t-th step that was asked for.
///
/// First states come from the key of [`Purpose::GeneratorState`] at step 0. Of one generator a bead: the words of draws
/// 0, 1, … of the bead. Of Mersenne Twister: `init_by_array` of the four words of draw 0 of bead 0. Of Lagged Fibonacci:
/// four words each of draw 0 of beads 0, 1, …. The published seeding knows no replicas: theirs is the seed + replica.
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
    source: Source,
    beads: u32,
    words: usize,
}

impl Streams {
    /// The streams of so many beads that take so many words a step.
    ///
    /// # Errors
    /// [`Error::NoSuchScheme`] where the generator does not run in the scheme.
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
        let key = NoiseKey::new(owner.seed, Purpose::ThermalForce, owner.replica);
        let published = || published_seed(owner.seed.wrapping_add(owner.replica) as u32);
        let source = match (generator, scheme) {
            (Generator::Philox4x32x10, _) => Source::Philox10(key),
            (Generator::Philox4x32x7, _) => Source::Philox7(key),
            (Generator::Saru, Scheme::OnePerCall) => Source::Saru(key),
            (Generator::Saru, Scheme::OnePerCallPublished) => Source::PublishedSaru(published()),
            (Generator::SaruTea, Scheme::OnePerCallPublished) => {
                Source::PublishedSaruTea(published())
            }
            (Generator::SaruTea, _) => Source::SaruTea(key),
            _ => Source::Kept(States::new(generator, owner, beads, words)),
        };
        Self { generator, scheme, source, beads, words }
    }

    /// The two words of the key, where words are computed from it, the step and the bead; of the published seedings the
    /// scrambled seed and 0.
    pub const fn key(&self) -> Option<[u32; 2]> {
        match &self.source {
            Source::Philox10(key)
            | Source::Philox7(key)
            | Source::Saru(key)
            | Source::SaruTea(key) => Some(key.key_words()),
            Source::PublishedSaru(seed) | Source::PublishedSaruTea(seed) => Some([*seed, 0]),
            Source::Kept(_) => None,
        }
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

    /// The states, where there are such.
    pub const fn states(&self) -> Option<&States> {
        match &self.source {
            Source::Kept(states) => Some(states),
            _ => None,
        }
    }

    /// Whether [`Streams::states`] of the same generator and system can have given these.
    pub fn fits(&self, states: Option<&States>) -> bool {
        match (&self.source, states) {
            (Source::Kept(kept), Some(states)) => kept.fits(states),
            (Source::Kept(_), None) => false,
            (_, states) => states.is_none(),
        }
    }

    /// Goes on from states that [`Streams::states`] gave for the same generator and system.
    ///
    /// # Errors
    /// [`Error::ImpossibleState`] where they are another generator's or another system's.
    pub fn restore(&mut self, states: States) -> Result<(), Error> {
        match &mut self.source {
            Source::Kept(kept) if kept.fits(&states) => {
                *kept = states;
                Ok(())
            }
            _ => Err(Error::ImpossibleState { generator: self.generator.name() }),
        }
    }

    /// Writes the words of the next step, bead after bead. `step` is its number, at most
    /// [`MAXIMUM_STEP`](crate::MAXIMUM_STEP). Generators of beads that are not `free` stay where they are, and their
    /// words mean nothing.
    ///
    /// # Panics
    /// Where `words` has not [`Streams::words_a_step`] places.
    pub fn draw(&mut self, step: u64, free: impl Fn(u32) -> bool, words: &mut [u32]) {
        assert_eq!(words.len(), self.words_a_step(), "places for the words of all beads");
        let step32 = step as u32;
        let of_beads = (0..).zip(words.chunks_exact_mut(self.words.max(1)));
        match &mut self.source {
            Source::Philox10(key) => {
                of_beads.for_each(|(i, to)| philox::<10>(*key, step, i, 0, to))
            }
            Source::Philox7(key) => of_beads.for_each(|(i, to)| philox::<7>(*key, step, i, 0, to)),
            Source::Saru(key) => {
                of_beads.for_each(|(i, to)| micro(saru_stream(*key, step, i, 0), to));
            }
            Source::SaruTea(key) => {
                of_beads.for_each(|(i, to)| micro(saru_tea_stream(*key, step, i, 0), to));
            }
            Source::PublishedSaru(seed) => {
                of_beads.for_each(|(i, to)| micro(published_saru_stream(*seed, step32, i, 0), to));
            }
            Source::PublishedSaruTea(seed) => of_beads
                .for_each(|(i, to)| micro(published_saru_tea_stream(*seed, step32, i, 0), to)),
            Source::Kept(states) => states.draw(free, self.words, words),
        }
    }

    /// Gives three numbers of each bead at the next step, made by `distribution` of the words that begin as those of
    /// [`Streams::draw`] do. Generators of beads that are not `free` stay where they are, and such beads may be given
    /// none.
    pub fn three_a_bead<T: Normal>(
        &mut self,
        distribution: Distribution,
        step: u64,
        free: impl Fn(u32) -> bool,
        mut give: impl FnMut(u32, [T; 3]),
    ) {
        let step32 = step as u32;
        macro_rules! one_a_call {
            ($bead:ident => $stream:expr) => {
                for $bead in 0..self.beads {
                    let mut stream = $stream;
                    give($bead, distribution.three(&mut || stream.next_u32()));
                }
            };
        }
        macro_rules! one_a_bead {
            ($states:ident) => {
                for (bead, state) in (0..).zip($states).filter(|(bead, _)| free(*bead)) {
                    give(bead, distribution.three(&mut || state.next_u32()));
                }
            };
        }
        macro_rules! one_for_all {
            ($state:ident) => {
                for bead in 0..self.beads {
                    give(bead, distribution.three(&mut || $state.next_u32()));
                }
            };
        }
        match &mut self.source {
            Source::Philox10(key) => one_a_call!(bead => Blocks::<10>::new(*key, step, bead)),
            Source::Philox7(key) => one_a_call!(bead => Blocks::<7>::new(*key, step, bead)),
            Source::Saru(key) => one_a_call!(bead => saru_stream(*key, step, bead, 0)),
            Source::SaruTea(key) => one_a_call!(bead => saru_tea_stream(*key, step, bead, 0)),
            Source::PublishedSaru(seed) => {
                one_a_call!(bead => published_saru_stream(*seed, step32, bead, 0));
            }
            Source::PublishedSaruTea(seed) => {
                one_a_call!(bead => published_saru_tea_stream(*seed, step32, bead, 0));
            }
            Source::Kept(States::Lcg(states)) => one_a_bead!(states),
            Source::Kept(States::Ran2(states)) => one_a_bead!(states),
            Source::Kept(States::HybridTaus(states)) => one_a_bead!(states),
            Source::Kept(States::Xorwow(states)) => one_a_bead!(states),
            Source::Kept(States::Saru(states)) => one_a_bead!(states),
            Source::Kept(States::LaggedFibonacci(state)) => one_for_all!(state),
            Source::Kept(States::Mt19937(state)) => one_for_all!(state),
        }
    }

    /// Writes the words of pairs of bead `i` with each of `partners`, all larger, so many to each pair.
    /// False, with nothing written, for generators that keep a state, which have none for pairs.
    pub fn draw_pairs(&self, step: u64, i: u32, partners: &[u32], words: &mut [u32]) -> bool {
        let each = words.len() / partners.len().max(1);
        let step32 = step as u32;
        for (&j, to) in partners.iter().zip(words.chunks_exact_mut(each.max(1))) {
            match &self.source {
                Source::Philox10(key) => philox::<10>(*key, step, i, j, to),
                Source::Philox7(key) => philox::<7>(*key, step, i, j, to),
                Source::Saru(key) => micro(saru_stream(*key, step, i, j), to),
                Source::SaruTea(key) => micro(saru_tea_stream(*key, step, i, j), to),
                Source::PublishedSaru(seed) => {
                    micro(published_saru_stream(*seed, step32, i, j), to);
                }
                Source::PublishedSaruTea(seed) => {
                    micro(published_saru_tea_stream(*seed, step32, i, j), to);
                }
                Source::Kept(_) => return false,
            }
        }
        true
    }
}

/// Words of Philox at draws 0, 1, … of a bead, one after another.
struct Blocks<const ROUNDS: usize> {
    key: NoiseKey,
    step: u64,
    bead: u32,
    draw: u16,
    block: [u32; 4],
    taken: usize,
}

impl<const ROUNDS: usize> Blocks<ROUNDS> {
    fn new(key: NoiseKey, step: u64, bead: u32) -> Self {
        Self { key, step, bead, draw: 0, block: [0; 4], taken: 4 }
    }

    #[inline(always)]
    fn next_u32(&mut self) -> u32 {
        if self.taken == 4 {
            let counter = Counter::unchecked(self.step, self.draw, self.bead, 0);
            self.block = philox4x32::<ROUNDS>(counter.words(), self.key.key_words());
            self.draw = self.draw.wrapping_add(1);
            self.taken = 0;
        }
        self.taken += 1;
        self.block[self.taken - 1]
    }
}

/// Words of Philox at draws 0, 1, … of a bead or pair.
fn philox<const ROUNDS: usize>(key: NoiseKey, step: u64, i: u32, j: u32, to: &mut [u32]) {
    for (draw, block) in (0..).zip(to.chunks_mut(4)) {
        let counter = Counter::unchecked(step, draw, i, j);
        let words = philox4x32::<ROUNDS>(counter.words(), key.key_words());
        block.copy_from_slice(&words[..block.len()]);
    }
}

fn micro(mut stream: Saru, to: &mut [u32]) {
    to.iter_mut().for_each(|word| *word = stream.next_u32());
}

/// So many words at step 0 of a bead's draws 0, 1, ….
fn first_words<const N: usize>(key: NoiseKey, bead: u32) -> [u32; N] {
    let mut words = [0; N];
    philox::<10>(key, 0, bead, 0, &mut words);
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

    /// Whether both are of one generator and of as many beads.
    fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lcg(a), Self::Lcg(b)) => a.len() == b.len(),
            (Self::Ran2(a), Self::Ran2(b)) => a.len() == b.len(),
            (Self::HybridTaus(a), Self::HybridTaus(b)) => a.len() == b.len(),
            (Self::Xorwow(a), Self::Xorwow(b)) => a.len() == b.len(),
            (Self::Saru(a), Self::Saru(b)) => a.len() == b.len(),
            (Self::LaggedFibonacci(a), Self::LaggedFibonacci(b)) => a.lags() == b.lags(),
            (Self::Mt19937(_), Self::Mt19937(_)) => true,
            _ => false,
        }
    }

    fn draw(&mut self, free: impl Fn(u32) -> bool, each: usize, words: &mut [u32]) {
        macro_rules! one_a_bead {
            ($states:ident) => {
                for ((bead, state), to) in
                    (0..).zip($states).zip(words.chunks_exact_mut(each.max(1)))
                {
                    if free(bead) {
                        to.iter_mut().for_each(|word| *word = state.next_u32());
                    }
                }
            };
        }
        match self {
            Self::Lcg(states) => one_a_bead!(states),
            Self::Ran2(states) => one_a_bead!(states),
            Self::HybridTaus(states) => one_a_bead!(states),
            Self::Xorwow(states) => one_a_bead!(states),
            Self::Saru(states) => one_a_bead!(states),
            Self::LaggedFibonacci(state) => {
                words.iter_mut().for_each(|word| *word = state.next_u32());
            }
            Self::Mt19937(state) => words.iter_mut().for_each(|word| *word = state.next_u32()),
        }
    }
}
