//! The search for pairs of beads within the reach of forces.

use std::ops::Range;

use beadwork_arithmetic::{Family, Kernel, Lane, Vector};
use beadwork_random::Normal;

use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, WIDEST, spread};
use crate::space::{PeriodicBox, Space};

/// Pairs of slots. The arrays may be longer than the number of pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotPairs {
    pub first: Vec<u32>,
    pub second: Vec<u32>,
    pub count: usize,
}

impl SlotPairs {
    /// Makes room for `more` pairs, and for a vector beyond them.
    pub fn reserve(&mut self, more: usize) {
        let length = self.count + more + WIDEST;
        if self.first.len() < length {
            self.first.resize(length.next_power_of_two(), 0);
            self.second.resize(length.next_power_of_two(), 0);
        }
    }

    /// Keeps the pairs from number `from` on for which `holds` says so, and those before.
    pub fn retain_from(&mut self, from: usize, mut holds: impl FnMut(usize, usize) -> bool) {
        let mut kept = from;
        for number in from..self.count {
            let (first, second) = (self.first[number], self.second[number]);
            self.first[kept] = first;
            self.second[kept] = second;
            kept += usize::from(holds(first as usize, second as usize));
        }
        self.count = kept;
    }

    /// Removes the first `count` pairs.
    pub fn remove_first(&mut self, count: usize) {
        self.first.copy_within(count..self.count, 0);
        self.second.copy_within(count..self.count, 0);
        self.count -= count;
    }
}

/// Adds the pairs of some beads of a cell that are nearer than the square `limit`, Å².
pub(crate) struct CellSearch<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    /// Positions in slots, with a vector of padding.
    pub places: &'a Coordinates<T>,
    /// The slots of the beads.
    pub beads: Range<usize>,
    /// The slots of the cell and of its neighbours, ascending.
    pub around: &'a [Range<usize>],
    pub limit: T,
    pub pairs: &'a mut SlotPairs,
}

impl<T: Normal> Kernel for CellSearch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        self.with::<T::Vector<F>>();
    }
}

impl<T: Normal> CellSearch<'_, T> {
    #[inline(always)]
    fn with<V: Vector<Scalar = T>>(self) {
        let CellSearch { sides, places, beads, around, limit, pairs } = self;
        const { assert!(V::WIDTH <= WIDEST) };
        let limit = spread::<V>(limit);
        let [x, y, z] = places.slices();
        let end = around.iter().map(|run| run.end).max().unwrap_or(0);
        assert!([x, y, z].iter().all(|axis| axis.len() >= end + WIDEST), "no padding");
        pairs.reserve(beads.len() * around.iter().map(|run| run.len()).sum::<usize>());
        for bead in beads {
            let here = Triple::<V>::coordinates([x[bead], y[bead], z[bead]]);
            let before = pairs.count;
            for run in around {
                // Beads of the cell with smaller numbers have found this one.
                for first in (run.start.max(bead + 1)..run.end).step_by(V::WIDTH) {
                    // SAFETY: there is a vector beyond the last slot, as was asserted.
                    let at = |axis: &[T]| unsafe { V::load_unchecked(axis.as_ptr().add(first)) };
                    let there = Triple([at(x), at(y), at(z)]);
                    let near = sides.separation(here, there).square().less_than(limit);
                    let exist = (1_u32 << (run.end - first).min(WIDEST)) - 1;
                    let bits = V::mask_to_bits(near) & exist;
                    let slots: [u32; WIDEST] = std::array::from_fn(|lane| (first + lane) as u32);
                    let to = &mut pairs.second[pairs.count..];
                    pairs.count += V::store_chosen(bits, &slots, to);
                }
            }
            pairs.first[before..pairs.count].fill(bead as u32);
        }
    }
}

/// Adds those of listed pairs that are nearer than the square `limit`, Å².
pub(crate) struct Select<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    pub places: &'a Coordinates<T>,
    pub listed: [&'a [u32]; 2],
    pub limit: T,
    pub pairs: &'a mut SlotPairs,
}

impl<T: Normal> Kernel for Select<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Select { sides, places, listed: [first, second], limit, pairs } = self;
        let limit = spread::<T::Vector<F>>(limit);
        pairs.reserve(first.len());
        let mut lanes = [[0; WIDEST]; 2];
        for (first, second) in
            first.chunks(T::Vector::<F>::WIDTH).zip(second.chunks(T::Vector::<F>::WIDTH))
        {
            lanes[0][..first.len()].copy_from_slice(first);
            lanes[1][..second.len()].copy_from_slice(second);
            let [a, b] = lanes.each_ref().map(|slots| gather::<T::Vector<F>>(places, slots));
            let near = sides.separation(a, b).square().less_than(limit);
            let exist = (1_u32 << first.len()) - 1;
            let bits = T::Vector::<F>::mask_to_bits(near) & exist;
            let to = &mut pairs.first[pairs.count..];
            T::Vector::<F>::store_chosen(bits, &lanes[0], to);
            let to = &mut pairs.second[pairs.count..];
            pairs.count += T::Vector::<F>::store_chosen(bits, &lanes[1], to);
        }
    }
}

/// The triples in as many slots as a vector has lanes.
#[inline(always)]
pub(crate) fn gather<V: Vector>(from: &Coordinates<V::Scalar>, slots: &[u32]) -> Triple<V> {
    let [x, y, z] = from.slices();
    let slots = &slots[..V::WIDTH];
    Triple([
        V::from_lanes(|lane| x[slots[lane] as usize]),
        V::from_lanes(|lane| y[slots[lane] as usize]),
        V::from_lanes(|lane| z[slots[lane] as usize]),
    ])
}
