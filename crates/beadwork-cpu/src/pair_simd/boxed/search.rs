//! The search for pairs of beads within the reach of forces.

use std::ops::Range;

use beadwork_arithmetic::{Family, Kernel, Lane, Vector};
use beadwork_random::Normal;

use super::grid::Grid;
use super::order::Order;
use crate::coordinates::Coordinates;
use crate::lanes::Triple;
use crate::space::{PeriodicBox, Space};

/// The number of lanes of the widest vector.
pub(crate) const WIDEST: usize = 16;

/// Pairs of slots. The arrays may be longer than the number of pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub first: Vec<u32>,
    pub second: Vec<u32>,
    pub count: usize,
}

impl Pairs {
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

/// The beads that may be near those of a cell: its own first, then those of neighbours that come later in the order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates<T> {
    axes: [Vec<T>; 3],
    slots: Vec<u32>,
    count: usize,
}

/// Collects the candidates of a cell.
pub(crate) struct Collect<'a, T> {
    pub grid: &'a Grid,
    pub order: &'a Order,
    /// Positions in slots, with a vector of padding.
    pub places: &'a Coordinates<T>,
    pub cell: usize,
    pub candidates: &'a mut Candidates<T>,
}

impl<T: Normal> Kernel for Collect<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Collect { grid, order, places, cell, candidates } = self;
        let Candidates { axes, slots, count } = candidates;
        let runs = || grid.neighbours(cell).map(|cells| order.slots_of(cells));
        let all: usize = runs().map(|run| run.len()).sum();
        if slots.len() < all + WIDEST {
            let length = (all + WIDEST).next_power_of_two();
            axes.iter_mut().for_each(|axis| axis.resize(length, T::zero()));
            slots.resize(length, 0);
        }
        *count = 0;
        for run in runs() {
            // Whole vectors: the next run overwrites what is beyond this one.
            for (to, from) in axes.iter_mut().zip(places.slices()) {
                for first in (0..run.len()).step_by(T::Vector::<F>::WIDTH) {
                    T::Vector::<F>::load(&from[run.start + first..])
                        .store(&mut to[*count + first..]);
                }
            }
            let to = &mut slots[*count..*count + run.len()];
            to.iter_mut().zip(run.start..).for_each(|(to, slot)| *to = slot as u32);
            *count += run.len();
        }
    }
}

/// Adds the pairs of some beads of a cell that are nearer than the square `limit`, Å².
pub(crate) struct Search<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    pub candidates: &'a Candidates<T>,
    /// The beads, counted from the first of the cell.
    pub beads: Range<usize>,
    pub limit: T,
    pub pairs: &'a mut Pairs,
}

impl<T: Normal> Kernel for Search<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Search { sides, candidates: Candidates { axes, slots, count }, beads, limit, pairs } =
            self;
        let limit = crate::lanes::spread::<T::Vector<F>>(limit);
        let [x, y, z] = axes.each_ref().map(Vec::as_slice);
        for bead in beads {
            pairs.reserve(count - bead);
            let here = Triple::<T::Vector<F>>::coordinates([x[bead], y[bead], z[bead]]);
            let before = pairs.count;
            for first in (bead + 1..*count).step_by(T::Vector::<F>::WIDTH) {
                let there = Triple([
                    T::Vector::<F>::load(&x[first..]),
                    T::Vector::<F>::load(&y[first..]),
                    T::Vector::<F>::load(&z[first..]),
                ]);
                let near = sides.separation(here, there).square().less_than(limit);
                let exist = (1_u32 << (count - first).min(WIDEST)) - 1;
                let bits = T::Vector::<F>::mask_to_bits(near) & exist;
                let to = &mut pairs.second[pairs.count..];
                pairs.count += T::Vector::<F>::store_chosen(bits, &slots[first..], to);
            }
            pairs.first[before..pairs.count].fill(slots[bead]);
        }
    }
}

/// Adds those of listed pairs that are nearer than the square `limit`, Å².
pub(crate) struct Select<'a, T> {
    pub sides: &'a PeriodicBox<T>,
    pub places: &'a Coordinates<T>,
    pub listed: [&'a [u32]; 2],
    pub limit: T,
    pub pairs: &'a mut Pairs,
}

impl<T: Normal> Kernel for Select<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Select { sides, places, listed: [first, second], limit, pairs } = self;
        let limit = crate::lanes::spread::<T::Vector<F>>(limit);
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
