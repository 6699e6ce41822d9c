//! [`ChainSamplers`]: replicas of elastic chains on a card, sampled by Metropolis moves and exchanged between temperatures.

use beadwork_cpu::monte_carlo::Chain;
use beadwork_random::{NoiseKey, Purpose};
use beadwork_simulation::AcceptanceCount;

use crate::batch::layout::Number;
use crate::monte_carlo::chain_program::{
    ChainShape, KERNEL, LANES, MOST_MONOMERS, MOST_THREADS, lanes_of,
};
use crate::monte_carlo::ladder_batch::{ChainOverrides, LadderBatch, Stop};
use crate::monte_carlo::sweep_record::{Part, SweepRecord};
use crate::monte_carlo::sweep_schedule::{
    ENERGY, EXCHANGE, SAMPLE, Segment, SweepSchedule, number,
};
use crate::{Buffer, Device, Error, Function, Rounding, Stream};

/// Bytes of what a launch leaves for the host, about: longer ways are several launches.
const MOST_BYTES: usize = 1 << 28;
/// Segments of a launch at most.
const MOST_SEGMENTS: usize = 1 << 16;
/// Places of a rung in which its replica tells what it has, and words of each: as in `exchange.cuh`.
const TOLD_WORDS: usize = 4 * 5;

/// The parameter of the kernel in `monte_carlo.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Launch<T> {
    positions: u64,
    keys: u64,
    rungs: u64,
    temperatures: u64,
    inverse_temperatures: u64,
    displacements: u64,
    tallies: u64,
    ladder_keys: u64,
    segments: u64,
    accepted: u64,
    energies: u64,
    passed: u64,
    samples: u64,
    told: u64,
    lost: u64,
    sweep: u64,
    attempt: u64,
    unit: f64,
    length: f64,
    chain: [T; 6],
    replicas: u32,
    first: u32,
    end: u32,
    ladder: u32,
    monomers: u32,
    count: u32,
}

/// What a launch leaves for the host, with room for so many segments and samples.
#[derive(Debug)]
struct Left<T: Number> {
    segments: Buffer<Segment>,
    accepted: Buffer<u32>,
    energies: Buffer<f64>,
    passed: Buffer<u32>,
    samples: Buffer<T>,
}

/// Replicas on a card. `T` is the precision of their arithmetic.
///
/// A replica's way depends on seed, number, start and its rungs; not on company, lanes, blocks or how a schedule is cut.
/// Rounded [`Rounding::AsWritten`], it is that of [`beadwork_cpu::monte_carlo::ChainSampler`] to the bit.
#[derive(Debug)]
pub struct ChainSamplers<T: Number> {
    device: Device,
    stream: Stream,
    function: Function,
    form: ChainShape,
    threads: u32,
    by_host: bool,
    batch: LadderBatch,
    /// Rungs of a ladder, and replicas of all.
    rungs: usize,
    replicas: usize,
    positions: Buffer<[T; 4]>,
    keys: Buffer<u32>,
    places: Buffer<u32>,
    temperatures: Buffer<T>,
    inverse_temperatures: Buffer<f64>,
    displacements: Buffer<f64>,
    tallies: Buffer<u64>,
    ladder_keys: Buffer<u32>,
    told: Buffer<u64>,
    lost: Buffer<u32>,
    left: Option<Left<T>>,
    on_the_way: Option<CpuPath>,
}

