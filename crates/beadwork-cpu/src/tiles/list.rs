//! Which tiles are near enough to matter: a Verlet list of tiles with a skin.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::coordinates::{BLOCK, Coordinates};
use crate::lanes::{Triple, all_lanes, spread};
use crate::neighbours::SAFETY;
use crate::tiles::pairs::{Rows, columns_of, rows_of};

/// A block beside the row's own, and which of the pairs act: bit 4 a + b for bead a of the row's
/// block and bead b of this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub block: u32,
    pub pairs: u16,
}

/// Tiles row by row; in a row they ascend.
///
/// A list serves a range of blocks, the share of one thread. Of the tiles between blocks of the
/// range the upper half is listed, each adding to both its blocks; of the tiles with blocks outside
/// all, each adding to the row's block alone.
#[derive(Clone, Debug)]
pub(crate) struct TileRows {
    pub range: Range<usize>,
    pub tiles: Vec<Tile>,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    below: u32,
    own: u32,
    within: u32,
    above: u32,
    end: u32,
}

impl TileRows {
    pub fn new(range: Range<usize>) -> Self {
        TileRows { range, tiles: Vec::new(), rows: Vec::new() }
    }

    /// Tiles with blocks below the range.
    #[inline(always)]
    pub fn below(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.below as usize..row.own as usize
    }

    /// The tile of the block with itself: both orders of each pair are set.
    #[inline(always)]
    pub fn own(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.own as usize..row.within as usize
    }

    /// Tiles with later blocks of the range.
    #[inline(always)]
    pub fn within(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.within as usize..row.above as usize
    }

    /// Tiles with blocks above the range.
    #[inline(always)]
    pub fn above(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.above as usize..row.end as usize
    }

    /// Tiles of a row with blocks from its own on.
    pub fn upper(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.own as usize..row.end as usize
    }

    /// Tells of all pairs i < j of the rows, ascending.
    pub fn for_each_pair(&self, tell: &mut impl FnMut(usize, usize)) {
        for block in self.range.clone() {
            let tiles = &self.tiles[self.upper(block)];
            for a in 0..BLOCK {
                let i = BLOCK * block + a;
                for tile in tiles {
                    let mut columns = (tile.pairs >> (BLOCK * a)) & 0xf;
                    if tile.block as usize == block {
                        // Of a block with itself the pairs i < j.
                        columns &= 0xe << a;
                    }
                    while columns != 0 {
                        tell(i, BLOCK * tile.block as usize + columns.trailing_zeros() as usize);
                        columns &= columns - 1;
                    }
                }
            }
        }
    }

    fn clear(&mut self) {
        self.tiles.clear();
        self.rows.clear();
    }

    /// Adds the next row. `tiles` ascend; those below the row's block but within the range are
    /// left out.
    pub fn push_row(&mut self, tiles: impl Iterator<Item = Tile>) {
        let block = (self.range.start + self.rows.len()) as u32;
        let (start, end) = (self.range.start as u32, self.range.end as u32);
        let first = self.tiles.len() as u32;
        let mut row = Row { below: first, own: first, within: first, above: first, end: first };
        for tile in tiles {
            if tile.block >= start && tile.block < block {
                continue;
            }
            self.tiles.push(tile);
            let now = self.tiles.len() as u32;
            row.end = now;
            if tile.block < end {
                row.above = now;
            }
            if tile.block <= block {
                row.within = now;
            }
            if tile.block < start {
                row.own = now;
            }
        }
        row.within = row.within.max(row.own);
        row.above = row.above.max(row.within);
        self.rows.push(row);
    }
}

/// The tiles within cutoff + skin, excluded pairs left out.
///
/// It serves as long as no bead has moved by more than half the skin since it was built.
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
    rebuilds: u64,
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
        let blocks = beads.div_ceil(BLOCK);
        let mut bits: Vec<Vec<Tile>> = vec![Vec::new(); blocks];
        let mut exclude = |i: usize, j: usize| {
            let pairs = 1 << (BLOCK * (i % BLOCK) + j % BLOCK);
            bits[i / BLOCK].push(Tile { block: (j / BLOCK) as u32, pairs });
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
            rebuilds: 0,
        }
    }

    /// Whether a bead has moved too far, in the range or outside it, or was never looked at.
    #[inline(always)]
    pub fn is_stale<V: Vector<Scalar = T>>(&self, positions: &Coordinates<T>) -> bool {
        let Some(reference) = &self.reference else { return true };
        let limit = spread::<V>(self.square_limit);
        let [x, y, z] = &positions.axes;
        let [u, v, w] = &reference.axes;
        let mut fresh = V::mask_from_bits(u32::MAX);
        // Arrays are filled up to whole vectors with beads that never move.
        for first in (0..self.beads).step_by(V::WIDTH) {
            let apart = Triple([
                V::load(&x[first..]) - V::load(&u[first..]),
                V::load(&y[first..]) - V::load(&v[first..]),
                V::load(&z[first..]) - V::load(&w[first..]),
            ]);
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
        self.rebuilds += 1;
    }

    /// How often the list was built.
    #[cfg(test)]
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }
}

