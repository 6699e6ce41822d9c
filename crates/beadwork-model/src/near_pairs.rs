//! A search for pairs of near beads by cells. Its cost grows with the number of beads, not with its square.

use std::ops::Range;

use beadwork_arithmetic::{Family, Instructions, Kernel, Real, Vector};

use crate::particles::Boundary;

/// Below this number of beads all pairs are compared.
const FEWEST_FOR_CELLS: usize = 400;
/// More cells than this a bead would be empty for the most part.
const MOST_CELLS_A_BEAD: f64 = 4.0;

/// Cells along a side are counted down from this at most: an infinite number would stay infinite.
const MOST_CELLS_A_SIDE: f64 = 1e15;

/// Beads of a share of the rows.
const SHARE: usize = 1024;
/// The most numbers of double precision in a vector.
const WIDEST: usize = 8;

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
    cells: Option<SortedBeads>,
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
            .then(|| SortedBeads::new(CellGrid::new(boundary, &positions, edge), &positions));
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
        let mut found = Vec::new();
        for i in beads {
            let partners = cells.partners(i + 1, self.positions[i], self.square_edge, &mut found);
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
        let mut found = Vec::new();
        let partners = cells.partners(0, self.positions[i], self.square_edge, &mut found);
        partners.iter().map(|&j| j as usize).filter(|&j| j != i).for_each(&mut near);
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
        let mut partners = Vec::new();
        // In the order of cells: beads after each other have the same partners, which are then in the cache.
        for i in cells.beads[..self.positions.len()].iter().map(|&bead| bead as usize) {
            if found.is_some_and(|[first, _]| i > first) {
                continue;
            }
            let at = self.positions[i];
            for &mut j in cells.partners(i + 1, at, self.square_edge, &mut partners) {
                let pair = [i, j as usize];
                let square = || cells.grid.squared_distance(at, self.positions[pair[1]]);
                if found.is_none_or(|other| pair < other) && holds(i, pair[1], square()) {
                    found = Some(pair);
                }
            }
        }
        found
    }

    /// Calls `pair(i, j, square)` for each bead i of `beads`, ascending, and each bead j > i within the radius of it, in
    /// any order, with the square of their distance, Å²; also for some pairs beyond the radius.
    pub fn pairs(&self, beads: Range<usize>, mut pair: impl FnMut(usize, usize, f64)) {
        let mut found = Vec::new();
        for i in beads {
            let at = self.positions[i];
            let Some(cells) = &self.cells else {
                for (j, &other) in self.positions.iter().enumerate().skip(i + 1) {
                    pair(i, j, self.boundary.squared_distance(at, other));
                }
                continue;
            };
            for &mut j in cells.partners(i + 1, at, self.square_edge, &mut found) {
                let j = j as usize;
                pair(i, j, cells.grid.squared_distance(at, self.positions[j]));
            }
        }
    }
}

/// Beads sorted by cells.
#[derive(Debug)]
struct SortedBeads {
    grid: CellGrid,
    /// The first entry of each cell, and the number of all.
    starts: Vec<u32>,
    /// The beads, cell after cell, with a vector of padding.
    beads: Vec<u32>,
    /// Their positions along each axis.
    axes: [Vec<f64>; 3],
    /// The number of beads in the fullest cell.
    largest: usize,
}

impl SortedBeads {
    fn new(grid: CellGrid, positions: &[[f64; 3]]) -> SortedBeads {
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
        let padded = positions.len() + WIDEST;
        let mut beads = vec![0; padded];
        let mut axes = [0, 1, 2].map(|_| vec![0.0; padded]);
        for (bead, (&number, &position)) in numbers.iter().zip(positions).enumerate() {
            let next = &mut starts[number as usize + 1];
            beads[*next as usize] = bead as u32;
            (0..3).for_each(|axis| axes[axis][*next as usize] = position[axis]);
            *next += 1;
        }
        starts.pop();
        SortedBeads { grid, starts, beads, axes, largest }
    }

    /// The beads from number `lowest` on whose squared distance from a position is below `limit`, in any order; they are
    /// in `found`.
    fn partners<'a>(
        &self,
        lowest: usize,
        at: [f64; 3],
        limit: f64,
        found: &'a mut Vec<u32>,
    ) -> &'a mut [u32] {
        // Room for the beads of 27 cells, and for a vector beyond them.
        found.resize(27 * self.largest + WIDEST, 0);
        let mut count = 0;
        self.grid.for_each_run(self.grid.cell(at), |cells| {
            let places = self.starts[cells.start] as usize..self.starts[cells.end] as usize;
            let found = &mut found[count..];
            let search = CellSearch { cells: self, places, at, limit, found };
            count += Instructions::best().dispatch(search);
        });
        let mut kept = 0;
        for number in 0..count {
            let bead = found[number];
            // Without a branch, which would be mispredicted at every second bead.
            found[kept] = bead;
            kept += usize::from(bead as usize >= lowest);
        }
        &mut found[..kept]
    }
}

