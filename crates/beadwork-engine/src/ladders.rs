//! Runs whose members are replicas of ladders: stepped to the next exchange, exchanged, and stepped on.
//!
//! A group of threads has some ladders in hand and meets at each exchange. Every thread computes the same decisions from
//! what all of them have told, and moves its own replicas: nothing else passes between threads. A GPU that samples chains
//! exchanges by itself, and its group is one thread. Replicas of a ladder are kept in one checkpoint, so that however a run
//! ends none has made an exchange that another has not.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::Error;
use crate::checkpoint::{
    CheckpointSet, LadderCheckpoint, MemberCheckpoint, MemberStatus, VALUE_VERSION,
};
use crate::member::{MemberRun, ReplicaReport, RungAssignment};
use crate::plan::{MemberPlan, Plan};
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::run::{Control, Ending, Outcome, settled_steps};
use crate::worker::{Worker, Workers};
use beadwork_simulation::exchange::{Ladder, LadderState};

/// A ladder that is not over yet.
struct Open {
    members: Range<usize>,
    state: LadderState,
    /// Of its members; empty before they have begun.
    checkpoints: Vec<MemberCheckpoint>,
}

/// Runs all ladders that are not over yet, each from its checkpoint if it has one.
///
/// # Errors
/// Those of [`crate::run`].
pub fn run<'a>(
    recorder: &'a dyn Recorder,
    plan: &'a Plan,
    control: &Control<'_>,
    progress: &'a Progress,
) -> Result<Outcome, Error> {
    // All checkpoints are looked at before the first file is touched.
    let mut open = Vec::new();
    let mut statuses: Vec<Option<MemberStatus>> = Vec::new();
    for members in plan.ladders() {
        let kept = CheckpointSet::read(recorder, plan, &members, &plan.fingerprint, None)?;
        statuses.extend(kept.members.iter().map(|c| c.as_ref().map(|c| c.status.clone())));
        let checkpoints: Vec<MemberCheckpoint> = kept.members.into_iter().flatten().collect();
        for (number, checkpoint) in members.clone().zip(&checkpoints) {
            let member = &plan.members[number];
            progress.add_settled(match checkpoint.status {
                MemberStatus::Running => settled_steps(member, checkpoint),
                _ => member.protocol.steps(),
            });
        }
        let running = checkpoints.is_empty()
            || checkpoints.iter().any(|checkpoint| checkpoint.status == MemberStatus::Running);
        if running {
            let state = kept.ladder.unwrap_or_else(|| {
                let exchange = plan.members[members.start].exchange.as_ref();
                LadderState::new(exchange.map_or(&[], |exchange| &exchange.temperatures))
            });
            open.push(Open { members, state, checkpoints });
            continue;
        }
        // Members of ladders that go on are counted when these are left.
        for checkpoint in &checkpoints {
            match checkpoint.status {
                MemberStatus::Failed { .. } => progress.add_failed(),
                _ => progress.add_finished(),
            }
        }
    }
    let house = ExchangeRun {
        recorder,
        plan,
        progress,
        workers: Workers::of(
            &control.devices,
            plan,
            open.iter().map(|o| o.members.len()).sum(),
            control.threads,
        ),
        control,
        halted: AtomicBool::new(false),
        error: Mutex::new(None),
        outcome: Mutex::new((statuses, Vec::new())),
    };
    house.run_all(&open)?;
    let ExchangeRun { halted, error, outcome, .. } = house;
    if let Some(error) = unpoisoned(error.into_inner()) {
        return Err(error);
    }
    let (statuses, mut notes) = unpoisoned(outcome.into_inner());
    notes.sort();
    let over = |status: &Option<MemberStatus>| {
        matches!(status, Some(MemberStatus::Finished | MemberStatus::Failed { .. }))
    };
    let ending = if statuses.iter().all(over) {
        Ending::Finished
    } else if halted.load(Ordering::Relaxed) {
        Ending::Failure
    } else if control.interrupted.load(Ordering::Relaxed) {
        Ending::Interrupted
    } else {
        Ending::TimeLimit
    };
    Ok(Outcome { ending, statuses, notes })
}

