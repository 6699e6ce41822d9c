//! The programs that a GPU runs: what each is specialised on, its text, and the table of those that are supported.

use beadwork_model::{Generator, Integrator, Precision};

use crate::error::OLDEST_CARD;
use crate::generators;
use crate::layout::MOST_MASKED;

pub const ARITHMETIC_TEXT: &str = include_str!("../kernels/arithmetic.cuh");
pub const RANDOM_TEXT: &str = include_str!("../kernels/random.cuh");

/// The text, one file a subject, in the order in which one needs another.
const FILES: [&str; 9] = [
    ARITHMETIC_TEXT,
    RANDOM_TEXT,
    include_str!("../kernels/fene_bond.cuh"),
    include_str!("../kernels/harmonic_bond.cuh"),
    include_str!("../kernels/native_contact.cuh"),
    include_str!("../kernels/sixth_power_repulsion.cuh"),
    include_str!("../kernels/topology.cuh"),
    include_str!("../kernels/drives.cuh"),
    include_str!("../kernels/terms.cuh"),
];

/// Four lanes a bead.
const BLOCK: [&str; 4] = [
    include_str!("../kernels/cluster.cuh"),
    include_str!("../kernels/place.cuh"),
    include_str!("../kernels/place_noise.cuh"),
    include_str!("../kernels/block.cuh"),
];

/// A lane a member.
const LANES: [&str; 1] = [include_str!("../kernels/lanes.cuh")];

/// A thread a bead.
const BEADS: [&str; 2] = [generators::GENERATOR_TEXT, include_str!("../kernels/beads.cuh")];

/// A kernel for each term.
const LAUNCHES: [&str; 4] = [
    include_str!("../kernels/launches.cuh"),
    include_str!("../kernels/launches_words.cuh"),
    include_str!("../kernels/launches_looks.cuh"),
    include_str!("../kernels/launches_lists.cuh"),
];
const LAUNCHES_BY_PARTICLE: &str = include_str!("../kernels/launches_by_particle.cuh");
const LAUNCHES_BY_PAIR: &str = include_str!("../kernels/launches_by_pair.cuh");

/// Members of a block at most.
pub const MOST_MEMBERS: usize = 32;

/// The compute capability from which on blocks form clusters.
pub const CLUSTERS_FROM: (u32, u32) = (9, 0);

/// Generators that the block plan has kernels for; the launches plan has them for all.
pub const IN_BLOCKS: [Generator; 5] = [
    Generator::Philox4x32x10,
    Generator::Philox4x32x7,
    Generator::SaruTea,
    Generator::Saru,
    Generator::HybridTaus,
];

/// Beads up to which all pairs are looked at, with a bit for those that repel, where a lane has a member: searching would
/// cost more.
const MOST_UNSEARCHED: usize = 48;

/// How the partners that repel a bead are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Search {
    /// Nothing repels.
    None,
    /// All pairs, a bit for those that repel; up to 128 beads.
    Mask,
    /// The bits of those that are near; up to 128 beads, where a lane has a member.
    Bits,
    /// A list of those that are near.
    List,
}

impl Search {
    fn name(self) -> &'static str {
        match self {
            Search::None => "free",
            Search::Mask => "mask",
            Search::Bits => "bits",
            Search::List => "list",
        }
    }

    /// How members of so many beads find them in the block plan.
    pub fn of_block(repels: bool, beads: usize) -> Search {
        if !repels {
            Search::None
        } else if beads <= MOST_UNSEARCHED {
            Search::Mask
        } else if beads <= MOST_MASKED {
            Search::Bits
        } else {
            Search::List
        }
    }

    /// Whether beads that went far make it look for neighbours again.
    pub fn is_listed(self) -> bool {
        matches!(self, Search::Bits | Search::List)
    }
}

/// How sums of products are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// Fused where that is faster: what runs are made with.
    Fused,
    /// As the host's plain path rounds: the same bits as there, to check one by the other.
    AsWritten,
}

/// What a program is specialised on. Everything else is data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// FENE bonds, harmonic bonds, native contacts, traps.
    pub terms: [bool; 4],
    /// How repelling partners are found.
    pub search: Search,
    /// Whether there are drives.
    pub pulled: bool,
    /// Where noise comes from.
    pub generator: Generator,
    /// The scheme.
    pub integrator: Integrator,
    /// Whether each bead is stepped on its own.
    pub apart: bool,
    /// Blocks that have a member between them.
    pub cluster: u32,
    /// Members of a block where each has a lane of every warp; 0 where each bead has four lanes.
    pub lane_members: u32,
    /// Beads in fours, where partners are found by [`Search::Mask`] and a bead has four lanes.
    pub quads: u32,
    /// Native contacts of each place that its thread keeps in registers.
    pub contacts: u32,
    /// Places (a bead and a partial sum) of a thread.
    pub places: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that are to fit on a multiprocessor.
    pub blocks: u32,
}

