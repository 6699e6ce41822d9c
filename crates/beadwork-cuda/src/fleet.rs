//! Members of one system in device memory, the kernels of their steps, and these as graphs.

use std::sync::Arc;

use beadwork_cpu::NoiseSource;
use beadwork_model::{Generator, Integrator};
use beadwork_random::States;
use beadwork_random::generators::lagged_fibonacci::independent;

use crate::graph::Graph;
use crate::layout::{self, Course, Drive, LANES, Looks, Member, Number, PairSeat, Round, Sums};
use crate::pairs::PairTables;
use crate::program::{Form, Key, Search, draws_for_all};
use crate::topology::Tables;
use crate::{Buffer, Device, Error, Function, Module, Stream};

/// Steps of the graphs, from the longest to single ones.
const LENGTHS: [u32; 3] = [64, 8, 1];

/// Threads of a block where a member has more than fit into one.
const THREADS: usize = 128;
/// Threads of a block at most.
const MOST_THREADS: usize = 256;
const WARP: usize = 32;

/// What members of a fleet have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub key: Key,
    pub form: Form,
    /// The number of their system's tables.
    pub table: usize,
}

/// Members of one kind, up to as many as there is room for.
#[derive(Debug)]
pub struct Fleet<T> {
    pub kind: Kind,
    /// Members that there is room for.
    pub room: usize,
    /// Drives of a member at most.
    pub drives: usize,
    graphs: [Option<Graph>; LENGTHS.len()],
    kernels: Kernels,
    record: layout::Fleet<T>,
    head: Head,
    memory: Buffer<u8>,
    _pairs: Option<PairTables>,
}

/// Where in the memory lies what the host writes, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// The iteration and, 4 bytes further, the entries that a list wanted.
    iteration: usize,
    looks: usize,
    records: usize,
    courses: usize,
    sums: usize,
    drives: usize,
    end: usize,
}

/// What the host writes before the members move, one a member.
#[derive(Debug)]
pub struct Crew<T> {
    pub records: Vec<Member<T>>,
    pub courses: Vec<Course>,
    pub sums: Vec<Sums>,
    /// As many a member as the fleet has.
    pub drives: Vec<Drive>,
    pub looks: Looks,
}

/// A kernel and how it is started.
#[derive(Clone, Debug)]
struct Kernel {
    function: Function,
    blocks: u32,
    threads: u32,
}

#[derive(Debug)]
struct Kernels {
    /// That of their program.
    name: Arc<str>,
    begin: Kernel,
    /// Forces at positions, drives included.
    forces: Vec<Kernel>,
    /// Where all beads share a sequence, and in how many rounds its words of a step are made.
    words: Option<(Kernel, u32)>,
    advance: Kernel,
    correct: Option<Kernel>,
    lists: Vec<Kernel>,
    count: Kernel,
    looks: [Kernel; 3],
}

/// What kernels know of generators whose words are drawn; zeros where there are none.
#[derive(Default)]
struct Drawn {
    state_words: u32,
    lags: [u32; 2],
    side_by_side: u32,
}

impl Drawn {
    fn of(noise: &NoiseSource<'_>) -> Drawn {
        let NoiseSource::Drawn(streams) = noise else { return Drawn::default() };
        let Some(states) = streams.states() else { return Drawn::default() };
        let state_words = states.packed_words() as u32;
        match states {
            States::LaggedFibonacci(state) => {
                let (short, long) = state.lags();
                let side_by_side = independent((short, long)) as u32;
                Drawn { state_words, lags: [short as u32, long as u32], side_by_side }
            }
            _ => Drawn { state_words, ..Drawn::default() },
        }
    }
}

/// Regions of memory one behind another.
#[derive(Default)]
struct Regions {
    end: usize,
}

impl Regions {
    fn take<E>(&mut self, length: usize) -> usize {
        let begin = self.end;
        self.end = (begin + length * size_of::<E>()).next_multiple_of(256);
        begin
    }

    /// Nothing where it is not `wanted`.
    fn take_if<E>(&mut self, wanted: bool, length: usize) -> usize {
        self.take::<E>(if wanted { length } else { 0 })
    }
}

