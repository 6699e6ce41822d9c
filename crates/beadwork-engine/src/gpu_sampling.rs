//! Samples chains on a GPU: one launch moves all chains of a worker and exchanges the replicas of their ladders.
//!
//! The sweeps that the chains have made determine the next launch. If all chains of the worker follow one schedule, the
//! card begins the next launch while the host still applies the results of the last one. Otherwise launches for some
//! chains would take room from those for others.

use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::MonteCarloMember;
use beadwork_cuda::{Device, LadderBatch, Replicas, Sampler, Stop, SweepSchedule};
use beadwork_model::{StageKind, Tuning};
use beadwork_simulation::exchange::Ladder;

use crate::Error;
use crate::exchanges::{apply_exchange, place_temperatures};
use crate::gpu_assignment::SAMPLES;
use crate::gpu_stepping::next_count;
use crate::member::MemberRun;
use crate::threads::on_each;

/// The length of a launch; signals are noticed only after it.
const TIME_SLICE: Duration = Duration::from_millis(200);

/// The most moves of a chain in the first launch, and in any.
const FIRST_MOVES: u64 = 10_000;
const MOST_MOVES: u64 = 1 << 32;

/// The most stops (samples, exchanges, fits of displacements) in a launch, and bytes of each for a chain, without positions.
const MOST_STOPS: usize = 4_096;
const STOP_BYTES: usize = 24;

/// With fewer chains, one thread writes their rows sooner than several are started.
const CHAINS_A_THREAD: usize = 32;

/// Consecutive ladders with equally many rungs whose chains go through the same sweeps.
struct LadderGroup {
    /// The chains, by their index in the worker.
    chains: Vec<usize>,
    /// The ladders, by their index in the worker; chains without a ladder count as ladders of one rung.
    ladders: Vec<usize>,
    rungs: usize,
    /// Sweeps between exchanges.
    every: Option<u64>,
    /// Sweeps to the next group that differs only by being ahead, as after a kill. There the two groups become one.
    behind: u64,
}

/// A stream of launches.
#[derive(Debug)]
pub struct GpuSampling {
    device: Device,
    /// Threads that write rows and frames.
    threads: usize,
    /// Moves of each chain in the next launch.
    moves: u64,
    /// The launch that the card computes while the host applies the results of the last one.
    ahead: Option<SamplingLaunch>,
}

#[derive(Debug)]
struct SamplingLaunch {
    sampler: Sampler,
    schedule: SweepSchedule,
    /// The numbers of the members, and the sweep at which the launch began.
    members: Vec<usize>,
    sweep: u64,
}

impl SamplingLaunch {
    /// Whether the launch begins at the present sweep of the group's chains.
    fn suits(&self, runs: &[MemberRun<'_>], group: &LadderGroup) -> bool {
        self.sweep == runs[group.chains[0]].chain().sweep()
            && self.members.iter().copied().eq(group.chains.iter().map(|&c| runs[c].number))
    }
}

impl GpuSampling {
    /// A sampler on a card. After each launch, `threads` threads write rows and frames.
    pub fn new(device: &Device, threads: usize) -> GpuSampling {
        let threads = threads.max(1);
        GpuSampling { device: device.clone(), threads, moves: FIRST_MOVES, ahead: None }
    }

