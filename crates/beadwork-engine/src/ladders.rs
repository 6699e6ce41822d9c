//! Steps replica-exchange runs: each ladder is stepped to its next exchange, exchanged, and stepped on.
//!
//! A group of threads owns some ladders and meets at a barrier before each exchange. Each thread reports the energies
//! of its replicas, computes the same decisions from all reports, and moves its own replicas: threads share nothing
//! else. A GPU that samples chains exchanges by itself, and its group is one thread. All replicas of a ladder share one
//! checkpoint, so in every checkpoint all of them have made the same exchanges.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use beadwork_simulation::exchange::{Ladder, LadderState};

use crate::Error;
use crate::checkpoint::{CheckpointSet, MemberCheckpoint, MemberStatus};
use crate::exchanges::{apply_exchange, place_temperatures};
use crate::locks::lock;
use crate::member::{ReplicaReport, RungAssignment};
use crate::shared_run::SharedRun;
use crate::threads::{Meeting, on_all};
use crate::worker::Worker;

struct OpenLadder {
    members: Range<usize>,
    state: LadderState,
    checkpoints: Vec<Option<MemberCheckpoint>>,
}

impl OpenLadder {
    fn read(run: &SharedRun<'_, '_>, members: Range<usize>) -> Result<OpenLadder, Error> {
        let found = CheckpointSet::read(run.recorder, run.plan, &members)?;
        let state = found.ladder.unwrap_or_else(|| {
            let exchange = run.plan.members[members.start].exchange.as_ref();
            LadderState::new(exchange.map_or(&[], |exchange| &exchange.temperatures))
        });
        Ok(OpenLadder { members, state, checkpoints: found.members })
    }
}

/// Steps ladders, given by their members.
pub fn step_ladders(run: &SharedRun<'_, '_>, open: &[Range<usize>]) -> Result<(), Error> {
    let workers = run.workers.rooms.len();
    let groups = workers.min(open.len());
    // The number of threads in a group.
    let size = if run.workers.have_whole_ladders { 1 } else { workers / groups.max(1) };
    let queue = AtomicUsize::new(0);
    on_all(groups, |group| {
        let workers = group * size..(group + 1) * size;
        // The number of replicas that the group steps together.
        let room: usize = run.workers.rooms[workers.clone()].iter().sum();
        while !run.is_stopped() {
            let mut ladders: Vec<OpenLadder> = Vec::new();
            let mut replicas = 0;
            while ladders.is_empty() || replicas < room {
                let next = open.get(queue.fetch_add(1, Ordering::Relaxed));
                let Some(members) = next else { break };
                replicas += members.len();
                match OpenLadder::read(run, members.clone()) {
                    Ok(ladder) => ladders.push(ladder),
                    Err(error) => return run.stop_for(error),
                }
            }
            if ladders.is_empty() {
                break;
            }
            step_group(run, workers.clone(), &ladders);
        }
    })
}

/// Steps some ladders on a group of threads until they end or the run stops.
fn step_group(run: &SharedRun<'_, '_>, workers: Range<usize>, ladders: &[OpenLadder]) {
    let of_ladder = |(ladder, open): (usize, &OpenLadder)| {
        (0..open.members.len()).map(move |replica| (ladder, replica))
    };
    let replicas: Vec<(usize, usize)> = ladders.iter().enumerate().flat_map(of_ladder).collect();
    // Threads without a replica would only wait.
    let share = replicas.len().div_ceil(workers.len().min(replicas.len()));
    let shares: Vec<&[(usize, usize)]> = replicas.chunks(share).collect();
    let reports = || shares.iter().map(|_| Mutex::default()).collect();
    let barrier = RoundBarrier {
        meeting: Meeting::new(shares.len()),
        is_checkpoint_due: AtomicBool::new(false),
        reports: [reports(), reports()],
        checkpoints: Mutex::new(vec![None; replicas.len()]),
    };
    let stepped = on_all(shares.len(), |number| {
        // A thread that dies must not keep the others waiting.
        let _member = barrier.meeting.member();
        let (barrier, first, failed) = (&barrier, number * share, Cell::new(false));
        ExchangeWorker { run, barrier, ladders, number, first, failed }
            .step_rounds(workers.start + number, shares[number]);
    });
    stepped.unwrap_or_else(|error| run.stop_for(error));
}

/// The data that the threads of a group share. A round is the steps up to one exchange.
struct RoundBarrier {
    meeting: Meeting,
    /// Whether all threads join the barrier now, to write checkpoints.
    is_checkpoint_due: AtomicBool,
    /// The threads' reports of even rounds, and of odd ones: a thread writes its report of the next round while slower
    /// threads still read those of this round.
    reports: [Vec<Mutex<RoundReport>>; 2],
    checkpoints: Mutex<Vec<Option<MemberCheckpoint>>>,
}

/// What a thread reports before an exchange; also the reports of all threads of a group together.
#[derive(Default)]
struct RoundReport {
    /// One entry for each replica; `None` if it could not report.
    replicas: Vec<Option<ReplicaReport>>,
    is_checkpoint_due: bool,
    is_stopped: bool,
    /// Whether the thread cannot continue.
    has_failed: bool,
}

