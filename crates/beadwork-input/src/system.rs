//! Sends `[system]` to the reader of its model.

use std::sync::Arc;

use crate::built::{Built, BuiltSystems};
use crate::document::{Node, Table};
use crate::error::Error;
use crate::files::Files;
use crate::models::{BEADS, ELASTIC_POLYMER, OSCILLATORS, RESIDUES, model};
use crate::settings::DynamicsRead;
use crate::{beads, oscillators, polymers, residues, sop};

/// Reads `[system]`; returns its resolved form and what it describes. Only models that are sampled have no dynamics.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
    dynamics: Option<&DynamicsRead>,
    seed: u64,
) -> Result<(Table, Arc<Built>), Error> {
    match (model(node), dynamics) {
        (Some(OSCILLATORS), _) => oscillators::read(node, built),
        (Some(ELASTIC_POLYMER), _) => polymers::read(node, files, replicas, built),
        (Some(RESIDUES), Some(dynamics)) => residues::read(node, files, replicas, built, dynamics),
        (Some(BEADS), Some(dynamics)) => beads::read(node, files, replicas, built, dynamics, seed),
        _ => sop::read(node, files, replicas, built, dynamics),
    }
}
