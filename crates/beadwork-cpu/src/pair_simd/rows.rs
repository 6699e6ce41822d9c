//! Tiles: the pairs of two blocks of four beads, row by row.

use std::ops::Range;

use crate::space::PARTIAL_SUMS;

/// The number of beads in a block, the side of a tile. They add to four different partial sums of any other bead.
pub(crate) const TILE_SIDE: usize = PARTIAL_SUMS;

/// A second block, and the bits of the pairs that act: bit 4 a + b for bead a of the row's block and bead b of this
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub block: u32,
    pub pairs: u16,
}

/// Tiles row by row; in a row they ascend.
///
/// A list serves the range of blocks of one thread. A tile between two blocks of the range is listed once, in the row
/// of its earlier block, and adds to both. A tile with a block outside the range adds to the row's block alone.
#[derive(Clone, Debug)]
pub(crate) struct TileRows {
    pub range: Range<usize>,
    pub tiles: Vec<Tile>,
    rows: Vec<TileRow>,
}

#[derive(Clone, Copy, Debug)]
struct TileRow {
    first: u32,
    upper: u32,
    end: u32,
}

impl TileRows {
    pub fn new(range: Range<usize>) -> Self {
        TileRows { range, tiles: Vec::new(), rows: Vec::new() }
    }

    /// Tiles with blocks before the range.
    #[inline(always)]
    pub fn below(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.first as usize..row.upper as usize
    }

    /// All tiles of a row.
    pub fn all(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.first as usize..row.end as usize
    }

    /// Tiles with the row's own block and with later ones. The tile of a block with itself has both orders of each pair.
    #[inline(always)]
    pub fn upper(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.upper as usize..row.end as usize
    }

    /// Calls `row` for each bead i of the range, ascending, with the partners j > i of its tiles, ascending.
    pub fn for_each_bead(&self, row: &mut dyn FnMut(usize, &[u32])) {
        let mut partners = Vec::new();
        for block in self.range.clone() {
            let tiles = &self.tiles[self.upper(block)];
            for a in 0..TILE_SIDE {
                partners.clear();
                for tile in tiles {
                    let mut columns = (tile.pairs >> (TILE_SIDE * a)) & 0xf;
                    if tile.block as usize == block {
                        // In the tile of a block with itself, only pairs i < j count.
                        columns &= 0xe << a;
                    }
                    while columns != 0 {
                        partners.push(TILE_SIDE as u32 * tile.block + columns.trailing_zeros());
                        columns &= columns - 1;
                    }
                }
                row(TILE_SIDE * block + a, &partners);
            }
        }
    }

    pub fn clear(&mut self) {
        self.tiles.clear();
        self.rows.clear();
    }

    /// Adds the next row. `tiles` ascend; tiles with blocks of the range before the row's own are left out.
    pub fn push_row(&mut self, tiles: impl Iterator<Item = Tile>) {
        let block = (self.range.start + self.rows.len()) as u32;
        let start = self.range.start as u32;
        let first = self.tiles.len() as u32;
        let mut row = TileRow { first, upper: first, end: first };
        for tile in tiles {
            if tile.block >= start && tile.block < block {
                continue;
            }
            self.tiles.push(tile);
            row.end = self.tiles.len() as u32;
            if tile.block < start {
                row.upper = row.end;
            }
        }
        self.rows.push(row);
    }
}
