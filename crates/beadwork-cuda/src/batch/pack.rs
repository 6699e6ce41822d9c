//! The uploader of all plans: writes members' states as records, and downloads their samples.

use std::marker::PhantomData;
use std::sync::Arc;

use beadwork_cpu::{Coordinates, MemberView, NoiseSource, StepControl};
use beadwork_model::Boundary;
use beadwork_random::States;
use beadwork_simulation::SamplePoint;

use crate::batch::arena::Arena;
use crate::batch::records::{self, NOTHING, Number, square_base_of, square_unit};
use crate::batch::samples::{MemberSamples, Returned, state_words};
use crate::observables::{Counts, Observed, ObservedMember};
use crate::tables::{TableCache, external_numbers, external_record};
use crate::{Buffer, Device, Error, Stream};

/// A member of a batch.
#[derive(Debug)]
pub struct BatchMember<'a, T> {
    /// Its number among the jobs.
    pub job: usize,
    /// Its state.
    pub view: MemberView<'a, T>,
    /// The sample points at which its state is downloaded.
    pub points: &'a [SamplePoint],
}

/// The end of a member's steps in a launch.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The member reached its last sample point.
    Reached,
    /// The member has an error at the positions of a step, or at the positions predicted from them.
    Failed { what: u32, length: f32, step: u64, ahead: bool },
}

impl End {
    /// The end that a kernel reported.
    pub fn of(outcome: &records::Outcome) -> End {
        let records::Outcome { what, length, step, ahead, .. } = *outcome;
        match what {
            NOTHING => End::Reached,
            what => End::Failed { what, length, step, ahead: ahead != 0 },
        }
    }
}

/// A slot of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The index of its system's tables.
    pub table: usize,
    /// The index of its member.
    pub member: usize,
    /// False for a copy that pads a block and makes no steps.
    pub moves: bool,
}

/// Device memory that the next batch reuses.
pub type Scratch = Option<Buffer<u8>>;

/// Members of a launch as records. Addresses are offsets in the scratch memory until it is uploaded.
#[derive(Debug)]
pub struct Batch<T> {
    /// The arrays to which the records point.
    pub arena: Arena,
    pub members: Vec<records::Member<T>>,
    pub segments: Vec<records::Segment>,
    pub sums: Vec<records::Sums>,
    /// `externals_per_member` for each member.
    pub externals: Vec<records::External>,
    pub externals_per_member: usize,
    /// The offset of the segments in the arena.
    pub segments_at: u64,
    /// The number of samples of all members.
    samples: usize,
    /// The beads and the words of generators' states in all samples.
    pub(super) sampled: Sampled,
    /// For each member, those in the samples of the members before it.
    pub(super) sampled_before: Vec<Sampled>,
    /// Whether generators' states are stored word by word instead of bead by bead.
    packed_states: bool,
    has_velocities: bool,
    minimises: bool,
    /// Whether members are in periodic boxes.
    pub(super) boxed: bool,
    /// Indices of externals whose anchors are in the arena.
    anchored: Vec<usize>,
    /// The members whose samples are measured: all or none.
    pub observed: Vec<ObservedMember>,
    /// The largest counts of any of them.
    pub observed_counts: Counts,
    /// Words of noise that are filled before the steps of all members.
    pub filled_words: usize,
    /// The bytes of what measurements keep beside the output.
    pub(super) workspace_bytes: usize,
    pub(super) output: Output,
}

/// Numbers of records in samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampled {
    /// Beads.
    pub beads: usize,
    /// Words of generators' states.
    pub state_words: usize,
}

/// Offsets of the arrays of the output, in bytes from its beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Output {
    /// The offset of the output in the scratch memory.
    pub begin: usize,
    pub outcomes: usize,
    pub observed: usize,
    pub sums: usize,
    pub externals: usize,
    pub noise: usize,
    pub positions: usize,
    pub velocities: usize,
    pub forces: usize,
    pub crossings: usize,
    end: usize,
}

/// The offset of an array that a member does not have.
const NOWHERE: u64 = u64::MAX;

