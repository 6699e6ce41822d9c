//! One system without the rules: tiles of four rows, vector accumulators as wide as the register.

use std::collections::BTreeSet;

use beadwork_arithmetic::Instructions;

use super::vectors::{Loose, LooseFamily, LooseKernel, LooseReal, Repulsion, dispatch};
use crate::buffers::{Axes, Numbers, WIDEST, all_lanes};
use crate::systems::{CUTOFF, Chain};
use crate::variant::Variant;

/// Rows of a tile.
const ROWS: usize = 4;

/// A tile's columns and which of its pairs act: bit COLUMNS · a + b for row a and column b.
#[derive(Clone, Copy, Debug)]
struct Tile {
    block: u32,
    pairs: u32,
}

/// One system by tiles of 4 × `COLUMNS` pairs; all of a tile is done in one visit.
#[derive(Debug)]
pub struct LooseTiles<T, const COLUMNS: usize, const ESTIMATED: bool> {
    label: &'static str,
    instructions: Instructions,
    beads: usize,
    positions: Axes<T>,
    /// Where the tiles of four rows end.
    ends: Vec<usize>,
    tiles: Vec<Tile>,
    /// Of each block of columns and each axis as many numbers as a vector or the block has.
    sums: Numbers<T>,
    total: Axes<T>,
}

impl<T: LooseReal, const COLUMNS: usize, const ESTIMATED: bool> LooseTiles<T, COLUMNS, ESTIMATED> {
    /// Of a chain at `beads`, Å.
    pub fn new(
        label: &'static str,
        instructions: Instructions,
        chain: &Chain,
        beads: &[[f64; 3]],
        neighbours: &[Vec<usize>],
    ) -> Self {
        let count = beads.len();
        let (mut ends, mut tiles) = (Vec::new(), Vec::new());
        for first in (0..count).step_by(ROWS) {
            let mut blocks = BTreeSet::new();
            for i in first..(first + ROWS).min(count) {
                let later = neighbours[i].iter().filter(|&&j| j > i);
                blocks.extend(later.map(|j| j / COLUMNS));
            }
            for block in blocks {
                let mut pairs = 0;
                for pair in 0..ROWS * COLUMNS {
                    let (i, j) = (first + pair / COLUMNS, block * COLUMNS + pair % COLUMNS);
                    if i < j && j < count && !chain.excluded.contains(&(i, j)) {
                        pairs |= 1 << pair;
                    }
                }
                tiles.push(Tile { block: block as u32, pairs });
            }
            ends.push(tiles.len());
        }
        LooseTiles {
            label,
            instructions,
            beads: count,
            positions: Axes::from_triples(beads),
            ends,
            tiles,
            sums: Numbers::zeros(count.div_ceil(COLUMNS) * 3 * WIDEST),
            total: Axes::zeros(count),
        }
    }
}

impl<T: LooseReal, const COLUMNS: usize, const ESTIMATED: bool> Variant
    for LooseTiles<T, COLUMNS, ESTIMATED>
{
    fn name(&self) -> String {
        self.label.to_string()
    }

    fn evaluate(&mut self) {
        dispatch(self.instructions, Evaluation(self));
    }

    fn forces(&self, _replica: usize) -> Vec<[f64; 3]> {
        self.total.to_triples(self.beads)
    }
}

struct Evaluation<'a, T, const COLUMNS: usize, const ESTIMATED: bool>(
    &'a mut LooseTiles<T, COLUMNS, ESTIMATED>,
);

impl<T: LooseReal, const COLUMNS: usize, const ESTIMATED: bool> LooseKernel
    for Evaluation<'_, T, COLUMNS, ESTIMATED>
{
    #[inline(always)]
    fn run<F: LooseFamily>(self) {
        self.0.run::<T::Loose<F>>();
    }
}

