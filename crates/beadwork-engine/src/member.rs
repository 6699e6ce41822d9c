//! One member, from its start or its checkpoint to its end.

mod ladder_position;

use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::MonteCarloMember;
use beadwork_cuda::{BatchResult, sample_bytes};
use beadwork_model::{StageKind, StopRule, System};
use beadwork_simulation::{Failure, SamplePoint, Schedule, StepError, Steps};

use crate::Error;
use crate::checkpoint::{
    CheckpointSet, MemberCheckpoint, MemberStatus, StageEnd, StageReason, VALUE_VERSION,
};
use crate::plan::{MemberPlan, Plan};
use crate::progress::Progress;
use crate::recorder::{MemberRecorder, Recorder, Row};
use crate::run::settled_steps;

use ladder_position::LadderPosition;
pub use ladder_position::{ReplicaReport, RungAssignment};

/// Rows become visible to readers of the table after this time at the latest.
const FLUSH: Duration = Duration::from_secs(2);

/// A member before some steps were made.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
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
    /// rule, exchange or end of the stage; `None` if the member has ended or waits for an exchange.
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
            return Ok(Some(remaining.min(due)));
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

    pub fn mark(&self) -> Mark {
        Mark {
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
    pub fn after_steps(&mut self, mark: &Mark, outcome: Result<u64, Failure>) -> Result<(), Error> {
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

    /// Ends the stage if a stop rule that is due at this step holds.
    fn apply_stop_rules(&mut self) -> Result<(), Error> {
        let step = self.member.stage_step();
        let due = |rule: &&StopRule| step.is_multiple_of(rule.every);
        if !self.member.stage().stops.iter().any(|rule| due(&rule)) {
            return Ok(());
        }
        let measurement = match self.member.observe() {
            Ok(measurement) => measurement,
            Err(failure) => return self.fail(failure),
        };
        let holds = |rule: &StopRule| {
            measurement.get(rule.observable).is_some_and(|value| rule.holds(value))
        };
        let mut stops = self.member.stage().stops.iter();
        if let Some(rule) = stops.position(|rule| due(&rule) && holds(rule)) {
            self.member.end_stage();
            self.ends.push(self.end_by(StageReason::Rule(rule as u32)));
        }
        Ok(())
    }

    /// The end of the present stage, at this step.
    fn end_by(&self, reason: StageReason) -> StageEnd {
        StageEnd {
            reason,
            step: self.member.step_number(),
            dynamics_step: self.member.dynamics_step(),
            stage_step: self.member.stage_step(),
        }
    }

    /// Why the present stage, which has no steps left, has ended, if no stop rule held.
    fn reason(&self) -> StageReason {
        match self.member.stage().kind {
            StageKind::Minimise { tolerance, steps, .. }
                if self.member.stage_step() == steps && self.member.largest_force() > tolerance =>
            {
                StageReason::StepsUsedUp
            }
            StageKind::Minimise { .. } => StageReason::Converged,
            _ => StageReason::Duration,
        }
    }

    fn next_stage(&mut self) -> Result<(), Error> {
        // Checked here, because a new stage drops the state of the step before, to which a member with a broken bond
        // returns, and because a member whose last step broke a bond has failed.
        if let Err(failure) = self.member.verify() {
            return self.fail(failure);
        }
        let next = self.member.stage_number() + 1;
        let is_last = next == self.plan().protocol.stages.len();
        let reason = self.reason();
        // A duration that ends the last stage leaves no trace: the stage may be made longer.
        if self.ends.len() < next && !(is_last && reason == StageReason::Duration) {
            self.ends.push(self.end_by(reason));
        }
        if !is_last {
            self.member.begin_stage(next);
        } else {
            self.status = MemberStatus::Finished;
        }
        Ok(())
    }

    /// Adds a note if a minimisation has used up its steps.
    fn note_unfinished_minimisation(&mut self) {
        let stage = self.member.stage();
        let StageKind::Minimise { tolerance, steps, .. } = stage.kind else { return };
        if self.member.stage_step() == steps && self.member.largest_force() > tolerance {
            let unit = self.member.system().units.of_force();
            self.notes.push(format!(
                "replica {}, stage \"{}\": the minimisation has used up its {steps} steps with a force of {:.3}{unit} left on a bead, above the tolerance of {tolerance}{unit}; the run goes on from there: give it more steps or a larger tolerance",
                self.plan().replica,
                stage.name,
                self.member.largest_force()
            ));
        }
    }

    fn sample(&mut self, row: bool, frame: bool) -> Result<(), Error> {
        if row {
            let acceptance = match &self.member {
                Member::MonteCarlo(chain) => chain.acceptance(),
                _ => None,
            };
            let measurement = match self.member.measure() {
                Ok(measurement) => measurement,
                Err(failure) => return self.fail(failure),
            };
            let (member, measurement, rung) = (&self.member, &measurement, self.rung());
            let written = self.record.row(&Row { member, measurement, rung, acceptance });
            self.is_incomplete |= written.is_err();
            written?;
        } else if let Err(failure) = self.member.verify() {
            return self.fail(failure);
        }
        if frame { self.frame() } else { Ok(()) }
    }

    /// Writes a frame; a position that the format cannot hold ends the member.
    fn frame(&mut self) -> Result<(), Error> {
        if let Some(beadwork_io::Error::Coordinate { bead, axis, value, limit, .. }) =
            self.write_frame()?
        {
            let label = self.plan().system.bead_label(bead);
            self.freeze(
                self.member.step_number(),
                &format!("{label} is at {axis} = {value} A, which the trajectory cannot hold: {limit}; use a smaller time step"),
            );
        }
        Ok(())
    }

    /// Writes a frame; returns the error if the format cannot hold a position.
    fn write_frame(&mut self) -> Result<Option<beadwork_io::Error>, Error> {
        let rung = self.rung().map(|(rung, _)| rung);
        match self.record.frame(&self.member, rung) {
            Ok(()) => Ok(None),
            Err(Error::Io(error @ beadwork_io::Error::Coordinate { .. })) => Ok(Some(error)),
            Err(error) => {
                self.is_incomplete = true;
                Err(error)
            }
        }
    }

    /// Freezes the member in its last sound state, and writes that as a frame if the format can hold it.
    fn fail(&mut self, failure: Failure) -> Result<(), Error> {
        let error = describe_failure(&failure.error, &self.plan().system);
        self.freeze(failure.step, &error);
        self.write_frame().map(drop)
    }

    fn freeze(&mut self, step: u64, error: &str) {
        let plan = self.plan();
        let stage = &self.member.stage().name;
        let message = format!("replica {}, step {step}, stage \"{stage}\": {error}", plan.replica);
        self.status = MemberStatus::Failed { step, message };
        // The steps of later stages will not be made either.
        self.settle(plan.protocol.steps().saturating_sub(self.settled));
    }

    /// Writes a checkpoint and flushes new rows if that is due, between two time slices.
    pub fn write_if_due(&mut self) -> Result<(), Error> {
        // The replicas of a ladder have one checkpoint, which the ladder writes.
        let is_alone = self.position.is_none();
        let since_checkpoint = self.last_checkpoint.elapsed().as_secs_f64();
        if is_alone && since_checkpoint >= self.plan.checkpoint_seconds {
            self.write_checkpoint()?;
        }
        if self.last_flush.elapsed() >= FLUSH {
            let flushed = self.record.flush();
            self.is_incomplete |= flushed.is_err();
            flushed?;
            self.last_flush = Instant::now();
        }
        Ok(())
    }

    /// Writes the checkpoint of a member that is in no ladder, unless something was lost.
    pub fn write_checkpoint(&mut self) -> Result<(), Error> {
        let members = vec![self.checkpoint()?];
        let set = CheckpointSet { members, ladder: None };
        let written = set.write(self.recorder, &(self.number..self.number + 1));
        self.is_incomplete |= written.is_err();
        self.last_checkpoint = Instant::now();
        written
    }

    /// The member's checkpoint, once its files are on disk; `None` if something was lost.
    pub fn checkpoint(&mut self) -> Result<Option<MemberCheckpoint>, Error> {
        if self.is_running()
            && !self.is_incomplete
            && let Err(failure) = self.member.verify()
        {
            self.fail(failure)?;
        }
        if self.is_incomplete {
            return Ok(None);
        }
        let record = self.record.sync();
        self.is_incomplete |= record.is_err();
        Ok(Some(MemberCheckpoint {
            value_version: VALUE_VERSION,
            fingerprint: self.plan.fingerprint.clone(),
            replica: self.plan().replica,
            status: self.status.clone(),
            state: self.member.state(),
            record: record?,
            ends: self.ends.clone(),
        }))
    }
}

/// Why a member of a system cannot go on, and what to do.
pub fn describe_failure(error: &StepError, system: &System) -> String {
    let length = system.units.of_length();
    match error {
        StepError::BrokenBond { i, j, distance, rest_length, limit } => format!(
            "the FENE bond between {} and {} broke: {distance:.3}{length} long, beyond {rest_length:.3} ± {limit}{length}; use a smaller time step, a slower drive, or minimise first",
            system.bead_label(*i),
            system.bead_label(*j)
        ),
        StepError::ForceTooLarge { bead, limit } => format!(
            "a force on {} exceeds {limit:.3e}{}, the largest that can be summed in a periodic box: beads overlap; take another start, or a smaller time step",
            system.bead_label(*bead),
            system.units.of_force()
        ),
        StepError::MovedTooFar { bead } => format!(
            "{} moved by more than a quarter of a side of the box in one move; use a smaller time step",
            system.bead_label(*bead)
        ),
        StepError::NotFinite { bead } => format!(
            "the position of {0} or the force on it is no longer a finite number; use a smaller time step, or another start if beads overlap",
            system.bead_label(*bead)
        ),
    }
}
