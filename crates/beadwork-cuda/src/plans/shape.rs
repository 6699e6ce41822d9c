//! The choice of a shape: the numbers of members and threads of a block. No result depends on it.

use crate::Properties;
use crate::batch::records::{MOST_MASKED, PARTIAL_SUMS};
use crate::device::MOST_BLOCKS_OF_CLUSTER;
use crate::plans::bricks::Brick;
use crate::plans::key::MOST_MEMBERS;
use crate::plans::layout::{Layout, Neighbours, Shape, Size, WARP};
use crate::plans::shared_memory::{SharedMemory, beads_of_block, beside_bricks, bytes_of};
use crate::plans::steps::{Search, Steps};
use beadwork_model::Precision;

/// Parts of the form of blocks that a caller may fix: for tests, measurements, and forms that were timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchOverrides {
    /// Whether each member has a lane, if that is possible.
    pub lanes: Option<bool>,
    /// Blocks that share a member, with four lanes for each bead.
    pub cluster: Option<usize>,
    /// Members of a block: 8, 16 or 32 if each has a lane.
    pub members: Option<usize>,
    /// Threads that have beads.
    pub threads: Option<usize>,
    /// Blocks that must fit on a multiprocessor.
    pub blocks: Option<usize>,
    /// Lanes that share the neighbours of a slot in the grid plan, in open space: 1, 2 or 4.
    pub slot_lanes: Option<usize>,
    /// Whether the grid plan lists neighbours in boxes, instead of a search at each step.
    pub lists: Option<bool>,
    /// Whether the lanes of a warp share neighbour lists, in boxes of the grid plan.
    pub shared_lists: Option<bool>,
    /// Whether threads without beads compute what presses on beads, where four lanes have a bead.
    pub helpers: Option<bool>,
    /// Cells of a brick along each axis, where the grid plan has bricks.
    pub brick: Option<[u32; 3]>,
}

/// The most threads of a block.
pub const MOST_THREADS: usize = 1024;

/// Threads of a block if they have several slots each. Large typed systems use up to [`MOST_THREADS`], and several blocks
/// share a multiprocessor: more warps are faster, because each thread waits for its own parameters. 1,000 chains of 411
/// residues took 88.5 us a step with 832 threads and 103.6 with 416 (H200, before tables were in shared memory); for 137
/// residues 576 threads gain nothing over 288 since.
const THREADS_OF_LARGE: usize = 512;

/// The fewest slots of each block of a cluster: titin with its 356 takes 0.972 us a step in eight blocks and 0.976 in
/// four (H200), so more blocks gain nothing.
const SLOTS_OF_CLUSTERED: usize = 64;

/// The most threads of a block of the grid plan. With 1,024, 768 and 512 capsids of 28,620 and 129,420 beads take 16.4, 20.4 and
/// 20.3, and 87, 99 and 117 us a step (H200): more warps hide more of the card's latency, though threads then lack registers.
const THREADS_OF_GRID: usize = 1_024;

/// Lanes that share the neighbours of a slot, and the most threads of a block that have beads then. With 315 threads four lanes beat
/// two, with 420 two beat four, with 464 two beat clusters, and with 513 two lose to one (H200; `benchmarks/README.md` has the times).
const THREADS_THAT_SHARE: [(usize, usize); 2] = [(4, 320), (2, 480)];

/// Room for entries of a slot's list from which on warps share lists. Microseconds a step on an H100 with lists of their own and shared:
/// 52 and 40 for a slab of 16,300 residues, where there is room for some 250; 70 and 95 for 64,000 beads of a Lennard-Jones liquid, room
/// for some 50; 22 and 30 for 32,000 of a Kremer-Grest melt.
const LONG_LISTS: usize = 96;

/// Threads of a block that takes bricks. Microseconds a step on an H100 with 896, 768 and 640 threads: 39.3, 37.8 and 41.9 for 64,000
/// beads of a Lennard-Jones liquid.
const THREADS_OF_BRICKS: usize = 768;

/// The same in a system with bonds, which needs more registers: with 768 and 640 threads 14.2 and 13.6 for 32,000 beads of a
/// Kremer-Grest melt, 108.3 and 107.7 for 240,000 of a DPD melt.
const THREADS_WITH_BONDS: usize = 640;

