//! One system in the order of the rule with K = 1: lanes run over beads, and every pair is computed
//! twice, once for each of its beads.

use beadwork_arithmetic::{Family, Instructions, Kernel, Real, Vector};
use beadwork_model::potentials::PairPotential;

use crate::buffers::{Axes, Triple, all_lanes, spread};
use crate::formula::{Engine, Formula};
use crate::systems::{CUTOFF, Chain};
use crate::variant::Variant;

/// A partner of some of the beads in the lanes.
#[derive(Clone, Copy, Debug)]
struct Partner {
    bead: u32,
    lanes: u32,
}

/// One system with lanes over beads.
#[derive(Debug)]
pub struct Broadcast<T> {
    label: &'static str,
    instructions: Instructions,
    beads: usize,
    positions: Axes<T>,
    /// Where the partners of each vector of beads end.
    ends: Vec<usize>,
    partners: Vec<Partner>,
    total: Axes<T>,
}

impl<T: Real> Broadcast<T> {
    /// Of a chain at `beads`, Å.
    pub fn new(
        label: &'static str,
        instructions: Instructions,
        chain: &Chain,
        beads: &[[f64; 3]],
        neighbours: &[Vec<usize>],
    ) -> Self {
        let count = beads.len();
        let width = instructions.width::<T>();
        let (mut ends, mut partners) = (Vec::new(), Vec::new());
        for first in (0..count).step_by(width) {
            let lanes = first..(first + width).min(count);
            let mut near: Vec<usize> =
                neighbours[lanes.clone()].iter().flatten().copied().collect();
            near.sort_unstable();
            near.dedup();
            for j in near {
                let acts = |i: usize| i != j && !chain.excluded.contains(&(i, j));
                let bit = |i: usize| if acts(i) { 1 << (i - first) } else { 0 };
                let lanes = lanes.clone().fold(0, |bits, i| bits | bit(i));
                partners.push(Partner { bead: j as u32, lanes });
            }
            ends.push(partners.len());
        }
        Broadcast {
            label,
            instructions,
            beads: count,
            positions: Axes::from_triples(beads),
            ends,
            partners,
            total: Axes::zeros(count),
        }
    }
}

impl<T: Real> Variant for Broadcast<T> {
    fn name(&self) -> String {
        self.label.to_string()
    }

    fn evaluate(&mut self) {
        self.instructions.dispatch(Evaluation(self));
    }

    fn forces(&self, _replica: usize) -> Vec<[f64; 3]> {
        self.total.to_triples(self.beads)
    }
}

struct Evaluation<'a, T>(&'a mut Broadcast<T>);

impl<T: Real> Kernel for Evaluation<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        self.0.run::<T::Vector<F>>();
    }
}

impl<T: Real> Broadcast<T> {
    #[inline(always)]
    fn run<V: Vector<Scalar = T>>(&mut self) {
        let potential = Engine::spread::<V>();
        let cutoff = spread::<V>(T::from_f64(CUTOFF * CUTOFF));
        let Axes([x, y, z]) = &self.positions;
        let mut start = 0;
        for (block, &end) in self.ends.iter().enumerate() {
            let first = block * V::WIDTH;
            let here = Triple([V::load(&x[first..]), V::load(&y[first..]), V::load(&z[first..])]);
            let mut sum = Triple::<V>::zero();
            for partner in &self.partners[start..end] {
                let bead = partner.bead as usize;
                debug_assert!(bead < self.beads);
                // SAFETY: lists name beads of the chain.
                let there = unsafe {
                    Triple([
                        spread::<V>(*x.get_unchecked(bead)),
                        spread::<V>(*y.get_unchecked(bead)),
                        spread::<V>(*z.get_unchecked(bead)),
                    ])
                };
                let apart = here.minus(there);
                let r2 = apart.square();
                let factor = potential.force_over_distance(r2);
                let mut factor = V::select(r2.less_than(cutoff), factor, V::zero());
                if partner.lanes != all_lanes(V::WIDTH) {
                    factor = V::select(V::mask_from_bits(partner.lanes), factor, V::zero());
                }
                sum = sum.plus(apart.times(factor));
            }
            start = end;
            for axis in 0..3 {
                sum.0[axis].store(&mut self.total.0[axis][first..]);
            }
        }
    }
}
