//! The graph plan: members of one system in device memory, the kernels of their steps, and these as graphs. It steps what no
//! block holds, and every generator.

use std::sync::Arc;

use beadwork_cpu::NoiseSource;
use beadwork_model::{Generator, Integrator};
use beadwork_random::States;
use beadwork_random::generators::lagged_fibonacci::independent;

use crate::batch::layout::{
    self, Drive, GraphStep, Member, Number, Outcome, PARTIAL_SUMS, Progress, SampleOrders, Sums,
};
use crate::batch::{Batch, BatchMember, End, Entry, Scratch};
use crate::plans::key::{Form, Key, Search, draws_for_all};
use crate::plans::{Context, Launched};
use crate::tables::{SystemTables, TableCache};
use crate::{Buffer, Device, Error, Function, Graph, Module, Stream};

/// Steps of the graphs, from the longest to single ones.
const LENGTHS: [u32; 3] = [64, 8, 1];

/// Threads of a block where a member has more than fit into one.
const THREADS: usize = 128;
/// Threads of a block at most.
const MOST_THREADS: usize = 256;
const WARP: usize = 32;

/// Beads up to which all pairs are looked at to find neighbours: beyond that, cells are faster.
const MOST_WITHOUT_CELLS: usize = 30_000;

/// What is kept on the card between launches, for one precision.
#[derive(Debug)]
pub struct GraphPlan<T> {
    cache: TableCache<T>,
    /// Those that were used last.
    batches: Vec<GraphBatch<T>>,
    scratch: Scratch,
}

impl<T> Default for GraphPlan<T> {
    fn default() -> Self {
        GraphPlan { cache: TableCache::default(), batches: Vec::new(), scratch: None }
    }
}

impl<T: Number> GraphPlan<T> {
    /// Steps members to each of their sample points.
    pub fn launch(
        &mut self,
        context: &Context,
        members: &[BatchMember<'_, T>],
    ) -> Result<Vec<Launched<T>>, Error> {
        let Context { device, stream, .. } = context;
        let mut kinds: Vec<(Kind, Vec<usize>)> = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let table =
                self.cache.tables_of(device, stream, &member.view, SystemTables::with_lists)?;
            let tables = &self.cache.tables[table];
            let key = context.key(tables, &member.view);
            let form = Form {
                wide: tables.beads > usize::from(u16::MAX),
                cells: tables.beads > MOST_WITHOUT_CELLS,
            };
            let kind = Kind { key, form, table };
            match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, members)) => members.push(number),
                None => kinds.push((kind, vec![number])),
            }
        }
        // Their memory is given back before more is asked for.
        self.batches.retain(|batch| kinds.iter().any(|(kind, _)| *kind == batch.kind));
        let mut all = Vec::with_capacity(members.len());
        for (kind, numbers) in kinds {
            loop {
                let mut batch = self.batch_of(context, &kind, members, &numbers)?;
                let outcome = self.launch_once(context, &mut batch, members, &numbers);
                // Nothing may be under way when memory is given back.
                if outcome.is_err() {
                    let _ = stream.wait();
                }
                let wanted = match outcome? {
                    LaunchOutcome::All(launched) => {
                        self.batches.push(batch);
                        all.extend(launched);
                        break;
                    }
                    // Nothing was lost: the members' states are here.
                    LaunchOutcome::ListsTooShort(wanted) => wanted,
                };
                self.cache.tables[kind.table].grow_list(stream, wanted)?;
            }
        }
        Ok(all)
    }

    /// A batch with room for these members.
    fn batch_of(
        &mut self,
        context: &Context,
        kind: &Kind,
        members: &[BatchMember<'_, T>],
        numbers: &[usize],
    ) -> Result<GraphBatch<T>, Error> {
        let drives = numbers.iter().map(|&number| members[number].view.drives.len());
        let (drives, count) = (drives.max().unwrap_or(0), numbers.len());
        if let Some(place) = self.batches.iter().position(|batch| batch.kind == *kind) {
            let batch = self.batches.swap_remove(place);
            // Threads without a member cost time, a new batch does so once.
            if batch.room >= count && batch.room <= 2 * count && batch.drives == drives {
                return Ok(batch);
            }
        }
        let tables = &self.cache.tables[kind.table];
        let noise = &members[numbers[0]].view.noise;
        GraphBatch::new(context, kind.clone(), tables, count, drives, noise)
    }

    fn launch_once(
        &mut self,
        context: &Context,
        graph: &mut GraphBatch<T>,
        members: &[BatchMember<'_, T>],
        numbers: &[usize],
    ) -> Result<LaunchOutcome<T>, Error> {
        let Context { device, stream, .. } = context;
        let entry = |&member: &usize| Entry { table: graph.kind.table, member, moves: true };
        let entries: Vec<Entry> = numbers.iter().map(entry).collect();
        let mut batch = Batch::new(device, stream, &mut self.cache, &entries, members, false)?;
        let base = batch.locate(device, &mut self.scratch, 0, 0)?;
        batch.upload(stream, &mut self.scratch, Outcome::fresh(), &[])?;
        graph.begin(stream, &batch, batch.orders(base))?;
        let mut made = 0;
        for end in batch.ends() {
            graph.advance(stream, end - made)?;
            graph.sample(stream)?;
            made = end;
        }
        let wanted = graph.overflow(stream)?;
        if wanted > 0 {
            return Ok(LaunchOutcome::ListsTooShort(wanted));
        }
        let (outcomes, returned) = batch.download(stream, &self.scratch)?;
        let launched =
            numbers.iter().zip(&outcomes).enumerate().map(|(place, (&number, outcome))| {
                let BatchMember { job, points, .. } = members[number];
                let samples = batch.samples_of(place, points, outcome, &returned);
                Launched { job, samples, end: End::of(outcome) }
            });
        Ok(LaunchOutcome::All(launched.collect()))
    }
}

/// What came of a launch.
enum LaunchOutcome<T> {
    All(Vec<Launched<T>>),
    /// Entries that the longest list needs.
    ListsTooShort(usize),
}

/// What members of a batch have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    key: Key,
    form: Form,
    /// The number of their system's tables.
    table: usize,
}

