//! The launches of a schedule and their output.

use beadwork_cpu::monte_carlo::Chain;

use crate::batch::records::Number;
use crate::monte_carlo::chain_program::KERNEL;
use crate::monte_carlo::chain_samplers::ChainSamplers;
use crate::monte_carlo::ladder_batch::LadderBatch;
use crate::monte_carlo::sweep_record::Part;
use crate::monte_carlo::sweep_schedule::{ENERGY, EXCHANGE, SAMPLE, Segment, number};
use crate::{Buffer, Error};

/// The most bytes of a launch's output, about: longer schedules take several launches.
const MOST_BYTES: usize = 1 << 28;
/// The most segments of a launch.
const MOST_SEGMENTS: usize = 1 << 16;

/// The parameter of the kernel in `sweep.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Launch<T> {
    positions: u64,
    keys: u64,
    rungs: u64,
    temperatures: u64,
    inverse_temperatures: u64,
    displacements: u64,
    acceptance: u64,
    ladder_keys: u64,
    segments: u64,
    accepted: u64,
    energies: u64,
    passed: u64,
    samples: u64,
    messages: u64,
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

/// The output of a launch, with room for its segments and samples.
#[derive(Debug)]
pub(super) struct LaunchOutput<T: Number> {
    segments: Buffer<Segment>,
    accepted: Buffer<u32>,
    energies: Buffer<f64>,
    passed: Buffer<u32>,
    samples: Buffer<T>,
}

/// The progress of a schedule.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub segments: Vec<Segment>,
    /// Ladders of a launch; 0 if the host decides exchanges, one at the end of each launch.
    pub together: usize,
    /// The segments of the present launch, as the kernel has them.
    pub launched: Vec<Segment>,
    /// Segments launched so far.
    pub done: usize,
    /// Whether the host decides an exchange after the launch.
    pub decide: bool,
}

/// The numbers of samples and exchanges among segments.
fn counts(segments: &[Segment]) -> [usize; 2] {
    [SAMPLE, EXCHANGE].map(|what| segments.iter().filter(|segment| segment.is(what)).count())
}

const LOST: &str = "replicas of a ladder waited too long for each other. Other work on the card may have kept some of its \
                    blocks from starting: end it, and resume the run";

impl<T: Number> ChainSamplers<T> {
    /// The number of replicas of a block.
    fn groups(&self) -> usize {
        (self.threads / self.form.lanes) as usize
    }

    fn shared(&self) -> usize {
        self.groups() * self.form.replica_bytes()
    }

    /// The number of ladders whose blocks run at the same time, so that their replicas can wait for each other; 0 if
    /// none fits. Ladders without exchange do not wait.
    pub(super) fn ladders_together(&self) -> Result<usize, Error> {
        if self.rungs == 1 {
            return Ok(self.replicas);
        }
        self.function.allow_shared_memory(self.shared())?;
        let blocks = self.function.blocks_per_multiprocessor(self.threads, self.shared())?;
        let blocks = (blocks * self.device.properties().multiprocessors) as usize;
        Ok(blocks * self.groups() / self.rungs)
    }

    /// The number of segments of the next launch.
    fn segments_of_launch(&self, segments: &[Segment], decides: bool) -> usize {
        let monomers = self.batch.polymer.monomers;
        let mut bytes = 0;
        for (number, segment) in segments.iter().enumerate() {
            let sample = if segment.is(SAMPLE) { 3 * monomers * size_of::<T>() } else { 0 };
            bytes += self.replicas * (16 + sample);
            if number > 0 && (bytes > MOST_BYTES || number == MOST_SEGMENTS) {
                return number;
            }
            // The host decides this exchange, so the launch ends here.
            if segment.is(EXCHANGE) && !decides {
                return number + 1;
            }
        }
        segments.len()
    }

