//! Proposals of several samplers at once.

use beadwork_arithmetic::{Bits, Precision, Vector, Words, natural_logarithm};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{Normal, philox4x32_in_lanes, step_words};

use super::sampler::{ChainSampler, Rung};
use crate::arrays::aligned::Aligned;
use crate::arrays::lanes::{Triple, WIDEST};

/// The number of vectors in a monomer's row: x, y and z.
pub(super) const ROW: usize = 3;

/// Moves that are proposed together, before the first of them is made.
pub(super) const BATCH: usize = 16;

/// Data that differ between lanes.
pub(super) struct SamplerLanes<V: Vector> {
    key: [V::Words; 2],
    /// The sweep of each sampler at the beginning of these sweeps.
    sweeps: [u64; WIDEST],
    /// In units of 4ε.
    temperature: V,
    displacement: V,
}

impl<V: Vector> SamplerLanes<V>
where
    V::Scalar: Normal,
{
    #[inline(always)]
    pub fn new(
        samplers: &[&mut ChainSampler<V::Scalar>],
        rungs: &[Rung],
        polymer: &ElasticPolymer,
    ) -> Self {
        // SamplerLanes without a sampler copy the first one.
        let own = |lane: usize| if lane < samplers.len() { lane } else { 0 };
        let key =
            |word: usize| V::words_from_lanes(|lane| samplers[own(lane)].key.key_words()[word]);
        let mut sweeps = [0; WIDEST];
        for (lane, sweep) in sweeps.iter_mut().enumerate() {
            *sweep = samplers[own(lane)].sweep;
        }
        SamplerLanes {
            key: [key(0), key(1)],
            sweeps,
            temperature: V::from_lanes(|lane| rungs[own(lane)].reduced_temperature(polymer)),
            displacement: V::from_lanes(|lane| rungs[own(lane)].largest_displacement()),
        }
    }
}

/// Monomers, directions and thresholds of [`super::Proposal`] in each lane, by its key, sweep and number of the move.
#[inline(always)]
pub(super) fn propose<V: Vector>(
    key: [V::Words; 2],
    [low, high]: [V::Words; 2],
    number: V::Words,
    monomers: usize,
) -> (V::Words, Triple<V>, V) {
    let counter = [low, high, number, V::Words::splat(0)];
    let [a, b, c, d] = philox4x32_in_lanes::<10, V::Words>(counter, key);
    let byte = V::Words::splat(255);
    let bits = (b & byte) << 24 | (c & byte) << 16 | (d & byte) << 8;
    let (chosen, _) = bits.widening_multiply(monomers as u32);
    let direction = Triple([component::<V>(b), component::<V>(c), component::<V>(d)]);
    (chosen, direction, -natural_logarithm(uniform::<V>(a)))
}

/// Moves of [`super::Proposal`] in each lane, scaled by its temperature and displacement.
#[derive(Clone, Debug)]
pub(super) struct Proposals<T> {
    /// [move][lane].
    monomers: Vec<u32>,
    /// [move][lane]: the place of the row before the monomer's in [`super::SamplerGroup`].
    places: Vec<u32>,
    /// [move][x, y, z of the displacement, bound on the change of energy][lane].
    numbers: Aligned<T>,
}

impl<T: Normal> Proposals<T> {
    pub fn new() -> Self {
        Proposals {
            monomers: vec![0; BATCH * WIDEST],
            places: vec![0; BATCH * WIDEST],
            numbers: Aligned::new(T::zero(), BATCH * 4 * WIDEST),
        }
    }

    /// Proposes moves of a sweep, beginning with number `first`.
    #[inline(always)]
    pub fn fill<V: Vector<Scalar = T>>(
        &mut self,
        lanes: &SamplerLanes<V>,
        sweep: u64,
        first: usize,
        moves: usize,
        monomers: usize,
    ) {
        let low = V::words_from_lanes(|lane| step_words(lanes.sweeps[lane] + sweep)[0]);
        let high = V::words_from_lanes(|lane| step_words(lanes.sweeps[lane] + sweep)[1]);
        let lane_numbers = V::words_from_lanes(|lane| lane as u32);
        for number in 0..moves {
            let own = V::Words::splat((first + number) as u32);
            let (chosen, direction, threshold) =
                propose::<V>(lanes.key, [low, high], own, monomers);
            let places = chosen.wrapping_mul((ROW * V::WIDTH) as u32).wrapping_add(lane_numbers);
            for lane in 0..V::WIDTH {
                self.monomers[number * V::WIDTH + lane] = V::word(chosen, lane);
                self.places[number * V::WIDTH + lane] = V::word(places, lane);
            }

            (direction * lanes.displacement).store(&mut self.numbers, 4 * number);
            (lanes.temperature * threshold).store(&mut self.numbers[(4 * number + 3) * V::WIDTH..]);
        }
    }

    /// The monomers, places, displacements and bounds of a move.
    #[inline(always)]
    pub fn get<V: Vector<Scalar = T>>(&self, number: usize) -> (&[u32], &[u32], Triple<V>, V) {
        (
            &self.monomers[number * V::WIDTH..][..V::WIDTH],
            &self.places[number * V::WIDTH..][..V::WIDTH],
            Triple::load(&self.numbers, 4 * number),
            V::load(&self.numbers[(4 * number + 3) * V::WIDTH..]),
        )
    }
}

/// n 2⁻²³ for the upper 23 bits n of words, exact.
#[inline(always)]
fn fraction<V: Vector>(words: V::Words) -> V {
    let words = words & V::Words::splat(!511);
    let half_cell = 0.5 / (1_u64 << V::Number::FRACTION_BITS) as f64;
    V::uniform(words, V::Words::splat(0)) - V::from_f64(half_cell)
}

/// 2(n + ½)2⁻²³ − 1 for the upper 23 bits n of words, exact.
#[inline(always)]
fn component<V: Vector>(words: V::Words) -> V {
    let cell = 1.0 / f64::from(1 << 23);
    V::from_f64(2.0) * fraction::<V>(words) + V::from_f64(cell - 1.0)
}

/// (n + ½)2⁻³² for all 32 bits n of words: the two halves are exact, and their sum is rounded once.
#[inline(always)]
fn uniform<V: Vector>(words: V::Words) -> V {
    let half = 1.0 / f64::from(1 << 16);
    let upper = fraction::<V>(words & V::Words::splat(0xffff_0000));
    let lower = V::from_f64(half) * fraction::<V>(words << 16);
    upper + (lower + V::from_f64(0.5 * half * half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Includes words half-way between two numbers of single precision: w in [2²³, 2²⁴).
    #[test]
    fn numbers_of_words_are_rounded_once() {
        let mut words = vec![0, 1, 511, 512, u32::MAX, u32::MAX - 1, 0xffff, 0x1_0000, 0xffff_0000];
        words.extend((0..200).map(|n| (1 << 23) + 40_503 * n));
        words.extend((0_u32..2_000).map(|n| n.wrapping_mul(2_654_435_769)));
        for word in words {
            let exact = (f64::from(word) + 0.5) / 4_294_967_296.0;
            assert_eq!(uniform::<f64>(Words::splat(word)), exact);
            assert_eq!(uniform::<f32>(word), exact as f32);
            let exact = (f64::from(word >> 9) + 0.5) / f64::from(1 << 22) - 1.0;
            assert_eq!(component::<f64>(Words::splat(word)), exact);
            assert_eq!(f64::from(component::<f32>(word)), exact);
        }
    }
}
