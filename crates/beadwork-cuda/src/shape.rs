//! How many members and threads a block has. No result depends on it.

use beadwork_model::{Generator, Integrator, Precision};

use crate::Properties;
use crate::layout::{Drive, LANES, MOST_MASKED, Sums};
use crate::program::{Key, MOST_MEMBERS, Search};

/// Threads of a warp.
const WARP: usize = 32;

/// The form of the blocks of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whether a lane has a member; else four lanes have a bead.
    pub lanes: bool,
    /// Members of a block.
    pub members: usize,
    /// Places of a thread, where four lanes have a bead.
    pub places: usize,
    /// Threads of a block, those for drives included.
    pub threads: usize,
    /// Blocks that the compiler is asked to let fit on a multiprocessor.
    pub blocks: usize,
}

/// What the members of a launch need.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub beads: usize,
    /// Drives of a member, at most.
    pub drives: usize,
    /// Tables of bonds and contacts, bytes, at most.
    pub lane_bytes: usize,
}

/// What a caller may fix of the form of blocks, for tests and measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// Whether a lane is to have a member, where that is possible.
    pub lanes: Option<bool>,
    /// Members of a block: 8, 16 or 32 where each has a lane.
    pub members: Option<usize>,
    /// Threads that have beads.
    pub threads: Option<usize>,
    /// Blocks that are to fit on a multiprocessor.
    pub blocks: Option<usize>,
}

/// Threads that a member of several places a thread gets.
const THREADS_OF_LARGE: usize = 512;

/// Shared memory that kernels declare themselves, bytes at most.
const STATIC: usize = 2_048;

/// Registers that a thread needs to keep what it knows.
const REGISTERS: usize = 96;

/// Beads of a thread that has a lane's member.
const BEADS_OF_LANE: usize = 4;

/// Members for each multiprocessor from which on a lane a member is faster than four lanes a bead.
const LANES_FROM: usize = 16;

impl Shape {
    /// The shape for `count` members of `beads` beads; of the key, what is known without it.
    pub fn new(size: Size, count: usize, key: &Key, card: &Properties, wishes: Wishes) -> Shape {
        let beads = size.beads;
        let multiprocessors = card.multiprocessors.max(1) as usize;
        let each = count.div_ceil(multiprocessors);
        let fits = beads <= MOST_MASKED && key.search != Search::List;
        let wanted = wishes.lanes.unwrap_or(each >= LANES_FROM);
        if fits && wanted {
            let shape = Shape::of_lanes(beads, each, wishes);
            if shape.shared_memory(size, key) + STATIC <= card.shared_memory_per_block {
                return shape;
            }
        }
        let places = LANES * beads.max(1);
        // A quad of lanes a drive, behind the others.
        let drives = |members: usize| (LANES * members * size.drives).next_multiple_of(WARP);
        let most = wishes.threads.unwrap_or(THREADS_OF_LARGE).clamp(WARP, 992) / WARP * WARP;
        if places > most {
            let sizes = [2, 3, 4, 6, 8, 12, 16, 24, 32];
            let wanted = places.div_ceil(most);
            let each = sizes.into_iter().find(|&size| size >= wanted).unwrap_or(wanted);
            let threads = places.div_ceil(each).next_multiple_of(WARP) + drives(1);
            return Shape { lanes: false, members: 1, places: each, threads, blocks: 1 };
        }
        let fit = (most / places).clamp(1, MOST_MEMBERS);
        let members = wishes.members.unwrap_or(1).clamp(1, fit);
        let threads = (members * places).next_multiple_of(WARP) + drives(members);
        let resident = count.div_ceil(members).div_ceil(multiprocessors);
        let blocks = wishes.blocks.unwrap_or_else(|| resident.min(65_536 / (threads * REGISTERS)));
        Shape { lanes: false, members, places: 1, threads, blocks: blocks.max(1) }
    }

    /// A lane a member, for `each` members a multiprocessor.
    fn of_lanes(beads: usize, each: usize, wishes: Wishes) -> Shape {
        // Two blocks a multiprocessor hide each other's barriers.
        let members = match wishes.members.unwrap_or(each / 2) {
            0..16 => 8,
            16..32 => 16,
            _ => 32,
        };
        let threads = beads.max(1).div_ceil(BEADS_OF_LANE) * members;
        let threads = wishes.threads.unwrap_or(threads).next_multiple_of(WARP).min(1024);
        let blocks = wishes.blocks.unwrap_or((65_536 / (threads * REGISTERS)).clamp(1, 8));
        Shape { lanes: true, members, places: 1, threads, blocks }
    }

    /// Shared memory that a block asks for, bytes.
    pub fn shared_memory(&self, size: Size, key: &Key) -> usize {
        let Size { beads, drives, lane_bytes } = size;
        let number = bytes_of(key.precision);
        let shares = drives * (size_of::<Drive>() + 3 * number + 8) + 32;
        if !self.lanes {
            let positions = 2 * beads.next_multiple_of(LANES) * 4 * number;
            return self.members * (positions + shares + size_of::<Sums>());
        }
        let second_order = key.integrator == Integrator::BrownianSecondOrder;
        let columns = 2 + usize::from(key.search.is_listed()) + 2 * usize::from(second_order);
        let column = 3 * self.members * (beads + 1) * number;
        let states =
            if key.generator == Generator::HybridTaus { 16 * self.members * beads } else { 0 };
        let lists = beads.div_ceil(LANES) * beads * 16 + 4 * beads;
        lane_bytes + lists + columns * column + self.members * shares + states
    }
}

impl Key {
    /// The key with a form of blocks, for members of so many `quads` of beads.
    pub(crate) fn shaped(self, shape: &Shape, quads: usize) -> Key {
        let unrolled = self.search == Search::Mask && !shape.lanes;
        Key {
            lane_members: if shape.lanes { shape.members as u32 } else { 0 },
            quads: if unrolled { quads as u32 } else { 0 },
            places: shape.places as u32,
            threads: shape.threads as u32,
            blocks: shape.blocks as u32,
            ..self
        }
    }
}

fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

/// Beads of the largest member that a block of a card holds.
pub fn most_beads(card: &Properties, precision: Precision) -> usize {
    let room = card.shared_memory_per_block.saturating_sub(8_192);
    let beads = room / (8 * bytes_of(precision)) / LANES * LANES;
    beads.min(usize::from(u16::MAX)).min(32 * THREADS_OF_LARGE / LANES)
}
