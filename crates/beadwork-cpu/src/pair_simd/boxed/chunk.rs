//! The forces of some pairs, which go through all terms together.

use beadwork_arithmetic::{Family, Kernel, Lane, Vector};
use beadwork_random::Normal;

use super::search::gather;
use super::sums::Sum;
use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, WIDEST};
use crate::noise::pair_thermal::{PairThermal, ThermostatTable};
use crate::space::{PeriodicBox, Space};

/// Pairs that go through all terms together.
pub(crate) const CHUNK: usize = 512;

/// Some pairs, their separations, squares of these, and forces over distances.
#[derive(Clone, Debug)]
pub(crate) struct Chunk<T> {
    /// The number of pairs. Up to a whole vector, entries beyond them repeat the last.
    count: usize,
    slots: [Vec<u32>; 2],
    /// The beads i < j of each pair.
    beads: Vec<[u32; 2]>,
    apart: [Vec<T>; 3],
    r2: Vec<T>,
    factors: Vec<T>,
}

impl<T: Normal> Chunk<T> {
    pub fn new() -> Self {
        let zero = || vec![T::zero(); CHUNK];
        Chunk {
            count: 0,
            slots: [vec![0; CHUNK], vec![0; CHUNK]],
            beads: vec![[0; 2]; CHUNK],
            apart: [zero(), zero(), zero()],
            r2: zero(),
            factors: zero(),
        }
    }

    /// The beads i < j of each pair, squared distances, and the forces over distances, to which terms add.
    pub fn factors(&mut self) -> (&[[u32; 2]], &[T], &mut [T]) {
        (&self.beads[..self.count], &self.r2, &mut self.factors)
    }

    /// Takes one pair of slots or more; in each, the bead with the smaller number comes first.
    pub fn take(&mut self, beads: &[u32], first: &[u32], second: &[u32]) {
        let Chunk { count, slots: [lower, upper], beads: of_pairs, .. } = self;
        *count = first.len();
        let to = lower.iter_mut().zip(upper.iter_mut()).zip(of_pairs.iter_mut());
        for (((lower, upper), pair), (&a, &b)) in to.zip(first.iter().zip(second)) {
            let (i, j) = (beads[a as usize], beads[b as usize]);
            (*lower, *upper) = if i < j { (a, b) } else { (b, a) };
            *pair = [i.min(j), i.max(j)];
        }
        let (last, padding) = (*count - 1, *count..count.next_multiple_of(WIDEST));
        let (a, b, pair) = (lower[last], upper[last], of_pairs[last]);
        lower[padding.clone()].fill(a);
        upper[padding.clone()].fill(b);
        of_pairs[padding].fill(pair);
    }

    #[inline(always)]
    fn separation<V: Vector<Scalar = T>>(&self, first: usize) -> Triple<V> {
        let [x, y, z] = &self.apart;
        Triple([V::load(&x[first..]), V::load(&y[first..]), V::load(&z[first..])])
    }
}

/// Computes the separations of a chunk's pairs, and sets the forces to zero.
pub(crate) struct Separate<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    pub places: &'a Coordinates<T>,
    pub chunk: &'a mut Chunk<T>,
}

impl<T: Normal> Kernel for Separate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let Separate { sides, places, chunk } = self;
        for first in (0..chunk.count).step_by(T::Vector::<A>::WIDTH) {
            let [lower, upper] = &chunk.slots;
            let a = gather::<T::Vector<A>>(places, &lower[first..]);
            let b = gather::<T::Vector<A>>(places, &upper[first..]);
            let apart = sides.separation(a, b);
            let Triple([x, y, z]) = apart;
            x.store(&mut chunk.apart[0][first..]);
            y.store(&mut chunk.apart[1][first..]);
            z.store(&mut chunk.apart[2][first..]);
            apart.square().store(&mut chunk.r2[first..]);
        }
        chunk.factors.fill(T::zero());
    }
}

/// Adds the force over distance of the pair thermostat.
pub(crate) struct AddThermostat<'a, T> {
    pub table: &'a ThermostatTable<T>,
    pub thermal: &'a PairThermal<'a, T>,
    /// Å/ps, by slots.
    pub velocities: &'a Coordinates<T>,
    pub chunk: &'a mut Chunk<T>,
}

impl<T: Normal> Kernel for AddThermostat<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        let AddThermostat { table, thermal, velocities, chunk } = self;
        for first in (0..chunk.count).step_by(T::Vector::<A>::WIDTH) {
            let beads = &chunk.beads[first..first + T::Vector::<A>::WIDTH];
            let pair = |lane: usize| beads[lane];
            let entry = table.gathered::<T::Vector<A>>(pair);
            let r2 = T::Vector::<A>::load(&chunk.r2[first..]);
            let acts = r2.less_than(entry.square_cutoff);
            if !T::Vector::<A>::any(acts) {
                continue;
            }
            let [lower, upper] = &chunk.slots;
            let a = gather::<T::Vector<A>>(velocities, &lower[first..]);
            let b = gather::<T::Vector<A>>(velocities, &upper[first..]);
            let apart = chunk.separation(first);
            let over_distance = thermal.factors(table.normal, entry, pair, apart, a - b, r2);
            let over_distance = T::Vector::<A>::select(acts, over_distance, T::Vector::<A>::zero());
            let stored = &mut chunk.factors[first..];
            (T::Vector::<A>::load(stored) + over_distance).store(stored);
        }
    }
}

/// Adds the forces of a chunk to the sums of slots; false if one is beyond their range.
pub(crate) struct AddForces<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    pub chunk: &'a Chunk<T>,
    pub sums: &'a mut [Sum],
}

impl<T: Normal> Kernel for AddForces<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Family>(self) -> bool {
        let AddForces { sides, chunk, sums } = self;
        let mut counts = true;
        for first in (0..chunk.count).step_by(T::Vector::<A>::WIDTH) {
            let factor = T::Vector::<A>::load(&chunk.factors[first..]);
            let force = chunk.separation::<T::Vector<A>>(first) * factor;
            let used = (chunk.count - first).min(T::Vector::<A>::WIDTH);
            let bits = T::Vector::<A>::mask_to_bits(sides.counts(force));
            counts &= bits.trailing_ones() as usize >= used;
            let whole = Space::<T>::rounded::<T::Vector<A>>(*sides, force);
            let [lower, upper] = chunk.slots.each_ref().map(|slots| &slots[first..first + used]);
            for (lane, (&i, &j)) in lower.iter().zip(upper).enumerate() {
                // The fourth number is unused; with it a sum fills one vector.
                let force = [whole[0][lane], whole[1][lane], whole[2][lane], whole[2][lane]];
                let on_i = &mut sums[i as usize];
                *on_i = std::array::from_fn(|axis| on_i[axis].wrapping_add(force[axis]));
                let on_j = &mut sums[j as usize];
                *on_j = std::array::from_fn(|axis| on_j[axis].wrapping_sub(force[axis]));
            }
        }
        counts
    }
}
