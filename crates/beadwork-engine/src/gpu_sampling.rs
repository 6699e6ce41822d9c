//! Chains sampled on a GPU, as many as a worker has in one launch; ladders exchange there.
//!
//! What a launch will do follows from how far the chains are, so that the card begins the next one before the host takes
//! over what the last one brought: where all chains of the worker go through the same sweeps, since otherwise launches for some
//! would take room from those for others.

use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::MonteCarloMember;
use beadwork_cuda::{Device, LadderBatch, Replicas, Sampler, Stop, SweepSchedule};
use beadwork_model::{StageKind, Tuning};
use beadwork_simulation::exchange::Ladder;

use crate::Error;
use crate::gpu_assignment::SAMPLES;
use crate::ladders;
use crate::member::MemberRun;

/// A launch, after which a person's wish to stop is noticed.
const TIME_SLICE: Duration = Duration::from_millis(200);

/// Moves of a chain in the first launch and in any at most.
const FIRST_MOVES: u64 = 10_000;
const MOST_MOVES: u64 = 1 << 32;

/// Looks, exchanges and fits of a launch at most, and bytes of each for a chain, without positions.
const MOST_STOPS: usize = 4_096;
const STOP_BYTES: usize = 24;

/// Chains whose rows one thread writes sooner than several are started.
const CHAINS_A_THREAD: usize = 32;

/// Chains that go through the same sweeps, by their places in the worker: ladders of equally many, one after another.
struct LadderGroup {
    places: Vec<usize>,
    /// Their numbers in the worker; chains by themselves are counted as ladders of one rung.
    ladders: Vec<usize>,
    rungs: usize,
    /// Sweeps between exchanges.
    every: Option<u64>,
    /// Sweeps to the next group that differs in nothing but how far it is, as after a kill: the two become one.
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
    /// What the card does meanwhile.
    ahead: Option<Launch>,
}

/// A schedule that chains are on, or that lies behind them.
#[derive(Debug)]
struct Launch {
    sampler: Sampler,
    schedule: SweepSchedule,
    /// The chains, by member, and the sweep that it began at.
    members: Vec<usize>,
    sweep: u64,
}

impl Launch {
    /// Whether it begins where the chains of a group are.
    fn suits(&self, runs: &[MemberRun<'_>], group: &LadderGroup) -> bool {
        self.sweep == seen(&runs[group.places[0]]).sweep()
            && self.members.iter().copied().eq(group.places.iter().map(|&p| runs[p].number()))
    }
}

impl GpuSampling {
    /// Launches on a card, after each of which so many threads write rows and frames.
    pub fn new(device: &Device, threads: usize) -> GpuSampling {
        GpuSampling {
            device: device.clone(),
            threads: threads.max(1),
            moves: FIRST_MOVES,
            ahead: None,
        }
    }

