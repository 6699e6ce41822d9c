//! One system, each pair once, in the order of the rule with K = 4 and K = 8: lanes run over the
//! pairs of tiles, as in the engine.
//!
//! A tile is cut into strips of sixteen pairs, so that one with nothing near is left out: the
//! 4 × 4 tile is one strip, the 8 × 8 tile four of two rows.

mod whole;

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::Range;

use beadwork_arithmetic::{Family, Instructions, Kernel, Real, Vector};
use beadwork_model::potentials::PairPotential;

use crate::buffers::{Axes, Numbers, Triple, all_lanes, spread};
use crate::formula::Formula;
use crate::systems::{CUTOFF, Chain};
use crate::variant::Variant;

pub use whole::WholeTiles;

/// Pairs of a strip.
const STRIP: usize = 16;

/// The tile's form.
pub trait Side: Copy + std::fmt::Debug + 'static {
    /// Beads of a block: columns of a strip and partial sums of a bead.
    const BEADS: usize;

    /// The array along an axis that [`Side::columns`] reads.
    fn array<V: Vector>(positions: &Positions<V::Scalar>, axis: usize) -> *const V::Scalar;

    /// A block's positions, in lane l that of column (part · WIDTH + l) mod BEADS.
    ///
    /// # Safety
    /// The array is that of [`Side::array`], the block one of its.
    unsafe fn columns<V: Vector>(array: *const V::Scalar, block: usize, part: usize) -> V;
}

/// 4 × 4.
#[derive(Clone, Copy, Debug)]
pub struct Four;

impl Side for Four {
    const BEADS: usize = 4;

    #[inline(always)]
    fn array<V: Vector>(positions: &Positions<V::Scalar>, axis: usize) -> *const V::Scalar {
        positions.axes.0[axis].as_ptr()
    }

    #[inline(always)]
    unsafe fn columns<V: Vector>(array: *const V::Scalar, block: usize, part: usize) -> V {
        // SAFETY: the caller's, and arrays are filled up to whole blocks.
        V::columns(unsafe { &*array.add(block * 4).cast::<[V::Scalar; 4]>() }, part)
    }
}

/// 8 × 8.
#[derive(Clone, Copy, Debug)]
pub struct Eight;

impl Side for Eight {
    const BEADS: usize = 8;

    #[inline(always)]
    fn array<V: Vector>(positions: &Positions<V::Scalar>, axis: usize) -> *const V::Scalar {
        if V::WIDTH > 8 {
            positions.twice.0[axis].as_ptr()
        } else {
            positions.axes.0[axis].as_ptr()
        }
    }

    #[inline(always)]
    unsafe fn columns<V: Vector>(array: *const V::Scalar, block: usize, part: usize) -> V {
        let place = if V::WIDTH > 8 { block * 16 } else { block * 8 + part * V::WIDTH % 8 };
        // SAFETY: the caller's, and arrays are filled up to whole blocks.
        unsafe { V::load_unchecked(array.add(place)) }
    }
}

/// Positions of the beads, Å.
#[derive(Debug)]
pub struct Positions<T> {
    axes: Axes<T>,
    /// Each eight of them twice, for vectors of sixteen lanes.
    twice: Axes<T>,
}

/// A strip's columns and which of its pairs act: bit BEADS · a + b for row a and column b.
#[derive(Clone, Copy, Debug)]
struct Strip {
    block: u32,
    pairs: u32,
}

/// The strips of some rows.
#[derive(Clone, Debug)]
struct Row {
    /// With the rows' own block: both orders of each pair are set, and only the rows are acted on.
    own: Range<usize>,
    /// With later blocks.
    later: Range<usize>,
}

/// One system by tiles.
#[derive(Debug)]
pub struct Tiles<T, S, P> {
    label: &'static str,
    instructions: Instructions,
    beads: usize,
    positions: Positions<T>,
    rows: Vec<Row>,
    strips: Vec<Strip>,
    sums: Numbers<T>,
    total: Axes<T>,
    kind: PhantomData<(S, P)>,
}

