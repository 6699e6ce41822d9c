//! [`ChainSamplers`]: replicas of elastic chains on a card, with Metropolis moves and exchange of temperatures.

mod launch;

use beadwork_random::{NoiseKey, Purpose};
use beadwork_simulation::AcceptanceCount;

use crate::batch::records::Number;
use crate::monte_carlo::chain_program::{
    ChainShape, KERNEL, LANES, MOST_MONOMERS, MOST_THREADS, lanes_of,
};
use crate::monte_carlo::chain_samplers::launch::{LaunchOutput, Progress};
use crate::monte_carlo::ladder_batch::{ChainOverrides, LadderBatch, Stop};
use crate::monte_carlo::sweep_record::SweepRecord;
use crate::monte_carlo::sweep_schedule::{EXCHANGE, SweepSchedule};
use crate::{Buffer, Device, Error, Function, Rounding, Stream};

/// Slots of a rung's messages times the words of each, as in `exchange.cuh`.
const MESSAGE_WORDS: usize = 4 * 5;

/// Replicas on a card. `T` is the precision of their arithmetic.
///
/// A replica's trajectory depends only on seed, number, start and rungs, not on batching, lanes, blocks or launches.
/// With [`Rounding::AsWritten`] it has the bits of [`beadwork_cpu::monte_carlo::ChainSampler`].
#[derive(Debug)]
pub struct ChainSamplers<T: Number> {
    device: Device,
    stream: Stream,
    function: Function,
    form: ChainShape,
    threads: u32,
    by_host: bool,
    batch: LadderBatch,
    /// The number of rungs of a ladder, and of all replicas.
    rungs: usize,
    replicas: usize,
    positions: Buffer<[T; 4]>,
    keys: Buffer<u32>,
    /// For each replica.
    rung_of: Buffer<u32>,
    temperatures: Buffer<T>,
    inverse_temperatures: Buffer<f64>,
    displacements: Buffer<f64>,
    acceptance: Buffer<u64>,
    ladder_keys: Buffer<u32>,
    messages: Buffer<u64>,
    lost: Buffer<u32>,
    output: Option<LaunchOutput<T>>,
    progress: Option<Progress>,
}

