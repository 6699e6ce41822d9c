//! The launches plan: a kernel for each force term, one thread for each place or each pair (P4, §III), for systems of any
//! size. What goes in and comes out is that of the block plan (`flight.rs`).

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_cpu::{NoiseSource, Standing};
use beadwork_model::drives::Drive;

use crate::arena::Arena;
use crate::fleet::{Crew, Fleet, Kind};
use crate::flight::{End, Flight, Hands};
use crate::layout::{self, Course, Looks, Number, square_base_of, square_unit};
use crate::program::{Form, Rounding};
use crate::samples::{Returned, Taken, state_words};
use crate::shelf::Shelf;
use crate::stage::drive_record;
use crate::topology::Tables;
use crate::{Buffer, Device, Error, Stream};

/// Beads of a system up to which all pairs are looked at to find neighbours: beyond that, cells are faster.
const MOST_WITHOUT_CELLS: usize = 30_000;

/// What is kept on the card between launches, for one precision.
#[derive(Debug)]
pub struct Launches<T> {
    shelf: Shelf<T>,
    /// Those that were used last.
    fleets: Vec<Fleet<T>>,
    scratch: Option<Buffer<u8>>,
}

impl<T> Default for Launches<T> {
    fn default() -> Self {
        Launches { shelf: Shelf::default(), fleets: Vec::new(), scratch: None }
    }
}

/// A member's way back in the output of a launch.
struct CpuPath {
    number: usize,
    first_slot: usize,
}