impl<T: LooseReal, const COLUMNS: usize, const ESTIMATED: bool> LooseTiles<T, COLUMNS, ESTIMATED> {
    #[inline(always)]
    fn run<V: Loose<Scalar = T>>(&mut self) {
        // Lanes that a vector or a row has, vectors of rows, vectors of columns.
        let stride = if V::WIDTH > COLUMNS { V::WIDTH } else { COLUMNS };
        let row_vectors = ROWS * COLUMNS / stride;
        let column_vectors = stride / V::WIDTH;
        let repulsion = Repulsion::<V>::new(CUTOFF);
        let [x, y, z] = [0, 1, 2].map(|axis| self.positions.0[axis].as_ptr());
        let used = self.beads.div_ceil(COLUMNS) * 3 * stride;
        self.sums[..used].fill(T::zero());
        let sums = self.sums.as_mut_ptr();
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let mut here = [[V::splat(0.0); 3]; ROWS];
            let mut on_rows = [[V::splat(0.0); 3]; ROWS];
            for vector in 0..row_vectors {
                for axis in 0..3 {
                    let mut numbers = [T::zero(); WIDEST];
                    for (lane, number) in numbers[..V::WIDTH].iter_mut().enumerate() {
                        let bead = (vector * stride + lane) / COLUMNS;
                        *number = self.positions.0[axis][row * ROWS + bead];
                    }
                    // SAFETY: no vector is wider.
                    here[vector][axis] = unsafe { V::load(numbers.as_ptr()) };
                }
            }
            for tile in &self.tiles[start..end] {
                let block = tile.block as usize;
                for column in 0..column_vectors {
                    let bead = block * COLUMNS + column * V::WIDTH;
                    // SAFETY: lists name blocks of the chain, and arrays are filled up to them.
                    let there = unsafe {
                        [
                            V::load_columns(x.add(bead), COLUMNS),
                            V::load_columns(y.add(bead), COLUMNS),
                            V::load_columns(z.add(bead), COLUMNS),
                        ]
                    };
                    // SAFETY: there are three strides of sums for each block.
                    let place = unsafe { sums.add(block * 3 * stride + column * V::WIDTH) };
                    // SAFETY: as above.
                    let mut on_columns = unsafe {
                        [V::load(place), V::load(place.add(stride)), V::load(place.add(2 * stride))]
                    };
                    for vector in 0..row_vectors {
                        let (apart, mut factor) = repulsion.between(here[vector], there, ESTIMATED);
                        let pairs = tile.pairs >> (vector * stride + column * V::WIDTH);
                        let pairs = pairs & all_lanes(V::WIDTH);
                        if pairs != all_lanes(V::WIDTH) {
                            factor = factor.where_bits(pairs);
                        }
                        for axis in 0..3 {
                            let sum = &mut on_rows[vector][axis];
                            *sum = factor.times_plus(apart[axis], *sum);
                            on_columns[axis] = factor.times_from(apart[axis], on_columns[axis]);
                        }
                    }
                    for (axis, sum) in on_columns.into_iter().enumerate() {
                        // SAFETY: as above.
                        unsafe { sum.store(place.add(axis * stride)) };
                    }
                }
            }
            start = end;
            for axis in 0..3 {
                let mut rows = [T::zero(); ROWS];
                for vector in 0..row_vectors {
                    let mut numbers = [T::zero(); WIDEST];
                    // SAFETY: no vector is wider.
                    unsafe { on_rows[vector][axis].store(numbers.as_mut_ptr()) };
                    for (lane, &number) in numbers[..V::WIDTH].iter().enumerate() {
                        rows[(vector * stride + lane) / COLUMNS] += number;
                    }
                }
                self.total.0[axis][row * ROWS..][..ROWS].copy_from_slice(&rows);
            }
        }
        for block in 0..self.beads.div_ceil(COLUMNS) {
            for axis in 0..3 {
                let sums = &self.sums[(block * 3 + axis) * stride..][..stride];
                let total = &mut self.total.0[axis][block * COLUMNS..][..COLUMNS];
                for (lane, &sum) in sums.iter().enumerate() {
                    total[lane % COLUMNS] += sum;
                }
            }
        }
    }
}