fn unpoisoned<T>(outcome: Result<T, PoisonError<T>>) -> T {
    outcome.unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// What all threads share.
struct ExchangeRun<'a, 'c> {
    recorder: &'a dyn Recorder,
    plan: &'a Plan,
    progress: &'a Progress,
    workers: Workers,
    control: &'c Control<'c>,
    halted: AtomicBool,
    error: Mutex<Option<Error>>,
    /// Statuses and remarks.
    outcome: Mutex<(Vec<Option<MemberStatus>>, Vec<String>)>,
}

/// What the threads of a group tell each other.
struct RoundBarrier {
    barrier: Barrier,
    /// Whether all are to come, wherever their replicas are, to keep them.
    is_due: AtomicBool,
    /// In position: one that is written, one that somebody may still read, and one that is wiped.
    flags: [Mutex<RoundFlags>; 3],
    /// What is kept, by member of the group.
    kept: Mutex<Vec<Option<MemberCheckpoint>>>,
}

/// What has been told before an exchange.
#[derive(Clone, Default)]
struct RoundFlags {
    /// By member of the group.
    reports: Vec<Option<ReplicaReport>>,
    /// Whether the ladders are to be kept now.
    keep: bool,
    /// Whether there is no more time.
    stopped: bool,
    /// Whether a thread cannot go on.
    broken: bool,
}

impl RoundFlags {
    fn blank(members: usize) -> RoundFlags {
        RoundFlags { reports: vec![None; members], ..RoundFlags::default() }
    }
}

impl<'a> ExchangeRun<'a, '_> {
    fn run_all(&self, open: &[Open]) -> Result<(), Error> {
        let workers = self.workers.count().max(1);
        let groups = workers.min(open.len());
        if groups == 0 {
            return Ok(());
        }
        // Ladders that a group has in hand, so that its threads have as many replicas as they step together.
        let size = if self.workers.have_whole_ladders() { 1 } else { workers / groups };
        let room = |group: usize| {
            (0..size).map(|worker| self.workers.room(group * size + worker)).sum::<usize>()
        };
        let queue = AtomicUsize::new(0);
        let joined = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..groups)
                .map(|group| {
                    let queue = &queue;
                    scope.spawn(move || {
                        while !self.is_stopped() {
                            let mut hand: Vec<&Open> = Vec::new();
                            let mut replicas = 0;
                            while hand.is_empty() || replicas < room(group) {
                                // The rest is shared out evenly.
                                let Some(next) = open.get(queue.fetch_add(1, Ordering::Relaxed))
                                else {
                                    break;
                                };
                                replicas += next.members.len();
                                hand.push(next);
                            }
                            if hand.is_empty() {
                                break;
                            }
                            self.run_group(group * size..(group + 1) * size, &hand);
                        }
                    })
                })
                .collect();
            workers.into_iter().all(|worker| worker.join().is_ok())
        });
        if joined { Ok(()) } else { Err(Error::Worker) }
    }

    fn is_stopped(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
            || self.control.interrupted.load(Ordering::Relaxed)
            || self.control.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn break_off(&self, error: Error) {
        // The first error is told; the others stop at their next slice.
        self.halted.store(true, Ordering::Relaxed);
        lock(&self.error).get_or_insert(error);
    }

    /// Brings some ladders to their end, or as far as there is time.
    fn run_group(&self, workers: Range<usize>, hand: &[&Open]) {
        let members: Vec<(usize, usize)> = hand
            .iter()
            .enumerate()
            .flat_map(|(ladder, open)| {
                (0..open.members.len()).map(move |replica| (ladder, replica))
            })
            .collect();
        // Threads without a replica would only wait.
        let workers = workers.start..workers.end.min(workers.start + members.len());
        let share = members.len().div_ceil(workers.len());
        let barrier = RoundBarrier {
            barrier: Barrier::new(members.chunks(share).len()),
            is_due: AtomicBool::new(false),
            flags: [(); 3].map(|()| Mutex::new(RoundFlags::blank(members.len()))),
            kept: Mutex::new(vec![None; members.len()]),
        };
        std::thread::scope(|scope| {
            for (chunk, (own, worker)) in members.chunks(share).zip(workers).enumerate() {
                let barrier = &barrier;
                scope.spawn(move || {
                    let first = chunk * share;
                    ExchangeWorker { house: self, barrier, hand, first, leads: chunk == 0 }
                        .stay(worker, own);
                });
            }
        });
    }
}

