//! A search for pairs of near beads by cells. Its cost grows with the number of beads, not with its square.

use std::ops::Range;

use crate::particles::Boundary;

/// Below this number of beads all pairs are compared.
const FEWEST_FOR_CELLS: usize = 400;
/// More cells than this a bead would be empty for the most part.
const MOST_CELLS_A_BEAD: f64 = 4.0;

/// Beads of a share of the rows.
const SHARE: usize = 1024;

/// Calls `near(i, partners)` for each bead i, ascending, as [`NearPairs::rows`].
pub fn near_pairs(
    boundary: Boundary,
    beads: usize,
    position: impl Fn(usize) -> [f64; 3],
    radius: f64,
    near: impl FnMut(usize, &[u32]),
) {
    NearPairs::new(boundary, beads, position, radius).rows(0..beads, near);
}

/// Beads in order for a search of those that are near each other.
#[derive(Debug)]
pub struct NearPairs {
    boundary: Boundary,
    /// In a box those of the images inside it.
    positions: Vec<[f64; 3]>,
    /// The square of slightly more than the radius, so that rounding loses no pair.
    square_edge: f64,
    /// `None` for few beads.
    cells: Option<Cells>,
}

/// Beads j > i that are near a bead i, and the squares of their distances.
#[derive(Default)]
struct Partners {
    beads: Vec<u32>,
    squares: Vec<f64>,
}

impl NearPairs {
    /// Of beads that may be within `radius` of each other. Positions and radius are in Å; positions must be finite. In a
    /// box, positions may lie outside it, and the nearest images count.
    pub fn new(
        boundary: Boundary,
        beads: usize,
        position: impl Fn(usize) -> [f64; 3],
        radius: f64,
    ) -> NearPairs {
        let edge = radius.max(1e-3) * 1.000_001;
        let positions: Vec<_> = (0..beads).map(|bead| inside(boundary, position(bead))).collect();
        let cells = (beads >= FEWEST_FOR_CELLS)
            .then(|| Cells::new(Grid::new(boundary, &positions, edge), &positions));
        NearPairs { boundary, positions, square_edge: edge * edge, cells }
    }

    /// Shares of the beads, ascending: some for each thread.
    pub fn shares(&self) -> Vec<Range<usize>> {
        let beads = self.positions.len();
        (0..beads).step_by(SHARE).map(|first| first..beads.min(first + SHARE)).collect()
    }

    /// Calls `near(i, partners)` for each bead i of `beads`, ascending, with the beads j > i that may be within the
    /// radius of it. Partners ascend; they are all beads within the radius, and some beyond it.
    pub fn rows(&self, beads: Range<usize>, mut near: impl FnMut(usize, &[u32])) {
        let Some(cells) = &self.cells else {
            let all: Vec<u32> = (0..self.positions.len() as u32).collect();
            beads.for_each(|i| near(i, &all[i + 1..]));
            return;
        };
        let mut partners = Partners::default();
        for i in beads {
            let count = cells.partners(i + 1, self.positions[i], self.square_edge, &mut partners);
            let partners = &mut partners.beads[..count];
            partners.sort_unstable();
            near(i, partners);
        }
    }

    /// Calls `near` with each other bead that may be within the radius of bead i, in any order: all beads within the radius, and
    /// some beyond it.
    pub fn around(&self, i: usize, mut near: impl FnMut(usize)) {
        let Some(cells) = &self.cells else {
            (0..self.positions.len()).filter(|&j| j != i).for_each(near);
            return;
        };
        let mut partners = Partners::default();
        let count = cells.partners(0, self.positions[i], self.square_edge, &mut partners);
        let beads = partners.beads[..count].iter().map(|&j| j as usize);
        beads.filter(|&j| j != i).for_each(&mut near);
    }