impl<T: Number> ChainSamplers<T> {
    /// Replicas as they begin.
    ///
    /// # Errors
    /// [`Error::Other`] for chains that a card does not hold or overrides that it cannot fulfil; else what the device, the
    /// compiler or memory did.
    ///
    /// # Panics
    /// Where there are no ladders, or they, their replicas and the chain do not have as many of everything.
    pub fn new(
        device: &Device,
        batch: LadderBatch,
        rounding: Rounding,
        overrides: ChainOverrides,
    ) -> Result<Self, Error> {
        let monomers = batch.polymer.monomers;
        let rungs = batch.ladders.first().map_or(0, |ladder| ladder.rungs.len());
        assert!(rungs > 0, "ladders with rungs");
        for ladder in &batch.ladders {
            let counts = [ladder.rungs.len(), ladder.places.len(), ladder.positions.len()];
            assert_eq!((counts, ladder.fits.len()), ([rungs; 3], rungs), "replicas of a ladder");
            assert!(ladder.positions.iter().all(|p| p.len() == monomers), "monomers of a replica");
            let mut places = ladder.places.clone();
            places.sort_unstable();
            assert!((0..).zip(&places).all(|(n, place)| n == *place), "a rung for each replica");
        }
        let replicas = rungs * batch.ladders.len();
        let multiprocessors = device.properties().multiprocessors;
        let lanes =
            overrides.lanes.unwrap_or_else(|| lanes_of(monomers, replicas, multiprocessors));
        let threads = overrides.threads.unwrap_or(32);
        let form = ChainShape::new(T::PRECISION, rounding, monomers, lanes);
        let is_block = threads.is_multiple_of(32) && (32..=MOST_THREADS).contains(&threads);
        let (Some(form), true) = (form, is_block) else {
            return Err(refused(monomers, lanes, threads));
        };
        let program = form.program();
        let function = device.load(&program.name, &program.source)?.function(KERNEL)?;
        let samplers = ChainSamplers {
            stream: device.stream()?,
            function,
            form,
            threads,
            by_host: overrides.by_host,
            rungs,
            replicas,
            positions: Buffer::new(device, replicas * monomers)?,
            keys: Buffer::new(device, 2 * replicas)?,
            places: Buffer::new(device, replicas)?,
            temperatures: Buffer::new(device, replicas)?,
            inverse_temperatures: Buffer::new(device, replicas)?,
            displacements: Buffer::new(device, replicas)?,
            tallies: Buffer::new(device, 2 * replicas)?,
            ladder_keys: Buffer::new(device, 2 * batch.ladders.len())?,
            told: Buffer::new(device, TOLD_WORDS * replicas)?,
            lost: Buffer::new(device, 1)?,
            left: None,
            on_the_way: None,
            device: device.clone(),
            batch,
        };
        samplers.put()
    }

    /// Writes the batch to the card.
    fn put(mut self) -> Result<Self, Error> {
        let LadderBatch { polymer, seed, ladders, .. } = &self.batch;
        let unit = 4.0 * polymer.pairs.depth;
        let all_rungs = || ladders.iter().flat_map(|ladder| &ladder.rungs);
        let temperatures: Vec<f64> = all_rungs().map(|rung| rung.temperature).collect();
        let in_unit: Vec<T> = temperatures.iter().map(|t| T::from_f64(t / unit)).collect();
        let inverse: Vec<f64> = temperatures.iter().map(|t| 1.0 / t).collect();
        let displacements: Vec<f64> = all_rungs().map(|rung| rung.displacement).collect();
        let numbers = ladders.iter().flat_map(|ladder| (ladder.first..).take(self.rungs));
        let key = |number, purpose| NoiseKey::new(*seed, purpose, number).key_words();
        let keys: Vec<u32> = numbers.flat_map(|n| key(n, Purpose::MonteCarloMove)).collect();
        let firsts = ladders.iter().map(|ladder| ladder.first);
        let ladder_keys: Vec<u32> =
            firsts.flat_map(|first| key(first, Purpose::ReplicaExchange)).collect();
        let places: Vec<u32> = ladders.iter().flat_map(|ladder| ladder.places.clone()).collect();
        let fits = ladders.iter().flat_map(|ladder| &ladder.fits);
        let tallies: Vec<u64> = fits.flat_map(|fit| [fit.accepted, fit.attempted]).collect();
        let monomers = ladders.iter().flat_map(|ladder| ladder.positions.iter().flatten());
        let row = |[x, y, z]: &[f64; 3]| [*x, *y, *z, 0.0].map(T::from_f64);
        let positions: Vec<[T; 4]> = monomers.map(row).collect();
        self.positions.upload(&self.stream, 0, &positions)?;
        self.keys.upload(&self.stream, 0, &keys)?;
        self.places.upload(&self.stream, 0, &places)?;
        self.tallies.upload(&self.stream, 0, &tallies)?;
        self.temperatures.upload(&self.stream, 0, &in_unit)?;
        self.inverse_temperatures.upload(&self.stream, 0, &inverse)?;
        self.displacements.upload(&self.stream, 0, &displacements)?;
        self.ladder_keys.upload(&self.stream, 0, &ladder_keys)?;
        self.told.fill_zero(&self.stream)?;
        self.lost.fill_zero(&self.stream)?;
        Ok(self)
    }