/// Text to be compiled.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is, for messages.
    pub name: String,
    /// CUDA C++ that includes nothing.
    pub source: String,
    /// Its kernels.
    pub functions: Vec<String>,
    /// The lowest compute capability that runs it.
    pub oldest: (u32, u32),
    /// Registers of a thread at most.
    pub registers: u32,
    /// Local memory of a thread at most, bytes.
    pub local_bytes: usize,
}

const BLOCK_KERNEL: &str = "beadwork_block";
const LANES_KERNEL: &str = "beadwork_lanes";
const BEADS_KERNEL: &str = "beadwork_beads";

const TERMS: [(&str, &str); 4] = [
    ("FENE_BONDS", "fene"),
    ("HARMONIC_BONDS", "harmonic"),
    ("NATIVE_CONTACTS", "contacts"),
    ("TRAPS", "traps"),
];

impl Key {
    /// What a kernel for beads on their own, on which nothing acts, is specialised on, without a form of blocks.
    pub(crate) const UNSHAPED: Key = Key {
        precision: Precision::Single,
        rounding: Rounding::Fused,
        terms: [false; 4],
        search: Search::None,
        pulled: false,
        generator: Generator::Philox4x32x10,
        integrator: Integrator::Brownian,
        apart: false,
        cluster: 1,
        lane_members: 0,
        quads: 0,
        contacts: 0,
        places: 0,
        threads: 0,
        blocks: 0,
    };

    /// `block single fene+contacts mask9 pulled philox4x32-10 brownian, 1 place(s) a thread, 160 threads, 1 block(s)`.
    pub fn name(&self) -> String {
        if self.apart {
            return format!("beads {}, {} threads", self.what(), self.threads);
        }
        format!(
            "block {}{}, {} place(s) a thread, {} threads, {} block(s)",
            self.what(),
            if self.cluster > 1 { format!(" in clusters of {}", self.cluster) } else { "".into() },
            self.places,
            self.threads,
            self.blocks,
        )
    }

    /// What is stepped, and how.
    fn what(&self) -> String {
        let terms: Vec<&str> = TERMS
            .iter()
            .zip(self.terms)
            .filter(|(_, has)| *has)
            .map(|((_, name), _)| *name)
            .collect();
        format!(
            "{} {}{} {}{} {}{} {}",
            self.precision.name(),
            if terms.is_empty() { "no-terms".to_string() } else { terms.join("+") },
            if self.rounding == Rounding::AsWritten { " as-written" } else { "" },
            self.search.name(),
            if self.quads > 0 { self.quads.to_string() } else { String::new() },
            if self.pulled { "pulled " } else { "" },
            self.generator.name(),
            self.integrator.name(),
        )
    }

