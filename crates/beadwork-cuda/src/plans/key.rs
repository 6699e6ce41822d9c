//! The key of a program: what its steps compute, the form of its blocks, and its text.

use beadwork_model::{Integrator, Precision};

use crate::compile::program::{Program, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::plans::steps::{Search, Steps};

/// The most members of a block.
pub const MOST_MEMBERS: usize = 32;

/// The compute capability from which on blocks form clusters.
pub const CLUSTERS_FROM: (u32, u32) = (9, 0);

/// The form of blocks that a program is compiled for: the part of a [`Layout`](crate::plans::layout::Layout) that is no data of a
/// launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A thread has a bead.
    Single,
    /// A lane of each warp has one of the members of a block.
    Lane { members: u32 },
    /// Four lanes have a bead in a block, or in a cluster of blocks.
    Block {
        /// Blocks that share a member.
        cluster: u32,
        /// Slots of a thread.
        slots: u32,
        /// Groups of four beads whose masks are compared in unrolled loops; 0 for other searches.
        quads: u32,
        /// Native contacts of each slot that its thread keeps in registers.
        contacts: u32,
        /// Whether a block copies tables by types to shared memory.
        shared_tables: bool,
    },
    /// Four lanes have a bead, and blocks share a member by way of the card's memory.
    Card {
        /// Slots of a thread.
        slots: u32,
        /// Lanes of a slot, which share its neighbours.
        slot_lanes: u32,
        /// Native contacts of each slot that its thread keeps in registers.
        contacts: u32,
        /// Whether a block copies tables by types to shared memory.
        shared_tables: bool,
        /// Whether the lanes of a warp share neighbour lists.
        shared_lists: bool,
        /// Whether the number of beads exceeds 16 bits.
        wide: bool,
    },
}

/// The properties on which a program is specialised. Everything else is data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub steps: Steps,
    pub form: Form,
    /// Threads of a block.
    pub threads: u32,
    /// Whether threads without beads compute what presses on beads.
    pub pressing: bool,
    /// Blocks that must fit on a multiprocessor.
    pub blocks: u32,
}