struct ExchangeWorker<'g, 'a, 'c> {
    run: &'g SharedRun<'a, 'c>,
    barrier: &'g RoundBarrier,
    ladders: &'g [OpenLadder],
    /// The thread's number in the group; thread 0 writes checkpoints and counts exchanges.
    number: usize,
    /// The number of its first replica in the group.
    first: usize,
    /// Whether an error or a panic keeps the thread from stepping its replicas.
    failed: Cell<bool>,
}

impl<'a> ExchangeWorker<'_, 'a, '_> {
    fn is_leader(&self) -> bool {
        self.number == 0
    }

    fn fail(&self, error: Error) {
        self.failed.set(true);
        self.run.stop_for(error);
    }

    /// Does some work on the thread's replicas. After a panic their state is unknown: they are dropped without a checkpoint,
    /// and the thread only joins the barriers, where the others wait for it.
    fn attempt(
        &self,
        worker: &mut Option<Worker<'a>>,
        work: impl FnOnce(&mut Worker<'a>) -> Result<(), Error>,
    ) {
        let Some(mut taken) = worker.take() else { return };
        match catch_unwind(AssertUnwindSafe(|| work(&mut taken))) {
            Ok(outcome) => {
                *worker = Some(taken);
                outcome.unwrap_or_else(|error| self.fail(error));
            }
            Err(_) => self.fail(Error::Worker),
        }
    }

    /// Steps this thread's replicas from exchange to exchange. Each is named by its ladder and its number there.
    fn step_rounds(&self, worker: usize, replicas: &[(usize, usize)]) {
        // A thread that fails to start still joins the barrier, so the others do not block.
        let started = catch_unwind(AssertUnwindSafe(|| self.start(worker, replicas)));
        let mut worker = match started.unwrap_or(Err(Error::Worker)) {
            Ok(worker) => Some(worker),
            Err(error) => {
                self.fail(error);
                None
            }
        };
        let ladder = |open: &OpenLadder| {
            let first = &self.run.plan.members[open.members.start];
            Ladder::new(first.protocol.seed, first.replica, open.state.clone())
        };
        let mut ladders: Vec<Ladder> = self.ladders.iter().map(ladder).collect();
        let mut last_checkpoint = Instant::now();
        for round in 0.. {
            self.attempt(&mut worker, |worker| self.step(worker, &mut ladders, last_checkpoint));
            let all = self.synchronise(round, &mut worker, replicas.len());
            let reports: Vec<ReplicaReport> = all.replicas.into_iter().flatten().collect();
            let running: Vec<_> = reports.iter().filter(|report| report.running).collect();
            if all.has_failed || running.is_empty() {
                break;
            }
            // Each ladder exchanges as soon as its own replicas wait: another one may be ahead of it, and paused.
            if self.by_ladder(&reports).into_iter().any(all_wait) {
                self.attempt(&mut worker, |worker| {
                    self.exchange(worker, &mut ladders, &reports);
                    Ok(())
                });
            } else if all.is_stopped || running.iter().all(|one| one.waiting || one.paused) {
                break;
            }
            if all.is_checkpoint_due {
                self.write_checkpoints(&mut worker, &ladders);
                last_checkpoint = Instant::now();
            }
        }
        self.write_checkpoints(&mut worker, &ladders);
        let runs = worker.iter().flat_map(|worker| &worker.runs);
        runs.for_each(|member| self.run.note_end(member));
    }

    fn start(&self, number: usize, replicas: &[(usize, usize)]) -> Result<Worker<'a>, Error> {
        let mut worker = self.run.workers.worker(number)?;
        for &(ladder, replica) in replicas {
            let OpenLadder { members, state, checkpoints } = &self.ladders[ladder];
            let rung = state.rungs[replica];
            let temperature = state.temperatures[rung as usize];
            let rung = RungAssignment { attempts: state.attempt, rung, temperature };
            let checkpoint = checkpoints[replica].clone();
            let number = members.start + replica;
            worker.runs.push(self.run.open_member(number, checkpoint, Some(rung))?);
        }
        Ok(worker)
    }

