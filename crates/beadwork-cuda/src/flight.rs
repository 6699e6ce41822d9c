//! One launch: members' states to the card, steps, their samples back.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_cpu::{NoiseSource, Standing};
use beadwork_model::drives::Drive;
use beadwork_random::States;

use crate::arena::Arena;
use crate::beads;
use crate::ensemble::Look;
use crate::layout::{self, NOTHING, Number, square_base_of, square_unit};
use crate::program::{Key, Rounding};
use crate::samples::{Returned, Taken, state_words};
use crate::shape::{Shape, Size, Wishes};
use crate::shelf::Shelf;
use crate::stage::drive_record;
use crate::topology::Tables;
use crate::{Buffer, Device, Error, Function, Stream};

/// Systems whose tables are kept between launches at most.
const MOST_TABLES: usize = 1_024;

/// With what members are stepped.
#[derive(Debug)]
pub struct Hands {
    pub device: Device,
    pub stream: Stream,
    pub rounding: Rounding,
    pub wishes: Wishes,
    /// Members that are on the card, those of other streams included.
    pub company: usize,
}

/// A member that is to fly.
pub struct Flight<'a, T> {
    /// Its number among the jobs.
    pub place: usize,
    pub standing: Standing<'a, T>,
    pub looks: &'a [Look],
}

/// How a member's steps ended.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// At its last look.
    Reached,
    /// Something was found wrong at the positions of a step, or at those predicted from there.
    Trouble { what: u32, length: f32, step: u64, predicted: bool },
}

impl End {
    /// What a kernel wrote down.
    pub fn of(outcome: &layout::Outcome) -> End {
        let layout::Outcome { what, length, step, predicted, .. } = *outcome;
        match what {
            NOTHING => End::Reached,
            what => End::Trouble { what, length, step, predicted: predicted != 0 },
        }
    }
}

/// What is kept on the card between launches, for one precision.
#[derive(Debug)]
pub struct Hangar<T> {
    shelf: Shelf<T>,
    functions: HashMap<Key, Function>,
    scratch: Option<Buffer<u8>>,
    lists: Option<Buffer<u16>>,
}

impl<T> Default for Hangar<T> {
    fn default() -> Self {
        Hangar { shelf: Shelf::default(), functions: HashMap::new(), scratch: None, lists: None }
    }
}