/// Members of one kind, up to as many as there is room for.
#[derive(Debug)]
struct GraphBatch<T> {
    kind: Kind,
    /// Members that there is room for.
    room: usize,
    /// Drives of a member at most.
    drives: usize,
    graphs: [Option<Graph>; LENGTHS.len()],
    kernels: Kernels,
    record: layout::GraphBatch<T>,
    head: Head,
    memory: Buffer<u8>,
}

/// Where in the memory lies what the host writes, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// The iteration and, 4 bytes further, the entries that a list wanted.
    iteration: usize,
    orders: usize,
    records: usize,
    progress: usize,
    sums: usize,
    drives: usize,
    end: usize,
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
    finish: Option<Kernel>,
    lists: Vec<Kernel>,
    count: Kernel,
    samples: [Kernel; 3],
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

impl<T: Number> GraphBatch<T> {
    /// Room for `room` members of a system.
    fn new(
        context: &Context,
        kind: Kind,
        tables: &SystemTables<T>,
        room: usize,
        drives: usize,
        noise: &NoiseSource<'_>,
    ) -> Result<GraphBatch<T>, Error> {
        let Kind { key, form, .. } = &kind;
        let beads = tables.beads;
        let (all, slots) = (room * beads, room * beads * PARTIAL_SUMS);
        let looks_ahead = key.integrator == Integrator::BrownianSecondOrder;
        let paired = key.search != Search::None;
        let cells = paired && form.cells;
        let buckets = if cells { beads.next_power_of_two() } else { 1 };
        let drawn = Drawn::of(noise);
        let mut regions = Regions::default();
        let mut head = Head {
            iteration: regions.take::<[u32; 4]>(1),
            orders: regions.take::<SampleOrders>(1),
            records: regions.take::<Member<T>>(room),
            progress: regions.take::<Progress>(room),
            sums: regions.take::<Sums>(room),
            drives: regions.take::<Drive>(room * drives),
            end: 0,
        };
        head.end = regions.end;
        let neighbour = if form.wide { size_of::<u32>() } else { size_of::<u16>() };
        let mut record = layout::GraphBatch {
            system: tables.record(),
            members: room as u32,
            drives_per_member: drives as u32,
            cell_mask: buckets as u32 - 1,
            state_words: drawn.state_words,
            short_lag: drawn.lags[0],
            long_lag: drawn.lags[1],
            side_by_side: drawn.side_by_side,
            padding: 0,
            // A little longer than the radius, against rounding.
            cells_per_angstrom: if paired { 1.0 / (1.001 * tables.radius()) } else { 0.0 },
            iteration: head.iteration as u64,
            overflow: head.iteration as u64 + 4,
            orders: head.orders as u64,
            records: head.records as u64,
            progress: head.progress as u64,
            sums: head.sums as u64,
            drives: head.drives as u64,
            shares: regions.take::<[T; 3]>(room * drives) as u64,
            positions: regions.take::<[T; 4]>(all) as u64,
            ahead: regions.take_if::<[T; 4]>(looks_ahead, all) as u64,
            references: regions.take_if::<[T; 4]>(paired, all) as u64,
            forces: regions.take::<[T; 4]>(all) as u64,
            first_forces: regions.take_if::<[T; 4]>(looks_ahead, all) as u64,
            kicks: regions.take_if::<[T; 4]>(looks_ahead, all) as u64,
            square_displacements: regions.take::<u64>(all) as u64,
            noise_states: regions.take_if::<[u32; 4]>(key.generator == Generator::HybridTaus, all)
                as u64,
            neighbour_counts: regions.take_if::<u32>(paired, slots) as u64,
            neighbours: regions.take::<u8>(room * tables.list_length() * neighbour) as u64,
            cell_heads: regions.take_if::<u32>(cells, room * buckets) as u64,
            cell_links: regions.take_if::<u32>(cells, all) as u64,
            generator_states: regions.take::<u32>(room * drawn.state_words as usize) as u64,
            words: regions.take_if::<u32>(draws_for_all(key.generator), all * T::WORDS) as u64,
        };
        let memory = Buffer::new(&context.device, regions.end)?;
        record.move_by(memory.address());
        let kernels = Kernels::new(&context.device, &kind, &record, buckets)?;
        let graphs = [const { None }; LENGTHS.len()];
        Ok(GraphBatch { kind, room, drives, graphs, kernels, record, head, memory })
    }

