//! Plans in which members stay on the card for thousands of steps: one launch steps them to all of their sample points.

use std::collections::HashMap;

use beadwork_model::{Boundary, Generator};

use crate::batch::records::{self, Number, Outcome};
use crate::batch::{
    Batch, BatchMember, End, Entry, MemberSamples, Scratch, reserve, reserve_within,
};
use crate::observables::Observers;
use crate::plans::bricks::{Contents, cells_of};
use crate::plans::grid::{self, GridMemory};
use crate::plans::independent;
use crate::plans::key::Key;
use crate::plans::layout::{Layout, Shape, Size};
use crate::plans::shared_memory::SharedMemory;
use crate::plans::steps::{Noise, Search, Steps};
use crate::plans::{Context, FILLED_BYTES, LaunchOutcome, Launched, Plan};
use crate::random::fill::Fills;
use crate::tables::{Skins, TableCache};
use crate::{Buffer, Device, Error, Function, Stream};

/// Data on the card between launches, for one precision.
#[derive(Debug)]
pub struct Resident<T> {
    cache: TableCache<T>,
    functions: HashMap<Key, Function>,
    observers: Observers,
    fills: Fills,
    /// By plan, whose launches differ in number and size.
    buffers: HashMap<Plan, Vec<LaunchBuffers>>,
}

impl<T> Default for Resident<T> {
    fn default() -> Self {
        Resident {
            cache: TableCache::default(),
            functions: HashMap::new(),
            observers: Observers::default(),
            fills: Fills::default(),
            buffers: HashMap::new(),
        }
    }
}

/// The memory and the stream of a launch. Launches of members of different sizes run side by side, each in its own.
#[derive(Debug)]
struct LaunchBuffers {
    stream: Stream,
    scratch: Scratch,
    lists: Option<Buffer<u16>>,
    words: Option<Buffer<u32>>,
    grids: GridMemory,
}

/// Members that can share a launch: the index of their tables, and their indices.
struct Kind {
    plan: Plan,
    steps: Steps,
    /// The generator that fills the words of their noise; `None` if steps draw their own.
    filled_by: Option<Generator>,
    /// The most beads of a member.
    beads: usize,
    members: Vec<(usize, usize)>,
}

/// Members are launched together if this rounds their numbers of beads to the same value: to a multiple of 8, a warp with
/// four lanes a bead, and large ones by at most an eighth.
fn size_class(beads: usize) -> usize {
    beads.next_multiple_of((beads.next_power_of_two() / 16).max(8))
}

/// A kernel and the form of its blocks.
struct Launch {
    function: Function,
    key: Key,
    filled_by: Option<Generator>,
    shape: Shape,
    size: Size,
    memory: SharedMemory,
}