/// Settles an attempt, and tells it to the progress if there is one.
pub fn settle(ladder: &mut Ladder, rungs: &[u32], progress: Option<&Progress>) {
    let trips = |ladder: &Ladder| ladder.state().record.round_trips.iter().sum::<u64>();
    let moved = rungs.iter().zip(&ladder.state().rungs).filter(|(now, before)| now != before);
    let (accepted, trips_before) = (moved.count() as u64 / 2, trips(ladder));
    ladder.settle(rungs);
    if let Some(progress) = progress {
        let lowest = ladder.lowest_pair(ladder.state().attempt - 1);
        let attempted = (rungs.len() - lowest) / 2;
        progress.add_exchanges(attempted as u64, accepted, trips(ladder) - trips_before);
    }
}

/// Places the temperatures of a ladder anew, if it is time to; `first` is its first replica. Returns what is to be said of
/// it.
pub fn tune(ladder: &mut Ladder, first: &MemberPlan) -> Option<String> {
    let tunings = first.exchange.as_ref().map_or(&[][..], |exchange| &exchange.tunings);
    let placed = ladder.tune(tunings)?;
    let attempt = ladder.state().attempt;
    let tuning = tunings.iter().find(|tuning| tuning.is_last(attempt))?;
    (placed != tuning.by).then(|| format!(
        "the ladder of replica {}, stage \"{}\": less than half of its replicas came from the lowest temperature to the highest in the last half of the stage, so that its temperatures were placed by acceptance: make the stage longer, or write tune_temperatures = \"acceptance\"",
        first.replica, first.protocol.stages[tuning.stage].name
    ))
}

/// Does something with a worker, if there is one. A thread that panics must come to the next barrier all the same; in what
/// state its replicas are nobody knows, so that it has no worker from then on, and they are not kept.
fn guarded<'a>(
    worker: &mut Option<Worker<'a>>,
    work: impl FnOnce(&mut Worker<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(mut in_hand) = worker.take() else { return Ok(()) };
    match catch_unwind(AssertUnwindSafe(|| work(&mut in_hand))) {
        Ok(outcome) => {
            *worker = Some(in_hand);
            outcome
        }
        Err(_) => Err(Error::Worker),
    }
}

/// A thread of a group.
struct ExchangeWorker<'h, 'a, 'c> {
    house: &'h ExchangeRun<'a, 'c>,
    barrier: &'h RoundBarrier,
    hand: &'h [&'h Open],
    /// The place of its first member among those of the group.
    first: usize,
    leads: bool,
}

