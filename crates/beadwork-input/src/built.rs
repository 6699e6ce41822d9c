//! Systems that were built, one for each resolved `[system]`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use beadwork_model::System;

use crate::document::{Table, Value, inline};
use crate::error::Error;
use crate::structure_source::{AssemblyUsed, Turned};

/// The file of beads from which a system starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFile {
    /// The name of the file; of the first replica, if each has one.
    pub file: String,
    /// The frame that is taken, counted from 0.
    pub frame: usize,
    /// Number of frames in the file; 0 where its format has no frames.
    pub frames: usize,
}

/// A system that was built. All points of a sweep with the same resolved `[system]` share it.
#[derive(Debug)]
pub(crate) struct Built {
    pub system: Arc<System>,
    pub assembly: Option<AssemblyUsed>,
    /// How the structure was turned, if it was.
    pub turned: Option<Turned>,
    /// The identifier in the file of each chain, in the order of molecules; empty where chains are not of a file.
    pub chains: Vec<String>,
    /// The name of the file that lists its contacts, if one does.
    pub contact_list: Option<String>,
    /// The identifiers of two chains whose contacts have an energy of their own.
    pub chain_pairs: Vec<[String; 2]>,
    /// The file from which beads start, and its frame.
    pub start: Option<StartFile>,
    /// Start positions, Å: one set for each replica; one for all if the file name has no `{replica}`.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    /// Start velocities, Å/ps, in the same way; drawn if there are none.
    pub velocities: Option<Vec<Arc<Vec<[f64; 3]>>>>,
    pub warnings: Vec<String>,
}

impl From<System> for Built {
    fn from(system: System) -> Built {
        Built {
            system: system.into(),
            assembly: None,
            turned: None,
            chains: Vec::new(),
            contact_list: None,
            chain_pairs: Vec::new(),
            start: None,
            starts: None,
            velocities: None,
            warnings: Vec::new(),
        }
    }
}

/// Systems by their resolved text, and by what else they depend on.
#[derive(Debug, Default)]
pub(crate) struct BuiltSystems {
    known: BTreeMap<String, Arc<Built>>,
}

/// What a system takes from other sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FromElsewhere {
    /// γ, 1/ps, if the friction of each type is γ times its mass.
    pub collision_rate: Option<f64>,
    /// The temperature of the water, K.
    pub water: Option<f64>,
    /// The seed, if beads are placed at random.
    pub seed: Option<u64>,
}

impl BuiltSystems {
    /// The system with this resolved form; builds it unless an earlier point has done so.
    pub fn get_or_build(
        &mut self,
        resolved: Table,
        others: FromElsewhere,
        build: impl FnOnce() -> Result<Built, Error>,
    ) -> Result<(Table, Arc<Built>), Error> {
        let text = inline(&Value::Table(resolved.clone()));
        let FromElsewhere { collision_rate, water, seed } = others;
        let key = format!("{text} {collision_rate:?} {water:?} {seed:?}");
        let built = match self.known.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let mut built = build()?;
                if let Some(rate) = collision_rate {
                    Arc::make_mut(&mut built.system).set_collision_rate(rate);
                }
                new.insert(Arc::new(built)).clone()
            }
        };
        Ok((resolved, built))
    }
}
