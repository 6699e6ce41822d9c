//! A search for pairs of near beads by cells. Its cost grows with the number of beads, not with its square.

use std::collections::HashMap;

/// Below this number of beads all pairs are compared.
const FEWEST_FOR_CELLS: usize = 400;

/// Calls `near(i, partners)` for each bead i, ascending, with the beads j > i that may be within `radius` of it.
///
/// Partners ascend; they are all beads within the radius, and some beyond it. Positions and radius are in Å; positions
/// must be finite.
pub fn near_pairs(
    beads: usize,
    position: impl Fn(usize) -> [f64; 3],
    radius: f64,
    mut near: impl FnMut(usize, &[u32]),
) {
    if beads < FEWEST_FOR_CELLS {
        let all: Vec<u32> = (0..beads as u32).collect();
        (0..beads).for_each(|i| near(i, &all[i + 1..]));
        return;
    }
    // Slightly more than the radius, so that rounding loses no pair.
    let edge = radius.max(1e-3) * 1.000_001;
    let cell_of = |bead: usize| position(bead).map(|x| (x / edge).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for bead in 0..beads {
        cells.entry(cell_of(bead)).or_default().push(bead as u32);
    }
    let mut partners = Vec::new();
    for i in 0..beads {
        let [x, y, z] = cell_of(i);
        partners.clear();
        for number in 0..27 {
            // Beads too far out for a cell number share the outermost cells, whose neighbours wrap around.
            let next = |cell: i64, step: i64| cell.wrapping_add(step - 1);
            let cell = [next(x, number % 3), next(y, number / 3 % 3), next(z, number / 9)];
            let beads = cells.get(&cell).map_or(&[][..], Vec::as_slice);
            // The beads of a cell are in ascending order.
            partners.extend(&beads[beads.partition_point(|&j| j as usize <= i)..]);
        }
        partners.sort_unstable();
        near(i, &partners);
    }
}