/// The same if a block has one brick in a step, of a fluid with a pair thermostat: with 1,024, 896 and 768 threads 15.0, 14.1 and 17.3
/// for 24,000 beads of a DPD melt.
const THREADS_OF_ONE_BRICK: usize = 896;

/// The most bytes of shared memory that kernels declare themselves.
const STATIC: usize = 2_048;

/// The most threads that compute what presses on beads, if externals need no more. From 29 warps on a thread has 64 registers, and a
/// capsid of 28,620 beads has 28 warps with beads: four more warps take no more registers than one.
const MOST_PRESSING: usize = 128;

/// The most threads on a multiprocessor.
const THREADS_OF_MULTIPROCESSOR: usize = 2_048;

/// Registers that a thread needs for its data.
const REGISTERS: usize = 96;

/// Beads of a thread if a lane has a member.
const BEADS_OF_LANE: usize = 4;

/// The fewest beads on a multiprocessor for which a lane for each member beats four lanes for each bead (H200). Steps a
/// second of 34 beads: 3.2×10⁸ with four lanes a bead; with a lane a member 2.1×10⁸, 3.4×10⁸ and 4.4×10⁸ for 2,000,
/// 4,000 and 8,000 members. Of 89 beads: 6.2×10⁷ and, for 2,000 members or more, 8.2 to 9.0×10⁷.
const LANES_FROM: usize = 1_000;

/// Threads of a block with one bead each: a million free beads take 7.69 us a step in blocks of 64, 8.46 in blocks of
/// 128 (H200).
const THREADS_OF_BEADS: usize = 64;

/// The most threads of a block whose threads have one bead each: the tables of Ran2, 128 bytes a thread, must fit into the 48 KiB that a kernel may declare.
const MOST_THREADS_OF_BEADS: usize = 256;

/// The most registers of a thread that has a bead.
const REGISTERS_OF_BEAD: usize = 128;

impl Shape {
    /// The shape for a thread for each of the `beads` of all members of a launch: small blocks if there are too few
    /// beads for all multiprocessors.
    pub fn of_beads(beads: usize, card: &Properties, overrides: LaunchOverrides) -> Shape {
        let each = beads.div_ceil(card.multiprocessors.max(1) as usize).next_multiple_of(WARP);
        let threads = overrides.threads.unwrap_or(THREADS_OF_BEADS.min(each));
        let threads = threads.clamp(WARP, MOST_THREADS_OF_BEADS) / WARP * WARP;
        let blocks = (65_536 / (threads * REGISTERS_OF_BEAD)).clamp(1, 32);
        Shape {
            layout: Layout::Single,
            neighbours: Neighbours::All,
            threads,
            helpers: 0,
            pressing: false,
            blocks,
        }
    }

