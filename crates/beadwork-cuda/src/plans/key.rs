//! The key of a program: the properties on which it is specialised, and its text.

use beadwork_model::potentials::PairNoise;
use beadwork_model::{Generator, Integrator, Precision};

use crate::batch::layout::MOST_MASKED;
use crate::compile::program::{Program, Rounding, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::random::generators;
use crate::tables::TermNames;

/// The place of the first law that presses on beads (`kernels/externals/laws.cuh`).
pub const FIRST_THAT_PRESSES: u32 = 4;

/// The most members of a block.
pub const MOST_MEMBERS: usize = 32;

/// The compute capability from which on blocks form clusters.
pub const CLUSTERS_FROM: (u32, u32) = (9, 0);

/// Where a lane has a member, the most beads for which it computes all pairs, with a bit for those that act: a search
/// would cost more.
const MOST_UNSEARCHED: usize = 48;

/// The way to find near pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Search {
    /// There are no pair terms.
    None,
    /// All pairs, with a bit for those that act; up to 128 beads.
    Mask,
    /// Bits for the near pairs; up to 128 beads, where a lane has a member.
    Bits,
    /// A list of the near pairs.
    List,
    /// The near pairs are found anew at each step, in bricks of the grid plan.
    Bricks,
}

impl Search {
    fn name(self) -> &'static str {
        match self {
            Search::None => "no-pairs",
            Search::Mask => "mask",
            Search::Bits => "bits",
            Search::List => "list",
            Search::Bricks => "bricks",
        }
    }

    /// The search for members of this size in the block plan.
    pub fn of_block(paired: bool, beads: usize) -> Search {
        if !paired {
            Search::None
        } else if beads <= MOST_UNSEARCHED {
            Search::Mask
        } else if beads <= MOST_MASKED {
            Search::Bits
        } else {
            Search::List
        }
    }

    /// Whether the search must be repeated if beads move too far.
    pub fn is_listed(self) -> bool {
        matches!(self, Search::Bits | Search::List)
    }
}

/// Where the kernel of a step takes the random words of beads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// From a generator of its own.
    Own(Generator),
    /// From memory that another kernel filled (`kernels/random/fill.cuh`).
    Filled,
}

impl Noise {
    /// The noise of a group with a generator. Where nothing acts between beads, threads keep the states of generators that each
    /// bead has for itself.
    pub fn of(generator: Generator, group: Group) -> Noise {
        let filled = match group {
            Group::Single => generators::draws_for_all(generator),
            Group::Quad | Group::Lane | Group::Grid => generators::is_filled(generator),
        };
        if filled { Noise::Filled } else { Noise::Own(generator) }
    }

    /// The name of the generator, or `filled`.
    fn name(self) -> &'static str {
        match self {
            Noise::Own(generator) => generator.name(),
            Noise::Filled => "filled",
        }
    }
}

/// The distribution of a step's work over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Four lanes have a bead.
    Quad,
    /// A lane has a member.
    Lane,
    /// Four lanes have a bead, and blocks share a member by way of the card's memory.
    Grid,
    /// A thread has a bead on which only fields act.
    Single,
}

/// The properties on which a program is specialised. Everything else is data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// Whether the system is in a periodic box.
    pub boxed: bool,
    /// The terms of the system.
    pub terms: TermNames,
    /// The search for near pairs.
    pub search: Search,
    /// Whether there are externals.
    pub pulled: bool,
    /// Whether some of them press on beads, by a law from [`FIRST_THAT_PRESSES`] on.
    pub pressed: bool,
    /// Where steps take their noise from.
    pub noise: Noise,
    /// The scheme.
    pub integrator: Integrator,
    /// Whether steps minimise the energy, in the grid plan; integrator and generator do not matter then.
    pub minimises: bool,
    /// The distribution of work over threads.
    pub group: Group,
    /// The number of blocks that share a member.
    pub cluster: u32,
    /// The members of a block if each has a lane of every warp.
    pub lane_members: u32,
    /// Groups of four beads, for [`Search::Mask`] with four lanes for each bead.
    pub quads: u32,
    /// Native contacts of each slot that its thread keeps in registers.
    pub contacts: u32,
    /// Slots (a bead and a partial sum) of a thread.
    pub slots: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that must fit on a multiprocessor.
    pub blocks: u32,
    /// Whether a block copies tables by types to shared memory.
    pub shared_tables: bool,
    /// Whether the lanes of a warp share neighbour lists.
    pub shared_lists: bool,
    /// Whether the number of beads exceeds 16 bits.
    pub wide: bool,
}