impl<T: Number> Fleet<T> {
    /// Room for `room` members of a system.
    pub fn new(
        device: &Device,
        stream: &Stream,
        kind: Kind,
        tables: &Tables<T>,
        room: usize,
        drives: usize,
        noise: NoiseSource<'_>,
    ) -> Result<Fleet<T>, Error> {
        let Kind { key, form, .. } = kind;
        let beads = tables.beads;
        let (all, places) = (room * beads, room * beads * LANES);
        let second_order = key.integrator == Integrator::BrownianSecondOrder;
        let repels = key.search != Search::None;
        let cells = repels && form.cells;
        let buckets = if cells { beads.next_power_of_two() } else { 1 };

        let pairs = if form.by_pair {
            Some(PairTables::new::<T>(device, stream, &tables.system)?)
        } else {
            None
        };
        let [harmonic_row, contact_row, repulsion_row] =
            pairs.as_ref().map_or([0; 3], |pairs| pairs.rows);
        let rows = repulsion_row + if form.by_pair { tables.list_capacity as u32 } else { 0 };

        let mut regions = Regions::default();
        let mut head = Head {
            iteration: regions.take::<[u32; 4]>(1),
            looks: regions.take::<Looks>(1),
            records: regions.take::<Member<T>>(room),
            courses: regions.take::<Course>(room),
            sums: regions.take::<Sums>(room),
            drives: regions.take::<Drive>(room * drives),
            end: 0,
        };
        head.end = regions.end;
        let shares = regions.take::<[T; 3]>(room * drives);
        let positions = regions.take::<[T; 4]>(all);
        let predicted = regions.take_if::<[T; 4]>(second_order, all);
        let first_forces = regions.take_if::<[T; 4]>(second_order, all);
        let kicks = regions.take_if::<[T; 4]>(second_order, all);
        let references = regions.take_if::<[T; 4]>(repels, all);
        let partial_sums = regions.take::<[T; 4]>(places);
        let square_displacements = regions.take::<u64>(all);
        let noise_states = regions.take_if::<[u32; 4]>(key.generator == Generator::HybridTaus, all);
        let drawn = Drawn::of(&noise);
        let generator_states = regions.take::<u32>(room * drawn.state_words as usize);
        let words = regions.take_if::<u32>(draws_for_all(key.generator), all * T::WORDS);
        let neighbour_counts = regions.take_if::<u32>(repels, places);
        let entries = room * tables.list_length();
        let neighbours =
            if form.wide { regions.take::<u32>(entries) } else { regions.take::<u16>(entries) };
        let cell_heads = regions.take_if::<u32>(cells, room * buckets);
        let cell_links = regions.take_if::<u32>(cells, all);
        let repelling = regions.take_if::<PairSeat>(form.by_pair, entries / 2);
        let halves = regions.take_if::<[T; 4]>(form.by_pair, rows as usize * places);
        let memory = Buffer::new(device, regions.end)?;
        let at = |region: usize| memory.address() + region as u64;

        let none = (layout::Pairs::default(), 0);
        let terms = pairs.as_ref().map_or([none; 3], |all| [all.fene, all.harmonic, all.contacts]);
        let radius = tables.radius();
        let record = layout::Fleet {
            topology: tables.record(),
            members: room as u32,
            drives_per_member: drives as u32,
            fene_pairs: terms[0].1,
            harmonic_pairs: terms[1].1,
            contact_pairs: terms[2].1,
            harmonic_row,
            contact_row,
            repulsion_row,
            rows,
            cell_mask: buckets as u32 - 1,
            state_words: drawn.state_words,
            short_lag: drawn.lags[0],
            long_lag: drawn.lags[1],
            side_by_side: drawn.side_by_side,
            // A little longer than the radius, against rounding.
            cells_per_angstrom: if radius > 0.0 { 1.0 / (1.001 * radius) } else { 0.0 },
            iteration: at(head.iteration),
            overflow: at(head.iteration) + 4,
            looks: at(head.looks),
            records: at(head.records),
            courses: at(head.courses),
            sums: at(head.sums),
            drives: at(head.drives),
            shares: at(shares),
            positions: at(positions),
            predicted: at(predicted),
            references: at(references),
            partial_sums: at(partial_sums),
            first_forces: at(first_forces),
            kicks: at(kicks),
            square_displacements: at(square_displacements),
            noise_states: at(noise_states),
            neighbour_counts: at(neighbour_counts),
            neighbours: at(neighbours),
            cell_heads: at(cell_heads),
            cell_links: at(cell_links),
            fene: terms[0].0,
            harmonic: terms[1].0,
            contacts: terms[2].0,
            repelling: at(repelling),
            halves: at(halves),
            generator_states: at(generator_states),
            words: at(words),
        };
        let kernels = Kernels::new(device, kind, &record, buckets)?;
        let graphs = [const { None }; LENGTHS.len()];
        Ok(Fleet { kind, room, drives, graphs, kernels, record, head, memory, _pairs: pairs })
    }

