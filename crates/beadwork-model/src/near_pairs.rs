//! A search for pairs of near beads by cells. Its cost grows with the number of beads, not with its square.

use crate::particles::Boundary;

/// Below this number of beads all pairs are compared.
const FEWEST_FOR_CELLS: usize = 400;
/// More cells than this a bead would be empty for the most part.
const MOST_CELLS_A_BEAD: f64 = 4.0;

/// Calls `near(i, partners)` for each bead i, ascending, with the beads j > i that may be within `radius` of it.
///
/// Partners ascend; they are all beads within the radius, and some beyond it. Positions and radius are in Å; positions
/// must be finite. In a box, positions may lie outside it, and the nearest images count.
pub fn near_pairs(
    boundary: Boundary,
    beads: usize,
    position: impl Fn(usize) -> [f64; 3],
    radius: f64,
    mut near: impl FnMut(usize, &[u32]),
) {
    // Slightly more than the radius, so that rounding loses no pair.
    let edge = radius.max(1e-3) * 1.000_001;
    let positions: Vec<[f64; 3]> = match beads < FEWEST_FOR_CELLS {
        true => Vec::new(),
        false => (0..beads).map(|bead| inside(boundary, position(bead))).collect(),
    };
    let Some(grid) = Grid::new(boundary, &positions, edge) else {
        let all: Vec<u32> = (0..beads as u32).collect();
        (0..beads).for_each(|i| near(i, &all[i + 1..]));
        return;
    };
    let cells = Cells::new(&grid, &positions);
    let square_edge = edge * edge;
    // Room for the beads of 27 cells, of which the first `count` entries are partners.
    let mut partners = vec![0; 27 * cells.largest()];
    for (i, &at) in positions.iter().enumerate() {
        let mut count = 0;
        grid.for_each_neighbour(grid.cell(at), |cell| {
            let range = cells.starts[cell]..cells.starts[cell + 1];
            let beads = &cells.beads[range.clone()];
            // The beads of a cell are in ascending order.
            let first = beads.partition_point(|&j| j as usize <= i);
            let sorted = &cells.positions[range];
            for (&j, &other) in beads[first..].iter().zip(&sorted[first..]) {
                // Without a branch, which would be mispredicted at every fourth bead.
                partners[count] = j;
                count += usize::from(grid.squared_distance(at, other) < square_edge);
            }
        });
        partners[..count].sort_unstable();
        near(i, &partners[..count]);
    }
}

/// Beads sorted by cells.
struct Cells {
    /// The first entry of each cell, and the number of all.
    starts: Vec<usize>,
    beads: Vec<u32>,
    positions: Vec<[f64; 3]>,
}

impl Cells {
    fn new(grid: &Grid, positions: &[[f64; 3]]) -> Cells {
        let numbers: Vec<usize> =
            positions.iter().map(|&position| grid.number(grid.cell(position))).collect();
        let mut starts = vec![0; grid.counts.iter().product::<usize>() + 1];
        for &number in &numbers {
            starts[number + 1] += 1;
        }
        for number in 1..starts.len() {
            starts[number] += starts[number - 1];
        }
        let mut next = starts.clone();
        let mut beads = vec![0; positions.len()];
        let mut sorted = vec![[0.0; 3]; positions.len()];
        for (bead, (&number, &position)) in numbers.iter().zip(positions).enumerate() {
            beads[next[number]] = bead as u32;
            sorted[next[number]] = position;
            next[number] += 1;
        }
        Cells { starts, beads, positions: sorted }
    }

    /// The number of beads in the fullest cell.
    fn largest(&self) -> usize {
        self.starts.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0)
    }
}

/// Cells with edges of at least the radius: of a periodic box, or of the box around all beads in open space.
struct Grid {
    boundary: Boundary,
    low: [f64; 3],
    lengths: [f64; 3],
    counts: [usize; 3],
}

impl Grid {
    /// `None` for few beads.
    fn new(boundary: Boundary, positions: &[[f64; 3]], edge: f64) -> Option<Grid> {
        if positions.is_empty() {
            return None;
        }
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
        Some(Grid { boundary, low, lengths, counts: counts.map(|count| count as usize) })
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