    /// Puts members at their start and makes their lists.
    fn begin(
        &mut self,
        stream: &Stream,
        batch: &Batch<T>,
        orders: SampleOrders,
    ) -> Result<(), Error> {
        let mut bytes = vec![0_u8; self.head.end];
        let mut write = |at: usize, from: &[u8]| bytes[at..at + from.len()].copy_from_slice(from);
        write(self.head.orders, bytemuck::bytes_of(&orders));
        write(self.head.records, bytemuck::cast_slice(&batch.members));
        write(self.head.sums, bytemuck::cast_slice(&batch.sums));
        write(self.head.drives, bytemuck::cast_slice(&batch.drives));
        // Empty slots and members without sample points take no steps.
        let none = Progress { error: u64::MAX, steps: 0, end: u32::MAX, segment: 0, far: 0 };
        let start = |member: &Member<T>| match member.segments {
            0 => none,
            _ => {
                let end = batch.segments[member.first_segment as usize].steps;
                Progress { steps: member.steps, end, ..none }
            }
        };
        let mut progress: Vec<Progress> = batch.members.iter().map(start).collect();
        progress.resize(self.room, none);
        write(self.head.progress, bytemuck::cast_slice(&progress));
        self.memory.upload(stream, 0, &bytes)?;
        self.start(stream, &self.kernels.begin, 0, 0)?;
        self.make_lists(stream, 0, 0)
    }