    /// Puts members at their start and makes their lists.
    pub fn begin(&mut self, stream: &Stream, crew: &Crew<T>) -> Result<(), Error> {
        let mut bytes = vec![0_u8; self.head.end];
        let mut write = |at: usize, from: &[u8]| bytes[at..at + from.len()].copy_from_slice(from);
        write(self.head.looks, bytemuck::bytes_of(&crew.looks));
        write(self.head.records, bytemuck::cast_slice(&crew.records));
        write(self.head.sums, bytemuck::cast_slice(&crew.sums));
        write(self.head.drives, bytemuck::cast_slice(&crew.drives));
        // Where there is nobody, nobody moves.
        let nobody = Course {
            trouble: u64::MAX,
            steps: 0,
            end: u32::MAX,
            segment: 0,
            far: 0,
            pairs: 0,
            padding: 0,
        };
        let mut courses = crew.courses.clone();
        courses.resize(self.room, nobody);
        write(self.head.courses, bytemuck::cast_slice(&courses));
        self.memory.upload(stream, 0, &bytes)?;
        self.start(stream, &self.kernels.begin, 0, 0)?;
        self.make_lists(stream, 0, 0)
    }

    /// Makes steps, as many for each member as it still has to make at most.
    pub fn advance(&mut self, stream: &Stream, mut steps: u32) -> Result<(), Error> {
        for (number, length) in LENGTHS.into_iter().enumerate() {
            while steps >= length {
                if self.graphs[number].is_none() {
                    self.graphs[number] = Some(self.record_steps(stream, length)?);
                }
                let Some(graph) = &self.graphs[number] else { break };
                // SAFETY: as in `start`: the addresses are those of this fleet, which owns the graph.
                unsafe { graph.replay(stream)? };
                steps -= length;
            }
        }
        Ok(())
    }

    /// Looks at the members whose segments end here.
    pub fn look(&self, stream: &Stream) -> Result<(), Error> {
        self.kernels.looks.iter().try_for_each(|kernel| self.start(stream, kernel, 0, 0))
    }

