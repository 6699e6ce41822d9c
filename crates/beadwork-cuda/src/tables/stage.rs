//! A stage of a protocol in device memory.

use std::sync::Arc;

use beadwork_model::Protocol;
use beadwork_model::externals::{External, ExternalState};

use crate::batch::arena::Arena;
use crate::batch::layout::{self, FIXED, NEVER};
use crate::{Buffer, Device, Error, Stream};

/// Flags of the beads in a stage, and the beads that its externals pull.
#[derive(Debug)]
pub struct StageTable {
    /// Kept allocated, since its address identifies the table.
    _protocol: Arc<Protocol>,
    _data: Buffer<u8>,
    /// The address of the flags.
    pub flags: u64,
    /// The address and number of the beads that each external pulls.
    pub pulled: Vec<(u64, u32)>,
}

impl StageTable {
    /// The table of a stage for a system of `beads` beads.
    pub fn new(
        device: &Device,
        stream: &Stream,
        protocol: &Arc<Protocol>,
        stage: usize,
        beads: usize,
    ) -> Result<StageTable, Error> {
        let definition = &protocol.stages[stage];
        let mut flags = vec![0_u32; beads];
        for &bead in &definition.fixed {
            flags[bead] |= FIXED;
        }
        let mut arena = Arena::default();
        let mut pulled = Vec::new();
        for (number, external) in definition.externals.iter().enumerate() {
            let beads = external.beads();
            for &bead in beads {
                flags[bead] |= 1 << number;
            }
            let numbers: Vec<u32> = beads.iter().map(|&bead| bead as u32).collect();
            pulled.push((arena.add(&numbers), numbers.len() as u32));
        }
        let flags = arena.add(&flags);
        let data = arena.upload(device, stream)?;
        let base = data.address();
        for (address, _) in &mut pulled {
            *address += base;
        }
        Ok(StageTable { _protocol: protocol.clone(), flags: base + flags, pulled, _data: data })
    }
}

/// The record of an external; the caller fills in the addresses of its beads and anchors.
pub fn external_record(
    external: &External,
    state: &ExternalState,
    timestep: f64,
) -> layout::External {
    layout::External {
        kind: external.number(),
        pulled_count: 0,
        pulled: 0,
        anchors: 0,
        parameters: external.parameters(timestep),
        origin: state.origin,
        direction: state.direction,
        held: state.held,
        work: state.work,
        last_force: state.last.map_or([0.0; 3], |last| last.force),
        last_centre: state.last.map_or([0.0; 3], |last| last.centre),
        last_step: state.last.map_or(NEVER, |last| last.step),
    }
}
