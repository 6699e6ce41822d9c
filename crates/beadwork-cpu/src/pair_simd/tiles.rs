//! The inner loop over tiles: each of the sixteen pairs of two blocks has a lane.

use std::ops::Range;

use beadwork_arithmetic::Vector;

use crate::arrays::lanes::{Triple, all_lanes};
use crate::pair_simd::rows::{TILE_SIDE, Tile};

/// Pairs of a tile.
pub(crate) const TILE: usize = TILE_SIDE * TILE_SIDE;
/// Numbers in the partial sums of a block: axis, then sum, then bead.
pub(crate) const BLOCK_SUMS: usize = 3 * TILE;

/// The four numbers of a block along one axis.
#[inline(always)]
fn four<T>(axis: &[T], block: usize) -> &[T; TILE_SIDE] {
    debug_assert!((block + 1) * TILE_SIDE <= axis.len());
    // SAFETY: tiles name blocks of these positions, whose arrays are padded to whole blocks.
    unsafe { &*axis.as_ptr().add(block * TILE_SIDE).cast::<[T; TILE_SIDE]>() }
}

/// A part of the beads of a block as rows of a tile.
#[inline(always)]
pub(crate) fn rows_of<V: Vector>(
    [x, y, z]: [&[V::Scalar]; 3],
    block: usize,
    part: usize,
) -> Triple<V> {
    Triple([
        V::rows(four(x, block), part),
        V::rows(four(y, block), part),
        V::rows(four(z, block), part),
    ])
}

/// A part of the beads of a block as columns of a tile.
#[inline(always)]
pub(crate) fn columns_of<V: Vector>(
    [x, y, z]: [&[V::Scalar]; 3],
    block: usize,
    part: usize,
) -> Triple<V> {
    Triple([
        V::columns(four(x, block), part),
        V::columns(four(y, block), part),
        V::columns(four(z, block), part),
    ])
}

/// One part of a block that its tiles act on: the beads and their partial sums, in lanes.
pub(crate) struct TileLanes<V> {
    block: usize,
    part: usize,
    positions: Triple<V>,
    sums: Triple<V>,
}

/// A formula with its parameters for each pair of a tile.
pub(crate) trait Factor<V: Vector> {
    /// Force over distance for a part of tile `number` of a block's row; zero beyond the cutoff.
    fn of(&self, block: usize, number: usize, part: usize, tile: &Tile, r2: V) -> V;
}

/// The other blocks to which the tiles of a row add the opposite forces. Tiles with the rest add to the row's block alone.
pub(crate) struct OtherBlocks<'a, T> {
    pub blocks: Range<usize>,
    /// The sums of the thread's range.
    pub sums: &'a mut [T],
    /// The block that `sums` begin with.
    pub first: usize,
}

impl<V: Vector> TileLanes<V> {
    /// The number of parts of a tile.
    pub const PARTS: usize = TILE / V::WIDTH;

    /// Loads a part of a block; `sums` are those of the block.
    #[inline(always)]
    pub fn take(
        positions: [&[V::Scalar]; 3],
        block: usize,
        part: usize,
        sums: &[V::Scalar],
    ) -> Self {
        TileLanes {
            block,
            part,
            positions: rows_of(positions, block, part),
            sums: Triple([
                transposed::<V>(sums, part),
                transposed::<V>(&sums[TILE..], part),
                transposed::<V>(&sums[2 * TILE..], part),
            ]),
        }
    }

    /// Stores the sums.
    #[inline(always)]
    pub fn put(&self, sums: &mut [V::Scalar]) {
        for axis in 0..3 {
            for lane in 0..V::WIDTH {
                let pair = self.part * V::WIDTH + lane;
                sums[axis * TILE + pair % TILE_SIDE * TILE_SIDE + pair / TILE_SIDE] =
                    self.sums.0[axis].lane(lane);
            }
        }
    }

    /// Adds the forces of tiles to this block and to the others. The factor gets the number of the tile, counted from
    /// `first_tile`.
    #[inline(always)]
    pub fn add(
        &mut self,
        tiles: &[Tile],
        first_tile: usize,
        positions: [&[V::Scalar]; 3],
        factor: &impl Factor<V>,
        others: OtherBlocks<'_, V::Scalar>,
    ) {
        let OtherBlocks { blocks, sums, first } = others;
        let shift = self.part * V::WIDTH;
        for (number, tile) in tiles.iter().enumerate() {
            let pairs = (u32::from(tile.pairs) >> shift) & all_lanes::<V>();
            if pairs == 0 {
                continue;
            }
            let block = tile.block as usize;
            let apart = self.positions - columns_of(positions, block, self.part);
            let mut over_distance =
                factor.of(self.block, first_tile + number, self.part, tile, apart.square());
            if pairs != all_lanes::<V>() {
                over_distance = V::select(V::mask_from_bits(pairs), over_distance, V::zero());
            }
            let Triple([x, y, z]) = apart * over_distance;
            self.sums += Triple([x, y, z]);
            if blocks.contains(&block) {
                let place = (block - first) * BLOCK_SUMS + shift;
                debug_assert!(place + 2 * TILE + V::WIDTH <= sums.len());
                // SAFETY: the block lies in the range of the sums.
                unsafe {
                    let sum = sums.as_mut_ptr().add(place);
                    (V::load_unchecked(sum) - x).store_unchecked(sum);
                    let sum = sum.add(TILE);
                    (V::load_unchecked(sum) - y).store_unchecked(sum);
                    let sum = sum.add(TILE);
                    (V::load_unchecked(sum) - z).store_unchecked(sum);
                }
            }
        }
    }
}

/// A part of the sixteen partial sums of a block along an axis, ordered by bead instead of by sum.
#[inline(always)]
fn transposed<V: Vector>(sums: &[V::Scalar], part: usize) -> V {
    V::from_lanes(|lane| {
        let pair = part * V::WIDTH + lane;
        sums[pair % TILE_SIDE * TILE_SIDE + pair / TILE_SIDE]
    })
}
