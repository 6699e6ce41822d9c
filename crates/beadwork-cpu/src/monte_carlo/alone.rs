//! Vectorised moves of a single sampler: each lane is a partner of the monomer that moves.

use beadwork_arithmetic::{Bits, Family, Kernel, Pair, Vector, Words};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{Normal, step_words};

use super::chain::{Chain, PARTIALS, together};
use super::proposals::propose;
use super::sampler::{ChainSampler, Rung};
use crate::arrays::aligned::Aligned;
use crate::arrays::lanes::{Triple, WIDEST, spread, square_distance};

/// Makes sweeps of a sampler; the output is the number of accepted moves.
pub(super) struct SweepingAlone<'a, T> {
    pub sampler: &'a mut ChainSampler<T>,
    pub rung: Rung,
    pub sweeps: u64,
    pub polymer: &'a ElasticPolymer,
}

impl<T: Normal> Kernel for SweepingAlone<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn run<F: Family>(self) -> u64 {
        run::<T::Vector<F>>(self)
    }
}

#[inline(always)]
fn run<V: Vector>(sweeping: SweepingAlone<'_, V::Scalar>) -> u64
where
    V::Scalar: Normal,
{
    let SweepingAlone { sampler, rung, sweeps, polymer } = sweeping;
    let monomers = polymer.monomers;
    let mut moving = MovingAlone::<V>::new(polymer, &sampler.positions);
    let temperature = spread::<V>(rung.reduced_temperature(polymer));
    let displacement = spread::<V>(rung.largest_displacement());
    let key = sampler.key.key_words().map(<V::Words as Words>::splat);
    let lane_numbers = V::words_from_lanes(|lane| lane as u32);
    let mut accepted = 0;
    for sweep in sampler.sweep..sampler.sweep + sweeps {
        let step = step_words(sweep).map(<V::Words as Words>::splat);
        // The moves of a vector are proposed together, and made one after another.
        for first in (0..monomers).step_by(V::WIDTH) {
            let numbers = V::Words::splat(first as u32).wrapping_add(lane_numbers);
            let (chosen, direction, threshold) = propose::<V>(key, step, numbers, monomers);
            let Triple(displaced) = direction * displacement;
            let mut by = [[V::Scalar::default(); WIDEST]; 3];
            for (by, displaced) in by.iter_mut().zip(displaced) {
                displaced.store(by);
            }
            let mut bounds = [V::Scalar::default(); WIDEST];
            (temperature * threshold).store(&mut bounds);
            for lane in 0..V::WIDTH.min(monomers - first) {
                let monomer = V::word(chosen, lane) as usize;
                let by = [by[0][lane], by[1][lane], by[2][lane]];
                accepted += u64::from(moving.step(monomer, by, bounds[lane]));
            }
        }
    }
    for (monomer, position) in sampler.positions.iter_mut().enumerate() {
        *position = moving.position(monomer);
    }
    sampler.sweep += sweeps;
    accepted
}

/// A sampler during its sweeps.
struct MovingAlone<V: Vector> {
    chain: Chain<V>,
    both: Chain<Pair<V>>,
    monomers: usize,
    /// The numbers of the lanes.
    lanes: V,
    /// x, y and z of the monomers, padded to whole vectors.
    axes: [Aligned<V::Scalar>; 3],
}

impl<V: Vector> MovingAlone<V>
where
    V::Scalar: Normal,
{
    #[inline(always)]
    fn new(polymer: &ElasticPolymer, positions: &[[V::Scalar; 3]]) -> Self {
        let length = positions.len().next_multiple_of(V::WIDTH);
        let mut axes = [0, 1, 2].map(|_| Aligned::new(V::Scalar::default(), length));
        for (axis, numbers) in axes.iter_mut().enumerate() {
            for (number, position) in numbers.iter_mut().zip(positions) {
                *number = position[axis];
            }
        }
        MovingAlone {
            chain: Chain::new(polymer),
            both: Chain::new(polymer),
            monomers: positions.len(),
            lanes: V::from_lanes(|lane| beadwork_arithmetic::Lane::from_f64(lane as f64)),
            axes,
        }
    }

    #[inline(always)]
    fn position(&self, monomer: usize) -> [V::Scalar; 3] {
        let [x, y, z] = &self.axes;
        [x[monomer], y[monomer], z[monomer]]
    }

    /// Makes a move; returns whether it was accepted.
    #[inline(always)]
    fn step(&mut self, monomer: usize, by: [V::Scalar; 3], bound: V::Scalar) -> bool {
        let from = self.position(monomer);
        let to = [from[0] + by[0], from[1] + by[1], from[2] + by[2]];
        let accepted = self.change(monomer, to, from) <= bound;
        for axis in 0..3 {
            // Uses a select, since processors cannot predict this branch.
            let number = beadwork_arithmetic::Lane::select(accepted, to[axis], from[axis]);
            self.axes[axis][monomer] = number;
        }
        accepted
    }

    /// The change of the energy when a monomer moves, in units of 4ε; see
    /// [`MovingTogether::change`](super::group) for the signs of zeros.
    #[inline(always)]
    fn change(&self, monomer: usize, to: [V::Scalar; 3], from: [V::Scalar; 3]) -> V::Scalar {
        let half = V::from_f64(0.5);
        // An end has one neighbour, which replaces the missing one too: its place matches no partial sum.
        let before = if monomer == 0 { 1 } else { monomer - 1 };
        let after = if monomer + 1 == self.monomers { before } else { monomer + 1 };
        let [at_before, at_after] = [self.position(before), self.position(after)];
        let Pair(lower, upper) = self.both.bond_change(
            Pair(spread(square_distance(to, at_before)), spread(square_distance(to, at_after))),
            Pair(spread(square_distance(from, at_before)), spread(square_distance(from, at_after))),
        );
        let place = |neighbour: usize, is_there: bool| {
            V::from_f64(if is_there { (neighbour % PARTIALS) as f64 } else { -1.0 })
        };
        let place_of_lower = place(before, monomer > 0);
        let place_of_upper = place(after, monomer + 1 < self.monomers);

        let (to, from) = (Triple::<V>::spread(to), Triple::<V>::spread(from));
        let vectors = PARTIALS / V::WIDTH;
        let mut partials = [V::zero(); PARTIALS];
        let mut along = self.lanes - V::from_f64(monomer as f64);
        let left = V::from_f64((self.monomers - monomer) as f64);
        let [x, y, z] = &self.axes;
        for (number, ((x, y), z)) in x
            .chunks_exact(V::WIDTH)
            .zip(y.chunks_exact(V::WIDTH))
            .zip(z.chunks_exact(V::WIDTH))
            .enumerate()
        {
            let at = Triple([V::load(x), V::load(y), V::load(z)]);
            let change = self.chain.pair_change((to - at).square(), (from - at).square());
            // Excludes the monomer itself and the padding of the last vector.
            let is_partner = V::both(half.less_than(along.abs()), along.less_than(left));
            partials[number % vectors] += V::select(is_partner, change, V::zero());
            along += V::from_f64(V::WIDTH as f64);
        }
        for (number, partial) in partials[..vectors].iter_mut().enumerate() {
            let places = self.lanes + V::from_f64((number * V::WIDTH) as f64);
            let is_lower = (places - place_of_lower).abs().less_than(half);
            let is_upper = (places - place_of_upper).abs().less_than(half);
            *partial += V::select(is_lower, lower, V::zero());
            *partial += V::select(is_upper, upper, V::zero());
        }
        let mut lanes = [V::Scalar::default(); WIDEST];
        together(&mut partials[..vectors]).store(&mut lanes);
        together(&mut lanes[..V::WIDTH])
    }
}
