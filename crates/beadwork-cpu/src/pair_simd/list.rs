//! A Verlet list with a skin of the tiles whose beads may interact.

use std::ops::Range;
use std::sync::Arc;

use beadwork_arithmetic::{Real, Vector};
use beadwork_model::potentials::pair::PairCutoffs;

use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{all_lanes, spread};
use crate::pair_simd::cells::BlockCells;
use crate::pair_simd::rows::{TILE_SIDE, Tile, TileRows};
use crate::pair_simd::tiles::{TILE, TileLanes, columns_of, rows_of};
use crate::reference::SAFETY;
use crate::terms::reaches::Reaches;

/// The tiles with pairs within the cutoff of their types + skin, without excluded pairs.
///
/// If cutoffs are the same for all types, a tile has all its pairs, otherwise those within reach. The list is valid
/// until a bead has moved by more than half the skin.
#[derive(Clone, Debug)]
pub(crate) struct TileList<T> {
    pub rows: TileRows,
    reaches: Reaches<T>,
    square_limit: T,
    beads: usize,
    /// The types of beads, padded to whole blocks.
    types: Arc<[u16]>,
    /// For each block, the tiles with excluded pairs; the bits that are set are these pairs.
    excluded: Vec<Vec<Tile>>,
    reference: Option<Coordinates<T>>,
}

impl<T: Real> TileList<T> {
    /// An empty list for a range of blocks. The types of beads are padded to whole blocks. Each pair of `excluded` has
    /// i < j. The skin is in Å.
    pub fn new(
        beads: usize,
        types: &Arc<[u16]>,
        range: Range<usize>,
        cutoffs: &PairCutoffs,
        skin: f64,
        excluded: &[(usize, usize)],
    ) -> Self {
        let blocks = beads.div_ceil(TILE_SIDE);
        let mut bits: Vec<Vec<Tile>> = vec![Vec::new(); blocks];
        let mut exclude = |i: usize, j: usize| {
            let pairs = 1 << (TILE_SIDE * (i % TILE_SIDE) + j % TILE_SIDE);
            bits[i / TILE_SIDE].push(Tile { block: (j / TILE_SIDE) as u32, pairs });
        };
        for &(i, j) in excluded {
            exclude(i, j);
            exclude(j, i);
        }
        for row in &mut bits {
            row.sort_unstable_by_key(|tile| tile.block);
            row.dedup_by(|tile, kept| {
                let same = tile.block == kept.block;
                if same {
                    kept.pairs |= tile.pairs;
                }
                same
            });
        }
        TileList {
            rows: TileRows::new(range),
            reaches: Reaches::new(cutoffs, skin),
            square_limit: T::from_f64((SAFETY * skin).powi(2)),
            beads,
            types: types.clone(),
            excluded: bits,
            reference: None,
        }
    }

    /// Whether the list must be rebuilt: any bead has moved too far, or no list was built yet.
    #[inline(always)]
    pub fn is_stale<V: Vector<Scalar = T>>(&self, positions: &Coordinates<T>) -> bool {
        let Some(reference) = &self.reference else { return true };
        let limit = spread::<V>(self.square_limit);
        let mut fresh = V::mask_from_bits(u32::MAX);
        // The padding consists of beads that never move.
        for first in (0..self.beads).step_by(V::WIDTH) {
            let apart = positions.load::<V>(first) - reference.load(first);
            // A position that is not a number makes the list stale too.
            fresh = V::both(fresh, apart.square().less_than(limit));
        }
        V::mask_to_bits(fresh) != all_lanes::<V>()
    }

    /// Updates the list for `positions`, Å; false if a coordinate is not finite.
    #[inline(always)]
    pub fn refresh<V: Vector<Scalar = T>>(&mut self, positions: &Coordinates<T>) -> bool {
        if self.is_stale::<V>(positions) {
            if positions.first_not_finite().is_some() {
                return false;
            }
            self.build::<V>(positions);
        }
        true
    }

    /// Builds the list for finite `positions`, Å.
    #[inline(always)]
    fn build<V: Vector<Scalar = T>>(&mut self, positions: &Coordinates<T>) {
        let mut rows = std::mem::replace(&mut self.rows, TileRows::new(0..0));
        match self.reaches.same() {
            Some(square) => self.fill(positions, &SameReach(spread::<V>(square)), &mut rows),
            None => {
                let by_types = ReachByTypes { types: &self.types, reaches: &self.reaches };
                self.fill::<V>(positions, &by_types, &mut rows);
            }
        }
        self.rows = rows;
        match &mut self.reference {
            Some(reference) => reference.copy_from(positions),
            None => self.reference = Some(positions.clone()),
        }
    }