impl<T: Number> Launches<T> {
    /// Steps members to each of their looks: place, samples and end of each.
    pub fn fly(
        &mut self,
        hands: &Hands,
        by_pair: bool,
        flights: &[Flight<'_, T>],
    ) -> Result<Vec<(usize, Taken<T>, End)>, Error> {
        let Hands { device, stream, rounding, .. } = hands;
        let mut kinds: Vec<(Kind, Vec<usize>)> = Vec::new();
        for (number, flight) in flights.iter().enumerate() {
            let table =
                self.shelf.tables_of(device, stream, &flight.standing, Tables::with_lists)?;
            let kind = self.kind(table, *rounding, by_pair, &flight.standing);
            match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, members)) => members.push(number),
                None => kinds.push((kind, vec![number])),
            }
        }
        // Their memory is given back before more is asked for.
        self.fleets.retain(|fleet| kinds.iter().any(|(kind, _)| *kind == fleet.kind));
        let mut landed = Vec::with_capacity(flights.len());
        for (kind, members) in kinds {
            loop {
                let place = self.fleet_of(device, stream, kind, flights, &members)?;
                let mut fleet = self.fleets.swap_remove(place);
                let outcome = self.launch(device, stream, &mut fleet, flights, &members);
                // Nothing may be under way when memory is given back.
                if outcome.is_err() {
                    let _ = stream.wait();
                }
                let wanted = match outcome? {
                    Landed::All(all) => {
                        self.fleets.push(fleet);
                        landed.extend(all);
                        break;
                    }
                    // Nothing was lost: the members' states are here.
                    Landed::ListsTooShort(wanted) => wanted,
                };
                self.shelf.tables[kind.table].grow_list(stream, wanted)?;
            }
        }
        Ok(landed)
    }

    fn kind(
        &self,
        table: usize,
        rounding: Rounding,
        by_pair: bool,
        standing: &Standing<'_, T>,
    ) -> Kind {
        let tables = &self.shelf.tables[table];
        let key = self.shelf.key(table, rounding, standing);
        let form = Form {
            by_pair,
            wide: tables.beads > usize::from(u16::MAX),
            cells: tables.beads > MOST_WITHOUT_CELLS,
        };
        Kind { key, form, table }
    }

    /// The place of a fleet with room for these members.
    fn fleet_of(
        &mut self,
        device: &Device,
        stream: &Stream,
        kind: Kind,
        flights: &[Flight<'_, T>],
        members: &[usize],
    ) -> Result<usize, Error> {
        let drives = members.iter().map(|&number| flights[number].standing.drives.len());
        let drives = drives.max().unwrap_or(0);
        let count = members.len();
        if let Some(place) = self.fleets.iter().position(|fleet| fleet.kind == kind) {
            let fleet = &self.fleets[place];
            // Threads without a member cost time, a new fleet does so once.
            if fleet.room >= count && fleet.room <= 2 * count && fleet.drives >= drives {
                return Ok(place);
            }
            self.fleets.swap_remove(place);
        }
        let tables = &self.shelf.tables[kind.table];
        let noise = flights[members[0]].standing.noise;
        self.fleets.push(Fleet::new(device, stream, kind, tables, count, drives, noise)?);
        Ok(self.fleets.len() - 1)
    }

    fn launch(
        &mut self,
        device: &Device,
        stream: &Stream,
        fleet: &mut Fleet<T>,
        flights: &[Flight<'_, T>],
        members: &[usize],
    ) -> Result<Landed<T>, Error> {
        let beads = self.shelf.tables[fleet.kind.table].beads;
        let drives_per_member = fleet.drives;
        let state_words = state_words(&flights[members[0]].standing.noise);
        // The input, with addresses counted from its beginning where they are within it.
        let mut arena = Arena::default();
        let mut segments: Vec<layout::Segment> = Vec::new();
        let mut crew = Crew {
            records: Vec::new(),
            courses: Vec::new(),
            sums: Vec::new(),
            drives: Vec::new(),
            looks: Looks { segments: 0, sample_drives: 0, sample_sums: 0, outcomes: 0 },
        };
        let mut anchors_within = Vec::new();
        let mut ends = BTreeSet::new();
        let mut ways = Vec::new();
        let mut slots = 0;
        for &number in members {
            let Flight { standing, looks, .. } = &flights[number];
            let positions: Vec<[T; 3]> = standing.positions.iter().collect();
            let positions = arena.place(&positions);
            let (noise_states, key) = match standing.noise {
                NoiseSource::Stateful(states) => {
                    let states: Vec<[u32; 4]> = states.iter().map(|state| state.state()).collect();
                    (arena.place(&states), [0; 2])
                }
                NoiseSource::Keyed(key) => (0, key),
                NoiseSource::Drawn(streams) => match streams.states() {
                    Some(states) => (arena.place(&states.packed()), [0; 2]),
                    None => (0, streams.key().unwrap_or_default()),
                },
            };
            let table = self.shelf.stage_of(device, stream, standing)?;
            let flags = table.flags;
            let stage = &standing.protocol.stages[standing.stage];
            let timestep = standing.protocol.dynamics.timestep;
            let first_drive = crew.drives.len();
            for ((drive, state), &(pulled, count)) in
                stage.drives.iter().zip(standing.drives).zip(&table.pulled)
            {
                let mut record = drive_record(drive, state, timestep);
                record.pulled = pulled;
                record.pulled_count = count;
                if let Drive::Restrain(restrain) = drive {
                    let mut anchors = vec![[0.0; 3]; beads];
                    for (&bead, &anchor) in restrain.beads.iter().zip(&state.anchors) {
                        anchors[bead] = anchor;
                    }
                    record.anchors = arena.place(&anchors);
                    anchors_within.push(crew.drives.len());
                }
                crew.drives.push(record);
            }
            crew.drives.resize(first_drive + drives_per_member, bytemuck::Zeroable::zeroed());
            let steps = looks.iter().map(|look| look.steps).sum();
            crew.records.push(layout::Member {
                topology: 0,
                flags,
                positions,
                noise_states,
                sample_positions: 0,
                sample_noise_states: 0,
                list: 0,
                first_drive: first_drive as u32,
                drives: standing.drives.len() as u32,
                first_segment: segments.len() as u32,
                segments: looks.len() as u32,
                first_slot: slots as u32,
                steps,
                step: standing.step,
                stage_step: standing.stage_step,
                key,
                mobility: standing.mobility,
                amplitude: standing.amplitude,
                square_base: square_base_of(standing.amplitude),
                padding: T::zero(),
            });
            crew.courses.push(Course {
                trouble: u64::MAX,
                steps,
                end: looks.first().map_or(u32::MAX, |look| look.steps),
                segment: 0,
                far: 0,
                pairs: 0,
                padding: 0,
            });
            crew.sums.push(layout::Sums {
                force: standing.sums.force,
                force_steps: standing.sums.force_steps,
                square_displacements: (standing.sums.squared_displacements
                    / square_unit(standing.amplitude))
                .round() as u64,
                padding: 0,
            });
            ways.push(CpuPath { number, first_slot: slots });
            slots += looks.len();
            let mut end = 0;
            for look in *looks {
                end += look.steps;
                ends.insert(end);
                segments.push(layout::Segment { steps: look.steps, row: look.row.into() });
            }
        }
        let segments = arena.place(&segments);
        // The output begins with the outcomes, which the card finds filled in.
        let output = arena.bytes().len().next_multiple_of(256);
        let mut end = 0;
        let mut region = |bytes: usize| {
            let begin = end;
            end = (end + bytes).next_multiple_of(16);
            begin
        };
        let outcomes = region(members.len() * size_of::<layout::Outcome>());
        let sample_sums = region(slots * size_of::<layout::Sums>());
        let sample_drives = region(slots * drives_per_member * size_of::<layout::Drive>());
        let sample_noise = region(slots * state_words * 4);
        let sample_positions = region(slots * beads * 3 * size_of::<T>());
        let scratch = reserve(&mut self.scratch, device, output + end)?;
        let base = scratch.address();
        let back = base + output as u64;
        for place in anchors_within {
            crew.drives[place].anchors += base;
        }
        for (record, way) in crew.records.iter_mut().zip(&ways) {
            record.positions += base;
            record.noise_states += base;
            let row = way.first_slot * beads;
            record.sample_positions = back + (sample_positions + row * 3 * size_of::<T>()) as u64;
            record.sample_noise_states =
                back + (sample_noise + way.first_slot * state_words * 4) as u64;
        }
        crew.looks = Looks {
            segments: base + segments,
            sample_drives: back + sample_drives as u64,
            sample_sums: back + sample_sums as u64,
            outcomes: back + outcomes as u64,
        };
        scratch.upload(stream, 0, arena.bytes())?;
        let fresh = vec![layout::Outcome::fresh(); members.len()];
        scratch.upload(stream, output + outcomes, bytemuck::cast_slice(&fresh))?;

        fleet.begin(stream, &crew)?;
        let mut made = 0;
        for end in ends {
            fleet.advance(stream, end - made)?;
            fleet.look(stream)?;
            made = end;
        }
        let wanted = fleet.overflow(stream)?;
        if wanted > 0 {
            return Ok(Landed::ListsTooShort(wanted));
        }

        let mut words = vec![0_u64; end.div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        scratch.download(stream, output, &mut bytes[..end])?;
        let outcomes: Vec<layout::Outcome> =
            bytemuck::cast_slice(&bytes[outcomes..outcomes + size_of_val(fresh.as_slice())])
                .to_vec();
        let returned = Arc::new(Returned {
            words,
            positions: sample_positions,
            noise: sample_noise,
            drives: sample_drives,
            sums: sample_sums,
            drives_per_member,
            beads,
            packed: false,
        });
        let all = ways.iter().zip(&outcomes).map(|(way, outcome)| {
            let flight = &flights[way.number];
            let reached = &flight.looks[..outcome.segments as usize];
            let samples = Taken {
                returned: returned.clone(),
                first_slot: way.first_slot,
                steps: reached.iter().map(|look| look.steps).collect(),
                number: PhantomData,
            };
            (flight.place, samples, End::of(outcome))
        });
        Ok(Landed::All(all.collect()))
    }
}

/// What came of a launch.
enum Landed<T> {
    All(Vec<(usize, Taken<T>, End)>),
    /// Entries that the longest list needs.
    ListsTooShort(usize),
}

/// Makes room for `length` bytes.
fn reserve<'a>(
    buffer: &'a mut Option<Buffer<u8>>,
    device: &Device,
    length: usize,
) -> Result<&'a mut Buffer<u8>, Error> {
    if buffer.as_ref().is_none_or(|buffer| buffer.len() < length) {
        // The old memory goes first.
        *buffer = None;
        *buffer = Some(Buffer::new(device, length + length / 2)?);
    }
    buffer.as_mut().ok_or_else(|| Error::Corrupt { what: "no scratch memory".into() })
}
