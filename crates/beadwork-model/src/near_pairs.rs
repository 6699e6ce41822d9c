//! A search for pairs of near beads by cells. Its cost grows with the number of beads, not with its square.

use std::collections::HashMap;

use crate::particles::Boundary;

/// Below this number of beads all pairs are compared.
const FEWEST_FOR_CELLS: usize = 400;

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
    let grid = Grid::new(boundary, edge);
    let (true, Some(grid)) = (beads >= FEWEST_FOR_CELLS, grid) else {
        let all: Vec<u32> = (0..beads as u32).collect();
        (0..beads).for_each(|i| near(i, &all[i + 1..]));
        return;
    };
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let places: Vec<_> = (0..beads).map(|bead| grid.cell(position(bead))).collect();
    for (bead, &cell) in places.iter().enumerate() {
        cells.entry(cell).or_default().push(bead as u32);
    }
    let mut partners = Vec::new();
    for (i, &cell) in places.iter().enumerate() {
        partners.clear();
        for number in 0..27 {
            let cell = grid.neighbour(cell, [number % 3, number / 3 % 3, number / 9]);
            let beads = cells.get(&cell).map_or(&[][..], Vec::as_slice);
            // The beads of a cell are in ascending order.
            partners.extend(&beads[beads.partition_point(|&j| j as usize <= i)..]);
        }
        partners.sort_unstable();
        near(i, &partners);
    }
}

/// Cells with edges of at least the radius.
enum Grid {
    /// Cubes that fill open space.
    Open { edge: f64 },
    /// Cells that divide the sides of a box.
    Periodic { lengths: [f64; 3], counts: [i64; 3] },
}

impl Grid {
    /// `None` for a box with fewer than three cells along a side, where a cell would be a neighbour twice.
    fn new(boundary: Boundary, edge: f64) -> Option<Grid> {
        match boundary {
            Boundary::Open => Some(Grid::Open { edge }),
            Boundary::Periodic { lengths } => {
                // More cells than this are not needed, and their numbers stay exact.
                let counts = lengths.map(|length| (length / edge).floor().min(1e6) as i64);
                counts.iter().all(|&count| count >= 3).then_some(Grid::Periodic { lengths, counts })
            }
        }
    }

    fn cell(&self, position: [f64; 3]) -> [i64; 3] {
        match self {
            Grid::Open { edge } => position.map(|x| (x / edge).floor() as i64),
            Grid::Periodic { lengths, counts } => [0, 1, 2].map(|axis| {
                let sides = position[axis] / lengths[axis];
                let number = ((sides - sides.floor()) * counts[axis] as f64) as i64;
                number.min(counts[axis] - 1)
            }),
        }
    }

    /// The cell that lies `step` − 1 cells from another along each axis.
    fn neighbour(&self, cell: [i64; 3], step: [i64; 3]) -> [i64; 3] {
        match self {
            // Beads too far out for a cell number share the outermost cells, whose neighbours wrap around.
            Grid::Open { .. } => [0, 1, 2].map(|axis| cell[axis].wrapping_add(step[axis] - 1)),
            Grid::Periodic { counts, .. } => {
                [0, 1, 2].map(|axis| (cell[axis] + step[axis] - 1).rem_euclid(counts[axis]))
            }
        }
    }
}