impl<T: Number> Hangar<T> {
    /// Steps members to each of their looks, their beads each on its own where they are `apart`: place, samples and end of
    /// each.
    pub fn fly(
        &mut self,
        hands: &Hands,
        apart: bool,
        flights: &[Flight<'_, T>],
    ) -> Result<Vec<(usize, Taken<T>, End)>, Error> {
        let Hands { device, stream, rounding, .. } = hands;
        // A sweep over very many systems must not fill the card with tables of those that are done.
        if self.shelf.tables.len() > MOST_TABLES {
            self.shelf.clear();
        }
        // Those of one kind of kernel and one size share a launch, and among them those of one system blocks.
        let mut kinds: Vec<Kind> = Vec::new();
        for (number, flight) in flights.iter().enumerate() {
            let table = self.shelf.tables_of(device, stream, &flight.standing, Tables::new)?;
            let key = Key { apart, ..self.shelf.key(table, *rounding, &flight.standing) };
            let beads = self.shelf.tables[table].beads;
            match kinds.iter_mut().find(|kind| kind.key == key && kind.beads == beads) {
                Some(kind) => kind.members.push((table, number)),
                None => kinds.push(Kind { key, beads, members: vec![(table, number)] }),
            }
        }
        let mut landed = Vec::with_capacity(flights.len());
        for Kind { key, beads, mut members } in kinds {
            let drives = members.iter().map(|&(_, number)| flights[number].standing.drives.len());
            let lane_bytes = members.iter().map(|&(table, _)| self.shelf.tables[table].lane_bytes);
            let contacts = members.iter().map(|&(table, _)| self.shelf.tables[table].contacts);
            let size = Size {
                beads,
                drives: drives.max().unwrap_or(0),
                contacts: contacts.max().unwrap_or(0),
                lane_bytes: lane_bytes.max().unwrap_or(0),
            };
            // Members of one system share blocks.
            members.sort_by_key(|&(table, number)| (table, number));
            let systems = members.chunk_by(|a, b| a.0 == b.0).count();
            let all = members.len().max(hands.company);
            let counts = [all / systems, all];
            let (shape, key, function) = self.shaped(hands, key, size, counts)?;
            let mut launch = Launch { device, stream, function, key, shape, size };
            let seats = launch.seats(&members);
            loop {
                let outcome = self.launch(&mut launch, flights, &seats)?;
                match outcome {
                    Landed::All(all) => {
                        landed.extend(all);
                        break;
                    }
                    // Nothing was lost: the members' states are here.
                    Landed::ListsTooShort(tables) => {
                        for (table, wanted) in tables {
                            self.shelf.tables[table].grow_list(stream, wanted)?;
                        }
                    }
                }
            }
        }
        Ok(landed)
    }

    /// The form of blocks for so many members of a system and so many in all that share the card, and its kernel.
    fn shaped(
        &mut self,
        hands: &Hands,
        key: Key,
        size: Size,
        counts: [usize; 2],
    ) -> Result<(Shape, Key, Function), Error> {
        let mut wishes = hands.wishes;
        if key.apart {
            let shape = Shape::of_beads(counts[1] * size.beads, hands.device.properties(), wishes);
            let key = key.shaped(&shape, size);
            return Ok((shape, key, self.function(&hands.device, key)?));
        }
        loop {
            let shape = Shape::new(size, counts, &key, hands.device.properties(), wishes);
            let key = key.shaped(&shape, size);
            let function = self.function(&hands.device, key)?;
            if shape.cluster > 1 {
                let shared = shape.shared_memory(size, &key);
                let clusters = function.clusters(key.cluster, key.threads, shared)? as usize;
                let wished = hands.wishes.cluster == Some(shape.cluster);
                if clusters == 0 || (clusters < counts[1] && !wished) {
                    // Members that wait for others gain nothing by being spread more thinly.
                    wishes.cluster = Some(shape.cluster / 2);
                    continue;
                }
            }
            return Ok((shape, key, function));
        }
    }

    fn function(&mut self, device: &Device, key: Key) -> Result<Function, Error> {
        if let Some(function) = self.functions.get(&key) {
            return Ok(function.clone());
        }
        let program = key.program();
        let function = device.load(&program.name, &program.source)?.function(key.function())?;
        // As much as there is: others share the function, and what one allows must not take it from another.
        let most = device.properties().shared_memory_per_block;
        function.allow_shared_memory(most.saturating_sub(function.static_shared_bytes()))?;
        self.functions.insert(key, function.clone());
        Ok(function)
    }

    fn launch(
        &mut self,
        launch: &mut Launch<'_>,
        flights: &[Flight<'_, T>],
        seats: &[Seat],
    ) -> Result<Landed<T>, Error> {
        let Launch { device, stream, size, .. } = *launch;
        let (beads, drives_per_member) = (size.beads, size.drives);
        let state_words = state_words(&flights[seats[0].number].standing.noise);
        // The input, with addresses counted from its beginning where they are within it.
        let mut arena = Arena::default();
        let mut segments: Vec<layout::Segment> = Vec::new();
        let mut sums = Vec::new();
        let mut drives = Vec::new();
        let mut members = Vec::new();
        let mut anchors_within = Vec::new();
        let mut first_slot = 0;
        let mut list = 0;
        for seat in seats {
            let Flight { standing, looks, .. } = &flights[seat.number];
            let looks = if seat.flies { *looks } else { &[] };
            let positions: Vec<[T; 3]> = standing.positions.iter().collect();
            let positions = arena.place(&positions);
            let noise_states = match standing.noise {
                NoiseSource::Stateful(states) if launch.key.apart => {
                    arena.place(&States::HybridTaus(states.to_vec()).packed())
                }
                NoiseSource::Stateful(states) => {
                    let states: Vec<[u32; 4]> = states.iter().map(|state| state.state()).collect();
                    arena.place(&states)
                }
                NoiseSource::Drawn(streams) => {
                    streams.states().map_or(0, |states| arena.place(&states.packed()))
                }
                NoiseSource::Keyed(_) => 0,
            };
            let key = match standing.noise {
                NoiseSource::Keyed(key) => key,
                NoiseSource::Drawn(streams) => streams.key().unwrap_or_default(),
                NoiseSource::Stateful(_) => [0; 2],
            };
            let table = self.shelf.stage_of(device, stream, standing)?;
            let flags = table.flags;
            let first_drive = drives.len() as u32;
            let stage = &standing.protocol.stages[standing.stage];
            let timestep = standing.protocol.dynamics.timestep;
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
                    anchors_within.push(drives.len());
                }
                drives.push(record);
            }
            let tables = &self.shelf.tables[seat.table];
            members.push(layout::Member {
                topology: tables.address(),
                flags,
                positions,
                noise_states,
                sample_positions: 0,
                sample_noise_states: 0,
                list,
                first_drive,
                drives: standing.drives.len() as u32,
                first_segment: segments.len() as u32,
                segments: looks.len() as u32,
                first_slot,
                steps: looks.iter().map(|look| look.steps).sum(),
                step: standing.step,
                stage_step: standing.stage_step,
                key,
                mobility: standing.mobility,
                amplitude: standing.amplitude,
                square_base: square_base_of(standing.amplitude),
                padding: T::zero(),
            });
            list += tables.list_length() as u64;
            first_slot += looks.len() as u32;
            segments.extend(
                looks
                    .iter()
                    .map(|look| layout::Segment { steps: look.steps, row: look.row.into() }),
            );
            sums.push(layout::Sums {
                force: standing.sums.force,
                force_steps: standing.sums.force_steps,
                square_displacements: (standing.sums.squared_displacements
                    / square_unit(standing.amplitude))
                .round() as u64,
                padding: 0,
            });
        }
        let slots = first_slot as usize;
        let apart = launch.key.apart;
        let fresh = if apart { beads::fresh() } else { layout::Outcome::fresh() };
        let before =
            if apart { beads::sums_before(&members, &sums, &segments) } else { Vec::new() };
        let segments = arena.place(&segments);
        let sums = arena.place(&sums);
        let records = arena.bytes().len()
            + 16
            + drives.len() * size_of::<layout::Drive>()
            + 16
            + size_of_val(members.as_slice());
        // The output begins with the outcomes, which the card finds filled in.
        let output = records.next_multiple_of(256);
        let mut end = 0;
        let mut region = |bytes: usize| {
            let begin = end;
            end = (end + bytes).next_multiple_of(16);
            begin
        };
        let outcomes = region(seats.len() * size_of::<layout::Outcome>());
        let sample_sums = region(slots * size_of::<layout::Sums>());
        let sample_drives = region(slots * drives_per_member * size_of::<layout::Drive>());
        let sample_noise = region(4 * slots * state_words);
        let sample_positions = region(slots * beads * 3 * size_of::<T>());
        let base = reserve(&mut self.scratch, device, output + end)?;
        let lists = reserve(&mut self.lists, device, (list as usize).max(1))?;
        let back = base + output as u64;
        for place in anchors_within {
            drives[place].anchors += base;
        }
        for member in &mut members {
            let slot = u64::from(member.first_slot);
            member.positions += base;
            member.noise_states += base;
            member.sample_positions =
                back + sample_positions as u64 + slot * (beads * 3 * size_of::<T>()) as u64;
            member.sample_noise_states =
                back + sample_noise as u64 + slot * (4 * state_words) as u64;
            member.list = lists + 2 * member.list;
        }
        let drives = arena.place(&drives);
        let members_place = arena.place(&members);
        let (Some(scratch), words) = (&mut self.scratch, vec![0_u64; end.div_ceil(8)]) else {
            return Err(Error::Corrupt { what: "no scratch memory".into() });
        };
        scratch.upload(stream, 0, arena.bytes())?;
        scratch.upload(
            stream,
            output + outcomes,
            bytemuck::cast_slice(&vec![fresh; seats.len()]),
        )?;
        scratch.upload(stream, output + sample_sums, bytemuck::cast_slice(&before))?;
        launch.start(layout::Launch {
            members: base + members_place,
            member_count: seats.len() as u32,
            members_per_block: launch.shape.members as u32,
            drives_per_member: drives_per_member as u32,
            padding: 0,
            segments: base + segments,
            drives: base + drives,
            sample_drives: back + sample_drives as u64,
            sums: base + sums,
            sample_sums: back + sample_sums as u64,
            outcomes: back + outcomes as u64,
        })?;
        let mut words = words;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        scratch.download(stream, output, &mut bytes[..end])?;
        let ends: Vec<layout::Outcome> = bytemuck::cast_slice(
            &bytes[outcomes..outcomes + seats.len() * size_of::<layout::Outcome>()],
        )
        .to_vec();
        let returned = Arc::new(Returned {
            words,
            positions: sample_positions,
            noise: sample_noise,
            drives: sample_drives,
            sums: sample_sums,
            drives_per_member,
            beads,
            packed: apart,
        });
        let short: Vec<_> = seats
            .iter()
            .zip(&ends)
            .filter(|(_, end)| end.overflow > 0)
            .map(|(seat, end)| (seat.table, end.overflow as usize))
            .collect();
        if !short.is_empty() {
            return Ok(Landed::ListsTooShort(short));
        }
        let all = seats.iter().zip(&ends).zip(&members).filter(|((seat, _), _)| seat.flies);
        let all = all.map(|((seat, end), member)| {
            let flight = &flights[seat.number];
            let end = if apart { beads::settled(end, flight.looks, member.step) } else { *end };
            let reached = &flight.looks[..end.segments as usize];
            let samples = Taken {
                returned: returned.clone(),
                first_slot: member.first_slot as usize,
                steps: reached.iter().map(|look| look.steps).collect(),
                number: PhantomData,
            };
            (flight.place, samples, End::of(&end))
        });
        Ok(Landed::All(all.collect()))
    }
}