    /// Lanes of a replica.
    pub fn lanes(&self) -> u32 {
        self.form.lanes
    }

    /// Where all of it is now, to go on from there.
    ///
    /// # Errors
    /// What the device did.
    ///
    /// # Panics
    /// Where a schedule was begun and not [ended](ChainSamplers::end).
    pub fn batch(&self) -> Result<LadderBatch, Error> {
        assert!(
            self.on_the_way.is_none(),
            "where replicas are is not known before their schedule is over"
        );
        let monomers = self.batch.polymer.monomers;
        let zero = T::from_f64(0.0);
        let mut positions = vec![[zero; 4]; self.replicas * monomers];
        let mut displacements = vec![0.0; self.replicas];
        let mut tallies = vec![0; 2 * self.replicas];
        self.positions.download(&self.stream, 0, &mut positions)?;
        self.displacements.download(&self.stream, 0, &mut displacements)?;
        self.tallies.download(&self.stream, 0, &mut tallies)?;
        let mut batch = self.batch.clone();
        let mut replicas = positions.chunks_exact(monomers);
        let mut fitted = displacements.into_iter().zip(tallies.chunks_exact(2));
        for ladder in &mut batch.ladders {
            let each = ladder.rungs.iter_mut().zip(&mut ladder.fits);
            for ((rung, fit), (displacement, tally)) in each.zip(&mut fitted) {
                rung.displacement = displacement;
                *fit = AcceptanceCount { accepted: tally[0], attempted: tally[1] };
            }
            for (to, rows) in ladder.positions.iter_mut().zip(&mut replicas) {
                *to = rows.iter().map(|[x, y, z, _]| [x, y, z].map(|x| x.to_f64())).collect();
            }
        }
        Ok(batch)
    }

    /// Leads all replicas through a schedule; what there is to say, in order.
    ///
    /// # Errors
    /// What the device did. Replicas are lost then.
    pub fn advance(&mut self, schedule: SweepSchedule) -> Result<Vec<Stop>, Error> {
        self.begin(schedule)?;
        Ok(self.end()?.stops())
    }

    /// Has the card begin a schedule, as far as one launch goes, and returns at once.
    ///
    /// # Errors
    /// What the device did. Replicas are lost then.
    ///
    /// # Panics
    /// Where the schedule before was not [ended](ChainSamplers::end).
    pub fn begin(&mut self, schedule: SweepSchedule) -> Result<(), Error> {
        assert!(self.on_the_way.is_none(), "a schedule at a time");
        let mut segments = schedule.segments(self.batch.sweep);
        if self.rungs == 1 {
            segments.iter_mut().for_each(|segment| segment.what &= !EXCHANGE);
        }
        let together = if self.by_host { 0 } else { self.ladders_together()? };
        let mut way =
            CpuPath { segments, together, launched: Vec::new(), behind: 0, decide: false };
        self.go_on(&mut way)?;
        self.on_the_way = Some(way);
        Ok(())
    }

    /// Waits for the end of the schedule that was begun last.
    ///
    /// # Errors
    /// What the device did. Replicas are lost then.
    ///
    /// # Panics
    /// Where none was begun.
    pub fn end(&mut self) -> Result<SweepRecord<T>, Error> {
        let Some(mut way) = self.on_the_way.take() else {
            unreachable!("no schedule was begun");
        };
        let LadderBatch { polymer, sweep, .. } = self.batch;
        let mut record = SweepRecord::new(self.replicas, polymer.monomers, sweep);
        loop {
            record.parts.push(self.collect(&mut way)?);
            if way.behind == way.segments.len() {
                break;
            }
            self.go_on(&mut way)?;
        }
        record.last = vec![[T::from_f64(0.0); 4]; self.positions.len()];
        self.positions.download(&self.stream, 0, &mut record.last)?;
        Ok(record)
    }

    /// Replicas of a block.
    fn groups(&self) -> usize {
        (self.threads / self.form.lanes) as usize
    }

    fn shared(&self) -> usize {
        self.groups() * self.form.replica_bytes()
    }

