//! One system with vectors: lanes run over the 4 × 4 pairs of a tile, two blocks of four beads.
//!
//! Blocks hold consecutive beads, which lie close together in space, so that a tile that has one
//! pair within the cutoff has many. A tile's lanes are the pairs (a, b) of bead a of one block and
//! bead b of the other, a = lane / 4, b = lane mod 4; a vector of fewer than 16 lanes takes a tile
//! in parts. For bead a of the first block, lane b adds to its partial sum b (partner j goes to sum
//! j mod 4), for bead b of the second block to its partial sum a: both are additions of whole
//! vectors, in the order that [`crate::Forces`] defines.

mod forces;
mod list;
mod pairs;
mod share;

pub(crate) use forces::{TileForces, each, ranges};