/// The pairs of a tile whose beads exist and differ.
fn existing_pairs(block: usize, other: usize, beads: usize) -> u16 {
    let count = |block: usize| beads.saturating_sub(BLOCK * block).min(BLOCK);
    let (rows, columns) = (count(block), count(other));
    // The first `columns` bits of the first `rows` rows.
    let row = (1_u32 << columns) - 1;
    let rows = (1_u32 << (BLOCK * rows)) - 1;
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

/// Radius, Å, of a sphere around four neighbours in a chain, at most; blocks beyond it, such as those
/// with beads of two chains, are looked at one by one.
const COMMON_RADIUS: f64 = 8.0;

/// Spheres around blocks, sorted by the cells that their centres lie in.
#[derive(Debug)]
struct Cells<T> {
    edge: f64,
    /// What rounding may hide is added to it.
    reach: T,
    /// Centre and radius of each block.
    spheres: Vec<([f64; 3], f64)>,
    /// Columns of cells, ascending by x and y, with the place of their first sphere.
    columns: Vec<([i64; 2], u32)>,
    /// The cell of each sphere along z, ascending in a column.
    heights: Vec<i64>,
    blocks: Vec<u32>,
    /// x, y, z, radius in the order of `blocks`, filled up to whole vectors with spheres far away.
    sorted: [Vec<T>; 4],
    /// Blocks of unusual radius.
    wide: Vec<u32>,
}

/// Cells that reach holds along an axis: with more, fewer spheres are looked at in vain.
const CELLS_A_REACH: i64 = 2;
/// No vector has more lanes.
const WIDEST: usize = 16;

impl<T: Real> Cells<T> {
    fn new(positions: &Coordinates<T>, reach: f64) -> Self {
        let spheres: Vec<_> =
            (0..positions.blocks()).map(|block| sphere(positions, block)).collect();
        let common = |radius: f64| radius <= COMMON_RADIUS;
        let radii = spheres.iter().map(|&(_, radius)| radius).filter(|&radius| common(radius));
        let largest = radii.fold(0.0, f64::max);
        let edge = (reach + 2.0 * largest) * 1.000_01 / CELLS_A_REACH as f64;
        let mut order: Vec<([i64; 3], u32)> = Vec::with_capacity(spheres.len());
        let mut wide = Vec::new();
        let mut farthest = 0.0_f64;
        for (block, &(centre, radius)) in spheres.iter().enumerate() {
            if common(radius) {
                order.push((cell(centre, edge), block as u32));
            } else {
                wide.push(block as u32);
            }
            farthest = centre.iter().fold(farthest, |farthest, c| farthest.max(c.abs()));
        }
        order.sort_unstable();
        let mut sorted: [Vec<T>; 4] = Default::default();
        let mut columns: Vec<([i64; 2], u32)> = Vec::new();
        for (place, &([x, y, _], block)) in order.iter().enumerate() {
            if columns.last().is_none_or(|&(column, _)| column != [x, y]) {
                columns.push(([x, y], place as u32));
            }
            let (centre, radius) = spheres[block as usize];
            for (array, number) in sorted.iter_mut().zip(centre.into_iter().chain([radius])) {
                array.push(T::from_f64(number));
            }
        }
        for array in &mut sorted {
            array.extend([T::from_f64(1e18); WIDEST]);
        }
        Cells {
            edge,
            reach: T::from_f64(reach + 1e-3 + 1e-6 * farthest),
            spheres,
            columns,
            heights: order.iter().map(|&([_, _, z], _)| z).collect(),
            blocks: order.iter().map(|&(_, block)| block).collect(),
            sorted,
            wide,
        }
    }

    /// Blocks whose spheres may be within reach of a block's, the block itself among them, in any
    /// order, into `found`.
    #[inline(always)]
    fn near<V: Vector<Scalar = T>>(&self, block: usize, found: &mut Vec<u32>) {
        let (centre, radius) = self.spheres[block];
        found.extend(&self.wide);
        let at = Triple::<V>::spread(centre.map(T::from_f64));
        let reach = spread::<V>(self.reach) + V::from_f64(radius);
        if radius > COMMON_RADIUS {
            self.near_in::<V>(0..self.blocks.len(), at, reach, found);
            return;
        }
        let [x, y, z] = cell(centre, self.edge);
        let around =
            |place: i64| place.saturating_sub(CELLS_A_REACH)..=place.saturating_add(CELLS_A_REACH);
        let (low, high) = (*around(z).start(), *around(z).end());
        for x in around(x) {
            // Columns of one x are neighbours in the list, and spheres of one column.
            let first = self.columns.partition_point(|&(at, _)| at < [x, *around(y).start()]);
            let columns = &self.columns[first..];
            for (number, &(column, start)) in columns.iter().enumerate() {
                if column > [x, *around(y).end()] {
                    break;
                }
                let start = start as usize;
                let end = columns.get(number + 1).map_or(self.heights.len(), |&(_, e)| e as usize);
                let heights = &self.heights[start..end];
                let first = heights.partition_point(|&height| height < low);
                let length = heights[first..].partition_point(|&height| height <= high);
                self.near_in::<V>(start + first..start + first + length, at, reach, found);
            }
        }
    }

    /// Of the sorted spheres in `places` those that touch a sphere at `at`, with its radius in
    /// `reach`.
    #[inline(always)]
    fn near_in<V: Vector<Scalar = T>>(
        &self,
        places: Range<usize>,
        at: Triple<V>,
        reach: V,
        found: &mut Vec<u32>,
    ) {
        let [x, y, z, radius] = &self.sorted;
        for first in places.clone().step_by(V::WIDTH) {
            let there = Triple([V::load(&x[first..]), V::load(&y[first..]), V::load(&z[first..])]);
            let touch = reach + V::load(&radius[first..]);
            let inside = (at - there).square().less_than(touch * touch);
            let mut bits = V::mask_to_bits(inside);
            while bits != 0 {
                let place = first + bits.trailing_zeros() as usize;
                // A vector may look beyond the last of the places.
                if place < places.end {
                    found.push(self.blocks[place]);
                }
                bits &= bits - 1;
            }
        }
    }
}

fn cell(centre: [f64; 3], edge: f64) -> [i64; 3] {
    centre.map(|component| (component / edge).floor() as i64)
}

/// Centre and radius of a sphere around a block.
fn sphere<T: Real>(positions: &Coordinates<T>, block: usize) -> ([f64; 3], f64) {
    let beads = block * BLOCK..(block * BLOCK + BLOCK).min(positions.len());
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for bead in beads {
        for axis in 0..3 {
            let component = positions.axes[axis][bead].to_f64();
            low[axis] = low[axis].min(component);
            high[axis] = high[axis].max(component);
        }
    }
    let half = [0, 1, 2].map(|axis| 0.5 * (high[axis] - low[axis]));
    let centre = [0, 1, 2].map(|axis| low[axis] + half[axis]);
    (centre, half.iter().map(|h| h * h).sum::<f64>().sqrt())
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
                        let (a, b) = (pair / BLOCK, pair % BLOCK);
                        pairs.push((BLOCK * block + a, BLOCK * tile.block as usize + b));
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
            let blocks = positions.blocks();
            for range in [0..blocks, 0..blocks / 2, blocks / 2..blocks, blocks / 3..2 * blocks / 3]
            {
                let mut list = TileList::new(beads, range.clone(), 10.0, 2.0, &excluded);
                list.build::<f64>(&positions);
                let found: std::collections::HashSet<_> = listed(&list.rows).into_iter().collect();
                for i in range.start * BLOCK..(range.end * BLOCK).min(beads) {
                    for j in 0..beads {
                        let square: f64 = positions
                            .get(i)
                            .iter()
                            .zip(positions.get(j))
                            .map(|(a, b)| (a - b) * (a - b))
                            .sum();
                        let inside = range.contains(&(j / BLOCK));
                        // Within the range only the upper half is listed, and a block with itself.
                        let wanted = !inside || j / BLOCK >= i / BLOCK;
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
        assert_eq!(list.rebuilds(), 1);
    }
}