    /// The shape for members of which `count` have one system, of `all` that share the card.
    pub fn new(
        size: Size,
        [count, all]: [usize; 2],
        steps: &Steps,
        card: &Properties,
        overrides: LaunchOverrides,
    ) -> Shape {
        let beads = size.beads;
        let multiprocessors = card.multiprocessors.max(1) as usize;
        let each = count.div_ceil(multiprocessors);
        let fits = beads <= MOST_MASKED && steps.search != Search::List;
        let wanted = overrides.lanes.unwrap_or(each * beads >= LANES_FROM);
        if fits && wanted {
            let shape = Shape::of_lanes(beads, each, steps, overrides);
            if SharedMemory::of(&shape, size, steps).bytes + STATIC <= card.shared_memory_per_block
            {
                return shape;
            }
        }
        let neighbours = neighbours_of(steps.search, false);
        let slots = PARTIAL_SUMS * beads.max(1);
        // A thread keeps the data of up to two slots in registers: more threads where that leads to so few.
        let is_large = slots > 2 * THREADS_OF_LARGE && slots <= 2 * MOST_THREADS;
        let usual = if steps.terms.typed && is_large { MOST_THREADS } else { THREADS_OF_LARGE };
        let most = overrides.threads.unwrap_or(usual);
        let most = most.clamp(WARP, MOST_THREADS - helpers(size, 1)) / WARP * WARP;
        let cluster = match overrides.cluster {
            // Blocks of a cluster do not wait until what beads push is in the card's memory.
            _ if size.is_pushed => 1,
            // Each block needs a warp with slots.
            Some(wanted) => {
                let of_card = card.blocks_per_cluster.clamp(1, MOST_BLOCKS_OF_CLUSTER);
                wanted.clamp(1, of_card.min(power_below(slots.div_ceil(WARP))))
            }
            // Only a single block can have several members.
            None if overrides.members.is_some() => 1,
            None => cluster_of(slots, all, slots_of_clustered(steps), card),
        };
        let share = slots.div_ceil(cluster);
        if share > most || cluster > 1 {
            let sizes = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
            let wanted = share.div_ceil(most);
            let each = sizes.into_iter().find(|&size| size >= wanted).unwrap_or(wanted);
            let stepping = share.div_ceil(each).next_multiple_of(WARP);
            let helpers = helpers(size, 1);
            let threads = stepping + helpers;
            let resident =
                if steps.terms.typed && cluster == 1 { all.div_ceil(multiprocessors) } else { 1 };
            let blocks = resident_blocks(overrides, threads, resident);
            let layout = Layout::Block { members: 1, cluster, slots: each, shared_tables: false };
            let shape = Shape { layout, neighbours, threads, helpers, pressing: false, blocks };
            return shape
                .with_tables(size, steps, card)
                .with_pressing(size, steps, card, overrides);
        }
        // What presses acts on the beads of one member.
        let fit = if steps.pressed { 1 } else { (most / slots).clamp(1, MOST_MEMBERS) };
        let members = overrides.members.unwrap_or(1).clamp(1, fit);
        let stepping = (members * slots).next_multiple_of(WARP);
        let helpers = helpers(size, members);
        let threads = stepping + helpers;
        let resident = count.div_ceil(members).div_ceil(multiprocessors);
        let blocks = resident_blocks(overrides, threads, resident);
        let layout = Layout::Block { members, cluster: 1, slots: 1, shared_tables: false };
        let shape = Shape { layout, neighbours, threads, helpers, pressing: false, blocks };
        shape.with_tables(size, steps, card).with_pressing(size, steps, card, overrides)
    }

    /// The shape of the grid plan for one of `count` members that share the card: a block on each multiprocessor.
    pub fn of_grid(
        size: Size,
        count: usize,
        steps: &Steps,
        card: &Properties,
        overrides: LaunchOverrides,
    ) -> Shape {
        let forced = overrides.slot_lanes.map(|lanes| power_below(lanes.clamp(1, 4)));
        // With a pair thermostat, which has its uses in boxes, it was not timed.
        let can_share =
            !steps.boxed && steps.search == Search::List && steps.terms.thermostat.is_none();
        let shared =
            THREADS_THAT_SHARE.into_iter().filter(|_| can_share).find_map(|(lanes, most)| {
                let shape = Shape::of_grid_with(lanes, size, count, steps, card, overrides);
                let is_wanted = match forced {
                    Some(forced) => lanes == forced,
                    None => shape.threads - shape.helpers <= most,
                };
                let has_one_turn = matches!(shape.layout, Layout::Card { slots: 1, .. });
                // The lanes of a slot would each press on what presses, if no other threads computed it.
                let is_sound = !steps.pressed || shape.pressing;
                (is_wanted && has_one_turn && is_sound).then_some(shape)
            });
        shared.unwrap_or_else(|| Shape::of_grid_with(1, size, count, steps, card, overrides))
    }

    /// The shape of the grid plan with `slot_lanes` lanes for each slot.
    fn of_grid_with(
        slot_lanes: usize,
        size: Size,
        count: usize,
        steps: &Steps,
        card: &Properties,
        overrides: LaunchOverrides,
    ) -> Shape {
        let capacity = size.contents.list_capacity;
        let shared_lists = steps.boxed
            && steps.search == Search::List
            // Beads whose generators have a state keep their threads.
            && !steps.keep_states()
            && capacity < 4 * usize::from(u16::MAX)
            && overrides.shared_lists.unwrap_or(capacity >= LONG_LISTS);
        // Warps with few neighbours have room for more beads than others.
        let spare = if shared_lists { size.beads / 4 + 1 } else { 0 };
        let lanes = slot_lanes * PARTIAL_SUMS * (size.beads + spare).max(1);
        let multiprocessors = card.multiprocessors.max(1) as usize;
        let share = (multiprocessors / count.max(1)).max(1);
        // Each block has a warp with slots or more.
        let blocks = overrides.cluster.unwrap_or(share).clamp(1, share.min(lanes.div_ceil(WARP)));
        let each = lanes.div_ceil(blocks);
        let most = overrides
            .threads
            .unwrap_or(THREADS_OF_GRID)
            .clamp(WARP, MOST_THREADS - helpers(size, 1));
        let turns = each.div_ceil(most / WARP * WARP);
        let stepping = each.div_ceil(turns).next_multiple_of(WARP);
        let helpers = helpers(size, 1);
        let threads = stepping + helpers;
        let layout = Layout::Card { blocks, slots: turns, slot_lanes, shared_tables: false };
        let neighbours = neighbours_of(steps.search, shared_lists);
        let shape = Shape { layout, neighbours, threads, helpers, pressing: false, blocks: 1 };
        shape.with_tables(size, steps, card).with_pressing(size, steps, card, overrides)
    }