    /// Launches the next segments.
    pub(super) fn launch_next(&mut self, progress: &mut Progress) -> Result<(), Error> {
        let rest = &progress.segments[progress.done..];
        let mut segments = rest[..self.segments_of_launch(rest, progress.together > 0)].to_vec();
        progress.done += segments.len();
        progress.decide =
            progress.together == 0 && segments.last().is_some_and(|last| last.is(EXCHANGE));
        if let Some(last) = segments.last_mut().filter(|_| progress.decide) {
            last.what = last.what & !EXCHANGE | ENERGY;
        }
        number(&mut segments);
        let [samples, exchanges] = counts(&segments);
        let numbers = 3 * self.replicas * self.batch.polymer.monomers;
        let has_room = |output: &LaunchOutput<T>| {
            output.segments.len() >= segments.len()
                && output.samples.len() >= samples * numbers
                && output.passed.len() >= exchanges * self.replicas
        };
        if !self.output.as_ref().is_some_and(has_room) {
            // Frees the old output: no launch is under way, and there may not be room for both.
            self.output = None;
            self.output = Some(LaunchOutput {
                segments: Buffer::new(&self.device, segments.len())?,
                accepted: Buffer::new(&self.device, segments.len() * self.replicas)?,
                energies: Buffer::new(&self.device, segments.len() * self.replicas)?,
                passed: Buffer::new(&self.device, exchanges * self.replicas)?,
                samples: Buffer::new(&self.device, samples * numbers)?,
            });
        }
        if let Some(output) = &mut self.output {
            output.segments.upload(&self.stream, 0, &segments)?;
        }
        let each =
            if progress.together == 0 { self.replicas } else { progress.together * self.rungs };
        let mut first = 0;
        while first < self.replicas {
            let end = (first + each).min(self.replicas);
            self.launch(segments.len(), first, end)?;
            first = end;
        }
        progress.launched = segments;
        Ok(())
    }

    fn launch(&self, count: usize, first: usize, end: usize) -> Result<(), Error> {
        let Some(output) = &self.output else { return Ok(()) };
        let LadderBatch { polymer, sweep, attempt, .. } = &self.batch;
        let launch = Launch::<T> {
            positions: self.positions.address(),
            keys: self.keys.address(),
            rungs: self.rung_of.address(),
            temperatures: self.temperatures.address(),
            inverse_temperatures: self.inverse_temperatures.address(),
            displacements: self.displacements.address(),
            acceptance: self.acceptance.address(),
            ladder_keys: self.ladder_keys.address(),
            segments: output.segments.address(),
            accepted: output.accepted.address(),
            energies: output.energies.address(),
            passed: output.passed.address(),
            samples: output.samples.address(),
            messages: self.messages.address(),
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
        // SAFETY: the parameter is the kernel's. The buffers have room for all replicas of `self` and for the segments
        // of `output`; they exist until `collect` or `drop` has waited for the stream, and nothing else uses them.
        unsafe { self.stream.launch(&self.function, blocks, self.threads, shared, &launch) }
    }

    /// Waits for the launched segments, and stores the state of replicas; returns the launch's output.
    pub(super) fn collect(&mut self, progress: &mut Progress) -> Result<Part<T>, Error> {
        let mut lost = [0];
        self.lost.download(&self.stream, 0, &mut lost)?;
        if lost != [0] {
            return Err(Error::Launch { kernel: KERNEL.into(), reason: LOST.into() });
        }
        let (all, monomers) = (self.replicas, self.batch.polymer.monomers);
        let segments = std::mem::take(&mut progress.launched);
        let [samples, exchanges] = counts(&segments);
        let mut part = Part {
            accepted: vec![0; segments.len() * all],
            energies: vec![0.0; segments.len() * all],
            passed: vec![0; exchanges * all],
            samples: vec![T::from_f64(0.0); samples * 3 * all * monomers],
            segments,
            decided: None,
        };
        if let Some(output) = &self.output {
            output.accepted.download(&self.stream, 0, &mut part.accepted)?;
            output.energies.download(&self.stream, 0, &mut part.energies)?;
            output.passed.download(&self.stream, 0, &mut part.passed)?;
            output.samples.download(&self.stream, 0, &mut part.samples)?;
        }
        let sweeps = part.segments.iter().map(|segment| u64::from(segment.sweeps));
        self.batch.sweep += sweeps.sum::<u64>();
        self.batch.attempt += exchanges as u64;
        let last = part.passed.chunks_exact(all).last().unwrap_or_default();
        for (ladder, rungs) in self.batch.ladders.iter_mut().zip(last.chunks_exact(self.rungs)) {
            ladder.rung_of.copy_from_slice(rungs);
        }
        if progress.decide {
            part.decided = Some(self.exchange(&part)?);
        }
        Ok(part)
    }

    /// Decides an exchange by the energies at the end of a launch.
    fn exchange(&mut self, part: &Part<T>) -> Result<Vec<u32>, Error> {
        self.batch.exchange(&part.energies[part.energies.len() - self.replicas..]);
        let ladders = &self.batch.ladders;
        let rungs: Vec<u32> = ladders.iter().flat_map(|ladder| ladder.rung_of.clone()).collect();
        self.rung_of.upload(&self.stream, 0, &rungs)?;
        Ok(rungs)
    }
}
