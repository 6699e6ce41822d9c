//! A Verlet list with a skin of the tiles whose beads may interact.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::coordinates::Coordinates;
use crate::lanes::{all_lanes, spread};
use crate::pair_simd::cells::Cells;
use crate::pair_simd::rows::{TILE_SIDE, Tile, TileRows};
use crate::pair_simd::tiles::{Rows, columns_of, rows_of};
use crate::reference::SAFETY;

/// The tiles within cutoff + skin, without excluded pairs.
///
/// It is valid until a bead has moved by more than half the skin.
#[derive(Clone, Debug)]
pub(crate) struct TileList<T> {
    pub rows: TileRows,
    reach: f64,
    square_reach: T,
    square_limit: T,
    beads: usize,
    /// For each block, the tiles with excluded pairs; the bits that are set are these pairs.
    excluded: Vec<Vec<Tile>>,
    reference: Option<Coordinates<T>>,
}

impl<T: Real> TileList<T> {
    /// An empty list for a range of blocks. Each pair of `excluded` has i < j; lengths are in Å.
    pub fn new(
        beads: usize,
        range: Range<usize>,
        cutoff: f64,
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
            reach: cutoff + skin,
            square_reach: T::from_f64((cutoff + skin).powi(2) * 1.000_001),
            square_limit: T::from_f64((SAFETY * skin).powi(2)),
            beads,
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
        let cells = Cells::new(positions, self.reach);
        let axes = positions.slices();
        let square_reach = spread::<V>(self.square_reach);
        let (mut candidates, mut near) = (Vec::new(), Vec::new());
        self.rows.clear();
        for block in self.rows.range.clone() {
            candidates.clear();
            cells.near::<V>(block, &mut candidates);
            let skipped = self.rows.range.start as u32..block as u32;
            near.clear();
            for &other in &candidates {
                if !skipped.contains(&other)
                    && any_within::<V>(axes, block, other as usize, square_reach)
                {
                    near.push(other);
                }
            }
            near.sort_unstable();
            let mut excluded = self.excluded[block].iter().peekable();
            let tiles = near.iter().filter_map(|&other| {
                while excluded.next_if(|tile| tile.block < other).is_some() {}
                let hidden = excluded.next_if(|tile| tile.block == other).map_or(0, |t| t.pairs);
                let pairs = existing_pairs(block, other as usize, self.beads) & !hidden;
                (pairs != 0).then_some(Tile { block: other, pairs })
            });
            self.rows.push_row(tiles);
        }
        match &mut self.reference {
            Some(reference) => reference.copy_from(positions),
            None => self.reference = Some(positions.clone()),
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

/// Whether any two beads of two blocks are within reach. The padding of the last block counts as beads, which adds one
/// tile at most.
#[inline(always)]
fn any_within<V: Vector>(
    positions: [&[V::Scalar]; 3],
    block: usize,
    other: usize,
    square_reach: V,
) -> bool {
    for part in 0..Rows::<V>::PARTS {
        let apart = rows_of::<V>(positions, block, part) - columns_of(positions, other, part);
        if V::any(apart.square().less_than(square_reach)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[path = "../../tests/unit/tile_list.rs"]
mod tests;