impl<T: Real, S: Side, P: Formula> Tiles<T, S, P> {
    /// Of a chain at `beads`, Å.
    pub fn new(
        label: &'static str,
        instructions: Instructions,
        chain: &Chain,
        beads: &[[f64; 3]],
        neighbours: &[Vec<usize>],
    ) -> Self {
        let count = beads.len();
        let height = STRIP / S::BEADS;
        let (mut rows, mut strips) = (Vec::new(), Vec::new());
        for first in (0..count).step_by(height) {
            let own_block = first / S::BEADS;
            let near = neighbours[first..(first + height).min(count)].iter().flatten();
            let blocks: BTreeSet<usize> =
                near.map(|&j| j / S::BEADS).filter(|&block| block >= own_block).collect();
            let start = strips.len();
            let mut later = start;
            for block in blocks {
                let mut pairs = 0;
                for pair in 0..STRIP {
                    let (i, j) = (first + pair / S::BEADS, block * S::BEADS + pair % S::BEADS);
                    if i < count && j < count && i != j && !chain.excluded.contains(&(i, j)) {
                        pairs |= 1 << pair;
                    }
                }
                strips.push(Strip { block: block as u32, pairs });
                if block == own_block {
                    later = strips.len();
                }
            }
            rows.push(Row { own: start..later, later: later..strips.len() });
        }
        let blocks = count.div_ceil(S::BEADS);
        Tiles {
            label,
            instructions,
            beads: count,
            positions: Positions {
                axes: Axes::from_triples(beads),
                twice: Axes::zeros(2 * count + 16),
            },
            rows,
            strips,
            sums: Numbers::zeros(blocks * 3 * S::BEADS * S::BEADS),
            total: Axes::zeros(count),
            kind: PhantomData,
        }
    }
}

impl<T: Real, S: Side, P: Formula> Variant for Tiles<T, S, P> {
    fn name(&self) -> String {
        self.label.to_string()
    }

    fn evaluate(&mut self) {
        self.instructions.dispatch(Evaluation(self));
    }

    fn forces(&self, _replica: usize) -> Vec<[f64; 3]> {
        self.total.to_triples(self.beads)
    }
}

struct Evaluation<'a, T, S, P>(&'a mut Tiles<T, S, P>);

impl<T: Real, S: Side, P: Formula> Kernel for Evaluation<'_, T, S, P> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        self.0.run::<T::Vector<F>>();
    }
}

/// Rows of a strip in lanes.
struct Lanes<V> {
    positions: Triple<V>,
    sums: Triple<V>,
}

impl<T: Real, S: Side, P: Formula> Tiles<T, S, P> {
    const TILE: usize = S::BEADS * S::BEADS;
    const HEIGHT: usize = STRIP / S::BEADS;

    #[inline(always)]
    fn run<V: Vector<Scalar = T>>(&mut self) {
        self.sums.fill(T::zero());
        if S::BEADS == 8 && V::WIDTH > 8 {
            for axis in 0..3 {
                let (from, to) = (&self.positions.axes.0[axis], &mut self.positions.twice.0[axis]);
                for (eight, sixteen) in from.chunks_exact(8).zip(to.chunks_exact_mut(16)) {
                    sixteen[..8].copy_from_slice(eight);
                    sixteen[8..].copy_from_slice(eight);
                }
            }
        }
        let potential = P::spread::<V>();
        let cutoff = spread::<V>(T::from_f64(CUTOFF * CUTOFF));
        for row in 0..self.rows.len() {
            let Row { own, later } = self.rows[row].clone();
            for part in 0..STRIP / V::WIDTH {
                let mut lanes = self.take::<V>(row, part);
                self.add::<V, false>(&mut lanes, own.clone(), row, part, &potential, cutoff);
                self.add::<V, true>(&mut lanes, later.clone(), row, part, &potential, cutoff);
                self.put::<V>(&lanes, row, part);
            }
        }
        self.add_up();
    }