impl ExchangeWorker<'_, '_, '_> {
    fn stay(&self, worker: usize, own: &[(usize, usize)]) {
        // Whoever cannot begin comes to the first barrier all the same, where the others wait.
        let begin = || self.begin(worker, own);
        let begun = catch_unwind(AssertUnwindSafe(begin)).unwrap_or(Err(Error::Worker));
        let (mut worker, mut failed) = match begun {
            Ok(worker) => (Some(worker), false),
            Err(error) => {
                self.house.break_off(error);
                (None, true)
            }
        };
        let mut ladders: Vec<Ladder> = self
            .hand
            .iter()
            .map(|open| {
                let first = &self.house.plan.members[open.members.start];
                Ladder::new(first.protocol.seed, first.replica, open.state.clone())
            })
            .collect();
        let mut kept = Instant::now();
        for round in 0.. {
            if let Err(error) = guarded(&mut worker, |worker| self.step(worker, &mut ladders, kept))
            {
                self.house.break_off(error);
                failed = true;
            }
            let board = self.tell(round, &mut worker, own.len(), failed);
            let reports: Vec<ReplicaReport> = board.reports.into_iter().flatten().collect();
            if board.broken || !reports.iter().any(|stand| stand.running) {
                break;
            }
            if reports.iter().filter(|stand| stand.running).all(|stand| stand.waiting) {
                let exchange = |worker: &mut Worker<'_>| {
                    self.exchange(worker, &mut ladders, &reports);
                    Ok(())
                };
                if let Err(error) = guarded(&mut worker, exchange) {
                    self.house.break_off(error);
                    failed = true;
                }
            } else if board.stopped {
                break;
            }
            if board.keep {
                self.keep(&mut worker, &ladders);
                kept = Instant::now();
            }
        }
        // What has been done is kept, whatever ended it.
        self.keep(&mut worker, &ladders);
        let Some(worker) = worker else { return };
        let mut outcome = lock(&self.house.outcome);
        for member in worker.runs {
            member.count();
            outcome.0[member.number()] = Some(member.status().clone());
            outcome.1.extend(member.notes().iter().cloned());
        }
    }

    fn begin(&self, number: usize, own: &[(usize, usize)]) -> Result<Worker<'_>, Error> {
        let ExchangeRun { recorder, plan, progress, workers, .. } = self.house;
        let mut worker = workers.worker(number)?;
        for &(ladder, replica) in own {
            let open = self.hand[ladder];
            let rung = open.state.rungs[replica];
            let place = RungAssignment {
                attempts: open.state.attempt,
                rung,
                temperature: open.state.temperatures[rung as usize],
            };
            let checkpoint = open.checkpoints.get(replica).cloned();
            let number = open.members.start + replica;
            let mut run =
                MemberRun::open(*recorder, plan, number, checkpoint, Some(place), progress)?;
            if workers.threads_each() > 1 {
                run.member_mut().set_threads(workers.threads_each());
            }
            worker.runs.push(run);
        }
        Ok(worker)
    }

    /// Steps to the next exchange, or until there is no more time, or the ladders are to be kept.
    fn step(
        &self,
        worker: &mut Worker<'_>,
        ladders: &mut [Ladder],
        kept: Instant,
    ) -> Result<(), Error> {
        let is_due = &self.barrier.is_due;
        let failed = |worker: &Worker<'_>| {
            let runs = worker.runs.iter();
            runs.filter(|run| matches!(run.status(), MemberStatus::Failed { .. })).count()
        };
        // Those of an earlier session stop nobody.
        let before = failed(worker);
        while worker.has_steps_to_make()
            && !self.house.is_stopped()
            && !is_due.load(Ordering::Relaxed)
        {
            worker.run_slice(ladders)?;
            if kept.elapsed().as_secs_f64() >= self.house.plan.checkpoint_seconds {
                is_due.store(true, Ordering::Relaxed);
            }
            if self.house.plan.stop_on_failure && failed(worker) > before {
                self.house.halted.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Tells the others where its members stand, and returns what all have told.
    fn tell(
        &self,
        round: usize,
        worker: &mut Option<Worker<'_>>,
        members: usize,
        mut failed: bool,
    ) -> RoundFlags {
        let mut reports = vec![None; members];
        let found = guarded(worker, |worker| {
            for (stand, run) in reports.iter_mut().zip(&mut worker.runs) {
                *stand = Some(run.report()?);
            }
            Ok(())
        });
        if let Err(error) = found {
            self.house.break_off(error);
            failed = true;
        }
        let flags = &self.barrier.flags;
        if self.leads {
            // Everybody was at the barrier after the one that it is of.
            let mut next = lock(&flags[(round + 1) % 3]);
            *next = RoundFlags::blank(next.reports.len());
        }
        let board = &flags[round % 3];
        {
            let mut board = lock(board);
            board.reports[self.first..self.first + members].copy_from_slice(&reports);
            board.broken |= failed;
            board.stopped |= self.house.is_stopped();
            board.keep |= self.barrier.is_due.load(Ordering::Relaxed);
        }
        self.barrier.barrier.wait();
        lock(board).clone()
    }

    fn exchange(&self, worker: &mut Worker<'_>, ladders: &mut [Ladder], reports: &[ReplicaReport]) {
        let mut first = 0;
        for (number, ladder) in ladders.iter_mut().enumerate() {
            let reports = &reports[first..first + ladder.state().rungs.len()];
            first += reports.len();
            // One that is over makes no attempts, however long others of the group go on.
            if !reports.iter().any(|stand| stand.running) {
                continue;
            }
            let energies: Vec<Option<f64>> = reports.iter().map(|stand| stand.energy).collect();
            let before = ladder.state().rungs.clone();
            let rungs = ladder.decide(&energies);
            settle(ladder, &rungs, self.leads.then_some(self.house.progress));
            // Temperatures are placed by what all replicas tell.
            if reports.iter().all(|stand| stand.running) {
                let first = &self.house.plan.members[self.hand[number].members.start];
                let note = tune(ladder, first).filter(|_| self.leads);
                lock(&self.house.outcome).1.extend(note);
            }
            let mut reaches = vec![None; before.len()];
            for (&rung, stand) in before.iter().zip(reports) {
                reaches[rung as usize] = stand.trial_move;
            }
            for run in &mut worker.runs {
                let members = &self.hand[number].members;
                if members.contains(&run.number()) && run.is_running() {
                    let rung = rungs[run.number() - members.start];
                    let temperature = ladder.temperatures()[rung as usize];
                    run.climb(rung, temperature, reaches[rung as usize]);
                }
            }
        }
    }

    /// Writes the checkpoints of all ladders of the group, once every thread has brought its replicas.
    fn keep(&self, worker: &mut Option<Worker<'_>>, ladders: &[Ladder]) {
        let taken = guarded(worker, |worker| {
            let mut outcome = Ok(());
            for (place, run) in worker.runs.iter_mut().enumerate() {
                match run.take_down() {
                    Ok(checkpoint) => lock(&self.barrier.kept)[self.first + place] = checkpoint,
                    Err(error) => outcome = outcome.and(Err(error)),
                }
            }
            outcome
        });
        if let Err(error) = taken {
            self.house.break_off(error);
        }
        if self.leads {
            // Everybody has read it, and nobody steps before this barrier is over.
            self.barrier.is_due.store(false, Ordering::Relaxed);
        }
        self.barrier.barrier.wait();
        if !self.leads {
            return;
        }
        let mut kept = std::mem::take(&mut *lock(&self.barrier.kept)).into_iter();
        for (open, ladder) in self.hand.iter().zip(ladders) {
            let members: Vec<Option<MemberCheckpoint>> =
                kept.by_ref().take(open.members.len()).collect();
            // Something could not be written: the checkpoint before stays.
            let Some(members) = members.into_iter().collect::<Option<Vec<_>>>() else { continue };
            let checkpoint = LadderCheckpoint {
                value_version: VALUE_VERSION,
                fingerprint: self.house.plan.fingerprint.clone(),
                replica: self.house.plan.members[open.members.start].replica,
                ladder: ladder.state().clone(),
                members,
            };
            if let Err(error) = checkpoint.write(self.house.recorder, open.members.start) {
                self.house.break_off(error);
            }
        }
        let members = self.hand.iter().map(|open| open.members.len()).sum();
        *lock(&self.barrier.kept) = vec![None; members];
    }
}
