//! Members of one system in device memory, with the graphs that step them.

use beadwork_cpu::NoiseSource;
use beadwork_model::{Generator, Integrator};
use beadwork_random::States;
use beadwork_random::generators::lagged_fibonacci::independent;

use crate::batch::layout::{
    self, External, GraphStep, Member, Number, PARTIAL_SUMS, Progress, SampleOrders, Sums,
};
use crate::batch::{Batch, Regions};
use crate::plans::Context;
use crate::plans::graph::Kind;
use crate::plans::graph::kernels::{Kernel, Kernels};
use crate::plans::key::{Search, draws_for_all};
use crate::tables::SystemTables;
use crate::{Buffer, Error, Graph, Stream};

/// The numbers of steps of the graphs, from the longest to a single step.
const LENGTHS: [u32; 3] = [64, 8, 1];

/// A batch of members of one kind, with a fixed capacity.
#[derive(Debug)]
pub struct GraphBatch<T> {
    pub kind: Kind,
    /// The number of members for which there is room.
    pub room: usize,
    /// The most externals of a member.
    pub externals: usize,
    graphs: [Option<Graph>; LENGTHS.len()],
    kernels: Kernels,
    record: layout::GraphBatch<T>,
    memory: Buffer<u8>,
}

/// Data of generators that draw words in sequence, for the kernels; zeros without such a generator.
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

impl<T: Number> GraphBatch<T> {
    /// Room for `room` members of a system.
    pub fn new(
        context: &Context,
        kind: Kind,
        tables: &SystemTables<T>,
        room: usize,
        externals: usize,
        noise: &NoiseSource<'_>,
    ) -> Result<GraphBatch<T>, Error> {
        let cells = kind.key.search != Search::None && kind.form.cells;
        let buckets = if cells { tables.beads.next_power_of_two() } else { 1 };
        let record_at = |address| record(&kind, tables, [room, externals, buckets], noise, address);
        let memory = Buffer::new(&context.device, record_at(0).1 as usize)?;
        let (record, _) = record_at(memory.address());
        let kernels = Kernels::new(&context.device, &kind, &record, buckets)?;
        let graphs = [const { None }; LENGTHS.len()];
        Ok(GraphBatch { kind, room, externals, graphs, kernels, record, memory })
    }

    /// Initialises members and builds their lists.
    pub fn begin(
        &mut self,
        stream: &Stream,
        batch: &Batch<T>,
        orders: SampleOrders,
    ) -> Result<(), Error> {
        // Data from the host precede data that only kernels write.
        let (base, record) = (self.memory.address(), &self.record);
        let mut bytes = vec![0_u8; (record.shares - base) as usize];
        let mut write = |address: u64, from: &[u8]| {
            bytes[(address - base) as usize..][..from.len()].copy_from_slice(from);
        };
        write(record.orders, bytemuck::bytes_of(&orders));
        write(record.records, bytemuck::cast_slice(&batch.members));
        write(record.sums, bytemuck::cast_slice(&batch.sums));
        write(record.externals, bytemuck::cast_slice(&batch.externals));
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
        write(record.progress, bytemuck::cast_slice(&progress));
        self.memory.upload(stream, 0, &bytes)?;
        self.start(stream, &self.kernels.begin, 0, 0)?;
        self.make_lists(stream, 0, 0)?;
        // The first step of an integrator with velocities needs forces.
        if self.has_velocities() && batch.members.iter().any(|member| member.forces == 0) {
            self.finish(stream, 0, 0)?;
        }
        Ok(())
    }

    fn has_velocities(&self) -> bool {
        self.kind.key.integrator.has_velocities()
    }

