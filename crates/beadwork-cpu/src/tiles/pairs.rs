//! The inner loop over tiles.

use beadwork_arithmetic::Vector;
use beadwork_model::potentials::PairPotential;

use crate::coordinates::{BLOCK, Coordinates};
use crate::lanes::{Triple, all_lanes};
use crate::tiles::list::Tile;

/// Pairs of a tile.
pub(crate) const TILE: usize = BLOCK * BLOCK;
/// Numbers in the partial sums of a block: axis, then sum, then bead.
pub(crate) const BLOCK_SUMS: usize = 3 * TILE;

/// The place of a bead's partial sum for partners like `partner` along the first axis; the others
/// lie [`TILE`] and twice [`TILE`] behind.
#[inline(always)]
pub(crate) fn place(bead: usize, partner: usize) -> usize {
    bead / BLOCK * BLOCK_SUMS + partner % BLOCK * BLOCK + bead % BLOCK
}

/// The four numbers of a block along one axis.
#[inline(always)]
fn four<V: Vector>(
    positions: &Coordinates<V::Scalar>,
    axis: usize,
    block: usize,
) -> &[V::Scalar; BLOCK] {
    debug_assert!((block + 1) * BLOCK <= positions.axes[axis].len());
    // SAFETY: tiles name blocks of these positions, whose arrays are filled up to whole blocks.
    unsafe { &*positions.axes[axis].as_ptr().add(block * BLOCK).cast::<[V::Scalar; BLOCK]>() }
}

/// A part of the beads of a block as rows of a tile.
#[inline(always)]
pub(crate) fn rows_of<V: Vector>(
    positions: &Coordinates<V::Scalar>,
    block: usize,
    part: usize,
) -> Triple<V> {
    Triple([
        V::rows(four::<V>(positions, 0, block), part),
        V::rows(four::<V>(positions, 1, block), part),
        V::rows(four::<V>(positions, 2, block), part),
    ])
}

/// A part of the beads of a block as columns of a tile.
#[inline(always)]
pub(crate) fn columns_of<V: Vector>(
    positions: &Coordinates<V::Scalar>,
    block: usize,
    part: usize,
) -> Triple<V> {
    Triple([
        V::columns(four::<V>(positions, 0, block), part),
        V::columns(four::<V>(positions, 1, block), part),
        V::columns(four::<V>(positions, 2, block), part),
    ])
}

/// One part of a block that its tiles act on: the beads and their partial sums, in lanes.
pub(crate) struct Rows<V> {
    part: usize,
    positions: Triple<V>,
    sums: Triple<V>,
}

/// What acts between the pairs of each tile.
pub(crate) trait Potentials<V: Vector> {
    type Potential: PairPotential<V>;

    /// Of a part of tile `number`.
    fn of(&self, number: usize, part: usize) -> Self::Potential;
}

/// The same between all pairs.
pub(crate) struct Same<P>(pub P);

impl<V: Vector, P: PairPotential<V>> Potentials<V> for Same<P> {
    type Potential = P;

    #[inline(always)]
    fn of(&self, _number: usize, _part: usize) -> P {
        self.0
    }
}

impl<V: Vector> Rows<V> {
    /// Parts that a tile is taken in.
    pub const PARTS: usize = TILE / V::WIDTH;

    /// Takes a part of a block up; `sums` are those of the block.
    #[inline(always)]
    pub fn take(
        positions: &Coordinates<V::Scalar>,
        block: usize,
        part: usize,
        sums: &[V::Scalar],
    ) -> Self {
        Rows {
            part,
            positions: rows_of(positions, block, part),
            sums: Triple([
                transposed::<V>(sums, part),
                transposed::<V>(&sums[TILE..], part),
                transposed::<V>(&sums[2 * TILE..], part),
            ]),
        }
    }

    /// Puts the sums back.
    #[inline(always)]
    pub fn put(&self, sums: &mut [V::Scalar]) {
        for axis in 0..3 {
            for lane in 0..V::WIDTH {
                let pair = self.part * V::WIDTH + lane;
                sums[axis * TILE + pair % BLOCK * BLOCK + pair / BLOCK] =
                    self.sums.0[axis].lane(lane);
            }
        }
    }

    /// Adds what tiles do to this block, and with `BOTH` also what they do to the others, whose
    /// sums are in `all_sums` from block `first_block` on.
    ///
    /// Potentials are asked with the number of the tile in `tiles`, counted from `first_tile`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "a loop whose every argument is a table")]
    pub fn add<P: Potentials<V>, const BOTH: bool>(
        &mut self,
        tiles: &[Tile],
        first_tile: usize,
        positions: &Coordinates<V::Scalar>,
        potentials: &P,
        square_cutoff: Option<V>,
        all_sums: &mut [V::Scalar],
        first_block: usize,
    ) {
        let shift = self.part * V::WIDTH;
        for (number, tile) in tiles.iter().enumerate() {
            let pairs = (u32::from(tile.pairs) >> shift) & all_lanes::<V>();
            if pairs == 0 {
                continue;
            }
            let block = tile.block as usize;
            let apart = self.positions - columns_of(positions, block, self.part);
            let r2 = apart.square();
            let potential = potentials.of(first_tile + number, self.part);
            let mut factor = potential.force_over_distance(r2);
            if let Some(square_cutoff) = square_cutoff {
                factor = V::select(r2.less_than(square_cutoff), factor, V::zero());
            }
            if pairs != all_lanes::<V>() {
                factor = V::select(V::mask_from_bits(pairs), factor, V::zero());
            }
            let Triple([x, y, z]) = apart * factor;
            self.sums += Triple([x, y, z]);
            if BOTH {
                let place = (block - first_block) * BLOCK_SUMS + shift;
                debug_assert!(place + 2 * TILE + V::WIDTH <= all_sums.len());
                // SAFETY: the block lies in the range that the sums were made for.
                unsafe {
                    let sum = all_sums.as_mut_ptr().add(place);
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

/// A part of the sixteen partial sums of a block along an axis, bead by bead instead of sum by sum.
#[inline(always)]
fn transposed<V: Vector>(sums: &[V::Scalar], part: usize) -> V {
    V::from_lanes(|lane| {
        let pair = part * V::WIDTH + lane;
        sums[pair % BLOCK * BLOCK + pair / BLOCK]
    })
}
