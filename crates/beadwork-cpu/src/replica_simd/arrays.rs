//! The arrays on which terms act with a replica in each lane.

use beadwork_arithmetic::{Real, Vector};

use crate::arrays::lanes::Triple;
use crate::space::{Geometry, Space};

/// Arrays of a step: positions, sums and forces.
pub(crate) struct Arrays<'a, T> {
    pub geometry: Geometry<T>,
    pub positions: &'a [T],
    /// By bead, partial sum, axis and lane; in open space.
    pub sums: &'a mut [T],
    /// By bead, axis and lane; in a box.
    pub whole: &'a mut [i64],
    /// Bits of the lanes in which a force is within the range of the sums.
    pub counted: u32,
    /// By bead, axis and lane.
    pub total: &'a mut [T],
}

/// A term with its arrays, compiled for each set of instructions.
pub(crate) struct TermOnReplicas<'a, 'b, P, T> {
    pub term: &'a P,
    pub arrays: &'a mut Arrays<'b, T>,
}

/// The index, in vectors, of a bead's partial sum for a partner.
#[inline(always)]
pub(crate) fn sum_place<T: Real, G: Space<T>>(bead: usize, partner: usize) -> usize {
    (bead * G::PARTIAL_SUMS + partner % G::PARTIAL_SUMS) * 3
}

impl<T: Real> Arrays<'_, T> {
    /// Adds the force on i from j, and its opposite on j.
    #[inline(always)]
    pub fn add_pair<V: Vector<Scalar = T>, G: Space<T>>(
        &mut self,
        space: G,
        [i, j]: [usize; 2],
        force: Triple<V>,
    ) {
        if G::WRAPS {
            self.counted &= V::mask_to_bits(space.counts(force));
        }
        let (force, sums) = (space.rounded(force), G::of(self.sums, self.whole));
        let (on_i, on_j) = (sum_place::<T, G>(i, j), sum_place::<T, G>(j, i));
        G::store::<V>(G::plus::<V>(G::load::<V>(sums, on_i), force), sums, on_i);
        G::store::<V>(G::minus::<V>(G::load::<V>(sums, on_j), force), sums, on_j);
    }

    /// Adds a force to a bead's only sum, in a box.
    #[inline(always)]
    pub fn add_one<V: Vector<Scalar = T>, G: Space<T>>(
        &mut self,
        space: G,
        bead: usize,
        force: Triple<V>,
    ) {
        self.counted &= V::mask_to_bits(space.counts(force));
        let (force, sums) = (space.rounded(force), G::of(self.sums, self.whole));
        G::store::<V>(G::plus::<V>(G::load::<V>(sums, bead * 3), force), sums, bead * 3);
    }

    /// A bead's force from its sums, which it sets to zero.
    #[inline(always)]
    pub fn add_up<V: Vector<Scalar = T>, G: Space<T>>(&mut self, space: G, bead: usize) {
        let sums = G::of(self.sums, self.whole);
        let first = bead * G::PARTIAL_SUMS * 3;
        let sum = if G::PARTIAL_SUMS == 1 {
            G::load::<V>(sums, first)
        } else {
            let low = G::plus::<V>(G::load::<V>(sums, first), G::load::<V>(sums, first + 3));
            let high = G::plus::<V>(G::load::<V>(sums, first + 6), G::load::<V>(sums, first + 9));
            G::plus::<V>(low, high)
        };
        space.total::<V>(sum).store(self.total, bead * 3);
        sums[first * V::WIDTH..][..3 * G::PARTIAL_SUMS * V::WIDTH].fill(G::Sum::default());
    }
}
