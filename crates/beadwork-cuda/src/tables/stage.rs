//! A stage of a protocol in device memory.

use std::sync::{Arc, Weak};

use beadwork_cpu::MemberView;
use beadwork_model::Protocol;
use beadwork_model::externals::{External, ExternalState};

use crate::batch::arena::Arena;
use crate::batch::records::{self, FIXED, NEVER};
use crate::{Buffer, Device, Error, Stream};

/// Flags of the beads in a stage, and the beads that its externals pull.
#[derive(Debug)]
pub struct StageTable {
    /// Its address identifies the table, and is no other's as long as this is here.
    pub protocol: Weak<Protocol>,
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
        let protocol = Arc::downgrade(protocol);
        Ok(StageTable { protocol, flags: base + flags, pulled, _data: data })
    }
}

/// The record of an external; the caller fills in the addresses of its beads and of what it has in memory.
pub fn external_record(
    external: &External,
    state: &ExternalState,
    timestep: f64,
) -> records::External {
    records::External {
        kind: external.number(),
        pulled_count: 0,
        pulled: 0,
        numbers: 0,
        parameters: external.parameters(timestep),
        origin: state.origin,
        direction: state.direction,
        held: state.moving.map_or(state.held, |moving| moving.position),
        work: state.work,
        last_force: state.last.map_or([0.0; 3], |last| last.force),
        last_centre: match (state.moving, state.last) {
            (Some(moving), _) => [moving.contact.unwrap_or(f64::NAN), 0.0, external.square_reach()],
            (None, last) => last.map_or([0.0; 3], |last| last.centre),
        },
        last_step: match (state.moving, state.last) {
            (Some(moving), _) => moving.step.unwrap_or(NEVER),
            (None, last) => last.map_or(NEVER, |last| last.step),
        },
    }
}

/// What an external has in memory (`kernels/externals/`), as words: its further numbers, then its anchors, by the numbers of beads if
/// each of its beads has one. What beads push has three sums, its noise and the way of its base before them. The sum so far is that
/// of the window of the last step. `place` is that of the external among those of the stage.
pub fn external_numbers<T>(
    external: &External,
    state: &ExternalState,
    view: &MemberView<'_, T>,
    place: usize,
) -> Vec<u64> {
    let (beads, timestep) = (view.system.beads(), view.protocol.dynamics.timestep);
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let mut words = Vec::new();
    if let Some(moving) = &state.moving {
        let mut sums = [[0_u64; 3]; 3];
        if let Some((step, every)) = moving.step.zip(external.moves_every()) {
            sums[(step / every % 3) as usize] = moving.reaction.map(|sum| sum as u64);
        }
        let [low, high] = view.external_key.map(u64::from);
        let noise = [low | high << 32, view.step - view.stage_step, place as u64];
        words = [bytemuck::cast_slice(&sums), &noise, &[moving.base.to_bits()]].concat();
    }
    words.extend(bits(&external.more_parameters(timestep)));
    if external.anchors_each_bead() {
        let mut anchors = vec![[0.0; 3]; beads];
        for (&bead, &anchor) in external.beads().iter().zip(&state.anchors) {
            anchors[bead] = anchor;
        }
        words.extend(bits(bytemuck::cast_slice(&anchors)));
    } else {
        words.extend(bits(bytemuck::cast_slice(&state.anchors)));
    }
    words
}
