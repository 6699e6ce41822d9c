//! An ensemble without the rules: one sum a bead.

use beadwork_arithmetic::Instructions;

use super::vectors::{Loose, LooseFamily, LooseKernel, LooseReal, Repulsion, dispatch};
use crate::buffers::Numbers;
use crate::replicas::{interleaved, lane};
use crate::systems::CUTOFF;
use crate::variant::Variant;

/// An ensemble, a lane a replica.
#[derive(Debug)]
pub struct LooseReplicas<T, const ESTIMATED: bool> {
    label: &'static str,
    instructions: Instructions,
    width: usize,
    beads: usize,
    positions: Numbers<T>,
    /// Where the partners j > i of bead i end.
    ends: Vec<u32>,
    partners: Vec<u32>,
    total: Numbers<T>,
}

impl<T: LooseReal, const ESTIMATED: bool> LooseReplicas<T, ESTIMATED> {
    /// As many replicas as the vectors have lanes.
    pub fn new(
        label: &'static str,
        instructions: Instructions,
        replicas: &[Vec<[f64; 3]>],
        neighbours: &[Vec<usize>],
    ) -> Self {
        let (mut ends, mut partners) = (Vec::new(), Vec::new());
        for (i, near) in neighbours.iter().enumerate() {
            partners.extend(near.iter().filter(|&&j| j > i).map(|&j| j as u32));
            ends.push(partners.len() as u32);
        }
        let (beads, width) = (neighbours.len(), replicas.len());
        assert_eq!(width, instructions.width::<T>(), "a replica for each lane");
        LooseReplicas {
            label,
            instructions,
            width,
            beads,
            positions: interleaved(replicas),
            ends,
            partners,
            total: Numbers::zeros(beads * 3 * width),
        }
    }
}

impl<T: LooseReal, const ESTIMATED: bool> Variant for LooseReplicas<T, ESTIMATED> {
    fn name(&self) -> String {
        self.label.to_string()
    }

    fn evaluate(&mut self) {
        dispatch(self.instructions, Evaluation(self));
    }

    fn forces(&self, replica: usize) -> Vec<[f64; 3]> {
        lane(&self.total, self.beads, self.width, replica)
    }
}

struct Evaluation<'a, T, const ESTIMATED: bool>(&'a mut LooseReplicas<T, ESTIMATED>);

impl<T: LooseReal, const ESTIMATED: bool> LooseKernel for Evaluation<'_, T, ESTIMATED> {
    #[inline(always)]
    fn run<F: LooseFamily>(self) {
        self.0.run::<T::Loose<F>>();
    }
}

/// x, y, z of a bead.
///
/// # Safety
/// The array has the bead.
#[inline(always)]
unsafe fn triple<V: Loose>(array: *const V::Scalar, bead: usize) -> [V; 3] {
    // SAFETY: the caller's.
    unsafe {
        let first = array.add(bead * 3 * V::WIDTH);
        [V::load(first), V::load(first.add(V::WIDTH)), V::load(first.add(2 * V::WIDTH))]
    }
}

impl<T: LooseReal, const ESTIMATED: bool> LooseReplicas<T, ESTIMATED> {
    #[inline(always)]
    fn run<V: Loose<Scalar = T>>(&mut self) {
        assert_eq!(V::WIDTH, self.width, "positions for these vectors");
        self.total.fill(T::zero());
        let repulsion = Repulsion::<V>::new(CUTOFF);
        let positions = self.positions.as_ptr();
        let total = self.total.as_mut_ptr();
        let mut start = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            // SAFETY: lists name beads of the chain, for all of which there are positions and sums.
            let (here, mut on_i) = unsafe { (triple::<V>(positions, i), triple::<V>(total, i)) };
            for &j in &self.partners[start..end as usize] {
                let j = j as usize;
                debug_assert!(j < self.beads);
                // SAFETY: as above.
                let there = unsafe { triple::<V>(positions, j) };
                let (apart, factor) = repulsion.between(here, there, ESTIMATED);
                for axis in 0..3 {
                    on_i[axis] = factor.times_plus(apart[axis], on_i[axis]);
                    // SAFETY: as above.
                    unsafe {
                        let on_j = total.add((j * 3 + axis) * V::WIDTH);
                        factor.times_from(apart[axis], V::load(on_j)).store(on_j);
                    }
                }
            }
            start = end as usize;
            for (axis, sum) in on_i.into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { sum.store(total.add((i * 3 + axis) * V::WIDTH)) };
            }
        }
    }
}
