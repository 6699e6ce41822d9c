//! Samplers of one polymer that are moved together, one in each vector lane.
//!
//! Numbers are arrays over samplers. The lanes move different monomers: data of these monomers and their neighbours are
//! gathered and scattered, everything else is done for all samplers at once. A lane's arithmetic is that of
//! [`ChainSampler`] in the same order, so its result does not depend on the other samplers.

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Vector};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::Normal;

use super::alone::SweepingAlone;
use super::chain::{Chain, PARTIALS, together};
use super::proposals::{BATCH, Proposals, ROW, SamplerLanes};
use super::sampler::{ChainSampler, Rung};
use crate::arrays::aligned::Aligned;
use crate::arrays::lanes::{Triple, WIDEST};

/// A move of a full vector takes about as long as this many moves of one sampler; fewer samplers are moved one by one.
const LANES_WORTH: usize = 5;

/// The x coordinate of a monomer while its move is evaluated, so that it does not interact with itself. The square is
/// finite; its product with another square may be infinite.
const AWAY: f64 = 1e18;

/// The index for the bonds that the ends of a chain do not have.
const NOWHERE: usize = PARTIALS;

/// Workspace for samplers that are moved together; its contents change the speed, never a result.
#[derive(Clone, Debug)]
pub struct SamplerGroup<T> {
    instructions: Instructions,
    /// [monomer + 1][[`ROW`]][lane], with a row at either end for the neighbours that the ends do not have.
    rows: Aligned<T>,
    /// The changes of the bonds to the monomer that moves, elsewhere zero: [partial sum or [`NOWHERE`]][lane].
    bonds: Aligned<T>,
    /// For each monomer + 1, the index in `bonds` of its partial sum.
    sums: Vec<u32>,
    proposals: Proposals<T>,
}

impl<T: Normal> SamplerGroup<T> {
    /// A workspace for a set of vector instructions.
    pub fn new(instructions: Instructions) -> SamplerGroup<T> {
        SamplerGroup {
            instructions,
            rows: Aligned::default(),
            bonds: Aligned::new(T::zero(), (PARTIALS + 1) * WIDEST),
            sums: Vec::new(),
            proposals: Proposals::new(),
        }
    }

    /// The largest number of samplers that are moved together.
    pub fn width(&self) -> usize {
        self.instructions.width::<T>()
    }

    /// Makes sweeps of each sampler on its rung, with the bits of [`ChainSampler::advance`]; returns the accepted moves
    /// of each.
    ///
    /// # Panics
    /// If there are more samplers than lanes, the numbers of rungs and samplers differ, or a sampler's length is not
    /// the polymer's.
    pub fn advance(
        &mut self,
        samplers: &mut [&mut ChainSampler<T>],
        rungs: &[Rung],
        sweeps: u64,
        polymer: &ElasticPolymer,
    ) -> Vec<u64> {
        let width = self.width();
        assert!(samplers.len() <= width, "{} samplers for {width} lanes", samplers.len());
        assert_eq!(samplers.len(), rungs.len(), "a rung for each sampler");
        let fit = |sampler: &&mut ChainSampler<T>| sampler.positions.len() == polymer.monomers;
        assert!(samplers.iter().all(fit), "samplers of {} monomers", polymer.monomers);
        if samplers.len() <= (width / LANES_WORTH).max(1) {
            let advance = |(sampler, rung): (&mut &mut ChainSampler<T>, &Rung)| {
                let (sampler, rung) = (&mut **sampler, *rung);
                self.instructions.dispatch(SweepingAlone { sampler, rung, sweeps, polymer })
            };
            return samplers.iter_mut().zip(rungs).map(advance).collect();
        }
        self.pack(samplers, polymer);
        let Self { instructions, rows, bonds, sums, proposals } = self;
        let sweeping = Sweeping { rows, bonds, sums, proposals, samplers, rungs, sweeps, polymer };
        let accepted = instructions.dispatch(sweeping);
        self.unpack(samplers);
        for sampler in samplers.iter_mut() {
            sampler.sweep += sweeps;
        }
        accepted[..samplers.len()].to_vec()
    }

