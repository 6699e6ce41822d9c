//! Tables of systems and stages that are kept on a device between launches.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use beadwork_cpu::MemberView;

use crate::batch::records::Number;
use crate::observables::ObservedTables;
use crate::plans::Search;
use crate::tables::stage::StageTable;
use crate::tables::{Skins, SystemTables};
use crate::{Device, Error, Stream};

/// The most systems whose tables are kept: a sweep over many systems must not fill the card with tables that are done.
const MOST_TABLES: usize = 1_024;

/// The largest capacity of lists with which members have bricks: neighbours that a thread finds, and beads of a cell.
const MOST_OF_BRICKS: usize = 64;

/// What bricks demand beside longer lists: room for this many beads in a cell, added to the first (`kernels/groups/brick_beads.cuh`);
/// lists, since a force is too large for the sums of bricks (`kernels/groups/bricks.cuh`).
const CROWDED: usize = 0x8000_0000;
const TOO_LARGE_FORCE: usize = 0xffff_ffff;

/// Tables of systems, by index, and of stages.
#[derive(Debug)]
pub struct TableCache<T> {
    pub tables: Vec<SystemTables<T>>,
    /// The tables of the same systems for measurements.
    observed: Vec<Option<ObservedTables>>,
    /// By the protocol's address, which the table keeps allocated, the stage's number and the beads of the system.
    stages: HashMap<(usize, usize, usize), StageTable>,
}

impl<T> Default for TableCache<T> {
    fn default() -> Self {
        TableCache { tables: Vec::new(), observed: Vec::new(), stages: HashMap::new() }
    }
}

impl<T: Number> TableCache<T> {
    /// The index of the tables of a member's system, with these skins and this search; makes them if there are none.
    pub fn tables_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        view: &MemberView<'_, T>,
        skins: Skins,
        wanted: Option<Search>,
    ) -> Result<usize, Error> {
        let fits = |tables: &SystemTables<T>| {
            Arc::ptr_eq(&tables.system, view.system)
                && tables.skins == skins
                && tables.wanted == wanted
        };
        if let Some(found) = self.tables.iter().position(fits) {
            return Ok(found);
        }
        let mut tables = SystemTables::new(device, stream, view.system, skins, wanted)?;
        if tables.search == Search::Bricks && tables.list_capacity > MOST_OF_BRICKS {
            tables = tables.with_lists(device, stream)?;
        }
        self.tables.push(tables);
        Ok(self.tables.len() - 1)
    }

    /// The tables with this index for measurements, made if they are not yet.
    pub fn observed_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        index: usize,
    ) -> Result<&ObservedTables, Error> {
        self.observed.resize_with(self.tables.len(), || None);
        match &mut self.observed[index] {
            Some(observed) => Ok(observed),
            none => {
                let system = &self.tables[index].system;
                Ok(none.insert(ObservedTables::new(device, stream, system)?))
            }
        }
    }

    /// The table of a member's stage.
    pub fn stage_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        view: &MemberView<'_, T>,
    ) -> Result<&StageTable, Error> {
        let (protocol, stage, beads) = (view.protocol, view.stage, view.system.beads());
        match self.stages.entry((Arc::as_ptr(protocol) as usize, stage, beads)) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                Ok(entry.insert(StageTable::new(device, stream, protocol, stage, beads)?))
            }
        }
    }

    /// Meets the demands of members: the index of their table, and the entries of a list or what else bricks need.
    pub fn grow_lists(
        &mut self,
        device: &Device,
        stream: &Stream,
        demands: Vec<(usize, usize)>,
    ) -> Result<(), Error> {
        for (table, wanted) in largest_demands(demands) {
            let tables = &mut self.tables[table];
            let has_bricks = tables.search == Search::Bricks;
            match wanted {
                // `Brick::best` decides later whether any brick has that much room.
                CROWDED..TOO_LARGE_FORCE => {
                    tables.crowding = tables.crowding.max(wanted - CROWDED);
                }
                _ if has_bricks && wanted > MOST_OF_BRICKS => self.list(device, stream, table)?,
                _ => tables.grow_list(stream, wanted)?,
            }
        }
        Ok(())
    }

    /// Makes tables for lists in place of those for bricks.
    pub fn list(&mut self, device: &Device, stream: &Stream, table: usize) -> Result<(), Error> {
        if self.tables[table].search == Search::Bricks {
            self.tables[table] = self.tables[table].with_lists(device, stream)?;
        }
        Ok(())
    }

    /// Drops the tables of systems and protocols that no member has any more, and all tables if there are too many. Indices are invalid
    /// then.
    pub fn trim(&mut self) {
        if self.tables.len() > MOST_TABLES {
            *self = TableCache::default();
        }
        let TableCache { tables, observed, stages } = self;
        stages.retain(|_, table| table.protocol.strong_count() > 0);
        observed.resize_with(tables.len(), || None);
        let all = std::mem::take(tables).into_iter().zip(std::mem::take(observed));
        let is_needed = |tables: &SystemTables<T>| Arc::strong_count(&tables.system) > 1;
        (*tables, *observed) = all.filter(|(tables, _)| is_needed(tables)).unzip();
    }
}

/// The largest demand of each table. Several members may have demanded it, or less, which then needs no step of its own: a launch
/// that still lacks room demands it again.
fn largest_demands(demands: Vec<(usize, usize)>) -> BTreeMap<usize, usize> {
    let mut largest = BTreeMap::new();
    for (table, wanted) in demands {
        let most = largest.entry(table).or_insert(wanted);
        *most = wanted.max(*most);
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After the first of two members with too large forces, their table has lists. The second one's demand is then no length of a list.
    #[test]
    fn a_table_meets_one_demand_of_its_members() {
        let demands = vec![(3, 20), (1, TOO_LARGE_FORCE), (3, 24), (1, TOO_LARGE_FORCE), (1, 30)];
        assert_eq!(largest_demands(demands), BTreeMap::from([(1, TOO_LARGE_FORCE), (3, 24)]));
    }
}
