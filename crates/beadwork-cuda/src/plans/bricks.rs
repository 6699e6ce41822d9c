//! The bricks of cells that blocks of the grid plan take (`kernels/groups/bricks.cuh`).

use beadwork_cpu::{Member, MemberView};
use beadwork_model::{Boundary, Generator, Protocol, System};

use crate::batch::records::{self, MOST_MASKED, Number, PARTIAL_SUMS};
use crate::plans::shape::LaunchOverrides;

/// The most cells of a brick along an axis: those in and around it are fewer than 4,096, and 8 bits tell those along an axis.
const MOST_CELLS: u32 = 12;

/// The most beads in the cells around one for which bricks are faster than lists: 81 in a DPD fluid at density 3, 356 in a
/// Lennard-Jones liquid with a cutoff of 2.5.
const MOST_CANDIDATES: f64 = 450.0;

/// The same for which bricks are faster than the block plan. Microseconds a step on an H200 by blocks and by bricks, for one box
/// and for a thousand: 38.3 and 10.6, 2,507 and 473 for 1,000 beads of a DPD melt, which have 125; 13.8 and 8.0, 1,653 and 775
/// for 2,000 of a Kremer-Grest melt with 37; 10.5 and 13.2, 695 and 937 for 1,000 of a Lennard-Jones liquid with 356.
const MOST_FOR_SMALL: f64 = 200.0;

/// Candidates that a lane tests side by side, as in `kernels/groups/bricks.cuh`: it reads some beyond the last one, and writes as
/// many neighbours before it checks for room.
const CANDIDATES: usize = 3;

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

/// What bricks are made for: the cells of a box, the beads in one on average, the most entries of a slot's list, and the beads in each
/// cell of a brick for which room was found to be too small, 0 if it was not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents {
    pub cells: [u32; 3],
    pub per_cell: f64,
    pub list_capacity: usize,
    pub crowding: usize,
}

/// Cells along each axis of a box with sides not shorter than the radius of the search, and slightly longer against rounding.
pub fn cells_of(lengths: [f64; 3], radius: f64) -> [u32; 3] {
    let side = if radius > 0.0 { 1.001 * radius } else { f64::INFINITY };
    lengths.map(|length| ((length / side) as u32).max(1))
}

/// Whether bricks have what a stage needs, in a box of three cells or more along each axis.
pub fn can_step(system: &System, protocol: &Protocol, externals: usize) -> bool {
    let cutoff = system.interactions.pair_cutoff();
    let large = match system.boundary {
        Boundary::Periodic { lengths } if cutoff > 0.0 => {
            cells_of(lengths, 1.001 * cutoff).into_iter().all(|cells| cells >= 3)
        }
        _ => false,
    };
    large
        && externals == 0
        && protocol.dynamics.integrator.has_velocities()
        && protocol.randomness.generator() != Generator::HybridTaus
}

/// The beads in the cells around one, on average.
fn candidates(system: &System) -> f64 {
    let Boundary::Periodic { lengths } = system.boundary else { return f64::INFINITY };
    let cutoff = system.interactions.pair_cutoff();
    let cells: f64 = lengths.iter().map(|length| (length / cutoff).floor().max(1.0)).product();
    27.0 * system.beads() as f64 / cells
}

/// Whether bricks are faster than lists of the grid plan, unless a caller decides. Microseconds a step on an H200 by lists and by
/// bricks: 105 and 15.2 for 24,000 beads of a DPD melt, whose beads cross any skin in a step or two; 18.6 and 15.1 for 32,000 of a
/// Kremer-Grest melt; 67.8 and 47.1 for 64,000 of a Lennard-Jones liquid.
pub fn are_faster(system: &System, overrides: LaunchOverrides) -> bool {
    !overrides.lists.unwrap_or(candidates(system) > MOST_CANDIDATES)
}

/// Whether bricks are faster than the block plan for a member that has room in a block.
pub fn beat_blocks(member: &Member) -> bool {
    let system = member.system();
    system.beads() > MOST_MASKED
        && can_step(system, member.protocol(), member.stage().externals.len())
        && candidates(system) <= MOST_FOR_SMALL
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
            // Beads are numbered with 16 bits, also those of a brick that turns out to have no room.
            let cells = product(brick.sides.map(|side| side + 2));
            brick.room.max(cells * contents.list_capacity) <= usize::from(u16::MAX)
                && brick.shared_memory(contents, threads, number) <= bytes
        });
        let cost = |brick: &Brick| brick.cost(contents, blocks);
        fitting.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// A brick with room for the beads that there are on average, an eighth more and six times the root of their number; or for an
    /// eighth more than were found.
    fn of(sides: [u32; 3], contents: &Contents) -> Brick {
        let cells = product(sides.map(|side| side + 2)) as f64;
        let mean = cells * contents.per_cell;
        let room = (1.125 * mean + 6.0 * mean.sqrt()).max(1.125 * cells * contents.crowding as f64);
        Brick { sides, room: room as usize + 32 }
    }

    /// Bytes of each array of `BrickMemory` in `kernels/groups/brick_beads.cuh` but for tables by types.
    pub fn arrays(&self, contents: &Contents, threads: usize, number: usize) -> [usize; 11] {
        let (room, cells) = (self.room, product(self.sides.map(|side| side + 2)));
        let rows = 4 * number * room;
        // Threads read some candidates beyond the last one.
        let coarse = 4 * (room + CANDIDATES * PARTIAL_SUMS);
        let starts = 4 * (cells + 1);
        let neighbours = 2 * threads * (contents.list_capacity + 1 + CANDIDATES);
        let (path, own, cell_of) = (2 * cells, 2 * room, 2 * room);
        let (number_of, packed) = (4 * cells, 4 * cells);
        [rows, rows, coarse, number_of, packed, starts, starts, path, own, cell_of, neighbours]
    }

    /// Bytes of all of them.
    fn shared_memory(&self, contents: &Contents, threads: usize, number: usize) -> usize {
        let arrays = self.arrays(contents, threads, number);
        arrays.into_iter().map(|bytes| bytes.next_multiple_of(16)).sum()
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
    pub fn record<T: Number>(&self, view: &MemberView<'_, T>, cells: [u32; 3]) -> records::Bricks {
        records::Bricks {
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