    /// Steps to the next exchange, or until checkpoints are due or the run stops.
    fn step(
        &self,
        worker: &mut Worker<'a>,
        ladders: &mut [Ladder],
        last_checkpoint: Instant,
    ) -> Result<(), Error> {
        let is_due = &self.barrier.is_checkpoint_due;
        let failed = |worker: &Worker<'_>| {
            let runs = worker.runs.iter();
            runs.filter(|run| matches!(run.status, MemberStatus::Failed { .. })).count()
        };
        // Replicas that failed before do not stop this session.
        let before = failed(worker);
        while worker.has_steps_to_make()
            && !self.run.is_stopped()
            && !is_due.load(Ordering::Relaxed)
        {
            worker.run_slice(ladders)?;
            if last_checkpoint.elapsed().as_secs_f64() >= self.run.plan.checkpoint_seconds {
                is_due.store(true, Ordering::Relaxed);
            }
            if failed(worker) > before {
                self.run.stop_for_failure();
            }
        }
        Ok(())
    }

    /// Reports on the thread's replicas, waits for the other threads, and returns what all of them reported.
    fn synchronise(
        &self,
        round: usize,
        worker: &mut Option<Worker<'a>>,
        replicas: usize,
    ) -> RoundReport {
        let mut own = RoundReport { replicas: vec![None; replicas], ..RoundReport::default() };
        self.attempt(worker, |worker| {
            for (report, run) in own.replicas.iter_mut().zip(&mut worker.runs) {
                *report = Some(run.report()?);
            }
            Ok(())
        });
        own.has_failed = self.failed.get();
        own.is_stopped = self.run.is_stopped();
        own.is_checkpoint_due = self.barrier.is_checkpoint_due.load(Ordering::Relaxed);
        let reports = &self.barrier.reports[round % 2];
        *lock(&reports[self.number]) = own;
        let all_are_here = self.barrier.meeting.join();
        let mut all = RoundReport { has_failed: !all_are_here, ..RoundReport::default() };
        for report in reports {
            let report = lock(report);
            all.replicas.extend_from_slice(&report.replicas);
            all.has_failed |= report.has_failed;
            all.is_stopped |= report.is_stopped;
            all.is_checkpoint_due |= report.is_checkpoint_due;
        }
        all
    }

    /// The reports of each ladder.
    fn by_ladder<'r>(&self, reports: &'r [ReplicaReport]) -> Vec<&'r [ReplicaReport]> {
        let mut rest = reports;
        let of_ladder = |open: &OpenLadder| {
            let (own, others) = rest.split_at(open.members.len());
            rest = others;
            own
        };
        self.ladders.iter().map(of_ladder).collect()
    }

    /// Decides the exchanges of the ladders that wait for one, and moves the thread's replicas to their new rungs.
    fn exchange(&self, worker: &mut Worker<'_>, ladders: &mut [Ladder], reports: &[ReplicaReport]) {
        let each = self.ladders.iter().zip(self.by_ladder(reports)).zip(ladders);
        for ((open, reports), ladder) in each {
            // A ladder that has ended or is on its way makes no attempts, even if others of the group do.
            if !all_wait(reports) {
                continue;
            }
            let energies: Vec<Option<f64>> = reports.iter().map(|report| report.energy).collect();
            let before = ladder.state().rungs.clone();
            let rungs = ladder.decide(&energies);
            apply_exchange(ladder, &rungs, self.is_leader().then_some(self.run.progress));
            // Temperatures are placed from the reports of all replicas, so none may be missing.
            if reports.iter().all(|report| report.running) {
                let first = &self.run.plan.members[open.members.start];
                let note = place_temperatures(ladder, first).filter(|_| self.is_leader());
                note.into_iter().for_each(|note| self.run.add_note(open.members.start, note));
            }
            let mut trial_moves = vec![None; before.len()];
            for (&rung, report) in before.iter().zip(reports) {
                trial_moves[rung as usize] = report.trial_move;
            }
            for run in &mut worker.runs {
                if open.members.contains(&run.number) && run.is_running() {
                    let rung = rungs[run.number - open.members.start];
                    let temperature = ladder.temperatures()[rung as usize];
                    run.move_to_rung(rung, temperature, trial_moves[rung as usize]);
                }
            }
        }
    }

    /// Collects the checkpoints of all replicas of the group; thread 0 writes them.
    fn write_checkpoints(&self, worker: &mut Option<Worker<'a>>, ladders: &[Ladder]) {
        self.attempt(worker, |worker| {
            let mut outcome = Ok(());
            for (replica, run) in worker.runs.iter_mut().enumerate() {
                match run.checkpoint() {
                    Ok(found) => lock(&self.barrier.checkpoints)[self.first + replica] = found,
                    Err(error) => outcome = outcome.and(Err(error)),
                }
            }
            outcome
        });
        if self.is_leader() {
            // All threads have read this flag, and none steps before the barrier below.
            self.barrier.is_checkpoint_due.store(false, Ordering::Relaxed);
        }
        // A checkpoint without the replicas of a thread that died would be none.
        let all_are_here = self.barrier.meeting.join();
        if !self.is_leader() || !all_are_here {
            return;
        }
        let mut checkpoints = lock(&self.barrier.checkpoints);
        for (open, ladder) in self.ladders.iter().zip(ladders) {
            let members = checkpoints.drain(..open.members.len()).collect();
            // If something could not be written, a member is missing here and the earlier checkpoint stays.
            let set = CheckpointSet { members, ladder: Some(ladder.state().clone()) };
            set.write(self.run.recorder, &open.members).unwrap_or_else(|error| self.fail(error));
        }
        let replicas = self.ladders.iter().map(|open| open.members.len()).sum();
        checkpoints.resize(replicas, None);
    }
}

/// Whether a ladder has replicas with steps left, and all of these wait for their exchange.
fn all_wait(reports: &[ReplicaReport]) -> bool {
    let mut running = reports.iter().filter(|report| report.running).peekable();
    running.peek().is_some() && running.all(|report| report.waiting)
}
