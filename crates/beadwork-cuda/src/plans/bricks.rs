//! The bricks of cells that blocks of the grid plan take (`kernels/groups/bricks.cuh`).

use beadwork_cpu::MemberView;
use beadwork_model::{Boundary, Generator};

use crate::batch::layout::{self, Number};
use crate::plans::shape::LaunchOverrides;

/// The most cells of a brick along an axis: those in and around it are fewer than 4,096, and 16 bits tell the cells along an axis.
const MOST_CELLS: u32 = 12;

/// The most beads in the cells around one for which bricks are faster than lists: 81 in a DPD fluid at density 3, 356 in a
/// Lennard-Jones liquid with a cutoff of 2.5.
const MOST_CANDIDATES: f64 = 450.0;

/// Warp instructions of a bead in a brick, of a bead in or around it, and of the waits of a brick: the model by which bricks are
/// chosen.
const COSTS: [f64; 3] = [170.0, 12.0, 3_000.0];

/// A brick, and the beads in and around it that there is room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brick {
    /// Cells along each axis.
    pub sides: [u32; 3],
    pub room: usize,
}

/// What bricks are made for: the cells of a box, the beads in one on average, and the most entries of a slot's list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents {
    pub cells: [u32; 3],
    pub per_cell: f64,
    pub list_capacity: usize,
}

/// Cells along each axis of a box with sides not shorter than the radius of the search, and slightly longer against rounding.
pub fn cells_of(lengths: [f64; 3], radius: f64) -> [u32; 3] {
    let side = if radius > 0.0 { 1.001 * radius } else { f64::INFINITY };
    lengths.map(|length| ((length / side) as u32).max(1))
}

/// Whether bricks have what a member's present stage needs, in a box of three cells or more along each axis.
pub fn can_step<T: Number>(view: &MemberView<'_, T>) -> bool {
    let cutoff = view.system.interactions.pair_cutoff();
    let large = match view.system.boundary {
        Boundary::Periodic { lengths } if cutoff > 0.0 => {
            cells_of(lengths, 1.001 * cutoff).into_iter().all(|cells| cells >= 3)
        }
        _ => false,
    };
    large
        && view.drives.is_empty()
        && view.protocol.dynamics.integrator.has_velocities()
        && view.protocol.randomness.generator() != Generator::HybridTaus
}

/// Whether bricks are faster than lists, unless a caller decides. Microseconds a step on an H200 by lists and by bricks: 105 and
/// 16.6 for 24,000 beads of a DPD melt, whose beads cross any skin in a step or two; 18.6 and 17.4 for 32,000 of a Kremer-Grest
/// melt; 67.8 and 51.2 for 64,000 of a Lennard-Jones liquid.
pub fn are_faster<T: Number>(view: &MemberView<'_, T>, overrides: LaunchOverrides) -> bool {
    let cutoff = view.system.interactions.pair_cutoff();
    let Boundary::Periodic { lengths } = view.system.boundary else { return false };
    let cells: f64 = lengths.iter().map(|length| (length / cutoff).floor().max(1.0)).product();
    let candidates = 27.0 * view.system.beads() as f64 / cells;
    !overrides.lists.unwrap_or(candidates > MOST_CANDIDATES)
}

impl Brick {
    /// The brick with which `blocks` blocks step all cells soonest, if any fits into `bytes` of shared memory; `forced` fixes its
    /// sides. `threads` is the number of threads of a block, `number` the bytes of a number.
    pub fn best(
        contents: &Contents,
        blocks: usize,
        threads: usize,
        number: usize,
        bytes: usize,
        forced: Option<[u32; 3]>,
    ) -> Option<Brick> {
        let most = contents.cells.map(|cells| cells.min(MOST_CELLS));
        let all = (1..=most[2])
            .flat_map(|z| (1..=most[1]).flat_map(move |y| (1..=most[0]).map(move |x| [x, y, z])));
        let wanted = |sides: &[u32; 3]| match forced {
            Some(forced) => (0..3).all(|k| sides[k] == forced[k].clamp(1, most[k])),
            None => true,
        };
        let fitting = all.filter(wanted).map(|sides| Brick::of(sides, contents)).filter(|brick| {
            brick.room <= usize::from(u16::MAX)
                && brick.shared_memory(contents, threads, number) <= bytes
        });
        let cost = |brick: &Brick| brick.cost(contents, blocks);
        fitting.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// A brick with room for a third more beads than there are on average, or for a quarter of what lists have room for.
    fn of(sides: [u32; 3], contents: &Contents) -> Brick {
        let cells = product(sides.map(|side| side + 2));
        let each = (0.25 * contents.list_capacity as f64).max(1.35 * contents.per_cell);
        Brick { sides, room: (cells as f64 * each) as usize + 32 }
    }

    /// Bytes of shared memory of a block, without flags and tables by types.
    pub fn shared_memory(&self, contents: &Contents, threads: usize, number: usize) -> usize {
        let aligned = |bytes: usize| bytes.next_multiple_of(16);
        let cells = product(self.sides.map(|side| side + 2));
        2 * self.room * 4 * number
            + 16 * (self.room + 8)
            + 2 * aligned(4 * cells)
            + 2 * aligned(4 * (cells + 1))
            + aligned(2 * cells)
            + 2 * aligned(2 * self.room)
            + aligned(2 * threads * (contents.list_capacity + 3))
    }

    /// Warp instructions of the block with most bricks.
    fn cost(&self, contents: &Contents, blocks: usize) -> f64 {
        let turns = self.turns(contents, blocks) as f64;
        let own = product(self.sides) as f64 * contents.per_cell;
        let around = product(self.sides.map(|side| side + 2)) as f64 * contents.per_cell;
        turns * (COSTS[0] * own + COSTS[1] * around + COSTS[2])
    }

    /// The most bricks that one of `blocks` blocks takes in a step.
    pub fn turns(&self, contents: &Contents, blocks: usize) -> usize {
        product(self.counts(contents.cells)).div_ceil(blocks)
    }

    /// Bricks along each axis of a box with these cells.
    fn counts(&self, cells: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|k| cells[k].div_ceil(self.sides[k].max(1)))
    }

    /// The record of a member's bricks.
    pub fn record<T: Number>(&self, view: &MemberView<'_, T>, cells: [u32; 3]) -> layout::Bricks {
        layout::Bricks {
            sides: self.sides,
            counts: self.counts(cells),
            room: self.room as u32,
            excludes: u32::from(!view.system.interactions.excluded.is_empty()),
            fixes: u32::from(!view.protocol.stages[view.stage].fixed.is_empty()),
            padding: 0,
        }
    }
}

fn product(numbers: [u32; 3]) -> usize {
    numbers.into_iter().map(|number| number as usize).product()
}

#[cfg(test)]
#[path = "../../tests/unit/bricks.rs"]
mod tests;
