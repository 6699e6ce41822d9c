//! Tiles: the pairs of two blocks of four beads, row by row.

use std::ops::Range;

use crate::reference::PARTIAL_SUMS;

/// Beads in a block, the side of a tile: a bead's partners in a block add to different partial sums.
pub(crate) const TILE_SIDE: usize = PARTIAL_SUMS;

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

    /// All tiles of a row.
    pub fn all(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.below as usize..row.end as usize
    }

    /// Tiles of a row with blocks from its own on.
    pub fn upper(&self, block: usize) -> Range<usize> {
        let row = self.rows[block - self.range.start];
        row.own as usize..row.end as usize
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
                        // Of a block with itself the pairs i < j.
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