/// Members that can share a launch: their tables and flights.
struct Kind {
    key: Key,
    beads: usize,
    members: Vec<(usize, usize)>,
}

/// What came of a launch.
enum Landed<T> {
    All(Vec<(usize, Taken<T>, End)>),
    /// Lists that were too short, by tables, and the entries that they need.
    ListsTooShort(Vec<(usize, usize)>),
}

/// A member's place in a block.
#[derive(Clone, Copy, Debug)]
struct Seat {
    table: usize,
    /// Its flight.
    number: usize,
    /// False for one that fills up a block.
    flies: bool,
}

/// A kernel and the form of its blocks.
struct Launch<'a> {
    device: &'a Device,
    stream: &'a Stream,
    function: Function,
    key: Key,
    shape: Shape,
    size: Size,
}

impl Launch<'_> {
    /// The members, ordered by their tables, with as many idle ones after those of a system that the next begin a block.
    fn seats(&self, members: &[(usize, usize)]) -> Vec<Seat> {
        let mut seats: Vec<Seat> = Vec::new();
        for &(table, number) in members {
            while let Some(&last) = seats.last()
                && last.table != table
                && !seats.len().is_multiple_of(self.shape.members)
            {
                seats.push(Seat { flies: false, ..last });
            }
            seats.push(Seat { table, number, flies: true });
        }
        seats
    }

    fn start(&self, parameters: layout::Launch) -> Result<(), Error> {
        let Shape { cluster, members, threads, .. } = self.shape;
        let shared = self.shape.shared_memory(self.size, &self.key);
        let mut blocks = cluster * (parameters.member_count as usize).div_ceil(members);
        if self.key.apart {
            blocks *= self.size.beads.div_ceil(threads);
        }
        // SAFETY: the parameters are those of the kernel (`kernels/topology.cuh`), and every address in them is that of
        // an array made above, long enough for what the kernel reads and writes; the launch is waited for below.
        unsafe {
            self.stream.launch(
                &self.function,
                blocks as u32,
                threads as u32,
                shared,
                &parameters,
            )?;
        }
        self.stream.wait()
    }
}

/// Makes room for `length` elements; returns the address.
fn reserve<E: bytemuck::Pod>(
    buffer: &mut Option<Buffer<E>>,
    device: &Device,
    length: usize,
) -> Result<u64, Error> {
    if let Some(buffer) = buffer.as_ref().filter(|buffer| buffer.len() >= length) {
        return Ok(buffer.address());
    }
    // The old memory goes first.
    *buffer = None;
    Ok(buffer.insert(Buffer::new(device, length + length / 2)?).address())
}