impl<T: Number> Batch<T> {
    /// Records of members that share a kernel. Kernels that read generators word by word need `packed_states`.
    pub fn new(
        device: &Device,
        stream: &Stream,
        cache: &mut TableCache<T>,
        entries: &[Entry],
        members: &[BatchMember<'_, T>],
        packed_states: bool,
    ) -> Result<Batch<T>, Error> {
        let first = &members[entries[0].member].view;
        let externals = entries.iter().map(|entry| members[entry.member].view.externals.len());
        let mut batch = Batch {
            arena: Arena::default(),
            members: Vec::with_capacity(entries.len()),
            segments: Vec::new(),
            sums: Vec::with_capacity(entries.len()),
            externals: Vec::new(),
            externals_per_member: externals.max().unwrap_or(0),
            segments_at: 0,
            samples: 0,
            sampled: Sampled::default(),
            sampled_before: Vec::with_capacity(entries.len()),
            packed_states,
            has_velocities: first.motion.is_some(),
            minimises: first.descent.is_some(),
            boxed: first.system.boundary != Boundary::Open,
            anchored: Vec::new(),
            observed: Vec::new(),
            observed_counts: Counts::default(),
            filled_words: 0,
            workspace_bytes: 0,
            output: Output::default(),
        };
        let mut list = 0;
        for entry in entries {
            let BatchMember { view, points, .. } = &members[entry.member];
            let points = if entry.moves { *points } else { &[] };
            let tables = &cache.tables[entry.table];
            let (system, list_words) = (tables.address(), tables.list_words() as u64);
            let flags = batch.place_externals(device, stream, cache, view)?;
            batch.place_member(view, points, system, flags, list);
            list += list_words;
        }
        batch.segments_at = batch.arena.add(&batch.segments);
        Ok(batch)
    }

    fn place_member(
        &mut self,
        view: &MemberView<'_, T>,
        points: &[SamplePoint],
        system: u64,
        flags: u64,
        list: u64,
    ) {
        let positions: Vec<[T; 3]> = view.positions.iter().collect();
        let (noise_states, key) = self.place_noise(&view.noise);
        let steps: u32 = points.iter().map(|point| point.steps).sum();
        let words = self.filled_words as u64;
        self.filled_words += steps as usize * view.system.beads() * T::WORDS;
        let [velocities, forces, inertia] = self.place_motion(view);
        let control = view.descent.map(|descent| descent.control).unwrap_or_default();
        self.members.push(records::Member {
            system,
            flags,
            positions: self.arena.add(&positions),
            noise_states,
            words,
            sample_positions: 0,
            sample_noise_states: 0,
            list,
            velocities,
            forces,
            inertia,
            sample_velocities: 0,
            sample_forces: 0,
            sample_crossings: 0,
            first_external: (self.externals.len() - self.externals_per_member) as u32,
            externals: view.externals.len() as u32,
            first_segment: self.segments.len() as u32,
            segments: points.len() as u32,
            first_sample: self.samples as u32,
            steps,
            step: view.step,
            stage_step: view.stage_step,
            timestep: control.timestep,
            mixing: control.mixing,
            square_tolerance: view.descent.map_or(0.0, |descent| descent.square_tolerance),
            downhill: control.downhill,
            unused: 0,
            lags: lags_of(&view.noise),
            key,
            pair_key: view.motion.as_ref().map_or([0; 2], |motion| motion.pair_key),
            pair_noise: view.motion.as_ref().map_or(T::zero(), |motion| motion.pair_noise),
            padding: T::zero(),
            mobility: view.mobility,
            amplitude: view.amplitude,
            square_base: square_base_of(view.amplitude),
            half_step: view.motion.as_ref().map_or(T::zero(), |motion| motion.half_step),
        });
        let squares = view.sums.squared_displacements / square_unit(view.amplitude);
        self.sums.push(records::Sums {
            force: view.sums.force,
            force_steps: view.sums.force_steps,
            square_displacements: squares.round() as u64,
            padding: 0,
        });
        self.samples += points.len();
        self.sampled_before.push(self.sampled);
        self.sampled.beads += points.len() * view.system.beads();
        self.sampled.state_words += points.len() * state_words(&view.noise);
        let segment =
            |point: &SamplePoint| records::Segment { steps: point.steps, row: point.row.into() };
        self.segments.extend(points.iter().map(segment));
    }

    /// Adds velocities, forces if they are known, and constants of types; returns their offsets, [`NOWHERE`] for none.
    fn place_motion(&mut self, view: &MemberView<'_, T>) -> [u64; 3] {
        let Some(motion) = &view.motion else { return [NOWHERE; 3] };
        let vectors = |coordinates: &Coordinates<T>| coordinates.iter().collect::<Vec<[T; 3]>>();
        let constants = motion.types.iter().map(|of| [of.half_kick, of.drag, of.amplitude]);
        [
            self.arena.add(&vectors(motion.velocities)),
            motion.forces.map_or(NOWHERE, |forces| self.arena.add(&vectors(forces))),
            self.arena.add(&constants.collect::<Vec<[T; 3]>>()),
        ]
    }

    /// Adds the states of generators that have any; returns their offset, and the key of generators without a state.
    fn place_noise(&mut self, noise: &NoiseSource<'_>) -> (u64, [u32; 2]) {
        match noise {
            NoiseSource::Keyed(key) => (0, *key),
            NoiseSource::Stateful(states) if self.packed_states => {
                (self.arena.add(&States::HybridTaus(states.to_vec()).packed()), [0; 2])
            }
            NoiseSource::Stateful(states) => {
                let states: Vec<[u32; 4]> = states.iter().map(|state| state.state()).collect();
                (self.arena.add(&states), [0; 2])
            }
            NoiseSource::Drawn(streams) => {
                let states = streams.states().map_or(0, |states| self.arena.add(&states.packed()));
                (states, streams.key().unwrap_or_default())
            }
        }
    }

    /// Adds the externals of a member's stage. Returns the address of its bead flags: fixed, or pulled by which externals.
    fn place_externals(
        &mut self,
        device: &Device,
        stream: &Stream,
        cache: &mut TableCache<T>,
        view: &MemberView<'_, T>,
    ) -> Result<u64, Error> {
        let table = cache.stage_of(device, stream, view)?;
        let stage = &view.protocol.stages[view.stage];
        let timestep = view.protocol.dynamics.timestep;
        let end = self.externals.len() + self.externals_per_member;
        let externals = stage.externals.iter().zip(view.externals).zip(&table.pulled);
        for (place, ((external, state), &(pulled, pulled_count))) in externals.enumerate() {
            let record = external_record(external, state, timestep);
            let mut record = records::External { pulled, pulled_count, ..record };
            let numbers = external_numbers(external, state, view, place);
            if !numbers.is_empty() {
                record.numbers = self.arena.add(&numbers);
                self.anchored.push(self.externals.len());
            }
            self.externals.push(record);
        }
        self.externals.resize(end, bytemuck::Zeroable::zeroed());
        Ok(table.flags)
    }

    /// Makes room for the arena, `more` bytes after it, and the output, and converts all offsets to device addresses.
    /// Returns the address of the scratch memory. Lists begin at `lists`, filled words, where steps do not draw their own, at `words`.
    pub fn locate(
        &mut self,
        device: &Device,
        scratch: &mut Scratch,
        more: usize,
        lists: u64,
        words: Option<u64>,
    ) -> Result<u64, Error> {
        let begin = (self.arena.bytes().len() + more).next_multiple_of(256);
        let mut end = 0;
        let mut region = |bytes: usize| {
            let begin = end;
            end = (end + bytes).next_multiple_of(16);
            begin
        };
        let (samples, vector) = (self.samples, 3 * size_of::<T>());
        let moving = if self.has_velocities { self.sampled.beads } else { 0 };
        let crossing = if self.boxed { self.sampled.beads } else { 0 };
        let observed = if self.observed.is_empty() { 0 } else { samples };
        self.output = Output {
            begin,
            outcomes: region(self.members.len() * size_of::<records::Outcome>()),
            observed: region(observed * size_of::<Observed>()),
            sums: region(samples * size_of::<records::Sums>()),
            externals: region(samples * self.externals_per_member * size_of::<records::External>()),
            noise: region(4 * self.sampled.state_words),
            positions: region(self.sampled.beads * vector),
            velocities: region(moving * vector),
            forces: region(moving * vector),
            crossings: region(crossing * size_of::<[i32; 3]>()),
            end: 0,
        };
        self.output.end = end;
        let base = reserve(scratch, device, begin + end + self.observing_bytes())?.address();
        for &number in &self.anchored {
            self.externals[number].numbers += base;
        }
        let back = base + begin as u64;
        for (member, before) in self.members.iter_mut().zip(&self.sampled_before) {
            let positions = (before.beads * vector) as u64;
            member.positions += base;
            member.noise_states += base;
            for address in [&mut member.velocities, &mut member.forces, &mut member.inertia] {
                *address = if *address == NOWHERE { 0 } else { *address + base };
            }
            member.sample_velocities = back + self.output.velocities as u64 + positions;
            member.sample_forces = back + self.output.forces as u64 + positions;
            member.sample_crossings =
                back + (self.output.crossings + before.beads * size_of::<[i32; 3]>()) as u64;
            member.sample_positions = back + self.output.positions as u64 + positions;
            member.sample_noise_states =
                back + self.output.noise as u64 + 4 * before.state_words as u64;
            member.list = lists + 2 * member.list;
            member.words = words.map_or(0, |words| words + 4 * member.words);
        }
        self.locate_observed(base, back + end as u64);
        self.segments_at += base;
        Ok(base)
    }

    /// What the record of a launch says of the members and the output, after [`Batch::locate`] returned `base`.
    pub fn launch_record(&self, base: u64) -> records::Launch {
        let back = base + self.output.begin as u64;
        records::Launch {
            member_count: self.members.len() as u32,
            externals_per_member: self.externals_per_member as u32,
            segments: self.segments_at,
            sample_externals: back + self.output.externals as u64,
            sample_sums: back + self.output.sums as u64,
            outcomes: back + self.output.outcomes as u64,
            ..bytemuck::Zeroable::zeroed()
        }
    }

    /// Uploads the arena and the initial output.
    pub fn upload(
        &self,
        stream: &Stream,
        scratch: &mut Scratch,
        fresh: records::Outcome,
        sums: &[records::Sums],
    ) -> Result<(), Error> {
        let scratch = scratch.as_mut().ok_or_else(no_scratch)?;
        scratch.upload(stream, 0, self.arena.bytes())?;
        let Output { begin, outcomes, sums: sums_at, crossings, end, .. } = self.output;
        let fresh = vec![fresh; self.members.len()];
        scratch.upload(stream, begin + outcomes, bytemuck::cast_slice(&fresh))?;
        if self.boxed {
            scratch.upload(stream, begin + crossings, &vec![0_u8; end - crossings])?;
        }
        scratch.upload(stream, begin + sums_at, bytemuck::cast_slice(sums))
    }

    /// Downloads the output: the outcome of each member, and the bytes of all samples.
    pub fn download(
        &self,
        stream: &Stream,
        scratch: &Scratch,
    ) -> Result<(Vec<records::Outcome>, Arc<Returned>), Error> {
        let scratch = scratch.as_ref().ok_or_else(no_scratch)?;
        let Output { begin, outcomes, end, .. } = self.output;
        let mut words = vec![0_u64; end.div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        scratch.download(stream, begin, &mut bytes[..end])?;
        let length = self.members.len() * size_of::<records::Outcome>();
        let ends = bytemuck::cast_slice(&bytes[outcomes..outcomes + length]).to_vec();
        let returned = Returned {
            words,
            output: self.output,
            has_velocities: self.has_velocities,
            boxed: self.boxed,
            observed: !self.observed.is_empty(),
            externals_per_member: self.externals_per_member,
            packed: self.packed_states,
        };
        Ok((ends, Arc::new(returned)))
    }

    /// The samples that member `number` reached.
    pub fn samples_of(
        &self,
        number: usize,
        points: &[SamplePoint],
        outcome: &records::Outcome,
        returned: &Arc<Returned>,
    ) -> MemberSamples<T> {
        let records::Outcome { timestep, mixing, downhill, made, .. } = *outcome;
        let reached = &points[..outcome.segments as usize];
        let mut steps: Vec<u32> = reached.iter().map(|point| point.steps).collect();
        let mut descent = None;
        if let ([steps], true) = (&mut steps[..], self.minimises) {
            descent = Some((StepControl { timestep, mixing, downhill }, made < *steps));
            *steps = made;
        }
        MemberSamples {
            returned: returned.clone(),
            first: self.members[number].first_sample as usize,
            before: self.sampled_before[number],
            steps,
            descent,
            number: PhantomData,
        }
    }
}

/// The short and the long lag of Lagged Fibonacci; zeros of other generators.
fn lags_of(noise: &NoiseSource<'_>) -> [u32; 2] {
    let NoiseSource::Drawn(streams) = noise else { return [0; 2] };
    match streams.states() {
        Some(States::LaggedFibonacci(state)) => {
            let (short, long) = state.lags();
            [short as u32, long as u32]
        }
        _ => [0; 2],
    }
}

fn no_scratch() -> Error {
    Error::Corrupt { what: "no scratch memory".into() }
}

/// Makes room for `length` elements, and for half more, so that a few more need no new memory.
pub fn reserve<'a, E: bytemuck::Pod>(
    buffer: &'a mut Option<Buffer<E>>,
    device: &Device,
    length: usize,
) -> Result<&'a mut Buffer<E>, Error> {
    reserve_within(buffer, device, length, usize::MAX)
}

/// Makes room for `length` elements, and for half more, but for no more than `usual` elements unless `length` is more.
pub fn reserve_within<'a, E: bytemuck::Pod>(
    buffer: &'a mut Option<Buffer<E>>,
    device: &Device,
    length: usize,
    usual: usize,
) -> Result<&'a mut Buffer<E>, Error> {
    if buffer.as_ref().is_none_or(|buffer| buffer.len() < length) {
        // Frees the old memory first.
        *buffer = None;
        let room = (length + length / 2).min(length.max(usual));
        *buffer = Some(Buffer::new(device, room)?);
    }
    buffer.as_mut().ok_or_else(no_scratch)
}
