//! The graph plan: members of one system in device memory, stepped by graphs of kernels. It suits members that are too
//! large for a block, and every generator.

mod batch;
mod kernels;

use crate::Error;
use crate::batch::layout::{Number, Outcome};
use crate::batch::{Batch, BatchMember, End, Entry, Scratch};
use crate::plans::graph::batch::GraphBatch;
use crate::plans::key::{Form, Key, Search};
use crate::plans::{Context, LaunchOutcome, Launched};
use crate::tables::{Skins, TableCache};

/// The most beads for which all pairs are tested to find neighbours: cells are faster beyond.
const MOST_WITHOUT_CELLS: usize = 30_000;

/// Data on the card between launches, for one precision.
#[derive(Debug)]
pub struct GraphPlan<T> {
    cache: TableCache<T>,
    /// The batches of the last launch.
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
            let (view, wanted) = (&member.view, Some(Search::List));
            let skins = Skins::of(&view.protocol.dynamics);
            let table = self.cache.tables_of(device, stream, view, skins, wanted)?;
            let tables = &self.cache.tables[table];
            let key = context.key(tables, &member.view);
            let form = Form { wide: tables.is_wide(), cells: tables.beads > MOST_WITHOUT_CELLS };
            let kind = Kind { key, form, table };
            match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, members)) => members.push(number),
                None => kinds.push((kind, vec![number])),
            }
        }
        // Frees their memory before allocating more.
        self.batches.retain(|batch| kinds.iter().any(|(kind, _)| *kind == batch.kind));
        let mut all = Vec::with_capacity(members.len());
        for (kind, numbers) in kinds {
            loop {
                let mut batch = self.batch_of(context, &kind, members, &numbers)?;
                let outcome = self.launch_once(context, &mut batch, members, &numbers);
                // Waits for unfinished work before memory is freed.
                if outcome.is_err() {
                    let _ = stream.wait();
                }
                match outcome? {
                    LaunchOutcome::All(launched) => {
                        self.batches.push(batch);
                        all.extend(launched);
                        break;
                    }
                    LaunchOutcome::ListsTooShort(tables) => {
                        self.cache.grow_lists(device, stream, tables)?;
                    }
                }
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
        let externals = numbers.iter().map(|&number| members[number].view.externals.len());
        let (externals, count) = (externals.max().unwrap_or(0), numbers.len());
        if let Some(number) = self.batches.iter().position(|batch| batch.kind == *kind) {
            let batch = self.batches.swap_remove(number);
            // Slots without a member cost time in every launch, a new batch only once.
            if batch.room >= count && batch.room <= 2 * count && batch.externals == externals {
                return Ok(batch);
            }
        }
        let tables = &self.cache.tables[kind.table];
        let noise = &members[numbers[0]].view.noise;
        GraphBatch::new(context, kind.clone(), tables, count, externals, noise)
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
            return Ok(LaunchOutcome::ListsTooShort(vec![(graph.kind.table, wanted)]));
        }
        let (outcomes, returned) = batch.download(stream, &self.scratch)?;
        let launched =
            numbers.iter().zip(&outcomes).enumerate().map(|(slot, (&number, outcome))| {
                let BatchMember { job, points, .. } = members[number];
                let samples = batch.samples_of(slot, points, outcome, &returned);
                Launched { job, samples, end: End::of(outcome) }
            });
        Ok(LaunchOutcome::All(launched.collect()))
    }
}

/// Properties that the members of a batch share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kind {
    key: Key,
    form: Form,
    /// The index of their system's tables.
    table: usize,
}