    /// The shape for one of `count` members that share the card, whose blocks take bricks of cells; `None` if no brick fits.
    pub fn of_bricks(
        size: Size,
        count: usize,
        steps: &Steps,
        card: &Properties,
        overrides: LaunchOverrides,
    ) -> Option<Shape> {
        let multiprocessors = card.multiprocessors.max(1) as usize;
        let share = (multiprocessors / count.max(1)).max(1);
        let number = bytes_of(steps.precision);
        let blocks = overrides.blocks.unwrap_or(1).max(1);
        let of_member = overrides.cluster.unwrap_or(share).clamp(1, share) * blocks;
        let shared_tables = steps.terms.typed;
        let layout = Layout::Card { blocks: of_member, slots: 1, slot_lanes: 1, shared_tables };
        let bytes = (card.shared_memory_per_block / blocks)
            .saturating_sub(STATIC + beside_bricks(size, shared_tables, steps.precision));
        let form = |threads: usize| {
            // Fewer threads if there is no room for the neighbours of all their beads.
            let most = overrides.threads.unwrap_or(threads).clamp(WARP, MOST_THREADS) / WARP;
            let fitting = (0..=most.ilog2()).map(|halvings| WARP * (most >> halvings));
            let mut bricks = fitting.filter_map(|threads| {
                // Blocks that do not fit on a multiprocessor together could not wait for each other.
                if threads * blocks > THREADS_OF_MULTIPROCESSOR {
                    return None;
                }
                let forced = overrides.brick;
                let brick = Brick::best(&size.contents, of_member, threads, number, bytes, forced)?;
                let neighbours = Neighbours::Bricks(brick);
                Some(Shape { layout, neighbours, threads, helpers: 0, pressing: false, blocks })
            });
            bricks.next()
        };
        let has_one = |shape: &Shape| shape.brick().turns(&size.contents, of_member) == 1;
        let one = steps.terms.thermostat.and_then(|_| form(THREADS_OF_ONE_BRICK)).filter(has_one);
        let has_bonds = !steps.terms.bonded.is_empty();
        one.or_else(|| form(if has_bonds { THREADS_WITH_BONDS } else { THREADS_OF_BRICKS }))
    }

    /// The same with tables in shared memory if all blocks of a multiprocessor have room for them: each lane reads its own
    /// entry. One chain of 137 residues then takes 2.70 us a step instead of 3.96, of 411 3.89 instead of 5.69 (H200).
    fn with_tables(self, size: Size, steps: &Steps, card: &Properties) -> Shape {
        let mut with = self;
        if let Layout::Block { shared_tables, .. } | Layout::Card { shared_tables, .. } =
            &mut with.layout
        {
            *shared_tables = true;
        }
        let bytes = with.blocks * (SharedMemory::of(&with, size, steps).bytes + STATIC);
        match steps.terms.typed && bytes <= card.shared_memory_per_block {
            true => with,
            false => self,
        }
    }