    /// Makes up to `steps` steps of each member, fewer if a member has fewer left.
    pub fn advance(&mut self, stream: &Stream, mut steps: u32) -> Result<(), Error> {
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

    /// Takes samples of the members whose segments end at this step.
    pub fn sample(&self, stream: &Stream) -> Result<(), Error> {
        self.kernels.samples.iter().try_for_each(|kernel| self.start(stream, kernel, 0, 0))
    }

    /// The longest list that did not fit, in entries of a slot; 0 if all lists fit. Waits for the stream.
    pub fn overflow(&self, stream: &Stream) -> Result<usize, Error> {
        let mut bytes = [0_u8; 4];
        let at = (self.record.overflow - self.memory.address()) as usize;
        self.memory.download(stream, at, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn record_steps(&self, stream: &Stream, length: u32) -> Result<Graph, Error> {
        let Kernels { name, words, advance, count, .. } = &self.kernels;
        let looks_ahead = self.kind.key.integrator == Integrator::BrownianSecondOrder;
        Graph::record(stream, name, || {
            for step in 0..length {
                if !self.has_velocities() {
                    self.evaluate(stream, step, 0)?;
                }
                if let Some((words, rounds)) = words {
                    (0..*rounds).try_for_each(|round| self.start(stream, words, step, round))?;
                }
                self.start(stream, advance, step, 0)?;
                if looks_ahead {
                    self.make_lists(stream, step, 1)?;
                    self.finish(stream, step, 1)?;
                }
                self.make_lists(stream, step + 1, 0)?;
                if self.has_velocities() {
                    self.finish(stream, step + 1, 0)?;
                }
            }
            self.start(stream, count, length, 0)
        })
    }

    /// Computes the forces of a time.
    fn evaluate(&self, stream: &Stream, ahead: u32, is_ahead: u32) -> Result<(), Error> {
        let mut forces = self.kernels.forces.iter();
        forces.try_for_each(|kernel| self.start(stream, kernel, ahead, is_ahead))
    }

    /// The second part of a step, with the forces of a time.
    fn finish(&self, stream: &Stream, ahead: u32, is_ahead: u32) -> Result<(), Error> {
        self.evaluate(stream, ahead, is_ahead)?;
        let mut finish = self.kernels.finish.iter();
        finish.try_for_each(|kernel| self.start(stream, kernel, ahead, is_ahead))
    }

    /// Rebuilds the lists of members in which a bead moved too far.
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
        // SAFETY: the parameter is that of the kernel (`kernels/graph/step.cuh`). Its addresses are those of this
        // batch's memory, of tables that its owner keeps, and of the data of the last members, all long enough. The
        // owner waits for the stream before it frees any of them.
        unsafe { stream.launch(&kernel.function, kernel.blocks, kernel.threads, 0, &step) }
    }
}

/// The record of a batch whose memory begins at an address, and the end of that memory.
fn record<T: Number>(
    Kind { key, form, .. }: &Kind,
    tables: &SystemTables<T>,
    [room, externals, buckets]: [usize; 3],
    noise: &NoiseSource<'_>,
    address: u64,
) -> (layout::GraphBatch<T>, u64) {
    let (all, slots) = (room * tables.beads, room * tables.beads * PARTIAL_SUMS);
    let looks_ahead = key.integrator == Integrator::BrownianSecondOrder;
    let has_velocities = key.integrator.has_velocities();
    let (paired, cells) = (key.search != Search::None, buckets > 1);
    let neighbour = if form.wide { size_of::<u32>() } else { size_of::<u16>() };
    let drawn = Drawn::of(noise);
    let mut regions = Regions { end: address };
    let iteration = regions.take::<[u32; 4]>(1);
    let record = layout::GraphBatch {
        system: tables.record(),
        members: room as u32,
        externals_per_member: externals as u32,
        cell_mask: buckets as u32 - 1,
        state_words: drawn.state_words,
        short_lag: drawn.lags[0],
        long_lag: drawn.lags[1],
        side_by_side: drawn.side_by_side,
        padding: 0,
        // Cells are slightly longer than the radius, against rounding.
        cells_per_angstrom: if paired { 1.0 / (1.001 * tables.radius) } else { 0.0 },
        iteration,
        overflow: iteration + 4,
        orders: regions.take::<SampleOrders>(1),
        records: regions.take::<Member<T>>(room),
        progress: regions.take::<Progress>(room),
        sums: regions.take::<Sums>(room),
        externals: regions.take::<External>(room * externals),
        shares: regions.take::<[T; 3]>(room * externals),
        positions: regions.take::<[T; 4]>(all),
        ahead: regions.take_if::<[T; 4]>(looks_ahead, all),
        references: regions.take_if::<[T; 4]>(paired, all),
        forces: regions.take::<[T; 4]>(all),
        first_forces: regions.take_if::<[T; 4]>(key.has_second_part(), all),
        kicks: regions.take_if::<[T; 4]>(looks_ahead, all),
        square_displacements: regions.take::<u64>(all),
        noise_states: regions.take_if::<[u32; 4]>(key.generator == Generator::HybridTaus, all),
        neighbour_counts: regions.take_if::<u32>(paired, slots),
        neighbours: regions.take::<u8>(room * tables.list_length() * neighbour),
        cell_heads: regions.take_if::<u32>(cells, room * buckets),
        cell_links: regions.take_if::<u32>(cells, all),
        generator_states: regions.take::<u32>(room * drawn.state_words as usize),
        words: regions.take_if::<u32>(draws_for_all(key.generator), all * T::WORDS),
        velocities: regions.take_if::<[T; 4]>(has_velocities, all),
    };
    (record, regions.end)
}