    /// The first beads i < j, by i and then by j, that are within the radius of each other and for which
    /// `holds(i, j, square)` is true, with the square of their distance, Å²; also some pairs beyond the radius are tried.
    pub fn first(&self, holds: impl Fn(usize, usize, f64) -> bool) -> Option<[usize; 2]> {
        let mut found = None;
        let Some(cells) = &self.cells else {
            self.pairs(0..self.positions.len(), |i, j, square| {
                if found.is_none() && holds(i, j, square) {
                    found = Some([i, j]);
                }
            });
            return found;
        };
        let mut partners = Partners::default();
        // In the order of cells: beads after each other have the same partners, which are then in the cache.
        for (&bead, &at) in cells.beads.iter().zip(&cells.positions) {
            let i = bead as usize;
            if found.is_some_and(|[first, _]| i > first) {
                continue;
            }
            let count = cells.partners(i + 1, at, self.square_edge, &mut partners);
            for (&j, &square) in partners.beads.iter().zip(&partners.squares).take(count) {
                let pair = [i, j as usize];
                if found.is_none_or(|other| pair < other) && holds(i, pair[1], square) {
                    found = Some(pair);
                }
            }
        }
        found
    }

    /// Calls `pair(i, j, square)` for each bead i of `beads`, ascending, and each bead j > i within the radius of it, in
    /// any order, with the square of their distance, Å²; also for some pairs beyond the radius.
    pub fn pairs(&self, beads: Range<usize>, mut pair: impl FnMut(usize, usize, f64)) {
        let mut partners = Partners::default();
        for i in beads {
            let at = self.positions[i];
            let Some(cells) = &self.cells else {
                for (j, &other) in self.positions.iter().enumerate().skip(i + 1) {
                    pair(i, j, self.boundary.squared_distance(at, other));
                }
                continue;
            };
            let count = cells.partners(i + 1, at, self.square_edge, &mut partners);
            for (&j, &square) in partners.beads.iter().zip(&partners.squares).take(count) {
                pair(i, j as usize, square);
            }
        }
    }
}

/// Beads sorted by cells.
#[derive(Debug)]
struct Cells {
    grid: Grid,
    /// The first entry of each cell, and the number of all.
    starts: Vec<u32>,
    beads: Vec<u32>,
    positions: Vec<[f64; 3]>,
    /// The number of beads in the fullest cell.
    largest: usize,
}

impl Cells {
    fn new(grid: Grid, positions: &[[f64; 3]]) -> Cells {
        let numbers: Vec<u32> =
            positions.iter().map(|&position| grid.number(grid.cell(position)) as u32).collect();
        // Entry k + 1 is the place of the next bead of cell k.
        let mut starts = vec![0_u32; grid.counts.iter().product::<usize>() + 2];
        for &number in &numbers {
            starts[number as usize + 2] += 1;
        }
        let largest = starts.iter().copied().max().unwrap_or(0) as usize;
        for number in 2..starts.len() {
            starts[number] += starts[number - 1];
        }
        let mut beads = vec![0; positions.len()];
        let mut sorted = vec![[0.0; 3]; positions.len()];
        for (bead, (&number, &position)) in numbers.iter().zip(positions).enumerate() {
            let next = &mut starts[number as usize + 1];
            beads[*next as usize] = bead as u32;
            sorted[*next as usize] = position;
            *next += 1;
        }
        starts.pop();
        Cells { grid, starts, beads, positions: sorted, largest }
    }

    /// Finds the beads from number `lowest` on whose squared distance from a position is below `limit`; returns how many there
    /// are. They are the first entries of `partners`.
    fn partners(&self, lowest: usize, at: [f64; 3], limit: f64, partners: &mut Partners) -> usize {
        let Partners { beads: found, squares } = partners;
        // Room for the beads of 27 cells.
        found.resize(27 * self.largest, 0);
        squares.resize(27 * self.largest, 0.0);
        let mut count = 0;
        self.grid.for_each_neighbour(self.grid.cell(at), |cell| {
            let range = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            let beads = &self.beads[range.clone()];
            // The beads of a cell are in ascending order.
            let first = beads.partition_point(|&j| (j as usize) < lowest);
            let positions = &self.positions[range];
            for (&j, &other) in beads[first..].iter().zip(&positions[first..]) {
                let square = self.grid.squared_distance(at, other);
                // Without a branch, which would be mispredicted at every fourth bead.
                (found[count], squares[count]) = (j, square);
                count += usize::from(square < limit);
            }
        });
        count
    }
}

