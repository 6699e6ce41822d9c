//! [`PairStreams`], the published micro-benchmark of dissipative particle dynamics ([5] in the book's page on random
//! numbers): the cost of a generator where each call of the pair thermostat is a kernel.

use std::sync::Arc;

use beadwork_cuda::{Buffer, Device, Error, Function, OLDEST_CARD, Program, Stream, program_text};
use beadwork_random::{
    Generator, NoiseKey, Owner, PairStream, Purpose, Randomness, Scheme, States, Streams,
    uniform_f32,
};
use rayon::prelude::*;

use crate::statistics::largest;

use super::graph_seconds;
use super::pair_lists::{HALF, Lists, PARTNERS, PairLists};

const THREADS: u32 = 256;
/// The functions of the kernels in `pair_streams.cuh`.
const FORCES: &str = "beadwork_pair_stream_forces";
const WORDS: &str = "beadwork_pair_stream_words";

/// Calls that are compared with the host's.
const CHECKED: u64 = 2;

/// γ and √3 √(2 kT γ/Δt) in units in which kT, the mass and the cutoff are 1; γ is 4.5 and Δt 0.04.
const FRICTION: f32 = 4.5;
const AMPLITUDE: f32 = 25.980_762;
/// All beads are in a cube of this side, so that the diagonal, 0.87, is less than the cutoff and every listed pair acts.
const SIDE: f32 = 0.5;

/// The largest error of a component of a pair's force, in roundings of γ |v_ij| + amplitude. To first order, with u for
/// half a unit in the last place: differences 1 u, r² 5 u, r 3.5 u, 1/r 4.5 u, each relative; ω = 1 − r 4.5 u; v·r̂ at most
/// 11 u |v_ij|; −γ ω² v·r̂ − R ω A at most 23 u γ |v_ij| + 8 u A; times r̂, of relative error 6 u, and rounded.
const PAIR_ROUNDINGS: f64 = 32.0;
/// Half a unit in the last place of single precision, relative.
const ROUNDING: f64 = 1.0 / 16_777_216.0;
/// Allowed standard deviations of the total momentum. Roundings of sums have no preferred sign.
const DEVIATIONS: f64 = 6.0;

/// The generator of the pairs on the host.
#[derive(Clone, Debug)]
enum Words {
    /// A generator of each bead's thread.
    OfThreads(Streams),
    OfPairs(PairStream),
}

impl Words {
    /// The words of the half lists at the next call, bead after bead.
    fn draw(&mut self, lists: &PairLists, call: u64) -> Vec<u32> {
        let mut words = vec![0; HALF * lists.beads()];
        match self {
            Self::OfThreads(streams) => streams.draw(call, |_| true, &mut words),
            Self::OfPairs(pairs) => {
                words.par_chunks_exact_mut(HALF).enumerate().for_each(|(bead, words)| {
                    for (k, word) in words.iter_mut().enumerate() {
                        let (a, b) = (bead as u32, lists.partner(bead, k) as u32);
                        [*word, ..] = pairs.words(call, a.min(b), a.max(b));
                    }
                });
            }
        }
        words
    }

    fn states(&self) -> Option<&States> {
        match self {
            Self::OfThreads(streams) => streams.states(),
            Self::OfPairs(_) => None,
        }
    }
}

/// The parameter of the kernels in `pair_streams.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Call {
    positions: u64,
    velocities: u64,
    forces: u64,
    states: u64,
    lengths: u64,
    partners: u64,
    words: u64,
    step: u64,
    key: [u32; 2],
    beads: u32,
    friction: f32,
    amplitude: f32,
    padding: u32,
}

/// What the first calls gave, beside the host's.
#[derive(Clone, Debug)]
pub struct FirstCalls {
    /// The first random word that is another than the host's, as a sentence.
    pub wrong_word: Option<String>,
    /// The largest difference of a force from the host's in double precision, over its bound.
    pub force: f64,
    /// The largest component of the sum of all forces, over the standard deviation of rounding.
    pub momentum: f64,
}

