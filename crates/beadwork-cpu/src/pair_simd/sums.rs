//! The partial sums of a range of beads, and the functions that add to them.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::pair_simd::rows::{TILE_SIDE, TileRows};
use crate::pair_simd::tiles::{BLOCK_SUMS, Factor, OtherBlocks, TILE, TileLanes};

/// The partial sums of a range of beads.
pub(crate) struct TileSums<'a, T> {
    /// The range; it begins at a block.
    pub beads: Range<usize>,
    /// [`BLOCK_SUMS`] for each block.
    pub numbers: &'a mut [T],
}

/// The index of a bead's partial sum for a partner along the first axis; the other axes follow at distances of [`TILE`]
/// and twice [`TILE`].
#[inline(always)]
fn place(bead: usize, partner: usize) -> usize {
    bead / TILE_SIDE * BLOCK_SUMS + partner % TILE_SIDE * TILE_SIDE + bead % TILE_SIDE
}

impl<T: Real> TileSums<'_, T> {
    /// Adds the force on i from j, and its opposite on j, to beads of the range.
    #[inline(always)]
    pub fn add(&mut self, i: usize, j: usize, [x, y, z]: [T; 3]) {
        if self.beads.contains(&i) {
            let on_i = place(i - self.beads.start, j);
            self.numbers[on_i] += x;
            self.numbers[on_i + TILE] += y;
            self.numbers[on_i + 2 * TILE] += z;
        }
        if self.beads.contains(&j) {
            let on_j = place(j - self.beads.start, i);
            self.numbers[on_j] -= x;
            self.numbers[on_j + TILE] -= y;
            self.numbers[on_j + 2 * TILE] -= z;
        }
    }

    /// Adds a term of tiles. Tiles with blocks before the range come first, then those within, which add to both their
    /// blocks. So partners ascend for every bead.
    ///
    /// The last term passes `total`: after a row nothing more is added to its block, so its sums are added up and
    /// cleared while they are in the cache.
    #[inline(always)]
    pub fn add_tiles<V: Vector<Scalar = T>, P: Factor<V>>(
        &mut self,
        rows: &TileRows,
        factor: &P,
        positions: &Coordinates<T>,
        mut total: Option<&mut CoordinatesPart<'_, T>>,
    ) {
        let (positions, numbers) = (positions.slices(), &mut *self.numbers);
        let range = rows.range.clone();
        let first = range.start;
        // One loop for both, so that a formula is compiled once.
        for is_upper in [false, true] {
            if first == 0 && !is_upper {
                continue;
            }
            for block in range.clone() {
                let (tiles, blocks) = match is_upper {
                    false => (rows.below(block), 0..0),
                    true => (rows.upper(block), block + 1..range.end),
                };
                let parts = if tiles.is_empty() { 0 } else { TileLanes::<V>::PARTS };
                for part in 0..parts {
                    let sums = (block - first) * BLOCK_SUMS..(block - first + 1) * BLOCK_SUMS;
                    let mut lanes =
                        TileLanes::<V>::take(positions, block, part, &numbers[sums.clone()]);
                    let others = OtherBlocks { blocks: blocks.clone(), sums: &mut *numbers, first };
                    let row = &rows.tiles[tiles.clone()];
                    lanes.add(row, tiles.start, positions, factor, others);
                    lanes.put(&mut numbers[sums]);
                }
                if is_upper && let Some(total) = &mut total {
                    add_up(numbers, block - first, total);
                }
            }
        }
    }
}

/// (p₀ + p₁) + (p₂ + p₃) for each bead of a block, counted from the first of the range. It sets the sums to zero.
#[inline(always)]
pub(crate) fn add_up<T: Real>(numbers: &mut [T], block: usize, total: &mut CoordinatesPart<'_, T>) {
    let sums = &mut numbers[block * BLOCK_SUMS..][..BLOCK_SUMS];
    for (axis, sums) in sums.chunks_exact(TILE).enumerate() {
        let total = &mut total.axes[axis][block * TILE_SIDE..][..TILE_SIDE];
        for bead in 0..TILE_SIDE {
            let low = sums[bead] + sums[TILE_SIDE + bead];
            let high = sums[2 * TILE_SIDE + bead] + sums[3 * TILE_SIDE + bead];
            total[bead] = low + high;
        }
    }
    sums.fill(T::zero());
}
