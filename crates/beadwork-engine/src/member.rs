//! One member, from its start or its checkpoint to its end.

mod failure;
mod ladder_position;
mod records;
mod replica;
mod stages;

use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::MonteCarloMember;
use beadwork_cuda::{BatchResult, sample_bytes};
use beadwork_model::StageKind;
use beadwork_simulation::{Failure, SamplePoint, Schedule, Steps};

use crate::Error;
use crate::checkpoint::{MemberCheckpoint, MemberStatus, StageEnd, settled_steps};
use crate::plan::{MemberPlan, Plan};
use crate::progress::Progress;
use crate::recorder::{MemberRecorder, Recorder};

use ladder_position::LadderPosition;

pub use failure::describe_failure;
pub use ladder_position::RungAssignment;
pub use replica::ReplicaReport;

/// A member before some steps were made.
#[derive(Clone, Copy, Debug)]
pub struct StepMark {
    time: f64,
    step: u64,
    remaining: u64,
}

/// A member and its record.
pub struct MemberRun<'a> {
    plan: &'a Plan,
    recorder: &'a dyn Recorder,
    pub number: usize,
    pub member: Member,
    record: Box<dyn MemberRecorder + 'a>,
    pub progress: &'a Progress,
    pub status: MemberStatus,
    /// Where its stages ended; see [`MemberCheckpoint`].
    ends: Vec<StageEnd>,
    /// Remarks on the member, as sentences.
    pub notes: Vec<String>,
    /// This member's steps in `progress.settled`.
    settled: u64,
    /// Whether a row, a frame or a state was lost: no checkpoint may be written after that.
    is_incomplete: bool,
    last_checkpoint: Instant,
    last_flush: Instant,
    /// Its rung and its next exchange, if it is a replica of a ladder.
    position: Option<LadderPosition>,
    /// The step of dynamics at which it stops to be read.
    until: u64,
}

impl<'a> MemberRun<'a> {
    /// Opens a member at its start or its checkpoint; a replica of a ladder has a rung.
    pub fn open(
        recorder: &'a dyn Recorder,
        plan: &'a Plan,
        number: usize,
        checkpoint: Option<MemberCheckpoint>,
        rung: Option<RungAssignment>,
        progress: &'a Progress,
    ) -> Result<Self, Error> {
        let own = &plan.members[number];
        let record = recorder.open(plan, number, checkpoint.as_ref().map(|one| one.record))?;
        let is_new = checkpoint.is_none();
        let settled = checkpoint.as_ref().map_or(0, |checkpoint| settled_steps(own, checkpoint));
        let (member, status, ends) = match checkpoint {
            Some(MemberCheckpoint { state, status, ends, .. }) => {
                let (system, protocol) = (own.system.clone(), own.protocol.clone());
                (Member::restore(system, protocol, own.replica, state), status, ends)
            }
            None => (own.member(), MemberStatus::Running, Vec::new()),
        };
        let mut run = MemberRun {
            plan,
            recorder,
            number,
            member,
            record,
            progress,
            status,
            ends,
            notes: Vec::new(),
            settled,
            is_incomplete: false,
            last_checkpoint: Instant::now(),
            last_flush: Instant::now(),
            position: own
                .exchange
                .clone()
                .zip(rung)
                .map(|(exchange, at)| LadderPosition::new(exchange, at)),
            until: u64::MAX,
        };
        if let Some((_, temperature)) = run.rung() {
            match is_new {
                // Velocities begin at the temperature of the protocol.
                true => {
                    let before = own.protocol.dynamics.temperature;
                    run.member.change_temperature(before, temperature);
                }
                false => run.member.set_temperature(temperature),
            }
        }
        if is_new {
            run.sample(true, true)?;
        }
        Ok(run)
    }

    pub fn is_running(&self) -> bool {
        self.status == MemberStatus::Running
    }

    /// Stops the member at this step of dynamics, counted from the run's start, if any is given.
    pub fn pause_at(&mut self, step: Option<u64>) {
        self.until = step.unwrap_or(u64::MAX);
    }

    /// Whether it has steps left which it does not make in this run. It does not enter another stage then.
    pub fn is_paused(&self) -> bool {
        let is_last = self.member.stage_number() + 1 == self.plan().protocol.stages.len();
        let has_ended = is_last && self.member.remaining() == 0;
        self.is_running() && self.steps_to_pause() == 0 && !has_ended
    }

    pub fn steps_to_pause(&self) -> u64 {
        self.until.saturating_sub(self.member.dynamics_step())
    }

