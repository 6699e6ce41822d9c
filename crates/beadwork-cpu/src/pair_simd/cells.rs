//! A search for pairs of near blocks of beads: spheres around blocks, sorted into cells.

use std::ops::Range;

use beadwork_arithmetic::{Real, Vector};

use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, spread};
use crate::pair_simd::rows::TILE_SIDE;

/// The largest radius, Å, of spheres that are sorted into cells; it suits four neighbours in a chain. Larger blocks,
/// such as those with beads of two chains, are tested one by one.
const COMMON_RADIUS: f64 = 8.0;

/// Spheres around blocks, sorted by the cells that their centres lie in.
#[derive(Debug)]
pub(crate) struct BlockCells<T> {
    edge: f64,
    /// The reach, increased by what rounding may hide.
    reach: T,
    /// Centre and radius of each block.
    spheres: Vec<([f64; 3], f64)>,
    /// Columns of cells, ascending by x and y, each with the index of its first sphere.
    columns: Vec<([i64; 2], u32)>,
    /// The cell of each sphere along z, ascending in a column.
    heights: Vec<i64>,
    blocks: Vec<u32>,
    /// x, y, z and radius in the order of `blocks`, padded to whole vectors with spheres far away.
    sorted: [Vec<T>; 4],
    /// Blocks with a radius beyond [`COMMON_RADIUS`].
    wide: Vec<u32>,
}

/// The number of cells that the reach spans along an axis. Smaller cells mean fewer tests of distant spheres.
const CELLS_A_REACH: i64 = 2;
/// The number of lanes of the widest vector.
const WIDEST: usize = 16;

impl<T: Real> BlockCells<T> {
    pub fn new(positions: &Coordinates<T>, reach: f64) -> Self {
        let spheres: Vec<_> =
            (0..positions.blocks(TILE_SIDE)).map(|block| sphere(positions, block)).collect();
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
        BlockCells {
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

    /// Writes the blocks whose spheres may be within reach of a block's, itself included, to `found`, in any order.
    #[inline(always)]
    pub fn near<V: Vector<Scalar = T>>(&self, block: usize, found: &mut Vec<u32>) {
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
            // Columns of equal x are consecutive in the list, as are the spheres of a column.
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

    /// Finds the spheres among the sorted ones in `places` that touch a sphere at `at`, whose radius is part of
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
                // A vector may extend beyond the last of the places.
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
    let beads = block * TILE_SIDE..(block * TILE_SIDE + TILE_SIDE).min(positions.len());
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