impl<T: Number> Resident<T> {
    /// Steps members to each of their sample points, with several threads or one thread for each bead.
    pub fn launch(
        &mut self,
        context: &Context,
        plan: Plan,
        members: &[BatchMember<'_, T>],
    ) -> Result<Vec<Launched<T>>, Error> {
        if members.is_empty() {
            return Ok(Vec::new());
        }
        self.cache.trim();
        let mut kinds = self.kinds(context, plan, members)?;
        // Buffers are kept from call to call: in the order of size each serves launches of similar sizes.
        kinds.sort_by_key(|kind| kind.beads);
        let mut buffers = self.buffers.remove(&plan).unwrap_or_default();
        buffers.truncate(kinds.len());
        while buffers.len() < kinds.len() {
            let stream = context.device.stream()?;
            let grids = GridMemory::default();
            buffers.push(LaunchBuffers { stream, scratch: None, lists: None, words: None, grids });
        }
        // The streams of launches read tables that this stream uploaded.
        context.stream.wait()?;
        let mut all = Vec::with_capacity(members.len());
        let mut waiting = Vec::with_capacity(kinds.len());
        for (index, kind) in kinds.iter_mut().enumerate() {
            let (launch, entries) = self.prepared(context, kind, members)?;
            waiting.push((index, launch, entries));
        }
        while !waiting.is_empty() {
            let found = self.launch_together(context, &mut buffers, &waiting, members);
            // Also after an error no kernel may run on, because its memory may be freed.
            let waited = buffers.iter().try_for_each(|one| one.stream.wait());
            let outcomes = found?;
            waited?;
            let mut again = Vec::new();
            for ((index, _, _), outcome) in waiting.iter().zip(outcomes) {
                match outcome {
                    LaunchOutcome::All(launched) => all.extend(launched),
                    // Kinds may share tables, so lists grow when no launch reads them.
                    LaunchOutcome::ListsTooShort(tables) => {
                        self.cache.grow_lists(&context.device, &context.stream, tables)?;
                        again.push(*index);
                    }
                }
            }
            context.stream.wait()?;
            waiting.clear();
            for index in again {
                let (launch, entries) = self.prepared(context, &mut kinds[index], members)?;
                waiting.push((index, launch, entries));
            }
        }
        self.buffers.insert(plan, buffers);
        Ok(all)
    }

    /// The kernel, the form of its blocks and the entries of a launch.
    fn prepared(
        &mut self,
        context: &Context,
        kind: &mut Kind,
        members: &[BatchMember<'_, T>],
    ) -> Result<(Launch, Vec<Entry>), Error> {
        let Kind { plan, steps, filled_by, beads, members: of_kind } = kind;
        // Members of one system share blocks, so they are sorted by system.
        of_kind.sort_unstable();
        // Tables change their search if it would need too much room. Members of a launch have one search, so all of them do.
        let has =
            |search| of_kind.iter().any(|&(table, _)| self.cache.tables[table].search == search);
        if has(Search::Bricks) && has(Search::List) {
            self.list_all(context, of_kind)?;
        }
        let size = self.size(*beads, of_kind, members);
        let search =
            of_kind.first().map_or(steps.search, |&(table, _)| self.cache.tables[table].search);
        let steps = Steps { search, ..steps.clone() };
        let systems = of_kind.chunk_by(|a, b| a.0 == b.0).count();
        let count = members.len().max(context.members_on_device);
        // Other ensembles on the card have the same mixture of kinds.
        let alike = (count * of_kind.len() / members.len() / systems).max(1);
        let together = if *plan == Plan::Grid { of_kind.len() } else { count };
        let Some(launch) = self.shaped(context, *plan, &steps, size, [alike, together])? else {
            self.list_all(context, of_kind)?;
            return self.prepared(context, kind, members);
        };
        let launch = Launch { filled_by: *filled_by, ..launch };
        let entries = launch.entries(of_kind);
        Ok((launch, entries))
    }

    /// Makes tables for lists in place of those for bricks, for all members of a launch.
    fn list_all(&mut self, context: &Context, of_kind: &[(usize, usize)]) -> Result<(), Error> {
        for &(table, _) in of_kind {
            self.cache.list(&context.device, &context.stream, table)?;
        }
        context.stream.wait()
    }

    /// Starts launches, each in a stream of its own, and reads their outcomes in order.
    fn launch_together(
        &mut self,
        context: &Context,
        buffers: &mut [LaunchBuffers],
        launches: &[(usize, Launch, Vec<Entry>)],
        members: &[BatchMember<'_, T>],
    ) -> Result<Vec<LaunchOutcome<T>>, Error> {
        let mut batches = Vec::with_capacity(launches.len());
        for (index, launch, entries) in launches {
            let own = &mut buffers[*index];
            batches.push(self.start(context, own, launch, entries, members)?);
        }
        let started = launches.iter().zip(&batches);
        started
            .map(|((index, launch, entries), batch)| {
                self.finish(&buffers[*index], launch, entries, batch, members)
            })
            .collect()
    }

    /// Groups members that share a kernel and have similar sizes, and thus share a launch.
    fn kinds(
        &mut self,
        context: &Context,
        plan: Plan,
        members: &[BatchMember<'_, T>],
    ) -> Result<Vec<Kind>, Error> {
        let mut kinds: Vec<Kind> = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let (device, stream) = (&context.device, &context.stream);
            let overrides = context.overrides_of(plan, member.view.descent.is_some());
            let wanted = (plan == Plan::Grid).then(|| grid::search_of(&member.view, overrides));
            let dynamics = &member.view.protocol.dynamics;
            let skins = match plan {
                Plan::Grid => Skins::of_grid(dynamics, &member.view.system.boundary),
                _ => Skins::of(dynamics),
            };
            let table = self.cache.tables_of(device, stream, &member.view, skins, wanted)?;
            let tables = &self.cache.tables[table];
            let steps = context.steps(tables, &member.view, plan);
            let generator = member.view.protocol.randomness.generator();
            let filled_by = (steps.noise == Noise::Filled).then_some(generator);
            let beads = tables.beads;
            let fits = |kind: &Kind| match plan {
                // A launch has a thread for each bead of all members.
                Plan::Independent => kind.beads == beads,
                Plan::Block => size_class(kind.beads) == size_class(beads),
                // Blocks of all members run at a time.
                Plan::Grid => {
                    let most = device.properties().multiprocessors.max(1) as usize;
                    size_class(kind.beads) == size_class(beads) && kind.members.len() < most
                }
            };
            let alike =
                |kind: &&mut Kind| kind.steps == steps && kind.filled_by == filled_by && fits(kind);
            match kinds.iter_mut().find(alike) {
                Some(kind) => {
                    kind.beads = kind.beads.max(beads);
                    kind.members.push((table, number));
                }
                None => {
                    let members = vec![(table, number)];
                    kinds.push(Kind { plan, steps, filled_by, beads, members });
                }
            }
        }
        Ok(kinds)
    }

    /// The largest needs of any member of a launch.
    fn size(
        &self,
        beads: usize,
        of_kind: &[(usize, usize)],
        members: &[BatchMember<'_, T>],
    ) -> Size {
        let tables = || of_kind.iter().map(|&(table, _)| &self.cache.tables[table]);
        let externals = of_kind.iter().map(|&(_, number)| members[number].view.externals.len());
        let views = of_kind.iter().map(|&(_, number)| &members[number].view);
        let types = views.filter_map(|view| view.motion.as_ref()).map(|motion| motion.types.len());
        Size {
            beads,
            externals: externals.max().unwrap_or(0),
            is_pushed: of_kind.iter().any(|&(_, number)| {
                members[number].view.externals.iter().any(|state| state.moving.is_some())
            }),
            contacts: tables().map(|tables| tables.contacts).max().unwrap_or(0),
            lane_bytes: tables().map(|tables| tables.lane_bytes).max().unwrap_or(0),
            types: types.max().unwrap_or(0),
            table_bytes: tables().map(|tables| tables.table_bytes).max().unwrap_or(0),
            contents: self.contents(of_kind),
        }
    }

    /// The most cells and beads of any box of a launch, and the most entries of lists.
    fn contents(&self, of_kind: &[(usize, usize)]) -> Contents {
        let mut all = Contents::default();
        for tables in of_kind.iter().map(|&(table, _)| &self.cache.tables[table]) {
            if let Boundary::Periodic { lengths } = tables.system.boundary {
                let cells = cells_of(lengths, tables.radius);
                let count: f64 = cells.iter().map(|&cells| f64::from(cells)).product();
                all.per_cell = all.per_cell.max(tables.beads as f64 / count);
                all.cells = [0, 1, 2].map(|k| all.cells[k].max(cells[k]));
            }
            all.list_capacity = all.list_capacity.max(tables.list_capacity);
            all.crowding = all.crowding.max(tables.crowding);
        }
        all
    }

    /// The kernel and form of blocks for `counts` members: those of one system, and all that share the card; `None` if their cells
    /// are too crowded for bricks.
    fn shaped(
        &mut self,
        context: &Context,
        plan: Plan,
        steps: &Steps,
        size: Size,
        counts: [usize; 2],
    ) -> Result<Option<Launch>, Error> {
        let card = context.device.properties();
        let asked = context.overrides_of(plan, steps.minimises);
        let mut overrides = asked;
        loop {
            let shape = match plan {
                Plan::Independent => Shape::of_beads(counts[1] * size.beads, card, overrides),
                Plan::Block => Shape::new(size, counts, steps, card, overrides),
                Plan::Grid if steps.search == Search::Bricks => {
                    let shape = Shape::of_bricks(size, counts[1], steps, card, overrides);
                    let Some(shape) = shape else { return Ok(None) };
                    shape
                }
                Plan::Grid => Shape::of_grid(size, counts[1], steps, card, overrides),
            };
            let key = shape.key(steps, size);
            let function = self.function(&context.device, &key)?;
            if let Layout::Block { cluster: cluster @ 2.., .. } = shape.layout {
                let shared = SharedMemory::of(&shape, size, steps).bytes;
                let clusters = function.clusters(cluster as u32, key.threads, shared)? as usize;
                let asked_for = asked.cluster == Some(cluster);
                if clusters == 0 || (clusters < counts[1] && !asked_for) {
                    // Such large clusters would make members wait for others, and gain nothing.
                    overrides.cluster = Some(cluster / 2);
                    continue;
                }
            }
            let memory = SharedMemory::of(&shape, size, steps);
            return Ok(Some(Launch { function, key, filled_by: None, shape, size, memory }));
        }
    }

    fn function(&mut self, device: &Device, key: &Key) -> Result<Function, Error> {
        if let Some(function) = self.functions.get(key) {
            return Ok(function.clone());
        }
        let program = key.program();
        let function = device.load(&program.name, &program.source)?.function(key.function())?;
        // Allows the most shared memory of the card: others share the function, and must not lose what they need.
        let most = device.properties().shared_memory_per_block;
        function.allow_shared_memory(most.saturating_sub(function.static_shared_bytes()))?;
        self.functions.insert(key.clone(), function.clone());
        Ok(function)
    }

    /// Packs the members of a launch, uploads them and starts its kernels in a stream of its own.
    fn start(
        &mut self,
        context: &Context,
        buffers: &mut LaunchBuffers,
        launch: &Launch,
        entries: &[Entry],
        members: &[BatchMember<'_, T>],
    ) -> Result<Batch<T>, Error> {
        let device = &context.device;
        let single = launch.shape.layout == Layout::Single;
        let Resident { cache, observers, fills, .. } = self;
        let observer = if single || launch.key.steps.minimises {
            None
        } else {
            let of_entry =
                |entry: &Entry| (&members[entry.member].view, &cache.tables[entry.table].terms);
            observers.of_launch(device, entries.iter().map(of_entry))?
        };
        let LaunchBuffers { stream, scratch, lists, words, grids } = buffers;
        let mut batch = Batch::new(device, stream, cache, entries, members, single)?;
        if observer.is_some() {
            batch.observe(device, stream, cache, entries, members)?;
        }
        let sums_at = batch.arena.add(&batch.sums);
        let list_lengths = entries.iter().map(|entry| cache.tables[entry.table].list_words());
        let lists = reserve(lists, device, list_lengths.sum::<usize>().max(1))?.address();
        let words = match launch.filled_by {
            Some(_) => {
                let usual = FILLED_BYTES / size_of::<u32>();
                Some(reserve_within(words, device, batch.filled_words, usual)?.address())
            }
            None => None,
        };
        let of_grid = matches!(launch.shape.layout, Layout::Card { .. });
        let of_grids = if of_grid { entries } else { &[] };
        let records = size_of_val(batch.externals.as_slice())
            + size_of_val(batch.members.as_slice())
            + size_of_val(batch.observed.as_slice())
            + of_grids.len() * size_of::<records::GridMember>();
        // Each of the four arrays begins at a multiple of 16 bytes.
        let more = records + 4 * 16;
        let base = batch.locate(device, scratch, more, lists, words)?;
        let grids = grids.records((device, stream), &launch.shape, of_grids, members, cache)?;
        let grids = base + batch.arena.add(&grids);
        let externals = base + batch.arena.add(&batch.externals);
        let members_at = base + batch.arena.add(&batch.members);
        let observed_at = base + batch.arena.add(&batch.observed);
        let (fresh, before) = match single {
            true => (independent::fresh(), independent::sums_before(&batch)),
            false => (Outcome::fresh(), Vec::new()),
        };
        batch.upload(stream, scratch, fresh, &before)?;
        let parameters = records::Launch {
            members: members_at,
            members_per_block: launch.shape.members_of_block() as u32,
            blocks_per_member: launch.shape.blocks_of_member() as u32,
            stepping: (launch.shape.threads - launch.shape.helpers) as u32,
            externals,
            sums: base + sums_at,
            grids,
            places: launch.memory.places,
            ..batch.launch_record(base)
        };
        if let Some(generator) = launch.filled_by {
            let addresses = [members_at, parameters.segments];
            let filled = (batch.members.as_slice(), launch.size.beads);
            // SAFETY: the addresses are those of arrays of the batch, long enough for all that is read and written. They live until
            // `Resident::finish` has waited for the stream.
            unsafe { fills.start((device, stream), generator, addresses, filled)? };
        }
        launch.start(stream, parameters)?;
        if let Some(observer) = observer {
            let arrays = batch.observed_arrays(base, observed_at);
            // SAFETY: the arrays are those of the batch, which `locate` made room for; they live as those of the launch.
            unsafe { observer.start(stream, arrays, &batch.observed, batch.observed_counts)? };
        }
        Ok(batch)
    }

    /// Waits for a launch and reads what it returned.
    fn finish(
        &self,
        buffers: &LaunchBuffers,
        launch: &Launch,
        entries: &[Entry],
        batch: &Batch<T>,
        members: &[BatchMember<'_, T>],
    ) -> Result<LaunchOutcome<T>, Error> {
        let LaunchBuffers { stream, scratch, .. } = buffers;
        let single = launch.shape.layout == Layout::Single;
        stream.wait()?;
        let (outcomes, returned) = batch.download(stream, scratch)?;
        let short = entries.iter().zip(&outcomes).filter(|(_, outcome)| outcome.overflow > 0);
        let short: Vec<_> =
            short.map(|(entry, outcome)| (entry.table, outcome.overflow as usize)).collect();
        if !short.is_empty() {
            return Ok(LaunchOutcome::ListsTooShort(short));
        }
        let moving =
            entries.iter().zip(&outcomes).enumerate().filter(|(_, (entry, _))| entry.moves);
        let launched = moving.map(|(number, (entry, outcome))| {
            let BatchMember { job, points, .. } = members[entry.member];
            let outcome = match single {
                true => independent::settled(outcome, points, batch.members[number].step),
                false => *outcome,
            };
            let samples: MemberSamples<T> = batch.samples_of(number, points, &outcome, &returned);
            Launched { job, samples, end: End::of(&outcome) }
        });
        Ok(LaunchOutcome::All(launched.collect()))
    }
}

impl Launch {
    /// The members, ordered by their tables. Inactive copies follow those of a system, so that the next system begins a
    /// block.
    fn entries(&self, members: &[(usize, usize)]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for &(table, member) in members {
            while let Some(&last) = entries.last()
                && last.table != table
                && !entries.len().is_multiple_of(self.shape.members_of_block())
            {
                entries.push(Entry { moves: false, ..last });
            }
            entries.push(Entry { table, member, moves: true });
        }
        entries
    }

    fn start(&self, stream: &Stream, parameters: records::Launch) -> Result<(), Error> {
        let Shape { layout, threads, .. } = self.shape;
        let shared = self.memory.bytes;
        let groups = (parameters.member_count as usize).div_ceil(self.shape.members_of_block());
        let each = match layout {
            Layout::Single => self.size.beads.div_ceil(threads),
            _ => self.shape.blocks_of_member(),
        };
        let blocks = groups * each;
        let (function, blocks, threads) = (&self.function, blocks as u32, threads as u32);
        // SAFETY: the parameter is that of the kernel (`kernels/system.cuh`), and its addresses are those of arrays
        // made above, long enough for all that the kernel reads and writes. They live until `Resident::finish` has waited
        // for the launch.
        unsafe {
            match layout {
                Layout::Card { .. } => {
                    stream.launch_together(function, blocks, threads, shared, &parameters)
                }
                _ => stream.launch(function, blocks, threads, shared, &parameters),
            }
        }
    }
}