/// Cells with edges of at least the radius: of a periodic box, or of the box around all beads in open space.
#[derive(Debug)]
struct Grid {
    boundary: Boundary,
    low: [f64; 3],
    lengths: [f64; 3],
    counts: [usize; 3],
}

impl Grid {
    fn new(boundary: Boundary, positions: &[[f64; 3]], edge: f64) -> Grid {
        let (low, lengths) = match boundary {
            Boundary::Periodic { lengths } => ([0.0; 3], lengths),
            Boundary::Open => around(positions),
        };
        let mut counts = lengths.map(|length| (length / edge).floor().max(1.0));
        let most = MOST_CELLS_A_BEAD * positions.len() as f64;
        while counts.iter().product::<f64>() > most {
            let largest = counts.iter().copied().fold(1.0, f64::max);
            let halved = |count: f64| if count == largest { (count / 2.0).ceil() } else { count };
            counts = counts.map(halved);
        }
        Grid { boundary, low, lengths, counts: counts.map(|count| count as usize) }
    }

    /// |r_a − r_b|² of positions inside a box. Distances of less than half a side are those of the nearest images.
    #[inline]
    fn squared_distance(&self, a: [f64; 3], b: [f64; 3]) -> f64 {
        let along = |axis: usize| {
            let apart = (a[axis] - b[axis]).abs();
            let image = (self.lengths[axis] - apart).abs();
            let nearest = if self.boundary == Boundary::Open { apart } else { apart.min(image) };
            nearest * nearest
        };
        along(0) + along(1) + along(2)
    }

    fn cell(&self, position: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let part = (position[axis] - self.low[axis]) / self.lengths[axis];
            let count = self.counts[axis];
            ((part * count as f64) as usize).min(count - 1)
        })
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.counts[1] + y) * self.counts[2] + z
    }

    /// Calls `visit` with the number of a cell and of each cell around it.
    fn for_each_neighbour(&self, cell: [usize; 3], mut visit: impl FnMut(usize)) {
        let along = |axis: usize| {
            let (place, count) = (cell[axis], self.counts[axis]);
            let (first, visited) = match self.boundary {
                // Of one or two cells along a side, none is visited twice.
                Boundary::Periodic { .. } => (place + count - 1, count.min(3)),
                Boundary::Open => {
                    let first = place.saturating_sub(1);
                    (first, (place + 2).min(count) - first)
                }
            };
            (first..first + visited).map(move |step| step % count)
        };
        for x in along(0) {
            for y in along(1) {
                for z in along(2) {
                    visit(self.number([x, y, z]));
                }
            }
        }
    }
}

/// The image of a position that is inside a periodic box.
fn inside(boundary: Boundary, position: [f64; 3]) -> [f64; 3] {
    match boundary {
        Boundary::Open => position,
        Boundary::Periodic { lengths } => [0, 1, 2].map(|axis| {
            let sides = position[axis] / lengths[axis];
            (sides - sides.floor()) * lengths[axis]
        }),
    }
}

/// The low corner and the sides of the box around all positions.
fn around(positions: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let bound = |axis: usize, start: f64, choose: fn(f64, f64) -> f64| {
        positions.iter().map(|position| position[axis]).fold(start, choose)
    };
    let low = [0, 1, 2].map(|axis| bound(axis, f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|axis| bound(axis, f64::NEG_INFINITY, f64::max));
    // No side is zero or beyond all numbers.
    let side = |axis: usize| (high[axis] - low[axis]).clamp(1e-3, f64::MAX);
    (low, [0, 1, 2].map(side))
}