    /// Finds the tiles of all rows.
    #[inline(always)]
    fn fill<V: Vector<Scalar = T>>(
        &self,
        positions: &Coordinates<T>,
        reach: &impl Reach<V>,
        rows: &mut TileRows,
    ) {
        let cells = BlockCells::new(positions, self.reaches.largest);
        let axes = positions.slices();
        let (mut candidates, mut near) = (Vec::new(), Vec::new());
        rows.clear();
        for block in rows.range.clone() {
            candidates.clear();
            cells.near::<V>(block, &mut candidates);
            let skipped = rows.range.start as u32..block as u32;
            near.clear();
            for &other in &candidates {
                if skipped.contains(&other) {
                    continue;
                }
                let pairs = reach.pairs(axes, block, other as usize);
                if pairs != 0 {
                    // A number sorts faster than a tile.
                    near.push(u64::from(other) << u16::BITS | u64::from(pairs));
                }
            }
            near.sort_unstable();
            let mut excluded = self.excluded[block].iter().peekable();
            let tiles = near.iter().filter_map(|&tile| {
                let (other, pairs) = ((tile >> u16::BITS) as u32, tile as u16);
                while excluded.next_if(|tile| tile.block < other).is_some() {}
                let hidden = excluded.next_if(|tile| tile.block == other).map_or(0, |t| t.pairs);
                let pairs = pairs & existing_pairs(block, other as usize, self.beads) & !hidden;
                (pairs != 0).then_some(Tile { block: other, pairs })
            });
            rows.push_row(tiles);
        }
    }
}

/// The pairs of a tile whose beads exist and differ.
fn existing_pairs(block: usize, other: usize, beads: usize) -> u16 {
    let count = |block: usize| beads.saturating_sub(TILE_SIDE * block).min(TILE_SIDE);
    let (rows, columns) = (count(block), count(other));
    // Sets the first `columns` bits of the first `rows` rows.
    let row = (1_u32 << columns) - 1;
    let rows = (1_u32 << (TILE_SIDE * rows)) - 1;
    let own = if block == other { 0x8421 } else { 0 };
    ((row * 0x1111) & rows & !own) as u16
}

/// The radius within which a list has pairs.
trait Reach<V: Vector> {
    /// The bits of the pairs that the tile of two blocks needs. The padding of the last block counts as beads, which
    /// adds one tile at most.
    fn pairs(&self, positions: [&[V::Scalar]; 3], block: usize, other: usize) -> u16;
}

/// The square of a radius for all types. A tile has all its pairs if any is near: pairs that are far add nothing, so
/// no mask is needed.
struct SameReach<V>(V);

impl<V: Vector> Reach<V> for SameReach<V> {
    #[inline(always)]
    fn pairs(&self, positions: [&[V::Scalar]; 3], block: usize, other: usize) -> u16 {
        for part in 0..TileLanes::<V>::PARTS {
            let apart = rows_of::<V>(positions, block, part) - columns_of(positions, other, part);
            if V::any(apart.square().less_than(self.0)) {
                return u16::MAX;
            }
        }
        0
    }
}

/// A radius for each two types. A tile has the pairs that are near.
struct ReachByTypes<'a, T> {
    types: &'a [u16],
    reaches: &'a Reaches<T>,
}

impl<V: Vector> Reach<V> for ReachByTypes<'_, V::Scalar> {
    #[inline(always)]
    fn pairs(&self, positions: [&[V::Scalar]; 3], block: usize, other: usize) -> u16 {
        let types = |block: usize| &self.types[block * TILE_SIDE..][..TILE_SIDE];
        let (rows, columns) = (types(block), types(other));
        let square =
            |pair: usize| self.reaches.square(rows[pair / TILE_SIDE], columns[pair % TILE_SIDE]);
        let mut squares = [V::zero().lane(0); TILE];
        (0..TILE).for_each(|pair| squares[pair] = square(pair));
        let mut pairs = 0;
        for part in 0..TileLanes::<V>::PARTS {
            let apart = rows_of::<V>(positions, block, part) - columns_of(positions, other, part);
            let near = apart.square().less_than(V::load(&squares[part * V::WIDTH..]));
            pairs |= V::mask_to_bits(near) << (part * V::WIDTH);
        }
        pairs as u16
    }
}

#[cfg(test)]
#[path = "../../tests/unit/tile_list.rs"]
mod tests;