impl FirstCalls {
    /// What is wrong, as a sentence.
    pub fn wrong(&self) -> Option<String> {
        let Self { wrong_word, force, momentum } = self;
        // NaN fails the comparisons.
        let force_holds = *force <= 1.0;
        let momentum_holds = *momentum <= DEVIATIONS;
        match wrong_word {
            Some(word) => Some(word.clone()),
            None if !force_holds => {
                Some(format!("a force differs from the host's by {force} times the bound"))
            }
            None if !momentum_holds => {
                Some(format!("forces add up to {momentum} standard deviations of rounding"))
            }
            None => None,
        }
    }
}

/// Beads with lists of partners on a card, and a generator.
#[derive(Debug)]
pub struct PairStreams {
    stream: Stream,
    functions: [Function; 2],
    lists: Arc<PairLists>,
    length: usize,
    generator: Words,
    key: [u32; 2],
    host: [Vec<f32>; 2],
    positions: Buffer<f32>,
    velocities: Buffer<f32>,
    forces: Buffer<f32>,
    states: Buffer<u32>,
    lengths: Buffer<u32>,
    partners: Buffer<u32>,
}

impl PairStreams {
    /// Puts beads on the card. The distribution of the noise is always uniform.
    ///
    /// # Panics
    /// If beads share one sequence, or full lists are asked for with a generator of each thread.
    pub fn new(
        device: &Device,
        randomness: Randomness,
        lists: Lists,
        pairs: Arc<PairLists>,
    ) -> Result<Self, Error> {
        let (generator, scheme) = (randomness.generator(), randomness.scheme());
        assert!(scheme != Scheme::OneForAllThreads, "a generator of each thread or pair");
        assert!(lists == Lists::Half || scheme != Scheme::OnePerThread, "both threads of a pair");
        let owner = Owner { seed: crate::SEED, replica: 0 };
        let beads = pairs.beads();
        let (words, key) = match scheme {
            Scheme::OnePerThread => {
                let streams = Streams::in_simulations(randomness, owner, beads as u32, HALF);
                (Words::OfThreads(streams), [0; 2])
            }
            _ => {
                let of_pairs = PairStream::new(randomness, owner);
                (Words::OfPairs(of_pairs), of_pairs.key_words())
            }
        };
        let program = program(generator, scheme, lists);
        let module = device.load(&program.name, &program.source)?;
        let stream = device.stream()?;
        let length = lists.length();
        let states = words.states().map_or(0, |states| states.packed().len());
        let host = [beads_at_random(beads, 1, SIDE), beads_at_random(beads, 2, 2.0)];
        let mut new = Self {
            functions: [module.function(FORCES)?, module.function(WORDS)?],
            positions: Buffer::new(device, 4 * beads)?,
            velocities: Buffer::new(device, 4 * beads)?,
            forces: Buffer::new(device, 3 * beads)?,
            states: Buffer::new(device, states)?,
            lengths: Buffer::new(device, beads)?,
            partners: Buffer::new(device, length * beads)?,
            generator: words,
            lists: pairs,
            stream,
            length,
            key,
            host,
        };
        new.positions.upload(&new.stream, 0, &new.host[0])?;
        new.velocities.upload(&new.stream, 0, &new.host[1])?;
        new.lengths.upload(&new.stream, 0, &vec![length as u32; beads])?;
        new.partners.upload(&new.stream, 0, new.lists.of_length(length))?;
        Ok(new)
    }

    /// Bytes that a call reads and writes for a bead by the paper's formula, which counts position, velocity and force,
    /// the state of a generator, and for each partner its number, position, velocity and, with half lists, force.
    pub fn published_bytes_of_a_bead(&self) -> usize {
        let state = 4 * self.states.len() / self.lists.beads();
        let of_partner = if self.length == HALF { 60 } else { 36 };
        56 + 2 * state + of_partner * self.length
    }

    /// Bytes that a call reads and writes for a bead, with the length of the list, which the formula leaves out.
    pub fn bytes_of_a_bead(&self) -> usize {
        self.published_bytes_of_a_bead() + 4
    }