    /// Makes steps, as many for each member as it still has to make at most.
    fn advance(&mut self, stream: &Stream, mut steps: u32) -> Result<(), Error> {
        for (number, length) in LENGTHS.into_iter().enumerate() {
            while steps >= length {
                if self.graphs[number].is_none() {
                    self.graphs[number] = Some(self.record_steps(stream, length)?);
                }
                let Some(graph) = &self.graphs[number] else { break };
                // SAFETY: as in `start`: the addresses are those of this batch, which owns the graph.
                unsafe { graph.replay(stream)? };
                steps -= length;
            }
        }
        Ok(())
    }

    /// Takes samples of the members whose segments end here.
    fn sample(&self, stream: &Stream) -> Result<(), Error> {
        self.kernels.samples.iter().try_for_each(|kernel| self.start(stream, kernel, 0, 0))
    }

    /// Entries that the longest list of a slot wanted where there was no room; 0 where all had it. Waits.
    fn overflow(&self, stream: &Stream) -> Result<usize, Error> {
        let mut bytes = [0_u8; 4];
        self.memory.download(stream, self.head.iteration + 4, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn record_steps(&self, stream: &Stream, length: u32) -> Result<Graph, Error> {
        let Kernels { name, forces, words, advance, finish, count, .. } = &self.kernels;
        Graph::record(stream, name, || {
            for step in 0..length {
                let start = |kernel: &Kernel, is_ahead| self.start(stream, kernel, step, is_ahead);
                forces.iter().try_for_each(|kernel| start(kernel, 0))?;
                if let Some((words, rounds)) = words {
                    (0..*rounds).try_for_each(|round| start(words, round))?;
                }
                start(advance, 0)?;
                if let Some(finish) = finish {
                    self.make_lists(stream, step, 1)?;
                    forces.iter().try_for_each(|kernel| start(kernel, 1))?;
                    start(finish, 1)?;
                }
                self.make_lists(stream, step + 1, 0)?;
            }
            self.start(stream, count, length, 0)
        })
    }

    /// Makes the lists anew of those members of which a bead was seen to be far.
    fn make_lists(&self, stream: &Stream, ahead: u32, is_ahead: u32) -> Result<(), Error> {
        let mut lists = self.kernels.lists.iter();
        lists.try_for_each(|kernel| self.start(stream, kernel, ahead, is_ahead))
    }

    fn start(
        &self,
        stream: &Stream,
        kernel: &Kernel,
        ahead: u32,
        is_ahead: u32,
    ) -> Result<(), Error> {
        let step = GraphStep { batch: self.record, ahead, is_ahead };
        // SAFETY: the parameter is that of the kernel (`kernels/graph/step.cuh`). Its addresses lead to this batch's memory, to
        // tables that its owner keeps, and to what the last members named, all long enough; the owner waits for the stream
        // before it gives any of that up.
        unsafe { stream.launch(&kernel.function, kernel.blocks, kernel.threads, 0, &step) }
    }
}

impl Kernels {
    fn new<T: Number>(
        device: &Device,
        kind: &Kind,
        record: &layout::GraphBatch<T>,
        buckets: usize,
    ) -> Result<Kernels, Error> {
        let Kind { key, form, .. } = kind;
        let program = key.graph(*form);
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
        let beads = record.system.beads as usize;
        let slots = PARTIAL_SUMS * beads;
        let mut forces = vec![of_things("beadwork_forces", slots)?];
        if key.pulled {
            forces.push(of_members("beadwork_drives")?);
        }
        let finish = match key.integrator {
            Integrator::Brownian => None,
            Integrator::BrownianSecondOrder => Some(of_things("beadwork_finish", beads)?),
        };
        let mut lists = Vec::new();
        if key.search != Search::None {
            if form.cells {
                lists.push(of_things("beadwork_clear_cells", buckets)?);
                lists.push(of_things("beadwork_fill_cells", beads)?);
            }
            lists.push(of_things("beadwork_neighbours", slots)?);
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
            finish,
            lists,
            count: Kernel { function: count, blocks: 1, threads: 1 },
            samples: [
                of_things("beadwork_verify", slots)?,
                of_things("beadwork_sample", beads)?,
                of_members("beadwork_settle")?,
            ],
        })
    }
}