    /// Some sweeps, exchanges, rows, frames and stages of each chain. All replicas of each of `ladders` follow each other in
    /// `runs`; without ladders each chain is by itself.
    pub fn run_slice(
        &mut self,
        runs: &mut [MemberRun<'_>],
        ladders: &mut [Ladder],
    ) -> Result<(), Error> {
        for run in runs.iter_mut() {
            // Enters the next stage.
            run.steps_wanted()?;
        }
        let mut outcome = Ok(());
        let groups = groups(runs, ladders);
        let slice = TIME_SLICE / groups.len().max(1) as u32;
        // Replicas of a ladder wait for each other, and must not wait for the room that other ladders take.
        let is_alone = groups.len() == 1;
        for group in &groups {
            let advanced = self.advance(runs, ladders, group, slice, is_alone);
            outcome = outcome.and(advanced);
        }
        outcome
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
        let sweep = seen(&runs[group.places[0]]).sweep();
        let begun = self.ahead.take().filter(|launch| launch.suits(runs, group));
        let mut launch = match begun {
            Some(launch) => launch,
            // Where this fails nothing has happened to the chains.
            None => self.begin(runs, ladders, group)?,
        };
        let (schedule, sampled) = (launch.schedule, launch.sampler.end()?);
        let next = match self.schedule(runs, group, schedule.sweeps) {
            Some(schedule) if is_alone => launch.sampler.begin(schedule).map(|()| {
                self.ahead =
                    Some(Launch { schedule, sweep: sweep + launch.schedule.sweeps, ..launch });
            }),
            _ => Ok(()),
        };
        let is_taken = |place: usize| group.places.binary_search(&place).is_ok();
        let mut chains: Vec<&mut MemberRun<'_>> =
            runs.iter_mut().enumerate().filter(|(p, _)| is_taken(*p)).map(|(_, run)| run).collect();
        let landing = Landing { group, threads: self.threads };
        let mut outcome = Ok(());
        let mut before = sweep;
        for stop in &sampled.stops() {
            let settled = landing.settle(&mut chains, ladders, stop, stop.sweep - before);
            outcome = outcome.and(settled);
            before = stop.sweep;
        }
        for (chain, positions) in chains.iter_mut().zip(sampled.positions()) {
            chain_of(chain).bring(&positions);
        }
        let made = schedule.sweeps * seen(chains[0]).polymer().monomers as u64;
        self.moves = next_moves(self.moves, made, slice, began.elapsed());
        outcome.and(next.map_err(Error::from))
    }

    /// Puts the chains of a group on the card, and has it begin.
    fn begin(
        &self,
        runs: &[MemberRun<'_>],
        ladders: &[Ladder],
        group: &LadderGroup,
    ) -> Result<Launch, Error> {
        let guide = &runs[group.places[0]];
        let batch = batch(runs, ladders, group);
        let sweep = batch.sweep;
        let mut sampler = Sampler::new(&self.device, guide.member().precision(), batch)?;
        let schedule = self.schedule(runs, group, 0).unwrap_or_default();
        sampler.begin(schedule)?;
        let members = group.places.iter().map(|&place| runs[place].number()).collect();
        Ok(Launch { sampler, schedule, members, sweep })
    }

    /// How far the chains of a group go in a launch that begins so many sweeps ahead of where they are; none where the
    /// host has something to do there first.
    fn schedule(
        &self,
        runs: &[MemberRun<'_>],
        group: &LadderGroup,
        ahead: u64,
    ) -> Option<SweepSchedule> {
        let guide = &runs[group.places[0]];
        let chain = seen(guide);
        let end = chain.remaining().min(sweeps_to_placement(guide)).min(group.behind);
        let left = end.checked_sub(ahead).filter(|&sweeps| sweeps > 0)?;
        let tune_every = match chain.stage().kind {
            StageKind::Sample { tune_every, .. } => tune_every,
            _ => None,
        };
        let ((row_every, frame_every), exchange_every) = (guide.samples_every(), group.every);
        let chains = group.places.len();
        let samples = (SAMPLES / (chains * guide.sample_bytes()).max(1)).max(1) as u64;
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

/// Sweeps until the temperatures of a chain's ladder are placed anew, which is done here.
fn sweeps_to_placement(chain: &MemberRun<'_>) -> u64 {
    let Some(exchange) = &chain.plan().exchange else { return u64::MAX };
    let sweep = seen(chain).sweep();
    let placements = exchange.tunings.iter().flat_map(Tuning::placements);
    let ahead = placements.map(|attempt| attempt * exchange.every).filter(|&at| at > sweep);
    ahead.min().map_or(u64::MAX, |at| at - sweep)
}

/// What comes back from a launch, on its way to the chains.
struct Landing<'c> {
    group: &'c LadderGroup,
    threads: usize,
}

impl Landing<'_> {
    /// Takes note of the sweeps up to a stop, and of the exchange there.
    fn settle(
        &self,
        chains: &mut [&mut MemberRun<'_>],
        ladders: &mut [Ladder],
        stop: &Stop,
        sweeps: u64,
    ) -> Result<(), Error> {
        let each = |place: usize, chain: &mut MemberRun<'_>| {
            let positions = stop.positions.as_ref().map(|all| all[place].as_slice());
            chain.settle_sweeps(sweeps, stop.accepted[place], positions)
        };
        // Rows and frames take their time.
        let threads = match stop.positions {
            Some(_) => self.threads.min(chains.len() / CHAINS_A_THREAD).max(1),
            None => 1,
        };
        let settled = over_threads(chains, threads, each);
        if let Some(rungs) = &stop.rungs {
            let each = chains.chunks_mut(self.group.rungs).zip(rungs.chunks(self.group.rungs));
            for ((chains, rungs), &ladder) in each.zip(&self.group.ladders) {
                exchange(&mut ladders[ladder], chains, rungs);
            }
        }
        settled
    }
}

/// Puts the chains of a ladder on their new rungs.
fn exchange(ladder: &mut Ladder, chains: &mut [&mut MemberRun<'_>], rungs: &[u32]) {
    let mut reaches = vec![None; rungs.len()];
    for (chain, &rung) in chains.iter().zip(&ladder.state().rungs) {
        reaches[rung as usize] = chain.trial_move();
    }
    if let Some(first) = chains.first_mut() {
        ladders::settle(ladder, rungs, Some(first.progress()));
        if let Some(note) = ladders::tune(ladder, first.plan()) {
            first.add_note(note);
        }
    }
    for (chain, &rung) in chains.iter_mut().zip(rungs) {
        chain.climb(rung, ladder.temperatures()[rung as usize], reaches[rung as usize]);
    }
}

/// Does something with each chain, over threads.
fn over_threads<'a>(
    chains: &mut [&mut MemberRun<'a>],
    threads: usize,
    each: impl Fn(usize, &mut MemberRun<'a>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let share = chains.len().div_ceil(threads).max(1);
    let all = |first: usize, chains: &mut [&mut MemberRun<'a>]| {
        let mut outcome = Ok(());
        // Each is to be settled, whatever happened to another.
        for (place, chain) in chains.iter_mut().enumerate() {
            let settled = each(first + place, chain);
            outcome = outcome.and(settled);
        }
        outcome
    };
    if threads == 1 {
        return all(0, chains);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = chains
            .chunks_mut(share)
            .enumerate()
            .map(|(number, chains)| {
                let all = &all;
                scope.spawn(move || all(number * share, chains))
            })
            .collect();
        let joined: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        // Whoever panics must not be taken for a disk that is full: nothing of these chains may be kept.
        let settled =
            joined.into_iter().map(|end| end.unwrap_or_else(|panic| resume_unwind(panic)));
        settled.fold(Ok(()), Result::and)
    })
}

fn seen<'r>(run: &'r MemberRun<'_>) -> &'r MonteCarloMember {
    match run.member() {
        Member::MonteCarlo(chain) => chain,
        _ => unreachable!("a worker of chains has nothing else"),
    }
}

fn chain_of<'r>(run: &'r mut MemberRun<'_>) -> &'r mut MonteCarloMember {
    match run.member_mut() {
        Member::MonteCarlo(chain) => chain,
        _ => unreachable!("a worker of chains has nothing else"),
    }
}

/// Chains that may be led through the same sweeps in one launch. Those of a ladder are over together: none ever fails,
/// since moves end nowhere that a row or a frame could not hold.
fn groups(runs: &[MemberRun<'_>], ladders: &[Ladder]) -> Vec<LadderGroup> {
    let rungs_of = |number: usize| ladders.get(number).map_or(1, |l| l.state().rungs.len());
    let attempt_of = |number: usize| ladders.get(number).map(|ladder| ladder.state().attempt);
    let mut groups: Vec<LadderGroup> = Vec::new();
    let (mut first, mut number) = (0, 0);
    while first < runs.len() {
        let rungs = rungs_of(number);
        if runs[first].is_running() {
            let fits = |group: &&mut LadderGroup| {
                group.rungs == rungs
                    && attempt_of(group.ladders[0]) == attempt_of(number)
                    && are_alike(&runs[group.places[0]], &runs[first])
            };
            if let Some(group) = groups.iter_mut().find(fits) {
                group.places.extend(first..first + rungs);
                group.ladders.push(number);
            } else {
                groups.push(LadderGroup {
                    places: (first..first + rungs).collect(),
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
        let [one, other] = [from, to].map(|group| &runs[group.places[0]]);
        distance(one, other).filter(|_| from.rungs == to.rungs)
    };
    let behind: Vec<Option<u64>> = groups
        .iter()
        .map(|group| {
            // Whoever is ahead of others waits for them.
            let waits = groups.iter().any(|other| gap(other, group).is_some());
            let ahead = groups.iter().filter_map(|other| gap(group, other)).min();
            (!waits).then_some(ahead.unwrap_or(u64::MAX))
        })
        .collect();
    let those_that_go = groups.into_iter().zip(behind);
    those_that_go
        .filter_map(|(group, behind)| Some(LadderGroup { behind: behind?, ..group }))
        .collect()
}

/// Sweeps by which one is behind another, if nothing else tells them apart.
fn distance(one: &MemberRun<'_>, other: &MemberRun<'_>) -> Option<u64> {
    let (a, b) = (seen(one), seen(other));
    let ahead = b.sweep().checked_sub(a.sweep()).filter(|&ahead| ahead > 0)?;
    let is_same = a.remaining() == b.remaining() + ahead && are_of_a_kind(one, other);
    is_same.then_some(ahead)
}

/// Whether one schedule suits both.
fn are_alike(one: &MemberRun<'_>, other: &MemberRun<'_>) -> bool {
    let (a, b) = (seen(one), seen(other));
    a.sweep() == b.sweep() && a.remaining() == b.remaining() && are_of_a_kind(one, other)
}

/// Whether one schedule suits both when they are equally far.
fn are_of_a_kind(one: &MemberRun<'_>, other: &MemberRun<'_>) -> bool {
    let (a, b) = (seen(one), seen(other));
    let exchanges = |run: &MemberRun<'_>| {
        let exchange = run.plan().exchange.as_ref();
        exchange.map(|exchange| (exchange.every, exchange.tunings.clone()))
    };
    a.polymer() == b.polymer()
        && a.precision() == b.precision()
        && a.seed() == b.seed()
        && a.stage().kind == b.stage().kind
        && exchanges(one) == exchanges(other)
}

fn batch(runs: &[MemberRun<'_>], ladders: &[Ladder], group: &LadderGroup) -> LadderBatch {
    let chains: Vec<&MonteCarloMember> =
        group.places.iter().map(|&place| seen(&runs[place])).collect();
    let of_ladder = |(number, chains): (usize, &[&MonteCarloMember])| {
        let first = &runs[group.places[number * group.rungs]];
        let ladder = ladders.get(group.ladders[number]);
        let places = ladder.map_or_else(|| vec![0], |ladder| ladder.state().rungs.clone());
        Replicas::of(first.plan().replica, places, chains)
    };
    let guide = seen(&runs[group.places[0]]);
    let attempt = ladders.get(group.ladders[0]).map_or(0, |ladder| ladder.state().attempt);
    LadderBatch {
        polymer: *guide.polymer(),
        seed: guide.seed(),
        sweep: guide.sweep(),
        attempt,
        ladders: chains.chunks(group.rungs).enumerate().map(of_ladder).collect(),
    }
}

/// Moves of a chain for a launch that takes a slice with all that comes after it, where `made` took so long. They grow by a
/// factor of two at most, and fall by a factor of four.
fn next_moves(before: u64, made: u64, slice: Duration, took: Duration) -> u64 {
    let wanted = made as f64 * slice.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (wanted as u64).clamp(before / 4, 2 * before).clamp(1, MOST_MOVES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_become_as_long_as_a_slice() {
        // A quarter of a microsecond a move, and 2 ms for what comes after: 800,000 moves in 202 ms.
        let mut moves = FIRST_MOVES;
        for _ in 0..20 {
            let took = Duration::from_micros(2_000 + moves / 4);
            moves = next_moves(moves, moves, TIME_SLICE, took);
        }
        assert!((780_000..800_000).contains(&moves), "{moves}");
        // A launch that was cut short makes the next one no longer than its own pace allows.
        let cut = next_moves(moves, moves / 100, TIME_SLICE, Duration::from_millis(200));
        assert_eq!(cut, moves / 4);
        assert_eq!(next_moves(1, 1, TIME_SLICE, Duration::from_secs(10)), 1);
        assert_eq!(next_moves(MOST_MOVES, MOST_MOVES, TIME_SLICE, Duration::ZERO), MOST_MOVES);
    }
}