impl Key {
    /// The properties that do not depend on a form of blocks, with defaults for the rest.
    pub(crate) fn unshaped(terms: TermNames, precision: Precision) -> Key {
        Key {
            precision,
            rounding: Rounding::Fused,
            boxed: false,
            terms,
            search: Search::None,
            pulled: false,
            pressed: false,
            noise: Noise::Own(Generator::Philox4x32x10),
            integrator: Integrator::Brownian,
            minimises: false,
            group: Group::Quad,
            cluster: 1,
            lane_members: 0,
            quads: 0,
            contacts: 0,
            slots: 0,
            threads: 0,
            blocks: 0,
            shared_tables: false,
            shared_lists: false,
            wide: false,
        }
    }

    /// `block single fene_bond+native_contact mask9 pulled philox4x32-10 brownian, 1 slot(s) a thread, 160 threads, 1 block(s)`.
    pub fn name(&self) -> String {
        if self.group == Group::Single {
            return format!("beads {}, {} threads", self.what(), self.threads);
        }
        format!(
            "{} {}{}{}{}{}, {} slot(s) a thread, {} threads, {} block(s)",
            if self.group == Group::Grid { "grid" } else { "block" },
            self.what(),
            if self.wide { " wide" } else { "" },
            if self.shared_tables { " shared tables" } else { "" },
            if self.shared_lists { " shared lists" } else { "" },
            if self.cluster > 1 { format!(" in clusters of {}", self.cluster) } else { "".into() },
            self.slots,
            self.threads,
            self.blocks,
        )
    }

    /// The terms, the search and other properties of the steps.
    fn what(&self) -> String {
        format!(
            "{} {}{}{} {}{} {}{} {}",
            self.precision.name(),
            self.terms.words(),
            if self.boxed { " box" } else { "" },
            if self.rounding == Rounding::AsWritten { " as-written" } else { "" },
            self.search.name(),
            if self.quads > 0 { self.quads.to_string() } else { String::new() },
            match (self.pulled, self.pressed) {
                (_, true) => "pressed ",
                (true, false) => "pulled ",
                _ => "",
            },
            self.noise.name(),
            if self.minimises { "minimise" } else { self.integrator.name() },
        )
    }