    /// The kernel's name in the text.
    pub fn function(&self) -> &'static str {
        match self {
            Key { apart: true, .. } => BEADS_KERNEL,
            Key { lane_members: 0, .. } => BLOCK_KERNEL,
            _ => LANES_KERNEL,
        }
    }

    /// What every text begins with.
    fn definitions(&self) -> Vec<(&'static str, u32)> {
        let flag = u32::from;
        let mut definitions = vec![
            ("DOUBLE", flag(self.precision == Precision::Double)),
            ("FUSED", flag(self.rounding == Rounding::Fused)),
            ("REPULSION_BY_MASK", Search::Mask as u32),
            ("REPULSION_BY_BITS", Search::Bits as u32),
            ("REPULSION_BY_LIST", Search::List as u32),
            ("REPULSION", self.search as u32),
            ("LISTED", flag(self.search.is_listed())),
            ("PULLED", flag(self.pulled)),
            ("SECOND_ORDER", flag(self.integrator == Integrator::BrownianSecondOrder)),
            ("CLUSTER", self.cluster),
            ("LANE_MEMBERS", self.lane_members),
            ("QUADS", self.quads),
            ("CONTACTS", self.contacts),
            ("PLACES", self.places),
            ("THREADS", self.threads),
            ("BLOCKS", self.blocks),
            ("MEMBERS", MOST_MEMBERS as u32),
        ];
        definitions.extend(generators::definitions(self.generator, self.generator.schemes()[0]));
        definitions.extend(TERMS.iter().zip(self.terms).map(|((name, _), has)| (*name, flag(has))));
        definitions
    }

    /// The text.
    pub fn program(&self) -> Program {
        let kernel: &[&str] = match self.function() {
            BEADS_KERNEL => &BEADS,
            LANES_KERNEL => &LANES,
            _ => &BLOCK,
        };
        let source = text(&self.definitions(), kernel);
        // A thread of many places keeps what it knows of each in local memory, and who looks a step ahead works on a
        // copy of the drives; both are meant.
        let ahead = self.pulled && self.integrator == Integrator::BrownianSecondOrder;
        let large = self.places == 2 || self.precision == Precision::Double;
        let local_bytes = match self.places {
            0..=2 if large => 512,
            0..=2 if ahead => 384,
            // Ran2's table is indexed by what is drawn; who looks for trouble begins another.
            0..=2 if self.generator == Generator::Ran2 => 384,
            0..=2 => 96,
            many => 104 * many as usize + 128,
        };
        Program {
            name: self.name(),
            source,
            functions: vec![self.function().to_string()],
            oldest: if self.cluster > 1 { CLUSTERS_FROM } else { OLDEST_CARD },
            registers: 65_536 / (self.threads * self.blocks) / 8 * 8,
            local_bytes,
        }
    }

    /// The text of a kernel for each term. What a block has is not looked at.
    pub fn launches(&self, form: Form) -> Program {
        let Form { by_pair, wide, cells } = form;
        let mut definitions = self.definitions();
        definitions.extend([("WIDE", u32::from(wide)), ("CELLS", u32::from(cells))]);
        let [first, words, looks, lists] = LAUNCHES;
        let own = match self.generator {
            Generator::Lcg | Generator::Ran2 | Generator::Xorwow => generators::GENERATOR_TEXT,
            Generator::LaggedFibonacci | Generator::Mt19937 => generators::SEQUENCES_TEXT,
            _ => "",
        };
        let terms = if by_pair { LAUNCHES_BY_PAIR } else { LAUNCHES_BY_PARTICLE };
        let way = if by_pair { "launches by pair" } else { "launches by particle" };
        Program {
            name: format!(
                "{way} {}{}{}",
                self.what(),
                if wide { " wide" } else { "" },
                if cells { " cells" } else { "" }
            ),
            source: text(&definitions, &[own, first, words, looks, lists, terms]),
            functions: self.launched(form).into_iter().map(String::from).collect(),
            oldest: OLDEST_CARD,
            registers: 128,
            local_bytes: 256,
        }
    }

    /// The kernels of a step and what goes with it.
    fn launched(&self, form: Form) -> Vec<&'static str> {
        let repels = self.search != Search::None;
        let [fene, harmonic, contacts, _] = self.terms;
        let all = [
            (true, "beadwork_begin"),
            (fene, "beadwork_fene_bonds"),
            (harmonic, "beadwork_harmonic_bonds"),
            (contacts, "beadwork_native_contacts"),
            (repels, "beadwork_repulsion"),
            (form.by_pair, "beadwork_gather"),
            (self.pulled, "beadwork_drives"),
            (draws_for_all(self.generator), "beadwork_words"),
            (true, "beadwork_move"),
            (self.integrator == Integrator::BrownianSecondOrder, "beadwork_correct"),
            (repels && form.cells, "beadwork_clear_cells"),
            (repels && form.cells, "beadwork_fill_cells"),
            (repels, "beadwork_neighbours"),
            (repels && form.by_pair, "beadwork_list_pairs"),
            (true, "beadwork_count"),
            (true, "beadwork_verify"),
            (true, "beadwork_sample"),
            (true, "beadwork_settle"),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
    }
}

/// Whether a generator has one sequence for all beads.
pub fn draws_for_all(generator: Generator) -> bool {
    matches!(generator, Generator::LaggedFibonacci | Generator::Mt19937)
}

/// Forms of the launches plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Whether a pair has a thread, or a place.
    pub by_pair: bool,
    /// Whether there are more beads than 16 bits count.
    pub wide: bool,
    /// Whether neighbours are looked for in cells.
    pub cells: bool,
}

fn text(definitions: &[(&str, u32)], kernels: &[&str]) -> String {
    text_of(definitions, &[&FILES, kernels].concat())
}

/// Definitions, and files after them.
pub fn text_of(definitions: &[(&str, u32)], files: &[&str]) -> String {
    let define = |(name, value): &(&str, u32)| format!("#define {name} {value}\n");
    definitions.iter().map(define).chain(files.iter().map(|file| (*file).to_owned())).collect()
}
