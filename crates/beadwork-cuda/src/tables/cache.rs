//! Tables of systems and stages that are kept on a device between launches.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use beadwork_cpu::MemberView;

use crate::batch::layout::Number;
use crate::observables::ObservedTables;
use crate::plans::Search;
use crate::tables::stage::StageTable;
use crate::tables::{Skins, SystemTables};
use crate::{Device, Error, Stream};

/// The most systems whose tables are kept: a sweep over many systems must not fill the card with tables that are done.
const MOST_TABLES: usize = 1_024;

/// The most beads of a cell for which bricks have room in shared memory.
const MOST_OF_CELL: usize = 64;

/// Tables of systems, by index, and of stages.
#[derive(Debug)]
pub struct TableCache<T> {
    pub tables: Vec<SystemTables<T>>,
    /// The tables of the same systems for measurements.
    observed: Vec<Option<ObservedTables>>,
    /// By the protocol's address, which the table keeps allocated, and the stage's number.
    stages: HashMap<(usize, usize), StageTable>,
}

impl<T> Default for TableCache<T> {
    fn default() -> Self {
        TableCache { tables: Vec::new(), observed: Vec::new(), stages: HashMap::new() }
    }
}

impl<T: Number> TableCache<T> {
    /// The index of the tables of a member's system, made by [`SystemTables::new`] with these skins and this wish if needed.
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
        if tables.search == Search::Bricks && tables.list_capacity > MOST_OF_CELL {
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
        let name = (Arc::as_ptr(view.protocol) as usize, view.stage);
        match self.stages.entry(name) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let (beads, stage) = (view.system.beads(), view.stage);
                Ok(entry.insert(StageTable::new(device, stream, view.protocol, stage, beads)?))
            }
        }
    }

    /// Makes room for longer lists in the tables of these indices. Bricks that would need too much room become lists.
    pub fn grow_lists(
        &mut self,
        device: &Device,
        stream: &Stream,
        tables: Vec<(usize, usize)>,
    ) -> Result<(), Error> {
        for (table, wanted) in tables {
            let has_bricks = self.tables[table].search == Search::Bricks;
            if has_bricks && wanted > MOST_OF_CELL {
                self.list(device, stream, table)?;
            } else {
                self.tables[table].grow_list(stream, wanted)?;
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

    /// Drops all tables if there are too many; their indices are invalid then.
    pub fn trim(&mut self) {
        if self.tables.len() > MOST_TABLES {
            *self = TableCache::default();
        }
    }
}