    /// Samples each chain for a time slice; exchanges replicas, and writes rows and frames. The replicas of each of
    /// `ladders` follow each other in `runs`; without ladders all chains are independent.
    pub fn run_slice(
        &mut self,
        runs: &mut [MemberRun<'_>],
        ladders: &mut [Ladder],
    ) -> Result<(), Error> {
        for run in runs.iter_mut() {
            // Enters the next stage.
            run.steps_wanted()?;
        }
        let groups = groups(runs, ladders);
        let slice = TIME_SLICE / groups.len().max(1) as u32;
        // Only a single group launches ahead: replicas that wait for each other must not also wait for room that the
        // launch of another group takes.
        let is_alone = groups.len() == 1;
        let advance = |group| self.advance(runs, ladders, group, slice, is_alone);
        groups.iter().map(advance).fold(Ok(()), Result::and)
    }

    fn advance(
        &mut self,
        runs: &mut [MemberRun<'_>],
        ladders: &mut [Ladder],
        group: &LadderGroup,
        slice: Duration,
        is_alone: bool,
    ) -> Result<(), Error> {
        let began = Instant::now();
        let sweep = runs[group.chains[0]].chain().sweep();
        let begun = self.ahead.take().filter(|launch| launch.suits(runs, group));
        let mut launch = match begun {
            Some(launch) => launch,
            // If this fails, the chains keep their states.
            None => self.begin(runs, ladders, group)?,
        };
        let (schedule, sampled) = (launch.schedule, launch.sampler.end()?);
        let next = match self.schedule(runs, group, schedule.sweeps) {
            Some(next) if is_alone => launch.sampler.begin(next).map(|()| {
                let sweep = sweep + schedule.sweeps;
                self.ahead = Some(SamplingLaunch { schedule: next, sweep, ..launch });
            }),
            _ => Ok(()),
        };
        let is_in_group = |chain: usize| group.chains.binary_search(&chain).is_ok();
        let chains = runs.iter_mut().enumerate().filter(|(chain, _)| is_in_group(*chain));
        let mut chains: Vec<&mut MemberRun<'_>> = chains.map(|(_, run)| run).collect();
        let mut outcome = Ok(());
        let mut before = sweep;
        for stop in &sampled.stops() {
            outcome = outcome.and(apply_stop(&mut chains, stop, stop.sweep - before, self.threads));
            before = stop.sweep;
            let Some(rungs) = &stop.rungs else { continue };
            let each = chains.chunks_mut(group.rungs).zip(rungs.chunks(group.rungs));
            for ((chains, rungs), &ladder) in each.zip(&group.ladders) {
                exchange(&mut ladders[ladder], chains, rungs);
            }
        }
        for (run, positions) in chains.iter_mut().zip(sampled.positions()) {
            if let Member::MonteCarlo(chain) = &mut run.member {
                chain.bring(&positions);
            }
        }
        let made = schedule.sweeps * chains[0].chain().polymer().monomers as u64;
        self.moves = next_count(self.moves, made, slice, began.elapsed(), MOST_MOVES);
        outcome.and(next.map_err(Error::from))
    }

    fn begin(
        &self,
        runs: &[MemberRun<'_>],
        ladders: &[Ladder],
        group: &LadderGroup,
    ) -> Result<SamplingLaunch, Error> {
        let batch = batch(runs, ladders, group);
        let sweep = batch.sweep;
        let precision = runs[group.chains[0]].member.precision();
        let mut sampler = Sampler::new(&self.device, precision, batch)?;
        let schedule = self.schedule(runs, group, 0).unwrap_or_default();
        sampler.begin(schedule)?;
        let members = group.chains.iter().map(|&chain| runs[chain].number).collect();
        Ok(SamplingLaunch { sampler, schedule, members, sweep })
    }

    /// The schedule of a launch that begins `ahead` sweeps after the chains' present one; `None` if the host must first
    /// act at that sweep.
    fn schedule(
        &self,
        runs: &[MemberRun<'_>],
        group: &LadderGroup,
        ahead: u64,
    ) -> Option<SweepSchedule> {
        let first = &runs[group.chains[0]];
        let chain = first.chain();
        let end = chain.remaining().min(sweeps_to_placement(first)).min(group.behind);
        let end = end.min(first.steps_to_pause());
        let left = end.checked_sub(ahead).filter(|&sweeps| sweeps > 0)?;
        let tune_every = match chain.stage().kind {
            StageKind::Sample { tune_every, .. } => tune_every,
            _ => None,
        };
        let ((row_every, frame_every), exchange_every) = (first.samples_every(), group.every);
        let chains = group.chains.len();
        let samples = (SAMPLES / (chains * first.sample_bytes()).max(1)).max(1) as u64;
        let sample_every = frame_every.map_or(row_every, |every| every.min(row_every));
        let stops = (SAMPLES / (chains * STOP_BYTES)).clamp(1, MOST_STOPS) as u64;
        let stop_every = exchange_every.into_iter().chain(tune_every).fold(sample_every, u64::min);
        let sweeps = (self.moves / chain.polymer().monomers as u64)
            .clamp(1, sample_every.saturating_mul(samples))
            .min(stop_every.saturating_mul(stops))
            .min(left);
        Some(SweepSchedule {
            sweeps,
            sample_every: Some(row_every),
            also_sample_every: frame_every,
            exchange_every,
            tune_every,
        })
    }
}

/// Sweeps until the host places the temperatures of a chain's ladder anew.
fn sweeps_to_placement(run: &MemberRun<'_>) -> u64 {
    let Some(exchange) = &run.plan().exchange else { return u64::MAX };
    let sweep = run.chain().sweep();
    let placements = exchange.tunings.iter().flat_map(Tuning::placements);
    let ahead = placements.map(|attempt| attempt * exchange.every).filter(|&at| at > sweep);
    ahead.min().map_or(u64::MAX, |at| at - sweep)
}

/// Applies the sweeps up to a stop to each chain, over several threads if positions must be written.
fn apply_stop<'a>(
    chains: &mut [&mut MemberRun<'a>],
    stop: &Stop,
    sweeps: u64,
    threads: usize,
) -> Result<(), Error> {
    let threads = match stop.positions {
        Some(_) => threads.min(chains.len() / CHAINS_A_THREAD).max(1),
        None => 1,
    };
    let share = chains.len().div_ceil(threads).max(1);
    let apply = |first: usize, chains: &mut [&mut MemberRun<'a>]| {
        // An error of one chain does not affect the others.
        let applied = chains.iter_mut().zip(first..).map(|(run, chain)| {
            let positions = stop.positions.as_ref().map(|all| all[chain].as_slice());
            run.apply_sweeps(sweeps, stop.accepted[chain], positions)
        });
        applied.fold(Ok(()), Result::and)
    };
    let shares = (0..).step_by(share).zip(chains.chunks_mut(share));
    on_each(threads - 1, shares, |(first, chains)| apply(first, chains))
}

/// Puts the chains of a ladder on their new rungs.
fn exchange(ladder: &mut Ladder, chains: &mut [&mut MemberRun<'_>], rungs: &[u32]) {
    let mut trial_moves = vec![None; rungs.len()];
    for (chain, &rung) in chains.iter().zip(&ladder.state().rungs) {
        trial_moves[rung as usize] = chain.trial_move();
    }
    if let Some(first) = chains.first_mut() {
        apply_exchange(ladder, rungs, Some(first.progress));
        if let Some(note) = place_temperatures(ladder, first.plan()) {
            first.notes.push(note);
        }
    }
    for (chain, &rung) in chains.iter_mut().zip(rungs) {
        let (temperature, trial_move) =
            (ladder.temperatures()[rung as usize], trial_moves[rung as usize]);
        chain.move_to_rung(rung, temperature, trial_move);
    }
}

/// Groups of chains that make the same sweeps in one launch. A group waits while another one is behind it. All chains
/// of a ladder end together, because no chain fails: moves keep to positions that a row and a frame can hold.
fn groups(runs: &[MemberRun<'_>], ladders: &[Ladder]) -> Vec<LadderGroup> {
    let attempt_of = |number: usize| ladders.get(number).map(|ladder| ladder.state().attempt);
    let mut groups: Vec<LadderGroup> = Vec::new();
    let (mut first, mut number) = (0, 0);
    while first < runs.len() {
        let rungs = ladders.get(number).map_or(1, |ladder| ladder.state().rungs.len());
        if runs[first].is_running() && !runs[first].is_paused() {
            let fits = |group: &&mut LadderGroup| {
                group.rungs == rungs
                    && attempt_of(group.ladders[0]) == attempt_of(number)
                    && sweeps_ahead(&runs[group.chains[0]], &runs[first]) == Some(0)
            };
            if let Some(group) = groups.iter_mut().find(fits) {
                group.chains.extend(first..first + rungs);
                group.ladders.push(number);
            } else {
                groups.push(LadderGroup {
                    chains: (first..first + rungs).collect(),
                    ladders: vec![number],
                    rungs,
                    every: runs[first].exchanges_every().filter(|_| rungs > 1),
                    behind: u64::MAX,
                });
            }
        }
        first += rungs;
        number += 1;
    }
    let gap = |from: &LadderGroup, to: &LadderGroup| {
        let ahead = sweeps_ahead(&runs[from.chains[0]], &runs[to.chains[0]]);
        ahead.filter(|&sweeps| sweeps > 0 && from.rungs == to.rungs)
    };
    // A group that is ahead of another one waits for it.
    let has_to_wait = |group| groups.iter().any(|other| gap(other, group).is_some());
    let behind = |group| {
        let ahead = groups.iter().filter_map(|other| gap(group, other)).min();
        (!has_to_wait(group)).then_some(ahead.unwrap_or(u64::MAX))
    };
    let behind: Vec<Option<u64>> = groups.iter().map(behind).collect();
    let stepped = groups.into_iter().zip(behind);
    stepped.filter_map(|(group, behind)| Some(LadderGroup { behind: behind?, ..group })).collect()
}

/// Sweeps by which `other` is ahead of `one`; `None` if anything else differs. At 0 both follow one schedule.
fn sweeps_ahead(one: &MemberRun<'_>, other: &MemberRun<'_>) -> Option<u64> {
    let (a, b) = (one.chain(), other.chain());
    let ahead = b.sweep().checked_sub(a.sweep())?;
    let exchanges = |run: &MemberRun<'_>| {
        let exchange = run.plan().exchange.as_ref();
        exchange.map(|exchange| (exchange.every, exchange.tunings.clone()))
    };
    let is_alike = a.remaining() == b.remaining() + ahead
        && a.polymer() == b.polymer()
        && a.precision() == b.precision()
        && a.seed() == b.seed()
        && a.stage().kind == b.stage().kind
        && exchanges(one) == exchanges(other);
    is_alike.then_some(ahead)
}

fn batch(runs: &[MemberRun<'_>], ladders: &[Ladder], group: &LadderGroup) -> LadderBatch {
    let chains: Vec<&MonteCarloMember> =
        group.chains.iter().map(|&chain| runs[chain].chain()).collect();
    let of_ladder = |(number, chains): (usize, &[&MonteCarloMember])| {
        let first = &runs[group.chains[number * group.rungs]];
        let ladder = ladders.get(group.ladders[number]);
        let places = ladder.map_or_else(|| vec![0], |ladder| ladder.state().rungs.clone());
        Replicas::of(first.plan().replica, places, chains)
    };
    let attempt = ladders.get(group.ladders[0]).map_or(0, |ladder| ladder.state().attempt);
    LadderBatch {
        polymer: *chains[0].polymer(),
        seed: chains[0].seed(),
        sweep: chains[0].sweep(),
        attempt,
        ladders: chains.chunks(group.rungs).enumerate().map(of_ladder).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_become_as_long_as_a_slice() {
        let next_moves =
            |before, made, took| next_count(before, made, TIME_SLICE, took, MOST_MOVES);
        // A quarter of a microsecond a move, and 2 ms for the launch: 800,000 moves in 202 ms.
        let mut moves = FIRST_MOVES;
        for _ in 0..20 {
            let took = Duration::from_micros(2_000 + moves / 4);
            moves = next_moves(moves, moves, took);
        }
        assert!((780_000..800_000).contains(&moves), "{moves}");
        // A launch that was cut short lengthens the next one only as far as its speed allows.
        let cut = next_moves(moves, moves / 100, Duration::from_millis(200));
        assert_eq!(cut, moves / 4);
        assert_eq!(next_moves(1, 1, Duration::from_secs(10)), 1);
        assert_eq!(next_moves(MOST_MOVES, MOST_MOVES, Duration::ZERO), MOST_MOVES);
    }
}
