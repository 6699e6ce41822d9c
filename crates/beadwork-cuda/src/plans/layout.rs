//! How a member lies on a card.

use crate::batch::records::PARTIAL_SUMS;
use crate::plans::bricks::{Brick, Contents};
use crate::plans::key::{Form, Key};
use crate::plans::shared_memory::bytes_of;
use crate::plans::steps::{Search, Steps};
use crate::tables::is_wide;

/// Threads of a warp.
pub const WARP: usize = 32;

/// The fewest registers with which a thread keeps native contacts.
const REGISTERS_TO_KEEP: usize = 136;

/// The most bytes for one number of each contact that a thread keeps: four contacts in single precision, two in double.
const MOST_KEPT_BYTES: usize = 16;

/// Who holds a bead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A thread.
    Single,
    /// A lane of each warp of a block holds one of its members.
    Lane { members: usize },
    /// Four lanes of a block that has some members, or of a cluster of blocks that has one.
    Block {
        members: usize,
        /// Blocks that share a member.
        cluster: usize,
        /// Slots (a bead and a partial sum) of a thread.
        slots: usize,
        /// Whether a block copies tables by types to shared memory.
        shared_tables: bool,
    },
    /// Four lanes, or several times as many, of the blocks that share a member by way of the card's memory.
    Card {
        /// Blocks that share a member.
        blocks: usize,
        /// Slots of a thread.
        slots: usize,
        /// Lanes of a slot, which share its neighbours.
        slot_lanes: usize,
        /// Whether a block copies tables by types to shared memory.
        shared_tables: bool,
    },
}

/// How near pairs are found, beyond the search that tables are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// All pairs are compared.
    All,
    /// By lists; the lanes of a warp may share those of its beads.
    Lists { shared: bool },
    /// Anew in each step, in bricks of cells that blocks copy.
    Bricks(Brick),
}

/// The form of the blocks of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub layout: Layout,
    pub neighbours: Neighbours,
    /// Threads of a block.
    pub threads: usize,
    /// Threads of a block that have externals in place of beads.
    pub helpers: usize,
    /// Whether threads without beads compute what presses on beads; otherwise the lanes of these beads do.
    pub pressing: bool,
    /// Blocks that the compiler must let fit on a multiprocessor.
    pub blocks: usize,
}

/// The needs of a launch's members.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub beads: usize,
    /// The most externals of a member.
    pub externals: usize,
    /// Whether beads push one of them.
    pub is_pushed: bool,
    /// The most native contacts of a slot.
    pub contacts: usize,
    /// The largest tables of bonds and contacts, bytes.
    pub lane_bytes: usize,
    /// The most types of beads of a member with velocities.
    pub types: usize,
    /// At most the bytes that tables by types take in shared memory: of pair terms, the pair thermostat, radii of lists and
    /// terms that act.
    pub table_bytes: usize,
    /// What bricks are made for.
    pub contents: Contents,
}

impl Shape {
    /// Members of a block.
    pub fn members_of_block(&self) -> usize {
        match self.layout {
            Layout::Lane { members } | Layout::Block { members, .. } => members,
            Layout::Single | Layout::Card { .. } => 1,
        }
    }

    /// Blocks that share a member.
    pub fn blocks_of_member(&self) -> usize {
        match self.layout {
            Layout::Block { cluster, .. } => cluster,
            Layout::Card { blocks, .. } => blocks,
            Layout::Single | Layout::Lane { .. } => 1,
        }
    }

    /// Whether the lanes of a warp share neighbour lists.
    pub fn shares_lists(&self) -> bool {
        self.neighbours == Neighbours::Lists { shared: true }
    }

    /// The brick of cells of a block; nothing where there are lists.
    pub fn brick(&self) -> Brick {
        match self.neighbours {
            Neighbours::Bricks(brick) => brick,
            Neighbours::All | Neighbours::Lists { .. } => Brick::default(),
        }
    }

    /// The key of a program with this form of blocks.
    pub fn key(&self, steps: &Steps, size: Size) -> Key {
        // With four lanes for each bead, bits of neighbours do not help: a test of all pairs costs less than a loop
        // over bits.
        let four_lanes = matches!(self.layout, Layout::Block { .. } | Layout::Card { .. });
        let search = match steps.search {
            Search::Bits if four_lanes => Search::Mask,
            other => other,
        };
        let quads =
            if search == Search::Mask { size.beads.div_ceil(PARTIAL_SUMS) as u32 } else { 0 };
        let contacts = |slots: usize| {
            let registers = 65_536 / (self.threads * self.blocks);
            let most = MOST_KEPT_BYTES / bytes_of(steps.precision);
            let keeps = slots == 1 && registers >= REGISTERS_TO_KEEP;
            if keeps { size.contacts.min(most) as u32 } else { 0 }
        };
        let form = match self.layout {
            Layout::Single => Form::Single,
            Layout::Lane { members } => Form::Lane { members: members as u32 },
            Layout::Block { cluster, slots, shared_tables, .. } => Form::Block {
                cluster: cluster as u32,
                slots: slots as u32,
                quads,
                contacts: contacts(slots),
                shared_tables,
            },
            Layout::Card { slots, slot_lanes, shared_tables, .. } => Form::Card {
                slots: slots as u32,
                slot_lanes: slot_lanes as u32,
                contacts: contacts(slots),
                shared_tables,
                shared_lists: self.shares_lists(),
                wide: is_wide(size.beads, !steps.boxed),
            },
        };
        let steps = Steps { search, ..steps.clone() };
        let (threads, blocks) = (self.threads as u32, self.blocks as u32);
        Key { steps, form, threads, pressing: self.pressing, blocks }
    }
}