    /// The name of the kernel in the text.
    pub fn function(&self) -> &'static str {
        match self.group {
            Group::Grid if self.search == Search::Bricks => "beadwork_bricks",
            Group::Quad | Group::Grid => "beadwork_block",
            Group::Lane => "beadwork_lanes",
            Group::Single => "beadwork_beads",
        }
    }

    /// The text of a kernel, with its own definitions and files.
    fn text(&self, own: &[(&str, u32)], files: &[&str]) -> String {
        let flag = u32::from;
        let mut definitions = vec![
            ("DOUBLE", flag(self.precision == Precision::Double)),
            ("FUSED", flag(self.rounding == Rounding::Fused)),
            ("LISTED", flag(self.search.is_listed())),
            ("PAIRED", flag(self.search != Search::None)),
            ("TYPED", flag(self.terms.typed)),
            ("BOXED", flag(self.boxed)),
            ("HEATED", flag(self.terms.thermostat.is_some())),
            ("NORMAL_PAIRS", flag(self.terms.thermostat == Some(PairNoise::Normal))),
            ("PULLED", flag(self.pulled)),
            ("PRESSED", flag(self.pressed)),
            ("MINIMISES", flag(self.minimises)),
            ("CLUSTER", self.cluster),
            ("LANE_MEMBERS", self.lane_members),
            ("QUADS", self.quads),
            ("SLOTS", self.slots),
            ("THREADS", self.threads),
            ("BLOCKS", self.blocks),
            ("SHARED_TABLES", flag(self.shared_tables)),
            ("SHARED_LISTS", flag(self.shared_lists)),
            ("MEMBERS", MOST_MEMBERS as u32),
            ("GRID", flag(self.group == Group::Grid)),
        ];
        definitions.extend_from_slice(own);
        definitions.push(("FILLED", flag(self.noise == Noise::Filled)));
        let generator = match self.noise {
            Noise::Own(generator) => generator,
            // None of a program's own.
            Noise::Filled => Generator::Philox4x32x10,
        };
        definitions.extend(generators::definitions(generator, generator.schemes()[0]));
        let scheme = match self.integrator {
            _ if self.minimises => "Fire",
            Integrator::Brownian => "Brownian",
            Integrator::BrownianSecondOrder => "BrownianSecondOrder",
            Integrator::Langevin => "Langevin",
            Integrator::LangevinMiddle => "LangevinMiddle",
            Integrator::VelocityVerlet => "VelocityVerlet",
        };
        definitions.push(("CHOSEN_SEARCH", self.search as u32));
        let chosen = self.terms.declaration(self.contacts);
        let scheme = format!("#define CHOSEN_SCHEME {scheme}\n");
        definitions_of(&definitions) + &chosen + &scheme + &including(files)
    }

    /// The program.
    pub fn program(&self) -> Program {
        let file = match self.group {
            Group::Grid if self.search == Search::Bricks => "groups/bricks.cuh",
            Group::Quad | Group::Grid => "groups/quad.cuh",
            Group::Lane => "groups/lane.cuh",
            Group::Single => "groups/single.cuh",
        };
        // Local memory is intended in four cases. A thread with many slots stores their data there. With externals, a
        // scheme that looks ahead works on a copy of them. Ran2 indexes its table by random numbers, and the search for
        // an error uses a second generator. Typed terms beyond four need more registers than the block's threads may
        // have: seven took at most 128 bytes, nine 208.
        let ahead = self.pulled && self.integrator == Integrator::BrownianSecondOrder;
        let large = self.slots == 2 || self.precision == Precision::Double;
        let few = match self.slots {
            0..=2 if self.noise == Noise::Own(Generator::Ran2) => 640,
            0..=2 if large => 512,
            0..=2 if ahead => 384,
            0..=2 => 112,
            // With the copy of externals of a scheme that looks ahead, 32 slots took 3,472 bytes.
            many => 104 * many as usize + 160,
        };
        // A block of the grid plan has one multiprocessor: more threads of fewer registers hide more of the card's latency. Two
        // programs with outer lists in double precision need 376 bytes more than others, all the rest 320 at most.
        let is_large = self.slots > 1 || self.search == Search::Bricks || self.shared_lists;
        let few = if self.group == Group::Grid && is_large { few + 384 } else { few };
        // Positions in double precision, and their way through a division and a root: 344 bytes more than others in the grid
        // plan, whose threads have the fewest registers.
        let few = if self.pressed { few + 384 } else { few };
        let typed_terms = if self.terms.typed { self.terms.names().count() } else { 0 };
        let local_bytes = few + 48 * typed_terms.saturating_sub(4);
        Program {
            name: self.name(),
            source: self.text(&[("WIDE", u32::from(self.wide))], &[file]),
            functions: vec![self.function().to_string()],
            oldest: if self.cluster > 1 { CLUSTERS_FROM } else { OLDEST_CARD },
            registers: 65_536 / (self.threads * self.blocks) / 8 * 8,
            local_bytes,
        }
    }
}
