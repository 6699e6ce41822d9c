//! The neighbour list that the members of a group share.

use std::sync::Arc;

use beadwork_arithmetic::{Real, Vector};
use beadwork_model::System;
use beadwork_random::Normal;

use crate::aligned::Aligned;
use crate::coordinates::BLOCK;
use crate::lanes::{Triple, all_lanes, spread};
use crate::neighbours::SAFETY;
use crate::stepper::Stepper;

/// Pairs i < j within cutoff + skin in any lane, excluded ones left out: for bead i and each of
/// the four partial sums its partners, ascending.
#[derive(Clone, Debug)]
pub(crate) struct GroupList<T> {
    square_reach: T,
    square_limit: T,
    /// Partners of bead i are `excluded[excluded_rows[i]..excluded_rows[i + 1]]`.
    excluded_rows: Vec<usize>,
    excluded: Vec<u32>,
    reference: Aligned<T>,
    /// Partners of bead i in sum p are `partners[rows[4 i + p]..rows[4 i + p + 1]]`.
    rows: Vec<u32>,
    partners: Vec<u32>,
    /// The system that the list was made for, and the skin, Å.
    made_for: Option<(Arc<System>, f64)>,
}

impl<T: Real> Default for GroupList<T> {
    fn default() -> Self {
        GroupList {
            square_reach: T::zero(),
            square_limit: T::zero(),
            excluded_rows: Vec::new(),
            excluded: Vec::new(),
            reference: Aligned::empty(),
            rows: Vec::new(),
            partners: Vec::new(),
            made_for: None,
        }
    }
}

impl<T: Normal> GroupList<T> {
    /// Prepares for members like this one. A list of other members stays if it may: the check of
    /// displacements finds out whether it serves.
    pub fn adopt(&mut self, member: &Stepper<T>) {
        let Some(repulsion) = &member.system.interactions.repulsion else { return };
        let skin = member.protocol.dynamics.skin;
        let excluded = &repulsion.excluded;
        let beads = member.positions.len();
        let same = |(system, old): &(Arc<System>, f64)| {
            Arc::ptr_eq(system, &member.system) && *old == skin
        };
        if self.made_for.as_ref().is_some_and(same) {
            return;
        }
        let made_for = Some((member.system.clone(), skin));
        *self = GroupList { made_for, ..Self::default() };
        self.square_reach = T::from_f64((repulsion.cutoff + skin).powi(2) * 1.000_001);
        self.square_limit = T::from_f64((SAFETY * skin).powi(2));
        self.excluded_rows = vec![0; beads + 1];
        for &(i, _) in excluded {
            self.excluded_rows[i + 1] += 1;
        }
        for i in 0..beads {
            self.excluded_rows[i + 1] += self.excluded_rows[i];
        }
        self.excluded = excluded.iter().map(|&(_, j)| j as u32).collect();
    }
}

impl<T: Real> GroupList<T> {
    /// Whether a bead has moved too far, in any lane, since the list was built.
    #[inline(always)]
    pub fn is_stale<V: Vector<Scalar = T>>(&self, positions: &[T]) -> bool {
        if self.reference.len() != positions.len() {
            return true;
        }
        let limit = spread::<V>(self.square_limit);
        let mut fresh = V::mask_from_bits(u32::MAX);
        let beads = positions.chunks_exact(3 * V::WIDTH);
        for (bead, reference) in beads.zip(self.reference.chunks_exact(3 * V::WIDTH)) {
            let apart = Triple::<V>::load(bead, 0) - Triple::load(reference, 0);
            // Not a number is stale too.
            fresh = V::both(fresh, apart.square().less_than(limit));
        }
        V::mask_to_bits(fresh) != all_lanes::<V>()
    }

    /// Builds the list for finite positions.
    #[inline(always)]
    pub fn build<V: Vector<Scalar = T>>(&mut self, positions: &[T]) {
        let beads = positions.len() / (3 * V::WIDTH);
        let reach = spread::<V>(self.square_reach);
        self.partners.clear();
        self.rows.clear();
        self.rows.push(0);
        let mut near: [Vec<u32>; BLOCK] = Default::default();
        for i in 0..beads {
            let excluded = &self.excluded[self.excluded_rows[i]..self.excluded_rows[i + 1]];
            let mut excluded = excluded.iter().copied().peekable();
            let a = Triple::<V>::load(positions, i * 3);
            for j in i + 1..beads {
                if excluded.next_if_eq(&(j as u32)).is_some() {
                    continue;
                }
                let apart = a - Triple::load(positions, j * 3);
                if V::any(apart.square().less_than(reach)) {
                    near[j % BLOCK].push(j as u32);
                }
            }
            for partners in &mut near {
                self.partners.append(partners);
                self.rows.push(self.partners.len() as u32);
            }
        }
        if self.reference.len() != positions.len() {
            self.reference = Aligned::new(T::zero(), positions.len());
        }
        self.reference.copy_from_slice(positions);
    }

    /// Partners j > i of bead i that add to its partial sum `sum`, ascending.
    #[inline(always)]
    pub fn partners(&self, i: usize, sum: usize) -> &[u32] {
        let row = i * BLOCK + sum;
        &self.partners[self.rows[row] as usize..self.rows[row + 1] as usize]
    }
}
