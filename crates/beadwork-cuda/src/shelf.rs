//! Systems and stages as they are kept on a card between launches, for whichever plan.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use beadwork_cpu::Standing;
use beadwork_model::System;

use crate::layout::Number;
use crate::program::{Key, Rounding};
use crate::stage::StageTable;
use crate::topology::Tables;
use crate::{Device, Error, Stream};

/// How a plan makes tables of a system with a skin, Å.
pub type Make<T> = fn(&Device, &Stream, &Arc<System>, f64) -> Result<Tables<T>, Error>;

/// Tables of systems, by number, and of stages.
#[derive(Debug)]
pub struct Shelf<T> {
    pub tables: Vec<Tables<T>>,
    /// By the protocol's address, which the table keeps in use, and the stage's number.
    stages: HashMap<(usize, usize), StageTable>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf { tables: Vec::new(), stages: HashMap::new() }
    }
}

impl<T: Number> Shelf<T> {
    /// The number of the tables of a member's system.
    pub fn tables_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        standing: &Standing<'_, T>,
        make: Make<T>,
    ) -> Result<usize, Error> {
        let skin = standing.protocol.dynamics.skin;
        let fits = |tables: &Tables<T>| {
            Arc::ptr_eq(&tables.system, standing.system) && tables.skin == skin
        };
        if let Some(found) = self.tables.iter().position(fits) {
            return Ok(found);
        }
        self.tables.push(make(device, stream, standing.system, skin)?);
        Ok(self.tables.len() - 1)
    }

    /// The table of a member's stage.
    pub fn stage_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        standing: &Standing<'_, T>,
    ) -> Result<&StageTable, Error> {
        let name = (Arc::as_ptr(standing.protocol) as usize, standing.stage);
        match self.stages.entry(name) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let (beads, stage) = (standing.system.beads(), standing.stage);
                Ok(entry.insert(StageTable::new(device, stream, standing.protocol, stage, beads)?))
            }
        }
    }

    /// What a kernel for a member with these tables is specialised on, without a form of blocks.
    pub fn key(&self, table: usize, rounding: Rounding, standing: &Standing<'_, T>) -> Key {
        let tables = &self.tables[table];
        Key {
            precision: T::PRECISION,
            rounding,
            terms: tables.terms,
            search: tables.search,
            pulled: !standing.drives.is_empty(),
            generator: standing.protocol.randomness.generator(),
            integrator: standing.protocol.dynamics.integrator,
            ..Key::UNSHAPED
        }
    }

    /// Forgets all of it; numbers of tables mean nothing any more.
    pub fn clear(&mut self) {
        self.tables.clear();
        self.stages.clear();
    }
}