    /// Where a row's lane has its partial sum along the first axis.
    #[inline(always)]
    fn place(row: usize, pair: usize) -> usize {
        let bead = row * Self::HEIGHT + pair / S::BEADS;
        bead / S::BEADS * 3 * Self::TILE + pair % S::BEADS * S::BEADS + bead % S::BEADS
    }

    #[inline(always)]
    fn take<V: Vector<Scalar = T>>(&self, row: usize, part: usize) -> Lanes<V> {
        let mut lanes = Lanes { positions: Triple::<V>::zero(), sums: Triple::<V>::zero() };
        for axis in 0..3 {
            let positions = &self.positions.axes.0[axis];
            lanes.positions.0[axis] = V::from_lanes(|lane| {
                positions[row * Self::HEIGHT + (part * V::WIDTH + lane) / S::BEADS]
            });
            lanes.sums.0[axis] = V::from_lanes(|lane| {
                self.sums[Self::place(row, part * V::WIDTH + lane) + axis * Self::TILE]
            });
        }
        lanes
    }

    #[inline(always)]
    fn put<V: Vector<Scalar = T>>(&mut self, lanes: &Lanes<V>, row: usize, part: usize) {
        for axis in 0..3 {
            for lane in 0..V::WIDTH {
                let place = Self::place(row, part * V::WIDTH + lane) + axis * Self::TILE;
                self.sums[place] = lanes.sums.0[axis].lane(lane);
            }
        }
    }

    #[inline(always)]
    fn add<V: Vector<Scalar = T>, const BOTH: bool>(
        &mut self,
        lanes: &mut Lanes<V>,
        strips: Range<usize>,
        row: usize,
        part: usize,
        potential: &P::Of<V>,
        cutoff: V,
    ) {
        // A row's number within its block is the partial sum that its partners add to.
        let first_partial = row * Self::HEIGHT % S::BEADS;
        let offset = first_partial * S::BEADS + part * V::WIDTH;
        let [x, y, z] = [0, 1, 2].map(|axis| S::array::<V>(&self.positions, axis));
        let sums = self.sums.as_mut_ptr();
        for strip in &self.strips[strips] {
            let pairs = (strip.pairs >> (part * V::WIDTH)) & all_lanes(V::WIDTH);
            if pairs == 0 {
                continue;
            }
            let block = strip.block as usize;
            // SAFETY: lists name blocks of these positions.
            let there = unsafe {
                Triple([
                    S::columns::<V>(x, block, part),
                    S::columns::<V>(y, block, part),
                    S::columns::<V>(z, block, part),
                ])
            };
            let apart = lanes.positions.minus(there);
            let r2 = apart.square();
            let factor = potential.force_over_distance(r2);
            let mut factor = V::select(r2.less_than(cutoff), factor, V::zero());
            if pairs != all_lanes(V::WIDTH) {
                factor = V::select(V::mask_from_bits(pairs), factor, V::zero());
            }
            let term = apart.times(factor);
            lanes.sums = lanes.sums.plus(term);
            if BOTH {
                let place = block * 3 * Self::TILE + offset;
                for axis in 0..3 {
                    // SAFETY: the sums were made for all blocks that lists name.
                    unsafe {
                        let sum = sums.add(place + axis * Self::TILE);
                        (V::load_unchecked(sum) - term.0[axis]).store_unchecked(sum);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn add_up(&mut self) {
        let side = S::BEADS;
        for block in 0..self.beads.div_ceil(side) {
            for axis in 0..3 {
                let sums = &self.sums[(block * 3 + axis) * Self::TILE..][..Self::TILE];
                let total = &mut self.total.0[axis][block * side..][..side];
                for bead in 0..side {
                    let quarter = |first: usize| {
                        (sums[first * side + bead] + sums[(first + 1) * side + bead])
                            + (sums[(first + 2) * side + bead] + sums[(first + 3) * side + bead])
                    };
                    total[bead] = if side == 4 { quarter(0) } else { quarter(0) + quarter(4) };
                }
            }
        }
    }
}
