//! The neighbour list that the members of a group share.

use std::sync::Arc;

use beadwork_arithmetic::{Real, Vector};
use beadwork_model::System;
use beadwork_random::Normal;

use crate::arrays::aligned::Aligned;

use crate::arrays::lanes::{Triple, all_lanes, spread};
use crate::reference::{PairRows, SAFETY};
use crate::space::{PARTIAL_SUMS, Space};
use crate::stepping::Stepper;
use crate::terms::reaches::Reaches;

/// Pairs i < j within the cutoff of their types + skin in any lane, without excluded ones: the partners of each bead i
/// and partial sum, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplicaList<T> {
    reaches: Reaches<T>,
    square_limit: T,
    /// The rows of the system's excluded pairs.
    excluded_rows: PairRows,
    reference: Aligned<T>,
    /// The partners of bead i in sum p are `partners[rows[4 i + p]..rows[4 i + p + 1]]`.
    rows: Vec<u32>,
    partners: Vec<u32>,
    /// The system and the skin, Å, for which the list was made.
    made_for: Option<(Arc<System>, f64)>,
}

impl<T: Normal> ReplicaList<T> {
    /// Prepares for members with the same system and skin as this one. Such members keep an existing list: the check of
    /// displacements decides whether it is still valid.
    pub fn adopt(&mut self, member: &Stepper<T>) {
        let skin = member.protocol().dynamics.skin;
        let same = |(system, old): &(Arc<System>, f64)| {
            Arc::ptr_eq(system, member.system()) && *old == skin
        };
        if self.made_for.as_ref().is_some_and(same) {
            return;
        }
        let interactions = &member.system().interactions;
        *self = ReplicaList {
            reaches: Reaches::new(&interactions.pair_cutoffs(), skin),
            square_limit: T::from_f64((SAFETY * skin).powi(2)),
            excluded_rows: PairRows::new(&interactions.excluded, member.system().beads()),
            made_for: Some((member.system().clone(), skin)),
            ..Self::default()
        };
    }
}

impl<T: Real> ReplicaList<T> {
    /// Whether a bead has moved too far, in any lane, since the list was built.
    #[inline(always)]
    pub fn is_stale<V: Vector<Scalar = T>, G: Space<T>>(&self, space: G, positions: &[T]) -> bool {
        if self.reference.len() != positions.len() {
            return true;
        }
        let limit = spread::<V>(self.square_limit);
        let mut fresh = V::mask_from_bits(u32::MAX);
        let beads = positions.chunks_exact(3 * V::WIDTH);
        for (bead, reference) in beads.zip(self.reference.chunks_exact(3 * V::WIDTH)) {
            let apart = space.separation(Triple::<V>::load(bead, 0), Triple::load(reference, 0));
            // A position that is not a number makes the list stale too.
            fresh = V::both(fresh, apart.square().less_than(limit));
        }
        V::mask_to_bits(fresh) != all_lanes::<V>()
    }

    /// Builds the list for finite positions.
    #[inline(always)]
    pub fn build<V: Vector<Scalar = T>, G: Space<T>>(&mut self, space: G, positions: &[T]) {
        let Some((system, _)) = self.made_for.clone() else { return };
        let excluded = &system.interactions.excluded;
        match self.reaches.same() {
            Some(square) => self.fill::<V, G>(space, positions, excluded, |_, _| square),
            None => {
                let (reaches, types) = (self.reaches.clone(), &system.particles.types);
                let square = |i: usize, j: usize| reaches.square(types[i], types[j]);
                self.fill::<V, G>(space, positions, excluded, square);
            }
        }
        if self.reference.len() != positions.len() {
            self.reference = Aligned::new(T::zero(), positions.len());
        }
        self.reference.copy_from_slice(positions);
    }

    /// Finds the partners of all beads; `square_reach` gets the beads of a pair.
    #[inline(always)]
    fn fill<V: Vector<Scalar = T>, G: Space<T>>(
        &mut self,
        space: G,
        positions: &[T],
        excluded: &[(usize, usize)],
        square_reach: impl Fn(usize, usize) -> T,
    ) {
        let beads = positions.len() / (3 * V::WIDTH);
        self.partners.clear();
        self.rows.clear();
        self.rows.push(0);
        let mut near: [Vec<u32>; PARTIAL_SUMS] = Default::default();
        for i in 0..beads {
            let row = &excluded[self.excluded_rows.row(i)];
            let mut excluded = row.iter().map(|&(_, j)| j as u32).peekable();
            let a = Triple::<V>::load(positions, i * 3);
            for j in i + 1..beads {
                if excluded.next_if_eq(&(j as u32)).is_some() {
                    continue;
                }
                let apart = space.separation(a, Triple::load(positions, j * 3));
                if V::any(apart.square().less_than(spread::<V>(square_reach(i, j)))) {
                    near[j % PARTIAL_SUMS].push(j as u32);
                }
            }
            for partners in &mut near {
                self.partners.append(partners);
                self.rows.push(self.partners.len() as u32);
            }
        }
    }

    /// Partners j > i of bead i that add to its partial sum `sum`, ascending.
    #[inline(always)]
    pub fn partners(&self, i: usize, sum: usize) -> &[u32] {
        let row = i * PARTIAL_SUMS + sum;
        &self.partners[self.rows[row] as usize..self.rows[row + 1] as usize]
    }

    /// Partners j > i of bead i, one partial sum after another.
    #[inline(always)]
    pub fn all_partners(&self, i: usize) -> &[u32] {
        let row = i * PARTIAL_SUMS;
        &self.partners[self.rows[row] as usize..self.rows[row + PARTIAL_SUMS] as usize]
    }

    /// Beads whose partners it has.
    pub fn beads(&self) -> usize {
        self.rows.len() / PARTIAL_SUMS
    }

    /// Pairs in the list.
    pub fn len(&self) -> usize {
        self.partners.len()
    }
}