    pub fn plan(&self) -> &'a MemberPlan {
        &self.plan.members[self.number]
    }

    /// The member as a chain that is sampled.
    pub fn chain(&self) -> &MonteCarloMember {
        match &self.member {
            Member::MonteCarlo(chain) => chain,
            _ => unreachable!("a worker that samples chains has no other members"),
        }
    }

    /// Enters the next stage if the present one has ended. Returns the number of steps to the next row, frame, stop
    /// rule, exchange or end of the stage; `None` if the member has ended, is paused or waits for an exchange.
    pub fn steps_wanted(&mut self) -> Result<Option<u64>, Error> {
        while self.has_steps_to_make() {
            let remaining = self.member.remaining();
            if remaining == 0 {
                self.next_stage()?;
                continue;
            }
            if self.minimises() {
                return Ok(Some(remaining));
            }
            let due = self.schedule().steps_to_next(self.steps()).min(self.steps_to_exchange());
            return Ok(Some(remaining.min(due).min(self.steps_to_pause())));
        }
        Ok(None)
    }

    /// The next sample points of a member, at most `most` of them within at most `steps` steps. A minimisation has one, since no
    /// table holds its steps.
    pub fn next_samples(&self, steps: u64, most: usize) -> Vec<SamplePoint> {
        if self.minimises() {
            let steps = steps.min(self.member.steps_alike()) as u32;
            return vec![SamplePoint { steps, row: false }];
        }
        let steps = steps.min(self.member.remaining()).min(self.steps_to_exchange());
        let steps = steps.min(self.steps_to_pause());
        self.schedule().sample_points(self.steps(), steps, most)
    }

    pub fn samples_every(&self) -> (u64, Option<u64>) {
        (self.plan.table_every, self.plan.trajectory.map(|(every, _)| every))
    }

    /// The number of bytes in which a GPU returns one sample.
    pub fn sample_bytes(&self) -> usize {
        sample_bytes(&self.plan().system, &self.plan().protocol)
    }

    fn minimises(&self) -> bool {
        matches!(self.member.stage().kind, StageKind::Minimise { .. })
    }

    fn schedule(&self) -> Schedule<'_> {
        let (table_every, frame_every) = self.samples_every();
        Schedule { table_every, frame_every, stops: &self.member.stage().stops }
    }

    fn steps(&self) -> Steps {
        Steps { dynamics: self.member.dynamics_step(), stage: self.member.stage_step() }
    }

    pub fn mark(&self) -> StepMark {
        StepMark {
            time: self.member.time(),
            step: self.member.step_number(),
            remaining: self.member.remaining(),
        }
    }

    /// Makes up to `steps` steps on the processor; returns how many.
    pub fn advance_alone(&mut self, steps: u64) -> Result<u64, Error> {
        let mark = self.mark();
        let outcome = self.member.advance(steps);
        let made = *outcome.as_ref().unwrap_or(&0);
        self.after_steps(&mark, outcome)?;
        Ok(made)
    }

    /// Applies sweeps that a GPU made of a chain, with the number of accepted moves. At a sample point it also returned the
    /// positions, in units of the length.
    pub fn apply_sweeps(
        &mut self,
        sweeps: u64,
        accepted: u64,
        positions: Option<&[[f64; 3]]>,
    ) -> Result<(), Error> {
        let mark = self.mark();
        if let Member::MonteCarlo(chain) = &mut self.member {
            chain.note(sweeps, accepted);
            if let Some(positions) = positions {
                chain.bring(positions);
            }
        }
        self.after_steps(&mark, Ok(sweeps))
    }

    /// Applies what a GPU computed of the member: one sample after another, until its stage or the member ends.
    pub fn apply_batch(&mut self, batch: &BatchResult) -> Result<(), Error> {
        for sample in 0..batch.samples() {
            let mark = self.mark();
            let brought = batch.bring(sample, &mut self.member);
            // An error may leave an incomplete state, which no checkpoint may hold.
            self.is_incomplete |= brought.is_err();
            self.after_steps(&mark, Ok(brought?))?;
            // The GPU stepped beyond this sample; the later samples are dropped.
            if !self.is_running() || self.member.remaining() == 0 {
                return Ok(());
            }
        }
        let mark = self.mark();
        let failed = batch.fail(&mut self.member);
        self.is_incomplete |= failed.is_err();
        match failed? {
            Some(failure) => self.after_steps(&mark, Err(failure)),
            None => Ok(()),
        }
    }

    /// Acts on steps made since `mark`: writes rows and frames, applies stop rules, or freezes a member that failed.
    pub fn after_steps(
        &mut self,
        mark: &StepMark,
        outcome: Result<u64, Failure>,
    ) -> Result<(), Error> {
        // If a bond broke, the member may have returned to a state before its first step.
        let made = self.member.step_number().saturating_sub(mark.step);
        self.settled += made;
        self.progress.add_computed(made, (self.member.time() - mark.time).max(0.0));
        if let Err(failure) = outcome {
            return self.fail(failure);
        }
        self.settle(mark.remaining - made - self.member.remaining());
        if self.minimises() {
            if self.member.remaining() == 0 {
                self.note_unfinished_minimisation();
                self.sample(true, true)?;
            }
            return Ok(());
        }
        let is_due = |every: u64| self.member.dynamics_step().is_multiple_of(every);
        let (row_every, frame_every) = self.samples_every();
        let (row, frame) = (is_due(row_every), frame_every.is_some_and(is_due));
        let remaining = self.member.remaining();
        if (row || frame) && made > 0 {
            self.sample(row, frame)?;
        }
        if made > 0 && self.is_running() {
            self.apply_stop_rules()?;
        }
        if self.is_running() {
            self.settle(remaining - self.member.remaining());
        }
        Ok(())
    }

    /// Counts steps that need no more work.
    fn settle(&mut self, steps: u64) {
        self.settled += steps;
        self.progress.settled.add(steps);
    }
}