impl<T: Number> ChainSamplers<T> {
    /// Replicas at their start.
    ///
    /// # Errors
    /// [`Error::Other`] for chains too large for a card and overrides that it cannot fulfil; errors of device, compiler
    /// and memory.
    ///
    /// # Panics
    /// If there are no ladders, or if their sizes do not agree with each other and with the chain.
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
            let counts = [ladder.rungs.len(), ladder.rung_of.len(), ladder.positions.len()];
            assert_eq!((counts, ladder.fits.len()), ([rungs; 3], rungs), "replicas of a ladder");
            assert!(ladder.positions.iter().all(|p| p.len() == monomers), "monomers of a replica");
            let mut taken = ladder.rung_of.clone();
            taken.sort_unstable();
            assert!((0..).zip(&taken).all(|(n, rung)| n == *rung), "a rung for each replica");
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
            rung_of: Buffer::new(device, replicas)?,
            temperatures: Buffer::new(device, replicas)?,
            inverse_temperatures: Buffer::new(device, replicas)?,
            displacements: Buffer::new(device, replicas)?,
            acceptance: Buffer::new(device, 2 * replicas)?,
            ladder_keys: Buffer::new(device, 2 * batch.ladders.len())?,
            messages: Buffer::new(device, MESSAGE_WORDS * replicas)?,
            lost: Buffer::new(device, 1)?,
            output: None,
            progress: None,
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
        let rung_of: Vec<u32> = ladders.iter().flat_map(|ladder| ladder.rung_of.clone()).collect();
        let fits = ladders.iter().flat_map(|ladder| &ladder.fits);
        let acceptance: Vec<u64> = fits.flat_map(|fit| [fit.accepted, fit.attempted]).collect();
        let monomers = ladders.iter().flat_map(|ladder| ladder.positions.iter().flatten());
        let row = |[x, y, z]: &[f64; 3]| [*x, *y, *z, 0.0].map(T::from_f64);
        let positions: Vec<[T; 4]> = monomers.map(row).collect();
        self.positions.upload(&self.stream, 0, &positions)?;
        self.keys.upload(&self.stream, 0, &keys)?;
        self.rung_of.upload(&self.stream, 0, &rung_of)?;
        self.acceptance.upload(&self.stream, 0, &acceptance)?;
        self.temperatures.upload(&self.stream, 0, &in_unit)?;
        self.inverse_temperatures.upload(&self.stream, 0, &inverse)?;
        self.displacements.upload(&self.stream, 0, &displacements)?;
        self.ladder_keys.upload(&self.stream, 0, &ladder_keys)?;
        self.messages.fill_zero(&self.stream)?;
        self.lost.fill_zero(&self.stream)?;
        Ok(self)
    }

    /// The number of lanes of a replica.
    pub fn lanes(&self) -> u32 {
        self.form.lanes
    }

    /// The present state of all replicas, from which to continue.
    ///
    /// # Panics
    /// If a schedule was begun and not [ended](ChainSamplers::end).
    pub fn batch(&self) -> Result<LadderBatch, Error> {
        assert!(self.progress.is_none(), "positions are known when the schedule is over");
        let monomers = self.batch.polymer.monomers;
        let zero = T::from_f64(0.0);
        let mut positions = vec![[zero; 4]; self.replicas * monomers];
        let mut displacements = vec![0.0; self.replicas];
        let mut acceptance = vec![0; 2 * self.replicas];
        self.positions.download(&self.stream, 0, &mut positions)?;
        self.displacements.download(&self.stream, 0, &mut displacements)?;
        self.acceptance.download(&self.stream, 0, &mut acceptance)?;
        let mut batch = self.batch.clone();
        let mut replicas = positions.chunks_exact(monomers);
        let mut fitted = displacements.into_iter().zip(acceptance.chunks_exact(2));
        for ladder in &mut batch.ladders {
            let each = ladder.rungs.iter_mut().zip(&mut ladder.fits);
            for ((rung, fit), (displacement, count)) in each.zip(&mut fitted) {
                rung.displacement = displacement;
                *fit = AcceptanceCount { accepted: count[0], attempted: count[1] };
            }
            for (to, rows) in ladder.positions.iter_mut().zip(&mut replicas) {
                *to = rows.iter().map(|[x, y, z, _]| [x, y, z].map(|x| x.to_f64())).collect();
            }
        }
        Ok(batch)
    }

    /// Runs all replicas through a schedule; returns its stops in order.
    ///
    /// # Errors
    /// Errors of the device. Replicas are lost then.
    pub fn advance(&mut self, schedule: SweepSchedule) -> Result<Vec<Stop>, Error> {
        self.begin(schedule)?;
        Ok(self.end()?.stops())
    }

    /// Starts the first launch of a schedule on the card, and returns at once.
    ///
    /// # Errors
    /// Errors of the device. Replicas are lost then.
    ///
    /// # Panics
    /// If the schedule before was not [ended](ChainSamplers::end).
    pub fn begin(&mut self, schedule: SweepSchedule) -> Result<(), Error> {
        assert!(self.progress.is_none(), "a schedule at a time");
        let mut segments = schedule.segments(self.batch.sweep);
        if self.rungs == 1 {
            segments.iter_mut().for_each(|segment| segment.what &= !EXCHANGE);
        }
        let together = if self.by_host { 0 } else { self.ladders_together()? };
        let mut progress =
            Progress { segments, together, launched: Vec::new(), done: 0, decide: false };
        self.launch_next(&mut progress)?;
        self.progress = Some(progress);
        Ok(())
    }

    /// Waits for the end of the schedule that was begun last.
    ///
    /// # Errors
    /// Errors of the device. Replicas are lost then.
    ///
    /// # Panics
    /// If none was begun.
    pub fn end(&mut self) -> Result<SweepRecord<T>, Error> {
        let Some(mut progress) = self.progress.take() else {
            unreachable!("no schedule was begun");
        };
        let LadderBatch { polymer, sweep, .. } = self.batch;
        let mut record = SweepRecord::new(self.replicas, polymer.monomers, sweep);
        loop {
            record.parts.push(self.collect(&mut progress)?);
            if progress.done == progress.segments.len() {
                break;
            }
            self.launch_next(&mut progress)?;
        }
        record.last = vec![[T::from_f64(0.0); 4]; self.positions.len()];
        self.positions.download(&self.stream, 0, &mut record.last)?;
        Ok(record)
    }
}

impl<T: Number> Drop for ChainSamplers<T> {
    /// The kernel writes to the buffers until it ends.
    fn drop(&mut self) {
        if self.progress.is_some() {
            // A destructor cannot report a failure.
            let _ = self.stream.wait();
        }
    }
}

fn refused(monomers: usize, lanes: u32, threads: u32) -> Error {
    let reason = if !(2..=MOST_MONOMERS).contains(&monomers) {
        format!("Chains have 2 to {MOST_MONOMERS} monomers here: sample longer ones on the CPU.")
    } else {
        format!(
            "The number of lanes must be one of {LANES:?}, with at most 32 monomers a lane; the number of threads must be a multiple of 32, at most {MOST_THREADS}."
        )
    };
    let action = format!(
        "sample chains of {monomers} monomers on a GPU, {lanes} lanes each, in blocks of {threads} threads"
    );
    Error::Other { action, reason }
}