    fn reset(&mut self) -> Result<(), Error> {
        self.forces.fill_zero(&self.stream)?;
        match self.generator.states() {
            Some(states) => self.states.upload(&self.stream, 0, &states.packed()),
            None => Ok(()),
        }
    }

    fn call(&self, function: &Function, step: u64, words: u64) -> Result<(), Error> {
        let beads = self.lists.beads() as u32;
        let call = Call {
            positions: self.positions.address(),
            velocities: self.velocities.address(),
            forces: self.forces.address(),
            states: self.states.address(),
            lengths: self.lengths.address(),
            partners: self.partners.address(),
            words,
            step,
            key: self.key,
            beads,
            friction: FRICTION,
            amplitude: AMPLITUDE,
            padding: 0,
        };
        // SAFETY: the parameter is the kernel's. Positions, velocities, forces, states and lengths have all beads, partners
        // and words the places of their lists. They belong to `self` or outlive the next wait for the card.
        unsafe { self.stream.launch(function, beads.div_ceil(THREADS), THREADS, 0, &call) }
    }

    /// Wall time of this many calls, s. Each is a kernel; their launches are recorded before the clock starts.
    pub fn seconds(&mut self, calls: u64) -> Result<f64, Error> {
        self.reset()?;
        graph_seconds(&self.stream, calls, |step| self.call(&self.functions[0], step, 0))
    }

    /// Compares the first calls with the host's.
    pub fn check(&mut self, device: &Device) -> Result<FirstCalls, Error> {
        let mut expected = self.generator.clone();
        let words: Vec<Vec<u32>> =
            (0..CHECKED).map(|call| expected.draw(&self.lists, call)).collect();
        let wrong_word = self.wrong_word(device, &words)?;
        self.reset()?;
        (0..CHECKED).try_for_each(|step| self.call(&self.functions[0], step, 0))?;
        let mut found = vec![0.0; 3 * self.lists.beads()];
        self.forces.download(&self.stream, 0, &mut found)?;
        Ok(self.compare(&found, &words, wrong_word))
    }

    fn wrong_word(
        &mut self,
        device: &Device,
        expected: &[Vec<u32>],
    ) -> Result<Option<String>, Error> {
        self.reset()?;
        let (lists, beads) = (&self.lists, self.lists.beads());
        let mut found = vec![0; self.length * beads];
        let buffer = Buffer::<u32>::new(device, found.len())?;
        for (call, expected) in (0..).zip(expected) {
            self.call(&self.functions[1], call, buffer.address())?;
            buffer.download(&self.stream, 0, &mut found)?;
            let differs = |place: &usize| {
                found[*place] != expected[lists.place_in_half(place % beads, place / beads)]
            };
            if let Some(place) = (0..found.len()).into_par_iter().find_first(differs) {
                let (bead, partner) = (place % beads, lists.partner(place % beads, place / beads));
                return Ok(Some(format!(
                    "beads {bead} and {partner} have another word than the host's at call {call}"
                )));
            }
        }
        Ok(None)
    }

    /// Compares forces of the first calls with those in double precision.
    fn compare(&self, found: &[f32], words: &[Vec<u32>], wrong_word: Option<String>) -> FirstCalls {
        let found = found.as_chunks::<3>().0;
        // Each number of a sum is rounded once, to a part of a partial sum that is at most the sum of all magnitudes.
        let additions = (words.len() * (PARTNERS + 1)) as f64;
        let beads = found.par_iter().enumerate().map(|(bead, found)| {
            let Expected { force, magnitudes, pair_errors } = self.expected(bead, words);
            let bound = pair_errors + additions * ROUNDING * magnitudes;
            let apart = (0..3).map(|axis| (f64::from(found[axis]) - force[axis]) / bound);
            (largest(apart), additions * (ROUNDING * magnitudes).powi(2))
        });
        let (errors, variances): (Vec<f64>, Vec<f64>) = beads.unzip();
        let total = |axis: usize| found.iter().map(|force| f64::from(force[axis])).sum::<f64>();
        let deviation = variances.into_iter().sum::<f64>().sqrt();
        FirstCalls {
            wrong_word,
            force: largest(errors),
            momentum: largest((0..3).map(total)) / deviation,
        }
    }

