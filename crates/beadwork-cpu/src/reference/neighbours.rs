//! Verlet lists with a skin: pairs that may come within the cutoff before the list is checked again.

use std::ops::Range;
use std::sync::Arc;

use beadwork_model::{System, near_pairs};
use beadwork_random::Normal;

use crate::space::Geometry;
use crate::terms::reaches::Reaches;
use beadwork_simulation::StepError;

/// Pairs i < j within the cutoff of their types + skin at the moment of building. Excluded pairs are left out, and
/// those of types between which no term acts.
///
/// A list is valid until a bead has moved by more than half the skin: beads that were farther apart than cutoff + skin
/// cannot be within the cutoff before. The displacement is checked before each use, so no pair is missed.
#[derive(Clone, Debug)]
pub struct NeighbourList<T> {
    system: Arc<System>,
    geometry: Geometry<T>,
    reaches: Reaches<T>,
    /// Square of the largest displacement at which a list is still valid.
    square_limit: T,
    reference: Vec<[T; 3]>,
    rows: Vec<usize>,
    partners: Vec<u32>,
    rebuilds: u64,
}

/// Half the skin, less a margin for rounding in f32.
pub(crate) const SAFETY: f64 = 0.5 * 0.9999;

impl<T: Normal> NeighbourList<T> {
    /// An empty list for a system; it builds itself at first use. The skin is in Å.
    pub fn new(system: &Arc<System>, skin: f64) -> Self {
        NeighbourList {
            geometry: Geometry::new(system),
            reaches: Reaches::new(&system.interactions.pair_cutoffs(), skin),
            square_limit: T::from_f64((SAFETY * skin).powi(2)),
            reference: Vec::new(),
            rows: vec![0; system.beads() + 1],
            partners: Vec::new(),
            rebuilds: 0,
            system: system.clone(),
        }
    }

    /// Updates the list for `positions`: Å, or coordinates in a box.
    ///
    /// # Errors
    /// If a coordinate is not finite.
    pub fn refresh(&mut self, positions: &[[T; 3]]) -> Result<(), StepError> {
        let moved = self.reference.len() != positions.len()
            || self.reference.iter().zip(positions).any(|(reference, position)| {
                let square = self.geometry.square(*position, *reference);
                self.square_limit.less_than(square) || !square.is_finite()
            });
        if moved { self.build(positions) } else { Ok(()) }
    }

    fn build(&mut self, positions: &[[T; 3]]) -> Result<(), StepError> {
        let NeighbourList { system, geometry, reaches, rows, partners, .. } = self;
        if let Some(bead) = positions.iter().position(|&position| !geometry.is_point(position)) {
            return Err(StepError::NotFinite { bead });
        }
        let types = &system.particles.types;
        let excluded = &system.interactions.excluded;
        let excluded_of = PairRows::new(excluded, positions.len());
        partners.clear();
        let in_f64 = |bead: usize| geometry.position(positions[bead], [0; 3]);
        // A margin for that of the squares, and for distances in single precision, whose last digits may be wrong.
        let radius = reaches.largest * 1.000_02;
        near_pairs(system.boundary, positions.len(), in_f64, radius, |i, candidates| {
            let mut excluded =
                excluded[excluded_of.row(i)].iter().map(|&(_, j)| j as u32).peekable();
            for &j in candidates {
                while excluded.next_if(|&other| other < j).is_some() {}
                let other = j as usize;
                let square_reach = reaches.square(types[i], types[other]);
                let near = geometry.square(positions[i], positions[other]) < square_reach;
                if excluded.next_if_eq(&j).is_none() && near {
                    partners.push(j);
                }
            }
            rows[i + 1] = partners.len();
        });
        self.reference.clear();
        self.reference.extend_from_slice(positions);
        self.rebuilds += 1;
        Ok(())
    }

    /// Partners j > i of bead i, ascending.
    #[inline(always)]
    pub fn partners(&self, i: usize) -> &[u32] {
        &self.partners[self.rows[i]..self.rows[i + 1]]
    }

    /// How often the list was built.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }
}

/// The index of each bead i in an ascending list of pairs (i, j).
#[derive(Clone, Debug, Default)]
pub(crate) struct PairRows(Vec<usize>);

impl PairRows {
    pub fn new(pairs: &[(usize, usize)], beads: usize) -> PairRows {
        PairRows((0..=beads).map(|bead| pairs.partition_point(|&(i, _)| i < bead)).collect())
    }

    /// The numbers of the pairs (i, j) of bead i.
    pub fn row(&self, i: usize) -> Range<usize> {
        self.0[i]..self.0[i + 1]
    }
}