    /// Copies the samplers into the lanes. Lanes without a sampler copy the first one.
    fn pack(&mut self, samplers: &[&mut ChainSampler<T>], polymer: &ElasticPolymer) {
        let (width, monomers) = (self.width(), polymer.monomers);
        self.sums.clear();
        for place in 0..monomers + 2 {
            let is_monomer = (1..=monomers).contains(&place);
            let sum = if is_monomer { (place - 1) % PARTIALS } else { NOWHERE };
            self.sums.push((sum * width) as u32);
        }
        self.rows = Aligned::new(T::zero(), (monomers + 2) * ROW * width);
        for (monomer, row) in
            self.rows[ROW * width..].chunks_exact_mut(ROW * width).take(monomers).enumerate()
        {
            for lane in 0..width {
                let position = samplers.get(lane).unwrap_or(&samplers[0]).positions[monomer];
                for (vector, number) in position.into_iter().enumerate() {
                    row[vector * width + lane] = number;
                }
            }
        }
    }

    fn unpack(&self, samplers: &mut [&mut ChainSampler<T>]) {
        let width = self.width();
        let rows = self.rows[ROW * width..].chunks_exact(ROW * width);
        for (lane, sampler) in samplers.iter_mut().enumerate() {
            for (position, row) in sampler.positions.iter_mut().zip(rows.clone()) {
                *position = [row[lane], row[width + lane], row[2 * width + lane]];
            }
        }
    }
}

/// Makes sweeps of packed samplers; the output is the number of accepted moves of each lane.
struct Sweeping<'a, 'b, T> {
    rows: &'a mut [T],
    bonds: &'a mut [T],
    sums: &'a [u32],
    proposals: &'a mut Proposals<T>,
    samplers: &'a [&'b mut ChainSampler<T>],
    rungs: &'a [Rung],
    sweeps: u64,
    polymer: &'a ElasticPolymer,
}

impl<T: Normal> Kernel for Sweeping<'_, '_, T> {
    type Output = [u64; WIDEST];

    #[inline(always)]
    fn run<F: Family>(self) -> [u64; WIDEST] {
        run::<T::Vector<F>>(self)
    }
}

#[inline(always)]
fn run<V: Vector>(sweeping: Sweeping<'_, '_, V::Scalar>) -> [u64; WIDEST]
where
    V::Scalar: Normal,
{
    let Sweeping { rows, bonds, sums, proposals, samplers, rungs, sweeps, polymer } = sweeping;
    let monomers = polymer.monomers;
    let lanes = SamplerLanes::<V>::new(samplers, rungs, polymer);
    let mut moving = MovingTogether {
        chain: Chain::<V>::new(polymer),
        both: Chain::new(polymer),
        partials: [V::zero(); PARTIALS],
        bonds,
        sums,
        rows,
    };
    let mut accepted = [0; WIDEST];
    for sweep in 0..sweeps {
        for first in (0..monomers).step_by(BATCH) {
            let moves = BATCH.min(monomers - first);
            proposals.fill(&lanes, sweep, first, moves, monomers);
            // Counts are small integers, which floating-point numbers hold exactly.
            let mut counts = V::zero();
            for number in 0..moves {
                counts += moving.step(proposals, number);
            }
            let mut numbers = [0.0; WIDEST];
            counts.to_f64_lanes(&mut numbers[..V::WIDTH]);
            for (accepted, number) in accepted.iter_mut().zip(numbers) {
                *accepted += number as u64;
            }
        }
    }
    accepted
}

/// Packed samplers during their sweeps.
struct MovingTogether<'a, V: Vector> {
    chain: Chain<V>,
    both: Chain<Pair<V>>,
    /// Sums beyond the last monomer stay zero.
    partials: [V; PARTIALS],
    bonds: &'a mut [V::Scalar],
    sums: &'a [u32],
    rows: &'a mut [V::Scalar],
}