/// Writes the beads of some places whose squared distance from a position is below `limit`; returns how many.
struct CellSearch<'a> {
    cells: &'a SortedBeads,
    places: Range<usize>,
    at: [f64; 3],
    limit: f64,
    found: &'a mut [u32],
}

impl Kernel for CellSearch<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<F: Family>(self) -> usize {
        self.with::<<f64 as Real>::Vector<F>>()
    }
}

impl CellSearch<'_> {
    #[inline(always)]
    fn with<V: Vector<Scalar = f64>>(self) -> usize {
        const { assert!(V::WIDTH <= WIDEST) };
        let CellSearch { cells, places, at, limit, found } = self;
        let lengths = cells.grid.image_lengths();
        let mut count = 0;
        for first in places.clone().step_by(V::WIDTH) {
            let mut square = V::zero();
            for axis in 0..3 {
                let apart = (V::from_f64(at[axis]) - V::load(&cells.axes[axis][first..])).abs();
                let image = (V::from_f64(lengths[axis]) - apart).abs();
                let nearest = V::select(image.less_than(apart), image, apart);
                square += nearest * nearest;
            }
            let near = V::mask_to_bits(square.less_than(V::from_f64(limit)));
            // A vector may extend beyond the last of the places.
            let exist = (1_u32 << (places.end - first).min(WIDEST)) - 1;
            count += V::store_chosen(near & exist, &cells.beads[first..], &mut found[count..]);
        }
        count
    }
}

/// Cells with edges of at least the radius: of a periodic box, or of the box around all beads in open space.
#[derive(Debug)]
struct CellGrid {
    boundary: Boundary,
    low: [f64; 3],
    lengths: [f64; 3],
    counts: [usize; 3],
}

impl CellGrid {
    fn new(boundary: Boundary, positions: &[[f64; 3]], edge: f64) -> CellGrid {
        let (low, lengths) = match boundary {
            Boundary::Periodic { lengths } => ([0.0; 3], lengths),
            Boundary::Open => around(positions),
        };
        let mut counts =
            lengths.map(|length| (length / edge).floor().clamp(1.0, MOST_CELLS_A_SIDE));
        let most = MOST_CELLS_A_BEAD * positions.len() as f64;
        while counts.iter().product::<f64>() > most {
            let largest = counts.iter().copied().fold(1.0, f64::max);
            let halved = |count: f64| if count == largest { (count / 2.0).ceil() } else { count };
            counts = counts.map(halved);
        }
        CellGrid { boundary, low, lengths, counts: counts.map(|count| count as usize) }
    }

    /// The sides; infinite in open space.
    #[inline(always)]
    fn image_lengths(&self) -> [f64; 3] {
        if self.boundary == Boundary::Open { [f64::INFINITY; 3] } else { self.lengths }
    }

    /// |r_a − r_b|² of positions inside a box. Distances of less than half a side are those of the nearest images.
    #[inline]
    fn squared_distance(&self, a: [f64; 3], b: [f64; 3]) -> f64 {
        let lengths = self.image_lengths();
        let along = |axis: usize| {
            let apart = (a[axis] - b[axis]).abs();
            let nearest = apart.min((lengths[axis] - apart).abs());
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

    /// Calls `visit` with the numbers of a cell and of each cell around it, as ranges.
    fn for_each_run(&self, cell: [usize; 3], mut visit: impl FnMut(Range<usize>)) {
        // The first place along an axis, and how many there are from it on.
        let along = |axis: usize| {
            let (place, count) = (cell[axis], self.counts[axis]);
            match self.boundary {
                // Of one or two cells along a side, none is visited twice.
                Boundary::Periodic { .. } => ((place + count - 1) % count, count.min(3)),
                Boundary::Open => {
                    let first = place.saturating_sub(1);
                    (first, (place + 2).min(count) - first)
                }
            }
        };
        let places = |axis: usize| {
            let (first, visited) = along(axis);
            (first..first + visited).map(move |place| place % self.counts[axis])
        };
        let (first, visited) = along(2);
        let end = (first + visited).min(self.counts[2]);
        for x in places(0) {
            for y in places(1) {
                let row = self.number([x, y, 0]);
                visit(row + first..row + end);
                // The rest is on the other side of the box.
                if first + visited > end {
                    visit(row..row + first + visited - end);
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