impl Key {
    /// `block single fene_bond+native_contact mask9 pulled philox4x32-10 brownian, 1 slot(s) a thread, 160 threads, 1 block(s)`.
    pub fn name(&self) -> String {
        let Key { steps, form, threads, pressing, blocks } = self;
        let (kind, slots, quads, what) = match *form {
            Form::Single => return format!("beads {}, {threads} threads", steps.name(0)),
            Form::Lane { .. } => ("block", 1, 0, String::new()),
            Form::Block { cluster, slots, quads, shared_tables, .. } => {
                let tables = if shared_tables { " shared tables" } else { "" };
                let clusters = match cluster {
                    1 => String::new(),
                    many => format!(" in clusters of {many}"),
                };
                ("block", slots, quads, format!("{tables}{clusters}"))
            }
            Form::Card { slots, slot_lanes, shared_tables, shared_lists, wide, .. } => {
                let words = [
                    (slot_lanes == 2, " two lanes a slot"),
                    (slot_lanes == 4, " four lanes a slot"),
                    (wide, " wide"),
                    (shared_tables, " shared tables"),
                    (shared_lists, " shared lists"),
                ];
                let said = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word);
                ("grid", slots, 0, said.collect())
            }
        };
        let steps = steps.name(quads);
        let helped = if *pressing { " with helpers" } else { "" };
        format!(
            "{kind} {steps}{what}{helped}, {slots} slot(s) a thread, {threads} threads, {blocks} block(s)"
        )
    }

    /// The name of the kernel, and its file.
    fn kernel(&self) -> (&'static str, &'static str) {
        match self.form {
            Form::Card { .. } if self.steps.search == Search::Bricks => {
                ("beadwork_bricks", "groups/bricks.cuh")
            }
            Form::Block { .. } | Form::Card { .. } => ("beadwork_block", "groups/quad.cuh"),
            Form::Lane { .. } => ("beadwork_lanes", "groups/lane.cuh"),
            Form::Single => ("beadwork_beads", "groups/single.cuh"),
        }
    }

    /// The name of the kernel in the text.
    pub fn function(&self) -> &'static str {
        self.kernel().0
    }

    /// The text of the kernel.
    fn text(&self) -> String {
        let flag = u32::from;
        let mut numbers = Numbers { cluster: 1, slots: 1, slot_lanes: 1, ..Numbers::default() };
        match self.form {
            Form::Single => {}
            Form::Lane { members } => numbers.lane_members = members,
            Form::Block { cluster, slots, quads, contacts, shared_tables } => {
                numbers = Numbers { cluster, slots, quads, contacts, shared_tables, ..numbers };
            }
            Form::Card { slots, slot_lanes, contacts, shared_tables, shared_lists, wide } => {
                let grid = true;
                numbers = Numbers {
                    slots,
                    slot_lanes,
                    contacts,
                    shared_tables,
                    shared_lists,
                    wide,
                    grid,
                    ..numbers
                };
            }
        }
        let mut definitions = self.steps.definitions();
        definitions.extend([
            ("CLUSTER", numbers.cluster),
            ("LANE_MEMBERS", numbers.lane_members),
            ("QUADS", numbers.quads),
            ("SLOTS", numbers.slots),
            ("SLOT_LANES", numbers.slot_lanes),
            ("THREADS", self.threads),
            ("PRESSING", flag(self.pressing)),
            ("BLOCKS", self.blocks),
            ("SHARED_TABLES", flag(numbers.shared_tables)),
            ("SHARED_LISTS", flag(numbers.shared_lists)),
            ("MEMBERS", MOST_MEMBERS as u32),
            ("GRID", flag(numbers.grid)),
            ("WIDE", flag(numbers.wide)),
        ]);
        let chosen = self.steps.terms.declaration(numbers.contacts);
        let scheme = format!("#define CHOSEN_SCHEME {}\n", self.steps.scheme());
        definitions_of(&definitions) + &chosen + &scheme + &including(&[self.kernel().1])
    }

    /// The program.
    pub fn program(&self) -> Program {
        let (kernel, _) = self.kernel();
        let clustered = matches!(self.form, Form::Block { cluster: 2.., .. });
        Program {
            name: self.name(),
            source: self.text(),
            functions: vec![kernel.to_string()],
            oldest: if clustered { CLUSTERS_FROM } else { OLDEST_CARD },
            registers: 65_536 / (self.threads * self.blocks) / 8 * 8,
            local_bytes: self.local_bytes(),
        }
    }

    /// The local memory that a thread may have. It is intended in three cases. A thread with many slots stores their data there.
    /// With externals, a scheme that looks ahead works on a copy of them. Typed terms beyond four need more registers than the
    /// block's threads may have: seven took at most 128 bytes, nine 208.
    fn local_bytes(&self) -> usize {
        let Steps { precision, terms, search, pulled, pressed, integrator, .. } = &self.steps;
        let (slots, shared_lists) = match self.form {
            Form::Single | Form::Lane { .. } => (1, false),
            Form::Block { slots, .. } => (slots, false),
            Form::Card { slots, shared_lists, .. } => (slots, shared_lists),
        };
        let ahead = *pulled && *integrator == Integrator::BrownianSecondOrder;
        let large = slots == 2 || *precision == Precision::Double;
        let few = match slots {
            // Two slots of pulled beads with velocities and generators of their own took 552 bytes, all others 432 at most.
            0..=2 if large => 576,
            0..=2 if ahead => 384,
            0..=2 => 112,
            // With the copy of externals of a scheme that looks ahead, 32 slots took 3,472 bytes.
            many => 104 * many as usize + 160,
        };
        // A block of the grid plan has one multiprocessor: more threads of fewer registers hide more of the card's latency. Two
        // programs with outer lists in double precision need 376 bytes more than others, all the rest 320 at most.
        let is_large = slots > 1 || *search == Search::Bricks || shared_lists;
        let is_card = matches!(self.form, Form::Card { .. });
        let few = if is_card && is_large { few + 384 } else { few };
        // Positions in double precision, and their way through a division and a root: 344 bytes more than others in the grid
        // plan, whose threads have the fewest registers.
        let few = if *pressed { few + 384 } else { few };
        let typed_terms = if terms.typed { terms.names().count() } else { 0 };
        few + 48 * typed_terms.saturating_sub(4)
    }
}

/// Numbers of a form as a program's text has them.
#[derive(Default)]
struct Numbers {
    cluster: u32,
    lane_members: u32,
    quads: u32,
    contacts: u32,
    slots: u32,
    slot_lanes: u32,
    shared_tables: bool,
    shared_lists: bool,
    grid: bool,
    wide: bool,
}