impl<V: Vector> MovingTogether<'_, V>
where
    V::Scalar: Normal,
{
    /// Makes a move of each sampler; returns one in the lanes where it is accepted, else zero.
    #[inline(always)]
    fn step(&mut self, proposals: &Proposals<V::Scalar>, number: usize) -> V {
        let (chosen, places, displacement, bound) = proposals.get::<V>(number);
        let before = self.gather(places, 0);
        let from = self.gather(places, ROW);
        let after = self.gather(places, 2 * ROW);
        let to = from + displacement;

        self.scatter(V::from_f64(AWAY), places, ROW);
        // Computes both bonds at once, to hide the latency of their long chain of operations.
        let Pair(lower, upper) = self.both.bond_change(
            Pair((to - before).square(), (to - after).square()),
            Pair((from - before).square(), (from - after).square()),
        );
        // Stores early: a vector load soon after would have to wait for these partial stores.
        self.set_bonds(lower, upper, chosen);
        let change = self.change(to, from);

        let finite = V::mask_to_bits(change.less_than(V::from_f64(f64::INFINITY)));
        let beyond = V::mask_to_bits(bound.less_than(change));
        let accepted = V::mask_from_bits(finite & !beyond);
        let Triple([x, y, z]) = Triple::select(accepted, to, from);
        self.scatter(x, places, ROW);
        self.scatter(y, places, ROW + 1);
        self.scatter(z, places, ROW + 2);
        self.set_bonds(V::zero(), V::zero(), chosen);
        V::select(accepted, V::from_f64(1.0), V::zero())
    }

    /// The changes of the energies of the monomers that move, in units of 4ε.
    ///
    /// A partial sum begins with its first pair instead of zero. This can change only the sign of a zero, on which no
    /// decision depends.
    #[inline(always)]
    fn change(&mut self, to: Triple<V>, from: Triple<V>) -> V {
        let monomers = self.rows.len() / (ROW * V::WIDTH) - 2;
        for partner in 0..PARTIALS.min(monomers) {
            self.partials[partner] = self.pair_change(partner, to, from);
        }
        for partner in PARTIALS..monomers {
            let change = self.pair_change(partner, to, from);
            self.partials[partner % PARTIALS] += change;
        }
        for (partial, bonds) in self.partials.iter_mut().zip(self.bonds.chunks_exact(V::WIDTH)) {
            *partial += V::load(bonds);
        }
        together(&mut self.partials)
    }

    /// Writes the changes of both bonds of the moved monomers into `bonds`, at the partial sums of their neighbours,
    /// which differ between lanes.
    #[inline(always)]
    fn set_bonds(&mut self, lower: V, upper: V, chosen: &[u32]) {
        for (bonds, offset) in [(lower, 0), (upper, 2)] {
            let mut changes = [V::Scalar::default(); WIDEST];
            bonds.store(&mut changes);
            for lane in 0..V::WIDTH {
                let row = chosen[lane] as usize + offset;
                debug_assert!(row < self.sums.len());
                // SAFETY: the places are rows of monomers or the padding row beyond either end; each row has its sum.
                unsafe {
                    let sum = *self.sums.get_unchecked(row) as usize + lane;
                    *self.bonds.get_unchecked_mut(sum) = changes[lane];
                }
            }
        }
    }

    #[inline(always)]
    fn pair_change(&self, partner: usize, to: Triple<V>, from: Triple<V>) -> V {
        let row = (partner + 1) * ROW;
        let at = Triple([self.vector(row), self.vector(row + 1), self.vector(row + 2)]);
        self.chain.pair_change((to - at).square(), (from - at).square())
    }

    /// Loads a vector by its number among all rows.
    #[inline(always)]
    fn vector(&self, number: usize) -> V {
        debug_assert!((number + 1) * V::WIDTH <= self.rows.len());
        // SAFETY: the numbers are those of monomers, for which the array was made.
        unsafe { V::load_unchecked(self.rows.as_ptr().add(number * V::WIDTH)) }
    }

    /// Gathers positions from the rows at the lanes' places, beginning with a vector.
    #[inline(always)]
    fn gather(&self, places: &[u32], vector: usize) -> Triple<V> {
        let mut numbers = [[V::Scalar::default(); WIDEST]; 3];
        for (axis, numbers) in numbers.iter_mut().enumerate() {
            for lane in 0..V::WIDTH {
                let place = places[lane] as usize + (vector + axis) * V::WIDTH;
                debug_assert!(place < self.rows.len());
                // SAFETY: the places are rows of monomers, and there is a row beyond either end.
                numbers[lane] = unsafe { *self.rows.get_unchecked(place) };
            }
        }
        Triple([V::load(&numbers[0]), V::load(&numbers[1]), V::load(&numbers[2])])
    }

    /// Scatters numbers into a vector of the rows at the lanes' places.
    #[inline(always)]
    fn scatter(&mut self, numbers: V, places: &[u32], vector: usize) {
        let mut lanes = [V::Scalar::default(); WIDEST];
        numbers.store(&mut lanes);
        for lane in 0..V::WIDTH {
            let place = places[lane] as usize + vector * V::WIDTH;
            debug_assert!(place < self.rows.len());
            // SAFETY: as for `gather`.
            unsafe { *self.rows.get_unchecked_mut(place) = lanes[lane] };
        }
    }
}