    /// The force on a bead after calls with these words.
    fn expected(&self, bead: usize, words: &[Vec<u32>]) -> Expected {
        let [positions, velocities] = &self.host;
        let mut sum = Expected::default();
        for k in 0..PARTNERS {
            let partner = self.lists.partner(bead, k);
            let apart = difference(positions, bead, partner);
            let approach = difference(velocities, bead, partner);
            let error = f64::from(FRICTION) * length(approach) + f64::from(AMPLITUDE);
            for words in words {
                let force = pair_force(apart, approach, words[self.lists.place_in_half(bead, k)]);
                sum.force = std::array::from_fn(|axis| sum.force[axis] + force[axis]);
                sum.magnitudes += length(force);
                sum.pair_errors += PAIR_ROUNDINGS * ROUNDING * error;
            }
        }
        sum
    }
}

/// The force on a bead, the sum of the magnitudes of its terms, and the bound on the sum of their errors.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    force: [f64; 3],
    magnitudes: f64,
    pair_errors: f64,
}

/// Uniform components in a cube around 0, and a fourth number for alignment.
fn beads_at_random(beads: usize, draw: u16, side: f32) -> Vec<f32> {
    let key = NoiseKey::new(crate::SEED, Purpose::Test, 0);
    let components = |bead: usize| {
        let [x, y, z, _] = key.words(0, draw, bead as u32, 0);
        let [x, y, z] = [x, y, z].map(|word| side * (uniform_f32(word) - 0.5));
        [x, y, z, 0.0]
    };
    (0..beads).flat_map(components).collect()
}

fn difference(numbers: &[f32], a: usize, b: usize) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(numbers[4 * a + axis]) - f64::from(numbers[4 * b + axis]))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

/// −γ ω² (v·r̂) r̂ − R ω √3 √(2 kT γ/Δt) r̂ with ω = 1 − r: equation 2 of the paper without a conservative force.
fn pair_force(apart: [f64; 3], approach: [f64; 3], word: u32) -> [f64; 3] {
    let r = length(apart);
    let weight = (1.0 - r).max(0.0);
    let noise = f64::from(AMPLITUDE) * (2.0 * f64::from(uniform_f32(word)) - 1.0);
    let drag = f64::from(FRICTION) * weight * dot(apart, approach) / r;
    apart.map(|component| -weight * (drag + noise) * component / r)
}

pub(super) fn program(generator: Generator, scheme: Scheme, lists: Lists) -> Program {
    let definitions = [("THREADS", THREADS), ("HALF_LISTS", u32::from(lists == Lists::Half))];
    let kernels = include_str!("../../kernels/pair_streams.cuh");
    // All words of the table of Ran2 are on their way at once.
    let registers = if generator == Generator::Ran2 { 128 } else { 64 };
    Program {
        name: format!("pair-streams {} {} {}", generator.name(), scheme.name(), lists.name()),
        source: program_text(generator, scheme, &definitions, kernels),
        functions: [FORCES, WORDS].map(str::to_owned).into(),
        oldest: OLDEST_CARD,
        registers,
        local_bytes: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_of_a_pair_on_paper() {
        // Beads half a cutoff apart that separate at speed 2: drag 4.5 · ¼ · 2; the lowest word is R = −1 + 2⁻²³.
        let force = pair_force([0.5, 0.0, 0.0], [2.0, 7.0, 0.0], 0);
        let noise = f64::from(AMPLITUDE) * (1.0 - 1.0 / 8_388_608.0);
        assert!((force[0] - (-2.25 + 0.5 * noise)).abs() < 1e-12, "{force:?}");
        assert_eq!([force[1].abs(), force[2].abs()], [0.0; 2]);
        assert_eq!(pair_force([1.5, 0.0, 0.0], [1.0; 3], 77).map(f64::abs), [0.0; 3]);
        // √3 √(2 kT γ/Δt).
        assert!((AMPLITUDE - (3.0_f32 * 2.0 * FRICTION / 0.04).sqrt()).abs() < 4e-6);
    }
}