    /// Ladders whose blocks run beside each other, so that their replicas may wait for each other; 0 where not even one fits.
    /// Ladders without exchange wait for nobody.
    fn ladders_together(&self) -> Result<usize, Error> {
        if self.rungs == 1 {
            return Ok(self.replicas);
        }
        self.function.allow_shared_memory(self.shared())?;
        let blocks = self.function.blocks_per_multiprocessor(self.threads, self.shared())?;
        let blocks = (blocks * self.device.properties().multiprocessors) as usize;
        Ok(blocks * self.groups() / self.rungs)
    }

    /// Segments that one launch goes through.
    fn segments_of_launch(&self, segments: &[Segment], decides: bool) -> usize {
        let monomers = self.batch.polymer.monomers;
        let mut bytes = 0;
        for (place, segment) in segments.iter().enumerate() {
            let sample = if segment.is(SAMPLE) { 3 * monomers * size_of::<T>() } else { 0 };
            bytes += self.replicas * (16 + sample);
            if place > 0 && (bytes > MOST_BYTES || place == MOST_SEGMENTS) {
                return place;
            }
            // The host decides.
            if segment.is(EXCHANGE) && !decides {
                return place + 1;
            }
        }
        segments.len()
    }

    /// Launches the segments that are next.
    fn go_on(&mut self, way: &mut CpuPath) -> Result<(), Error> {
        let rest = &way.segments[way.behind..];
        let mut segments = rest[..self.segments_of_launch(rest, way.together > 0)].to_vec();
        way.behind += segments.len();
        way.decide = way.together == 0 && segments.last().is_some_and(|last| last.is(EXCHANGE));
        if let Some(last) = segments.last_mut().filter(|_| way.decide) {
            last.what = last.what & !EXCHANGE | ENERGY;
        }
        number(&mut segments);
        let [samples, exchanges] = counts(&segments);
        let numbers = 3 * self.replicas * self.batch.polymer.monomers;
        let has_room = |left: &Left<T>| {
            left.segments.len() >= segments.len()
                && left.samples.len() >= samples * numbers
                && left.passed.len() >= exchanges * self.replicas
        };
        if !self.left.as_ref().is_some_and(has_room) {
            // Nothing is under way, and there may not be room for both.
            self.left = None;
            self.left = Some(Left {
                segments: Buffer::new(&self.device, segments.len())?,
                accepted: Buffer::new(&self.device, segments.len() * self.replicas)?,
                energies: Buffer::new(&self.device, segments.len() * self.replicas)?,
                passed: Buffer::new(&self.device, exchanges * self.replicas)?,
                samples: Buffer::new(&self.device, samples * numbers)?,
            });
        }
        if let Some(left) = &mut self.left {
            left.segments.upload(&self.stream, 0, &segments)?;
        }
        let each = if way.together == 0 { self.replicas } else { way.together * self.rungs };
        let mut first = 0;
        while first < self.replicas {
            let end = (first + each).min(self.replicas);
            self.launch(segments.len(), first, end)?;
            first = end;
        }
        way.launched = segments;
        Ok(())
    }

    fn launch(&self, count: usize, first: usize, end: usize) -> Result<(), Error> {
        let Some(left) = &self.left else { return Ok(()) };
        let LadderBatch { polymer, sweep, attempt, .. } = &self.batch;
        let launch = Launch::<T> {
            positions: self.positions.address(),
            keys: self.keys.address(),
            rungs: self.places.address(),
            temperatures: self.temperatures.address(),
            inverse_temperatures: self.inverse_temperatures.address(),
            displacements: self.displacements.address(),
            tallies: self.tallies.address(),
            ladder_keys: self.ladder_keys.address(),
            segments: left.segments.address(),
            accepted: left.accepted.address(),
            energies: left.energies.address(),
            passed: left.passed.address(),
            samples: left.samples.address(),
            told: self.told.address(),
            lost: self.lost.address(),
            sweep: *sweep,
            attempt: *attempt,
            unit: 4.0 * polymer.pairs.depth,
            length: polymer.bonds.length,
            chain: Chain::<T>::new(polymer).numbers(),
            replicas: self.replicas as u32,
            first: first as u32,
            end: end as u32,
            ladder: self.rungs as u32,
            monomers: polymer.monomers as u32,
            count: count as u32,
        };
        let blocks = (end - first).div_ceil(self.groups()) as u32;
        let shared = self.shared();
        self.function.allow_shared_memory(shared)?;
        // SAFETY: the parameter is the kernel's. What is written of each replica and segment has room for all replicas of
        // `self` and for the segments that `left` was made for; it is all kept until the stream was waited for, by `collect`
        // or by `drop`, and nothing else uses it.
        unsafe { self.stream.launch(&self.function, blocks, self.threads, shared, &launch) }
    }

