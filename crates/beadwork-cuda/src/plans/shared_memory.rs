//! The arrays of a block in its shared memory: kernels read their places from here (`Launch::places` of `kernels/system.cuh`).

use beadwork_model::{Integrator, Precision};

use crate::batch::records::{self, External, PARTIAL_SUMS, Sums};
use crate::plans::bricks::Brick;
use crate::plans::key::MOST_MEMBERS;
use crate::plans::layout::{Layout, Neighbours, Shape, Size, WARP};
use crate::plans::steps::Steps;

/// `SharedFlags` of `kernels/groups/cluster.cuh`, bytes.
const SHARED_FLAGS: usize = 8 * MOST_MEMBERS + 64;

/// `SharedFlags` of `kernels/groups/grid.cuh`, bytes.
const GRID_FLAGS: usize = 192;

/// `WarpSums` of `kernels/groups/shared_lists.cuh`, bytes.
const SUMS_OF_WARP: usize = 384;

/// `BrickMemory`, `MappedBrick` and `CoarseSpace` of `kernels/groups/brick_beads.cuh`, bytes.
const BRICK_PLACES: usize = 88;

/// The places of arrays, in bytes from the beginning of shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedMemory {
    pub places: [u32; 12],
    count: usize,
    /// Bytes of all arrays.
    pub bytes: usize,
}

impl SharedMemory {
    /// Shared memory that begins with so many bytes whose place a kernel knows.
    fn after(bytes: usize) -> SharedMemory {
        SharedMemory { bytes: bytes.next_multiple_of(16), ..SharedMemory::default() }
    }

    /// Places one more array of so many bytes.
    fn then(mut self, bytes: usize) -> SharedMemory {
        self.places[self.count] = self.bytes as u32;
        self.count += 1;
        self.bytes = (self.bytes + bytes).next_multiple_of(16);
        self
    }

    /// The memory of a block.
    pub fn of(shape: &Shape, size: Size, steps: &Steps) -> SharedMemory {
        match (shape.layout, shape.neighbours) {
            (Layout::Single, _) => SharedMemory::default(),
            (Layout::Lane { members }, _) => lanes(members, size, steps),
            (Layout::Block { members, shared_tables, .. }, _) => {
                let rows = PARTIAL_SUMS * (size.beads.div_ceil(PARTIAL_SUMS) + 1);
                // Present and next positions; other threads read velocities as well.
                let buffers = if steps.terms.thermostat.is_some() { 4 } else { 2 };
                let positions = buffers * rows * 4 * bytes_of(steps.precision);
                let flags = SharedMemory::after(SHARED_FLAGS);
                let arrays = [members * positions, 0, pressed_beads(shape)];
                four_lanes(flags, arrays, (members, shared_tables), size, steps)
            }
            (Layout::Card { shared_tables, .. }, Neighbours::Bricks(brick)) => {
                bricks(&brick, shape.threads, shared_tables, size, steps.precision)
            }
            (Layout::Card { blocks, shared_tables, .. }, _) => {
                // The flags, and a number of each block.
                let flags = SharedMemory::after(GRID_FLAGS + 4 * blocks);
                let sums =
                    if shape.shares_lists() { shape.threads / WARP * SUMS_OF_WARP } else { 0 };
                four_lanes(flags, [0, sums, pressed_beads(shape)], (1, shared_tables), size, steps)
            }
        }
    }
}

/// The arrays of `QuadPlaces` in `kernels/groups/quad.cuh`, after the flags of a block.
fn four_lanes(
    flags: SharedMemory,
    [rows, sums_of_warps, beads]: [usize; 3],
    (members, shared_tables): (usize, bool),
    size: Size,
    steps: &Steps,
) -> SharedMemory {
    let externals = members * size.externals;
    // Of each bead its number and its externals, and the force of each of these.
    let pressing = beads * (8 + 3 * externals * bytes_of(steps.precision));
    flags
        .then(rows)
        .then(sums_of_warps)
        .then(if shared_tables { size.table_bytes } else { 0 })
        .then(externals * size_of::<External>())
        .then(members * size_of::<Sums>())
        .then(3 * externals * bytes_of(steps.precision))
        .then(externals * size_of::<f64>())
        .then(pressing)
}

/// Beads of a block on which its helpers compute what presses.
fn pressed_beads(shape: &Shape) -> usize {
    if shape.pressing { beads_of_block(shape) } else { 0 }
}

/// Beads that the threads of a block have room for, with four lanes each or several times as many.
pub fn beads_of_block(shape: &Shape) -> usize {
    let (slots, lanes) = match shape.layout {
        Layout::Block { slots, .. } => (slots, 1),
        Layout::Card { slots, slot_lanes, .. } => (slots, slot_lanes),
        Layout::Single | Layout::Lane { .. } => (0, 1),
    };
    slots * (shape.threads - shape.helpers) / (lanes * PARTIAL_SUMS)
}

/// The arrays of `LanePlaces` in `kernels/groups/lane.cuh`.
fn lanes(members: usize, size: Size, steps: &Steps) -> SharedMemory {
    let Size { beads, externals, lane_bytes, types, .. } = size;
    let number = bytes_of(steps.precision);
    let has_velocities = steps.integrator.has_velocities();
    // The force of a step's first part, and its kick or the velocity.
    let keeps = has_velocities || steps.integrator == Integrator::BrownianSecondOrder;
    let column = |wanted: bool| if wanted { 3 * members * (beads + 1) * number } else { 0 };
    let buffers = if steps.terms.thermostat.is_some() { 4 } else { 2 };
    SharedMemory::default()
        .then(beads.div_ceil(PARTIAL_SUMS) * beads * 16)
        .then(lane_bytes)
        .then(buffers * column(true))
        .then(column(steps.search.is_listed()))
        .then(column(keeps))
        .then(column(keeps))
        .then(members * externals * size_of::<External>())
        .then(3 * members * externals * number)
        .then(if steps.keep_states() { 16 * members * beads } else { 0 })
        .then(4 * beads)
        .then(if has_velocities { 3 * members * types * number } else { 0 })
}

/// The arrays of `BrickMemory` in `kernels/groups/brick_beads.cuh`.
fn bricks(
    brick: &Brick,
    threads: usize,
    shared_tables: bool,
    size: Size,
    precision: Precision,
) -> SharedMemory {
    let records = SharedMemory::after(brick_records(precision));
    let arrays = brick.arrays(&size.contents, threads, bytes_of(precision));
    let memory = arrays.into_iter().fold(records, SharedMemory::then);
    memory.then(if shared_tables { size.table_bytes } else { 0 })
}

/// Bytes of `BrickRecords` of `kernels/groups/brick_beads.cuh`.
fn brick_records(precision: Precision) -> usize {
    let records = match precision {
        Precision::Single => size_of::<records::System<f32>>() + size_of::<records::Member<f32>>(),
        Precision::Double => size_of::<records::System<f64>>() + size_of::<records::Member<f64>>(),
    };
    records + GRID_FLAGS + size_of::<Sums>() + size_of::<records::GridMember>() + BRICK_PLACES
}

/// Bytes that a block with bricks has beside the arrays of its brick.
pub fn beside_bricks(size: Size, shared_tables: bool, precision: Precision) -> usize {
    let tables = if shared_tables { size.table_bytes } else { 0 };
    brick_records(precision).next_multiple_of(16) + tables.next_multiple_of(16)
}

/// Bytes of a number.
pub fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}
