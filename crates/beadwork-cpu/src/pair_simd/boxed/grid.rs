//! The cells of a periodic box, and which cells are neighbours.

use std::ops::Range;

use beadwork_arithmetic::Real;

/// Cells of a strip along y and along z. A strip runs along x, so cells that are near have near numbers: what a pass over
/// the cells reads again is still in a cache, however large the box is.
const STRIP: usize = 8;

/// Cells at least as wide as the reach of pairs, numbered along strips.
#[derive(Clone, Debug)]
pub(crate) struct CellGrid {
    counts: [usize; 3],
    /// For each cell the first of its entries in `runs`.
    starts: Vec<usize>,
    /// Consecutive cells, the first and the one after the last, that are neighbours of a cell: itself and those with
    /// larger numbers.
    runs: Vec<[u32; 2]>,
}

impl CellGrid {
    /// The grid of a box with these sides, Å, for pairs within `reach`, Å, and a number of beads.
    pub fn new(lengths: [f64; 3], reach: f64, beads: usize) -> CellGrid {
        // Distances in single precision may be wrong in their last digits.
        let edge = reach * 1.000_02;
        let mut counts = lengths.map(|length| (length / edge).floor().clamp(1.0, 1e6));
        // More cells than beads would be empty for the most part.
        while counts.iter().product::<f64>() > beads.max(1) as f64 {
            let largest = counts.iter().copied().fold(1.0, f64::max);
            let halved = |count: f64| if count == largest { (count / 2.0).floor() } else { count };
            counts = counts.map(halved);
        }
        let mut grid =
            CellGrid { counts: counts.map(|n| n as usize), starts: vec![0], runs: Vec::new() };
        let (cells, mut around) = (grid.cells(), Vec::with_capacity(27));
        grid.starts.reserve_exact(cells);
        for cell in 0..cells {
            grid.add_runs(cell, &mut around);
        }
        grid.runs.shrink_to_fit();
        grid
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.counts.iter().product()
    }

    /// The neighbours of a cell, itself included, that have no smaller numbers than it, as ascending ranges. The first
    /// range begins with the cell.
    pub fn neighbours(&self, cell: usize) -> impl Iterator<Item = Range<usize>> {
        let runs = &self.runs[self.starts[cell]..self.starts[cell + 1]];
        runs.iter().map(|&[first, end]| first as usize..end as usize)
    }

    /// The cell of a coordinate.
    #[inline(always)]
    pub fn cell<T: Real>(&self, coordinate: [T; 3]) -> usize {
        let place = |axis: usize| {
            // From −½ and ½ of a side to 0 and 2⁶⁴.
            let fraction = coordinate[axis].to_fraction() as u64 ^ 1 << 63;
            ((u128::from(fraction) * self.counts[axis] as u128) >> 64) as usize
        };
        self.number([place(0), place(1), place(2)])
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        let [along_x, along_y, along_z] = self.counts;
        let (first_y, first_z) = (y - y % STRIP, z - z % STRIP);
        let (high, wide) = (STRIP.min(along_y - first_y), STRIP.min(along_z - first_z));
        let before = along_x * (first_y * along_z + high * first_z);
        before + (x * high + y - first_y) * wide + z - first_z
    }

    /// The inverse of [`CellGrid::number`].
    fn place(&self, number: usize) -> [usize; 3] {
        let [along_x, along_y, along_z] = self.counts;
        let first_y = STRIP * (number / (along_x * STRIP * along_z));
        let high = STRIP.min(along_y - first_y);
        let rest = number - along_x * first_y * along_z;
        let first_z = STRIP * (rest / (along_x * high * STRIP));
        let wide = STRIP.min(along_z - first_z);
        let rest = rest - along_x * high * first_z;
        [rest / (high * wide), first_y + rest / wide % high, first_z + rest % wide]
    }

    /// Adds the entries of the next cell; `cells` is room for its neighbours.
    fn add_runs(&mut self, cell: usize, cells: &mut Vec<u32>) {
        let place = self.place(cell);
        // Of one or two cells along a side, none is a neighbour twice.
        let along = |axis: usize| {
            let (at, count) = (place[axis], self.counts[axis]);
            (0..count.min(3)).map(move |step| (at + step + count - 1) % count)
        };
        cells.clear();
        for x in along(0) {
            for y in along(1) {
                cells.extend(along(2).map(|z| self.number([x, y, z]) as u32));
            }
        }
        cells.retain(|&other| other as usize >= cell);
        cells.sort_unstable();
        let first = self.runs.len();
        for &other in cells.iter() {
            match self.runs[first..].last_mut() {
                Some([_, end]) if *end == other => *end += 1,
                _ => self.runs.push([other, other + 1]),
            }
        }
        self.starts.push(self.runs.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use beadwork_arithmetic::Fraction;

    #[test]
    fn numbers_and_places_are_inverse() {
        for lengths in [[1.0; 3], [9.0, 8.0, 7.0], [3.0, 17.0, 25.0], [2.0, 33.0, 8.0]] {
            let grid = CellGrid::new(lengths, 0.999, usize::MAX);
            for cell in 0..grid.cells() {
                assert_eq!(grid.number(grid.place(cell)), cell, "{lengths:?}");
            }
        }
    }

    #[test]
    fn every_two_cells_that_touch_are_neighbours_once() {
        for counts in [[1, 1, 1], [2, 1, 3], [2, 2, 2], [3, 3, 3], [4, 9, 10], [5, 17, 3]] {
            let lengths = counts.map(|count| count as f64);
            let grid = CellGrid::new(lengths, 0.999, usize::MAX);
            assert_eq!(grid.counts, counts);
            let mut found = BTreeSet::new();
            for cell in 0..grid.cells() {
                for (number, run) in grid.neighbours(cell).enumerate() {
                    assert!(number > 0 || run.start == cell);
                    for other in run {
                        assert!(other >= cell && found.insert((cell, other)));
                    }
                }
            }
            for (a, b) in (0..grid.cells()).flat_map(|a| (a..grid.cells()).map(move |b| (a, b))) {
                let (at, to) = (grid.place(a), grid.place(b));
                let touch = (0..3).all(|axis| {
                    let apart = at[axis].abs_diff(to[axis]);
                    apart.min(counts[axis] - apart) <= 1
                });
                assert_eq!(found.contains(&(a, b)), touch, "{counts:?} {a} {b}");
            }
        }
    }

    #[test]
    fn coordinates_lie_in_their_cells() {
        let grid = CellGrid::new([10.0; 3], 0.999, usize::MAX);
        for (sides, place) in [(-0.5, 0), (-0.401, 0), (-0.399, 1), (0.0, 5), (0.499, 9)] {
            let fraction = (sides * 2.0_f64.powi(64)) as i64;
            let single = [f32::from_fraction(fraction); 3];
            let double = [f64::from_fraction(fraction); 3];
            let expected = grid.number([place; 3]);
            assert_eq!([grid.cell(single), grid.cell(double)], [expected; 2], "{sides}");
        }
    }

    #[test]
    fn there_are_no_more_cells_than_beads() {
        for beads in [0, 1, 2, 50, 1_000] {
            let grid = CellGrid::new([1_000.0, 1.0, 30.0], 0.5, beads);
            assert!((1..=beads.max(1)).contains(&grid.cells()));
        }
    }
}
