//! Which tiles are near enough to matter: a Verlet list of tiles with a skin.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::coordinates::Coordinates;
use crate::lanes::{all_lanes, spread};
use crate::pair_simd::cells::Cells;
use crate::pair_simd::rows::{TILE_SIDE, Tile, TileRows};
use crate::pair_simd::tiles::{Rows, columns_of, rows_of};
use crate::reference::SAFETY;

/// The tiles within cutoff + skin, excluded pairs left out.
///
/// It is valid as long as no bead has moved by more than half the skin since it was built.
#[derive(Clone, Debug)]
pub(crate) struct TileList<T> {
    pub rows: TileRows,
    reach: f64,
    square_reach: T,
    square_limit: T,
    beads: usize,
    /// For each block the tiles with pairs that are excluded, which are the bits set here.
    excluded: Vec<Vec<Tile>>,
    reference: Option<Coordinates<T>>,
}

impl<T: Real> TileList<T> {
    /// An empty list for a range of blocks. `excluded` pairs are i < j; lengths in Å.
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

    /// Whether a bead has moved too far, in the range or outside it, or no list was built yet.
    #[inline(always)]
    pub fn is_stale<V: Vector<Scalar = T>>(&self, positions: &Coordinates<T>) -> bool {
        let Some(reference) = &self.reference else { return true };
        let limit = spread::<V>(self.square_limit);
        let mut fresh = V::mask_from_bits(u32::MAX);
        // Arrays are filled up to whole vectors with beads that never move.
        for first in (0..self.beads).step_by(V::WIDTH) {
            let apart = positions.load::<V>(first) - reference.load(first);
            // Not a number is stale too.
            fresh = V::both(fresh, apart.square().less_than(limit));
        }
        V::mask_to_bits(fresh) != all_lanes::<V>()
    }

    /// Makes the list right for `positions`, Å; false where a coordinate is not finite.
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
                    && any_within::<V>(positions, block, other as usize, square_reach)
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
    // The first `columns` bits of the first `rows` rows.
    let row = (1_u32 << columns) - 1;
    let rows = (1_u32 << (TILE_SIDE * rows)) - 1;
    let own = if block == other { 0x8421 } else { 0 };
    ((row * 0x1111) & rows & !own) as u16
}

/// Whether any two beads of two blocks are within reach. Places that the last block is filled up with
/// count as beads, which costs a tile at most.
#[inline(always)]
fn any_within<V: Vector>(
    positions: &Coordinates<V::Scalar>,
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
mod tests {
    use super::*;

    /// Beads of a random walk, a few of them far away, as many as asked for.
    fn walk(beads: usize, seed: u64) -> Coordinates<f64> {
        let mut state = seed;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut at = [0.0; 3];
        let mut triples = Vec::new();
        for bead in 0..beads {
            for component in &mut at {
                *component += 7.6 * (uniform() - 0.5);
            }
            // Chains of 50 beads, far from each other: some blocks hold beads of two chains.
            let shift = 60.0 * (bead / 50) as f64;
            triples.push([at[0] + shift, at[1], at[2]]);
        }
        Coordinates::from_triples(&triples)
    }

    fn listed(rows: &TileRows) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for block in rows.range.clone() {
            for tile in &rows.tiles[rows.below(block).start..rows.above(block).end] {
                for pair in 0..16 {
                    if tile.pairs & (1 << pair) != 0 {
                        let (a, b) = (pair / TILE_SIDE, pair % TILE_SIDE);
                        pairs.push((TILE_SIDE * block + a, TILE_SIDE * tile.block as usize + b));
                    }
                }
            }
        }
        pairs
    }

    #[test]
    fn no_pair_within_reach_is_missing_and_excluded_ones_are() {
        for (beads, seed) in [(1, 1), (3, 2), (34, 3), (237, 4), (1003, 5)] {
            let positions = walk(beads, seed);
            let excluded: Vec<_> = (1..beads).map(|j| (j - 1, j)).collect();
            let blocks = positions.blocks(TILE_SIDE);
            for range in [0..blocks, 0..blocks / 2, blocks / 2..blocks, blocks / 3..2 * blocks / 3]
            {
                let mut list = TileList::new(beads, range.clone(), 10.0, 2.0, &excluded);
                list.build::<f64>(&positions);
                let found: std::collections::HashSet<_> = listed(&list.rows).into_iter().collect();
                for i in range.start * TILE_SIDE..(range.end * TILE_SIDE).min(beads) {
                    for j in 0..beads {
                        let square: f64 = positions
                            .get(i)
                            .iter()
                            .zip(positions.get(j))
                            .map(|(a, b)| (a - b) * (a - b))
                            .sum();
                        let inside = range.contains(&(j / TILE_SIDE));
                        // Within the range only the upper half is listed, and a block with itself.
                        let wanted = !inside || j / TILE_SIDE >= i / TILE_SIDE;
                        let bonded = i.abs_diff(j) <= 1;
                        if wanted && !bonded && square < 144.0 {
                            assert!(found.contains(&(i, j)), "{beads} {range:?} {i} {j}");
                        }
                        if bonded || !wanted {
                            assert!(!found.contains(&(i, j)), "{beads} {range:?} {i} {j}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_ascend_and_are_parted_at_the_range() {
        let positions = walk(400, 9);
        let mut list = TileList::new(400, 30..70, 20.0, 4.0, &[]);
        list.build::<f64>(&positions);
        for block in 30..70 {
            let blocks = |range: Range<usize>| -> Vec<usize> {
                list.rows.tiles[range].iter().map(|tile| tile.block as usize).collect()
            };
            assert!(blocks(list.rows.below(block)).iter().all(|&other| other < 30));
            assert_eq!(blocks(list.rows.own(block)), [block]);
            assert!(blocks(list.rows.within(block)).iter().all(|&o| o > block && o < 70));
            assert!(blocks(list.rows.above(block)).iter().all(|&other| other >= 70));
            let all = blocks(list.rows.below(block).start..list.rows.above(block).end);
            assert!(all.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn is_stale_once_a_bead_has_moved_by_half_the_skin_or_is_lost() {
        let mut positions = walk(100, 11);
        let mut list = TileList::new(100, 0..25, 10.0, 1.0, &[]);
        assert!(list.is_stale::<f64>(&positions));
        list.build::<f64>(&positions);
        assert!(!list.is_stale::<f64>(&positions));
        let [x, y, z] = positions.get(77);
        positions.set(77, [x, y + 0.49, z]);
        assert!(!list.is_stale::<f64>(&positions));
        positions.set(77, [x, y + 0.51, z]);
        assert!(list.is_stale::<f64>(&positions));
        positions.set(77, [x, f64::NAN, z]);
        assert!(list.is_stale::<f64>(&positions));
    }
}