    /// Entries that the longest list of a place wanted where there was no room; 0 where all had it. Waits.
    pub fn overflow(&self, stream: &Stream) -> Result<usize, Error> {
        let mut bytes = [0_u8; 4];
        self.memory.download(stream, self.head.iteration + 4, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn record_steps(&self, stream: &Stream, length: u32) -> Result<Graph, Error> {
        let Kernels { name, forces, words, advance, correct, count, .. } = &self.kernels;
        Graph::record(stream, name, || {
            for step in 0..length {
                let start =
                    |kernel: &Kernel, predicted| self.start(stream, kernel, step, predicted);
                forces.iter().try_for_each(|kernel| start(kernel, 0))?;
                if let Some((words, rounds)) = words {
                    (0..*rounds).try_for_each(|round| start(words, round))?;
                }
                start(advance, 0)?;
                if let Some(correct) = correct {
                    self.make_lists(stream, step, 1)?;
                    forces.iter().try_for_each(|kernel| start(kernel, 1))?;
                    start(correct, 1)?;
                }
                self.make_lists(stream, step + 1, 0)?;
            }
            self.start(stream, count, length, 0)
        })
    }

    /// Makes the lists anew of those members of which a bead was seen to be far.
    fn make_lists(&self, stream: &Stream, ahead: u32, predicted: u32) -> Result<(), Error> {
        let mut lists = self.kernels.lists.iter();
        lists.try_for_each(|kernel| self.start(stream, kernel, ahead, predicted))
    }

    fn start(
        &self,
        stream: &Stream,
        kernel: &Kernel,
        ahead: u32,
        predicted: u32,
    ) -> Result<(), Error> {
        let round = Round { fleet: self.record, ahead, predicted };
        // SAFETY: the parameter is that of the kernel (`kernels/launches.cuh`). Its addresses lead to this fleet's memory,
        // to tables that its owner keeps, and to what the last crew named, all long enough; the owner waits for the stream
        // before it gives any of that up.
        unsafe { stream.launch(&kernel.function, kernel.blocks, kernel.threads, 0, &round) }
    }
}

impl Kernels {
    fn new<T: Number>(
        device: &Device,
        kind: Kind,
        record: &layout::Fleet<T>,
        buckets: usize,
    ) -> Result<Kernels, Error> {
        let Kind { key, form, .. } = kind;
        let program = key.launches(form);
        let module: Module = device.load(&program.name, &program.source)?;
        let room = record.members as usize;
        // Blocks of one member each, with a thread for each of its `count` things.
        let of_things = |name: &str, count: usize| -> Result<Kernel, Error> {
            let one = count.next_multiple_of(WARP);
            let threads = if one <= MOST_THREADS { one } else { THREADS };
            let blocks = room * count.div_ceil(threads);
            let function = module.function(name)?;
            Ok(Kernel { function, blocks: blocks as u32, threads: threads as u32 })
        };
        let of_members = |name: &str| -> Result<Kernel, Error> {
            let blocks = room.div_ceil(WARP) as u32;
            Ok(Kernel { function: module.function(name)?, blocks, threads: WARP as u32 })
        };
        let beads = record.topology.beads as usize;
        let places = LANES * beads;
        let pairs = |count: u32| if form.by_pair { count as usize } else { places };
        let repels = key.search != Search::None;
        let [fene, harmonic, contacts, _] = key.terms;
        let mut forces = Vec::new();
        let terms = [
            (fene, "beadwork_fene_bonds", pairs(record.fene_pairs)),
            (harmonic, "beadwork_harmonic_bonds", pairs(record.harmonic_pairs)),
            (contacts, "beadwork_native_contacts", pairs(record.contact_pairs)),
            (repels, "beadwork_repulsion", places),
            (form.by_pair, "beadwork_gather", places),
        ];
        for (_, name, count) in terms.into_iter().filter(|(has, _, _)| *has) {
            forces.push(of_things(name, count)?);
        }
        if key.pulled {
            forces.push(of_members("beadwork_drives")?);
        }
        let correct = match key.integrator {
            Integrator::Brownian => None,
            Integrator::BrownianSecondOrder => Some(of_things("beadwork_correct", beads)?),
        };
        let mut lists = Vec::new();
        if repels && form.cells {
            lists.push(of_things("beadwork_clear_cells", buckets)?);
            lists.push(of_things("beadwork_fill_cells", beads)?);
        }
        if repels {
            lists.push(of_things("beadwork_neighbours", places)?);
        }
        if repels && form.by_pair {
            lists.push(of_things("beadwork_list_pairs", places)?);
        }
        let numbers = beads * T::WORDS;
        let words = match key.generator {
            Generator::LaggedFibonacci => {
                let side_by_side = record.side_by_side as usize;
                let kernel = of_things("beadwork_words", numbers.min(side_by_side))?;
                Some((kernel, numbers.div_ceil(side_by_side) as u32))
            }
            Generator::Mt19937 => {
                let function = module.function("beadwork_words")?;
                let (blocks, threads) = (room as u32, MOST_THREADS as u32);
                Some((Kernel { function, blocks, threads }, 1))
            }
            _ => None,
        };
        let count = module.function("beadwork_count")?;
        Ok(Kernels {
            name: program.name.into(),
            begin: of_things("beadwork_begin", beads)?,
            forces,
            words,
            advance: of_things("beadwork_move", beads)?,
            correct,
            lists,
            count: Kernel { function: count, blocks: 1, threads: 1 },
            looks: [
                of_things("beadwork_verify", places)?,
                of_things("beadwork_sample", beads)?,
                of_members("beadwork_settle")?,
            ],
        })
    }
}