    /// Waits for the segments that were launched, and takes over where replicas are then; what the launch left.
    fn collect(&mut self, way: &mut CpuPath) -> Result<Part<T>, Error> {
        let mut lost = [0];
        self.lost.download(&self.stream, 0, &mut lost)?;
        if lost != [0] {
            return Err(Error::Launch { kernel: KERNEL.into(), reason: LOST.into() });
        }
        let (all, monomers) = (self.replicas, self.batch.polymer.monomers);
        let segments = std::mem::take(&mut way.launched);
        let [samples, exchanges] = counts(&segments);
        let mut part = Part {
            accepted: vec![0; segments.len() * all],
            energies: vec![0.0; segments.len() * all],
            passed: vec![0; exchanges * all],
            samples: vec![T::from_f64(0.0); samples * 3 * all * monomers],
            segments,
            decided: None,
        };
        if let Some(left) = &self.left {
            left.accepted.download(&self.stream, 0, &mut part.accepted)?;
            left.energies.download(&self.stream, 0, &mut part.energies)?;
            left.passed.download(&self.stream, 0, &mut part.passed)?;
            left.samples.download(&self.stream, 0, &mut part.samples)?;
        }
        let sweeps = part.segments.iter().map(|segment| u64::from(segment.sweeps));
        self.batch.sweep += sweeps.sum::<u64>();
        self.batch.attempt += exchanges as u64;
        let last = part.passed.chunks_exact(all).last().unwrap_or_default();
        for (ladder, places) in self.batch.ladders.iter_mut().zip(last.chunks_exact(self.rungs)) {
            ladder.places.copy_from_slice(places);
        }
        if way.decide {
            part.decided = Some(self.exchange(&part)?);
        }
        Ok(part)
    }

    /// Decides an exchange by the energies at the end of a launch.
    fn exchange(&mut self, part: &Part<T>) -> Result<Vec<u32>, Error> {
        self.batch.exchange(&part.energies[part.energies.len() - self.replicas..]);
        let ladders = &self.batch.ladders;
        let places: Vec<u32> = ladders.iter().flat_map(|ladder| ladder.places.clone()).collect();
        self.places.upload(&self.stream, 0, &places)?;
        Ok(places)
    }
}

impl<T: Number> Drop for ChainSamplers<T> {
    /// The kernel writes to the buffers until it is over.
    fn drop(&mut self) {
        if self.on_the_way.is_some() {
            // Nobody is left to hear of a failure.
            let _ = self.stream.wait();
        }
    }
}

/// A schedule that replicas are on.
#[derive(Clone, Debug)]
struct CpuPath {
    segments: Vec<Segment>,
    /// Ladders of a launch; 0 where the host decides, an exchange at the end of each launch.
    together: usize,
    /// Those that are on the card, as the kernel was told them.
    launched: Vec<Segment>,
    /// Segments up to their end.
    behind: usize,
    /// Whether the host is to decide an exchange there.
    decide: bool,
}

/// Looks and exchanges among segments.
fn counts(segments: &[Segment]) -> [usize; 2] {
    [SAMPLE, EXCHANGE].map(|what| segments.iter().filter(|segment| segment.is(what)).count())
}

const LOST: &str = "replicas of a ladder waited for each other in vain. Other work on the card may have kept some of its \
                    blocks from starting: end it, and resume the run";

fn refused(monomers: usize, lanes: u32, threads: u32) -> Error {
    let reason = if !(2..=MOST_MONOMERS).contains(&monomers) {
        format!("Chains have 2 to {MOST_MONOMERS} monomers here: sample longer ones on the CPU.")
    } else {
        format!(
            "Lanes are one of {LANES:?} with at most 32 monomers each, threads a multiple of 32 up to {MOST_THREADS}."
        )
    };
    let action = format!(
        "sample chains of {monomers} monomers on a GPU, {lanes} lanes each, in blocks of {threads} threads"
    );
    Error::Other { action, reason }
}
