//! An ensemble in the order of the rule: a lane is a replica, each pair is computed once, partial
//! sums are in memory.

use std::marker::PhantomData;

use beadwork_arithmetic::{Family, Instructions, Kernel, Real, Vector};
use beadwork_model::potentials::PairPotential;

use crate::buffers::{Numbers, Triple, spread};
use crate::formula::Formula;
use crate::systems::CUTOFF;
use crate::variant::Variant;

/// Positions of replicas: bead, then axis, then replica.
pub fn interleaved<T: Real>(replicas: &[Vec<[f64; 3]>]) -> Numbers<T> {
    let (beads, width) = (replicas[0].len(), replicas.len());
    let mut positions = Numbers::zeros(beads * 3 * width);
    for (lane, replica) in replicas.iter().enumerate() {
        for (bead, triple) in replica.iter().enumerate() {
            for axis in 0..3 {
                positions[(bead * 3 + axis) * width + lane] = T::from_f64(triple[axis]);
            }
        }
    }
    positions
}

/// The triples of a lane, the opposite of [`interleaved`].
pub fn lane<T: Real>(numbers: &[T], beads: usize, width: usize, lane: usize) -> Vec<[f64; 3]> {
    let number = |bead: usize, axis: usize| numbers[(bead * 3 + axis) * width + lane].to_f64();
    (0..beads).map(|bead| [0, 1, 2].map(|axis| number(bead, axis))).collect()
}

/// An ensemble with K partial sums.
///
/// With `AT_ONCE` a bead's force is added up as soon as its last pair is done, as beads are taken
/// in ascending order; the bits are the same.
#[derive(Debug)]
pub struct Replicas<T, P, const K: usize, const AT_ONCE: bool> {
    label: &'static str,
    instructions: Instructions,
    beads: usize,
    positions: Numbers<T>,
    /// Where the partners j > i of bead i in partial sum p end: place K i + p.
    ends: Vec<u32>,
    partners: Vec<u32>,
    sums: Numbers<T>,
    total: Numbers<T>,
    formula: PhantomData<P>,
}

impl<T: Real, P: Formula, const K: usize, const AT_ONCE: bool> Replicas<T, P, K, AT_ONCE> {
    /// As many replicas as the vectors have lanes.
    pub fn new(
        label: &'static str,
        instructions: Instructions,
        replicas: &[Vec<[f64; 3]>],
        neighbours: &[Vec<usize>],
    ) -> Self {
        assert_eq!(replicas.len(), instructions.width::<T>(), "a replica for each lane");
        let beads = neighbours.len();
        let (mut ends, mut partners) = (Vec::new(), Vec::new());
        for (i, near) in neighbours.iter().enumerate() {
            for partial in 0..K {
                let chosen = near.iter().filter(|&&j| j > i && j % K == partial);
                partners.extend(chosen.map(|&j| j as u32));
                ends.push(partners.len() as u32);
            }
        }
        let numbers = beads * 3 * replicas.len();
        Replicas {
            label,
            instructions,
            beads,
            positions: interleaved(replicas),
            ends,
            partners,
            sums: Numbers::zeros(numbers * K),
            total: Numbers::zeros(numbers),
            formula: PhantomData,
        }
    }
}

impl<T: Real, P: Formula, const K: usize, const AT_ONCE: bool> Variant
    for Replicas<T, P, K, AT_ONCE>
{
    fn name(&self) -> String {
        self.label.to_string()
    }

    fn evaluate(&mut self) {
        self.instructions.dispatch(Evaluation(self));
    }

    fn forces(&self, replica: usize) -> Vec<[f64; 3]> {
        let forces = if K == 1 && !AT_ONCE { &self.sums } else { &self.total };
        lane(forces, self.beads, self.instructions.width::<T>(), replica)
    }
}

struct Evaluation<'a, T, P, const K: usize, const AT_ONCE: bool>(
    &'a mut Replicas<T, P, K, AT_ONCE>,
);

impl<T: Real, P: Formula, const K: usize, const AT_ONCE: bool> Kernel
    for Evaluation<'_, T, P, K, AT_ONCE>
{
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        self.0.run::<T::Vector<F>>();
    }
}

impl<T: Real, P: Formula, const K: usize, const AT_ONCE: bool> Replicas<T, P, K, AT_ONCE> {
    /// Where the partial sum of a bead for a partner begins, in vectors.
    #[inline(always)]
    fn place(bead: usize, partner: usize) -> usize {
        (bead * K + partner % K) * 3
    }

    #[inline(always)]
    fn run<V: Vector<Scalar = T>>(&mut self) {
        // Where forces are added up at once, sums are left at zero.
        if !AT_ONCE {
            self.sums.fill(T::zero());
        }
        let potential = P::spread::<V>();
        let cutoff = spread::<V>(T::from_f64(CUTOFF * CUTOFF));
        let positions = self.positions.as_ptr();
        let sums = self.sums.as_mut_ptr();
        let total = self.total.as_mut_ptr();
        let mut start = 0;
        for i in 0..self.beads {
            // SAFETY: lists name beads of the chain, for all of which there are positions and sums.
            let here = unsafe { Triple::<V>::load(positions, i * 3) };
            let mut own = [Triple::<V>::zero(); K];
            for partial in 0..K {
                let end = self.ends[i * K + partial] as usize;
                if !AT_ONCE && start == end {
                    continue;
                }
                let place = Self::place(i, partial);
                // SAFETY: as above.
                let mut on_i = unsafe { Triple::<V>::load(sums, place) };
                for &j in &self.partners[start..end] {
                    let j = j as usize;
                    debug_assert!(j < self.beads);
                    // SAFETY: as above.
                    let apart = here.minus(unsafe { Triple::load(positions, j * 3) });
                    let r2 = apart.square();
                    let factor = potential.force_over_distance(r2);
                    let factor = V::select(r2.less_than(cutoff), factor, V::zero());
                    let term = apart.times(factor);
                    on_i = on_i.plus(term);
                    let on_j = Self::place(j, i);
                    // SAFETY: as above.
                    unsafe { Triple::<V>::load(sums, on_j).minus(term).store(sums, on_j) };
                }
                if AT_ONCE {
                    own[partial] = on_i;
                    // SAFETY: as above.
                    unsafe { Triple::<V>::zero().store(sums, place) };
                } else {
                    // SAFETY: as above.
                    unsafe { on_i.store(sums, place) };
                }
                start = end;
            }
            if AT_ONCE {
                // SAFETY: as above.
                unsafe { tree(&own).store(total, i * 3) };
            }
        }
        if K > 1 && !AT_ONCE {
            for bead in 0..self.beads {
                let mut own = [Triple::<V>::zero(); K];
                for (partial, sum) in own.iter_mut().enumerate() {
                    // SAFETY: as above.
                    *sum = unsafe { Triple::load(sums, Self::place(bead, partial)) };
                }
                // SAFETY: as above.
                unsafe { tree(&own).store(total, bead * 3) };
            }
        }
    }
}

/// The tree over partial sums: neighbours in pairs, then pairs of pairs.
#[inline(always)]
fn tree<V: Vector, const K: usize>(sums: &[Triple<V>; K]) -> Triple<V> {
    let mut sums = *sums;
    let mut left = K;
    while left > 1 {
        left /= 2;
        for place in 0..left {
            sums[place] = sums[2 * place].plus(sums[2 * place + 1]);
        }
    }
    sums[0]
}