    /// A shape whose threads without beads compute what presses on the beads of a block, as many at once as there is room for, if
    /// there is shared memory for these forces.
    fn with_pressing(
        self,
        size: Size,
        steps: &Steps,
        card: &Properties,
        overrides: LaunchOverrides,
    ) -> Shape {
        if !steps.pressed || overrides.helpers == Some(false) {
            return self;
        }
        let stepping = self.threads - self.helpers;
        let beads = beads_of_block(&self).next_multiple_of(WARP);
        let helpers = beads.min(MOST_PRESSING).min(MOST_THREADS - stepping).max(self.helpers);
        let threads = stepping + helpers;
        let blocks = self.blocks.min(THREADS_OF_MULTIPROCESSOR / threads).max(1);
        let with = Shape { threads, helpers, blocks, pressing: true, ..self };
        let bytes = SharedMemory::of(&with, size, steps).bytes + STATIC;
        if bytes <= card.shared_memory_per_block { with } else { self }
    }

    /// The shape for a lane for each member, with `each` members on a multiprocessor.
    fn of_lanes(beads: usize, each: usize, steps: &Steps, overrides: LaunchOverrides) -> Shape {
        // Two blocks on a multiprocessor hide each other's barriers.
        let members = match overrides.members.unwrap_or(each / 2) {
            0..16 => 8,
            16..32 => 16,
            _ => 32,
        };
        let threads = beads.max(1).div_ceil(BEADS_OF_LANE) * members;
        let threads = overrides.threads.unwrap_or(threads).next_multiple_of(WARP).min(1024);
        let blocks = resident_blocks(overrides, threads, 8);
        let neighbours = match steps.search {
            Search::Bits => Neighbours::Lists { shared: false },
            _ => Neighbours::All,
        };
        Shape {
            layout: Layout::Lane { members },
            neighbours,
            threads,
            helpers: 0,
            pressing: false,
            blocks,
        }
    }
}

/// Threads of a block that have the externals of some members: four lanes each.
fn helpers(size: Size, members: usize) -> usize {
    (PARTIAL_SUMS * members * size.externals).next_multiple_of(WARP)
}

/// Blocks that the compiler must let fit on a multiprocessor: as many as a caller asks for, or up to `wanted` that have the
/// registers they need.
fn resident_blocks(overrides: LaunchOverrides, threads: usize, wanted: usize) -> usize {
    let most = (THREADS_OF_MULTIPROCESSOR / threads).max(1);
    let usual = || wanted.min(65_536 / (threads * REGISTERS));
    overrides.blocks.unwrap_or_else(usual).clamp(1, most)
}

/// How blocks with four lanes for each bead find near pairs, where they do not take bricks.
fn neighbours_of(search: Search, shared: bool) -> Neighbours {
    match search {
        Search::List => Neighbours::Lists { shared },
        _ => Neighbours::All,
    }
}

/// The fewest slots of each block of a cluster. A thread of a typed system waits longest for its own pairs, so more blocks
/// gain where lists have many: 137 residues take 3.90 us a step in sixteen blocks, 4.54 in four and 7.71 in one; 40 residues,
/// whose pairs need no list, 1.53 in one and 1.65 in two (H200).
fn slots_of_clustered(steps: &Steps) -> usize {
    match (steps.terms.typed, steps.search) {
        (true, Search::List) => SLOTS_OF_CLUSTERED / 2,
        (true, _) => 2 * SLOTS_OF_CLUSTERED,
        _ => SLOTS_OF_CLUSTERED,
    }
}

/// Blocks of a cluster for a member with this many slots, one of `all`: as many as there are multiprocessors for.
fn cluster_of(slots: usize, all: usize, fewest: usize, card: &Properties) -> usize {
    let multiprocessors = card.multiprocessors.max(1) as usize;
    let most = card.blocks_per_cluster.min(slots / fewest);
    let most = most.min(multiprocessors / all.max(1)).max(1);
    power_below(most)
}

/// The largest power of two that is not above a number, which is not 0.
fn power_below(number: usize) -> usize {
    1 << number.ilog2()
}

/// Beads of the largest member that fits into a block of the card; `heated` members have a pair thermostat.
pub fn most_beads(card: &Properties, precision: Precision, heated: bool) -> usize {
    let room = card.shared_memory_per_block.saturating_sub(8_192);
    let rows = if heated { 4 } else { 2 };
    let beads = room / (4 * rows * bytes_of(precision)) / PARTIAL_SUMS * PARTIAL_SUMS;
    // Above this limit, grids are faster, and with many members there is no room for clusters.
    beads.min(usize::from(u16::MAX)).min(32 * THREADS_OF_LARGE / PARTIAL_SUMS)
}

#[cfg(test)]
#[path = "../../tests/unit/shape.rs"]
mod tests;
