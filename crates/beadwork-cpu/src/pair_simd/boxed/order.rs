//! Beads in the order of their cells. Places in this order are called slots; no result depends on it.

use std::ops::Range;

use beadwork_arithmetic::{Family, Instructions, Kernel};
use beadwork_random::Normal;

use super::grid::CellGrid;
use crate::arrays::coordinates::{Coordinates, CoordinatesPart, split};
use crate::teams::sharing::dispatch_each;
use crate::teams::team::Team;

/// Beads sorted by cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellOrder {
    /// The bead in each slot.
    pub beads: Vec<u32>,
    /// The slot of each bead.
    pub slots: Vec<u32>,
    /// The first slot of each cell, and the number of all.
    starts: Vec<usize>,
}

impl CellOrder {
    /// Sorts the beads at `positions` by the cells of a grid. Beads of a cell keep the order of their numbers.
    pub fn sort<T: Normal>(
        &mut self,
        instructions: Instructions,
        team: Option<&Team>,
        ranges: &[Range<usize>],
        grid: &CellGrid,
        positions: &Coordinates<T>,
    ) {
        let CellOrder { beads, slots, starts } = self;
        beads.resize(positions.len(), 0);
        // The cells of the beads, until their slots are known.
        slots.resize(positions.len(), 0);
        let parts = split(slots, ranges.iter().map(Range::len));
        let work = ranges.iter().cloned().zip(parts);
        let work = work.map(|(beads, cells)| FindCells { grid, positions, beads, cells });
        dispatch_each(team, instructions, work);
        starts.clear();
        starts.resize(grid.cells() + 1, 0);
        for &cell in &*slots {
            starts[cell as usize + 1] += 1;
        }
        // The first slot of each cell, one entry later; it moves on with each bead that gets a slot.
        let mut sum = 0;
        for start in &mut starts[1..] {
            sum += std::mem::replace(start, sum);
        }
        for (bead, slot) in slots.iter_mut().enumerate() {
            let next = &mut starts[*slot as usize + 1];
            beads[*next] = bead as u32;
            *slot = *next as u32;
            *next += 1;
        }
    }

    /// The slots of consecutive cells.
    #[inline(always)]
    pub fn slots_of(&self, cells: Range<usize>) -> Range<usize> {
        self.starts[cells.start]..self.starts[cells.end]
    }

    /// The slots of a cell and of its neighbours with larger numbers, as ascending ranges; none if the cell has no beads.
    pub fn around(&self, grid: &CellGrid, cell: usize, around: &mut Vec<Range<usize>>) {
        around.clear();
        if !self.slots_of(cell..cell + 1).is_empty() {
            around.extend(grid.neighbours(cell).map(|cells| self.slots_of(cells)));
        }
    }

    /// Consecutive ranges of cells with about `count` beads each.
    pub fn shares(&self, count: usize) -> Vec<Range<usize>> {
        let (cells, beads) = (self.starts.len() - 1, self.beads.len());
        let shares = beads.div_ceil(count).clamp(1, cells);
        let bound = |share: usize| match share == shares {
            true => cells,
            false => {
                self.starts.partition_point(|&start| start < beads * share / shares).min(cells)
            }
        };
        (0..shares).map(|share| bound(share)..bound(share + 1)).collect()
    }
}

/// Finds the cells of some beads.
struct FindCells<'a, T> {
    grid: &'a CellGrid,
    positions: &'a Coordinates<T>,
    beads: Range<usize>,
    cells: &'a mut [u32],
}

impl<T: Normal> Kernel for FindCells<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let FindCells { grid, positions, beads, cells } = self;
        for (bead, cell) in beads.zip(cells) {
            *cell = grid.cell(positions.get(bead)) as u32;
        }
    }
}

/// Copies triples of beads to their slots.
pub(crate) fn gather_in_slots<T: Normal>(
    instructions: Instructions,
    team: Option<&Team>,
    ranges: &[Range<usize>],
    order: &CellOrder,
    from: &Coordinates<T>,
    to: &mut Coordinates<T>,
) {
    let parts = to.parts(ranges).into_iter();
    let work = parts.map(|to| Gather { beads: &order.beads, from, to });
    dispatch_each(team, instructions, work);
}

/// Copies triples of beads to some slots.
struct Gather<'a, T> {
    beads: &'a [u32],
    from: &'a Coordinates<T>,
    to: CoordinatesPart<'a, T>,
}

impl<T: Normal> Kernel for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Gather { beads, from, to } = self;
        let beads = &beads[to.beads];
        for (to, from) in to.axes.into_iter().zip(from.slices()) {
            to.iter_mut().zip(beads).for_each(|(to, &bead)| *to = from[bead as usize]);
        }
    }
}
