//! One member from its start or its checkpoint to its end.

mod ladder_position;

use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_cuda::{BatchResult, is_on_gpu, sample_bytes};
use beadwork_model::{StageKind, StopRule, System};
use beadwork_simulation::SamplePoint;
use beadwork_simulation::{Failure, StepError};

use crate::Error;
use crate::checkpoint::{MemberCheckpoint, MemberStatus, VALUE_VERSION};
use crate::plan::{MemberPlan, Plan};
use crate::progress::Progress;
use crate::recorder::{MemberRecorder, Recorder, Row};
use crate::run::settled_steps;
use beadwork_simulation::{Schedule, Steps};

use ladder_position::LadderPosition;
pub use ladder_position::{ReplicaReport, RungAssignment};

/// Time after which rows must be visible to a reader of the table.
const FLUSH: Duration = Duration::from_secs(2);

/// Where a member was before steps were made.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    time: f64,
    step: u64,
    remaining: u64,
}

/// A member with its files.
pub struct MemberRun<'a> {
    plan: &'a Plan,
    recorder: &'a dyn Recorder,
    number: usize,
    member: Member,
    record: Box<dyn MemberRecorder + 'a>,
    progress: &'a Progress,
    status: MemberStatus,
    notes: Vec<String>,
    /// Steps of this member in the progress.
    settled: u64,
    /// Whether something could not be written: no checkpoint may stand for it.
    lost: bool,
    last_checkpoint: Instant,
    last_flush: Instant,
    position: Option<LadderPosition>,
}

impl<'a> MemberRun<'a> {
    /// Begins a member or takes up its checkpoint; `place` is that of a replica of a ladder.
    pub fn open(
        recorder: &'a dyn Recorder,
        plan: &'a Plan,
        number: usize,
        checkpoint: Option<MemberCheckpoint>,
        place: Option<RungAssignment>,
        progress: &'a Progress,
    ) -> Result<Self, Error> {
        let member_plan = &plan.members[number];
        let end = checkpoint.as_ref().map(|checkpoint| checkpoint.record);
        let record = recorder.open(plan, number, end)?;
        let (system, protocol) = (member_plan.system.clone(), member_plan.protocol.clone());
        let fresh = checkpoint.is_none();
        let settled =
            checkpoint.as_ref().map_or(0, |checkpoint| settled_steps(member_plan, checkpoint));
        let (member, status) = match checkpoint {
            Some(checkpoint) => (
                Member::restore(system, protocol, member_plan.replica, checkpoint.state),
                checkpoint.status,
            ),
            None => (
                Member::new(system, protocol, member_plan.replica, &member_plan.start),
                MemberStatus::Running,
            ),
        };
        let mut run = MemberRun {
            plan,
            recorder,
            number,
            member,
            record,
            progress,
            status,
            notes: Vec::new(),
            settled,
            lost: false,
            last_checkpoint: Instant::now(),
            last_flush: Instant::now(),
            position: None,
        };
        if let (Some(exchange), Some(place)) = (&member_plan.exchange, place) {
            run.position = Some(LadderPosition::new(exchange.clone(), place));
            run.member.set_temperature(place.temperature);
        }
        if fresh {
            run.sample(true, true)?;
        }
        Ok(run)
    }

    /// Where the member reports.
    pub fn status(&self) -> &MemberStatus {
        &self.status
    }

    /// The member's number in the plan.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether there is more to do.
    pub fn is_running(&self) -> bool {
        self.status == MemberStatus::Running
    }

    /// What is stepped.
    pub fn member_mut(&mut self) -> &mut Member {
        &mut self.member
    }

    /// What is stepped.
    pub fn member(&self) -> &Member {
        &self.member
    }

    /// Enters the next stage if the present one is over, and says how many steps may be made before
    /// the member is to be sampled; `None` once there is nothing more to do.
    pub fn steps_wanted(&mut self) -> Result<Option<u64>, Error> {
        while self.is_running() && !self.is_waiting() {
            if self.member.remaining() == 0 {
                let entered = self.next_stage();
                self.lost |= entered.is_err();
                entered?;
                continue;
            }
            let remaining = self.member.remaining();
            return Ok(Some(if self.minimises() {
                remaining
            } else {
                remaining
                    .min(self.schedule().steps_to_next(self.steps()))
                    .min(self.steps_to_exchange())
            }));
        }
        Ok(None)
    }

    /// The next sample points of a member in a stage of dynamics, at most so many and within so many steps.
    pub fn next_samples(&self, steps: u64, most: usize) -> Vec<SamplePoint> {
        let steps = steps.min(self.member.remaining()).min(self.steps_to_exchange());
        self.schedule().sample_points(self.steps(), steps, most)
    }

    /// Steps between rows, and between frames.
    pub fn samples_every(&self) -> (u64, Option<u64>) {
        (self.plan.table_every, self.plan.trajectory.map(|(every, _)| every))
    }

    /// What it is to do.
    pub fn plan(&self) -> &'a MemberPlan {
        &self.plan.members[self.number]
    }

    /// Takes note of what is worth saying of it, a sentence.
    pub fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Where its progress is told.
    pub fn progress(&self) -> &'a Progress {
        self.progress
    }

    /// Whether the present stage is stepped on a GPU where there is one.
    pub fn is_on_gpu(&self) -> bool {
        is_on_gpu(&self.member.stage().kind)
    }

    /// Beads of the member.
    pub fn beads(&self) -> usize {
        self.plan.members[self.number].system.beads()
    }

    /// Bytes of a sample of the member on its way from a GPU.
    pub fn sample_bytes(&self) -> usize {
        let plan = &self.plan.members[self.number];
        sample_bytes(&plan.system, &plan.protocol)
    }

    fn minimises(&self) -> bool {
        matches!(self.member.stage().kind, StageKind::Minimise { .. })
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule {
            table_every: self.plan.table_every,
            frame_every: self.plan.trajectory.map(|(every, _)| every),
            stops: &self.member.stage().stops,
        }
    }

    fn steps(&self) -> Steps {
        Steps { dynamics: self.member.dynamics_step(), stage: self.member.stage_step() }
    }

    /// Where the member is before steps are made.
    pub fn mark(&self) -> Mark {
        Mark {
            time: self.member.time(),
            step: self.member.step_number(),
            remaining: self.member.remaining(),
        }
    }

    /// Makes up to `steps` steps on the processor, and takes note of them; returns how many.
    pub fn advance_alone(&mut self, steps: u64) -> Result<u64, Error> {
        let mark = self.mark();
        let outcome = self.member.advance(steps);
        let made = *outcome.as_ref().unwrap_or(&0);
        self.settle_steps(&mark, outcome)?;
        Ok(made)
    }

    /// Takes note of steps made since `mark` was taken: rows, frames, stop rules, failures.
    pub fn settle_steps(
        &mut self,
        mark: &Mark,
        outcome: Result<u64, Failure>,
    ) -> Result<(), Error> {
        let settled = self.settle_outcome(mark, outcome);
        // What could not be written down must not be behind a checkpoint.
        self.lost |= settled.is_err();
        settled
    }

    /// Takes over sweeps that a GPU made of a chain, where so many moves were accepted; where it is looked at there,
    /// `positions` are its monomers', in units of the length.
    pub fn settle_sweeps(
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
        self.settle_steps(&mark, Ok(sweeps))
    }

    /// Takes over what a GPU made of the member: each sample in turn, until its stage or the member is over.
    pub fn take_batch(&mut self, batch: &BatchResult) -> Result<(), Error> {
        for sample in 0..batch.samples() {
            let mark = self.mark();
            let brought = batch.bring(sample, &mut self.member);
            // Half a state may have been brought, which no checkpoint may hold.
            self.lost |= brought.is_err();
            self.settle_steps(&mark, Ok(brought?))?;
            // The card went on; what it found beyond this sample has not happened.
            if !self.is_running() || self.member.remaining() == 0 {
                return Ok(());
            }
        }
        let mark = self.mark();
        let failed = batch.fail(&mut self.member);
        self.lost |= failed.is_err();
        match failed? {
            Some(failure) => self.settle_steps(&mark, Err(failure)),
            None => Ok(()),
        }
    }

    fn settle_outcome(&mut self, mark: &Mark, outcome: Result<u64, Failure>) -> Result<(), Error> {
        // Where a bond broke, the member may have gone back beyond its first step.
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
        let step = self.member.dynamics_step();
        let row = step.is_multiple_of(self.plan.table_every);
        let frame = self.plan.trajectory.is_some_and(|(every, _)| step.is_multiple_of(every));
        let remaining = self.member.remaining();
        if (row || frame) && made > 0 {
            self.sample(row, frame)?;
        }
        if made > 0 && self.is_running() {
            self.ask_stop_rules()?;
        }
        if self.is_running() {
            self.settle(remaining - self.member.remaining());
        }
        Ok(())
    }

    /// Keeps what is due to be kept, between two slices.
    pub fn keep(&mut self) -> Result<(), Error> {
        let kept = self.keep_what_is_due();
        self.lost |= kept.is_err();
        kept
    }

    fn keep_what_is_due(&mut self) -> Result<(), Error> {
        // A replica is kept with its ladder.
        let own = self.position.is_none();
        if own && self.last_checkpoint.elapsed().as_secs_f64() >= self.plan.checkpoint_seconds {
            self.checkpoint()?;
        }
        if self.last_flush.elapsed() >= FLUSH {
            self.record.flush()?;
            self.last_flush = Instant::now();
        }
        Ok(())
    }

    /// Leaves the member with a checkpoint, over or not.
    pub fn leave(&mut self) -> Result<(), Error> {
        if self.lost {
            return Ok(());
        }
        self.checkpoint()?;
        self.count();
        Ok(())
    }

    /// Tells the progress of a member that is over.
    pub fn count(&self) {
        match self.status {
            MemberStatus::Finished => self.progress.add_finished(),
            MemberStatus::Failed { .. } => self.progress.add_failed(),
            MemberStatus::Running => {}
        }
    }

    /// Ends the stage if a rule that is due at this step of it holds.
    fn ask_stop_rules(&mut self) -> Result<(), Error> {
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
        if self.member.stage().stops.iter().filter(due).any(holds) {
            self.member.end_stage();
        }
        Ok(())
    }

    fn next_stage(&mut self) -> Result<(), Error> {
        // A stage that begins forgets the step before, to which a member with a broken bond goes
        // back; and a member whose last step broke one is not finished.
        if let Err(failure) = self.member.verify() {
            return self.fail(failure);
        }
        let next = self.member.stage_number() + 1;
        if next < self.plan.members[self.number].protocol.stages.len() {
            self.member.begin_stage(next);
        } else {
            self.status = MemberStatus::Finished;
        }
        Ok(())
    }

    /// Remarks on a minimisation that used up its steps.
    fn note_unfinished_minimisation(&mut self) {
        let stage = self.member.stage();
        let StageKind::Minimise { tolerance, steps } = stage.kind else { return };
        if self.member.stage_step() == steps {
            self.notes.push(format!(
                "replica {}, stage \"{}\": the minimisation has used up its {steps} steps with a force of {:.3} kcal/(mol A) left on a bead, above the tolerance of {tolerance}; the run goes on from there: give it more steps or a larger tolerance",
                self.plan.members[self.number].replica,
                stage.name,
                self.member.largest_force()
            ));
        }
    }

    /// What is worth saying of the member, as sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Counts steps that need no more work.
    fn settle(&mut self, steps: u64) {
        self.settled += steps;
        self.progress.add_settled(steps);
    }

    /// Writes a row, a frame or both.
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
            let rung = self.bath();
            let measurement = &measurement;
            self.record.row(&Row { member: &self.member, measurement, rung, acceptance })?;
        } else if let Err(failure) = self.member.verify() {
            return self.fail(failure);
        }
        if frame { self.frame() } else { Ok(()) }
    }

    /// Writes a frame; a bead where the format has no numbers ends the member.
    fn frame(&mut self) -> Result<(), Error> {
        let rung = self.bath().map(|(rung, _)| rung);
        let error = match self.record.frame(&self.member, rung) {
            Err(Error::Io(error @ beadwork_io::Error::Coordinate { .. })) => error,
            written => return written,
        };
        if let beadwork_io::Error::Coordinate { bead, axis, value, limit, .. } = error {
            let label = self.plan.members[self.number].system.bead_label(bead);
            self.freeze(
                self.member.step_number(),
                &format!("{label} is at {axis} = {value} A, which the trajectory cannot hold: {limit}; use a smaller time step"),
            );
        }
        Ok(())
    }

    /// Freezes the member in its last sound state.
    fn fail(&mut self, failure: Failure) -> Result<(), Error> {
        let error = describe(&failure.error, &self.plan.members[self.number].system);
        self.freeze(failure.step, &error);
        let rung = self.bath().map(|(rung, _)| rung);
        match self.record.frame(&self.member, rung) {
            // The last sound state may be beyond what the format holds.
            Err(Error::Io(beadwork_io::Error::Coordinate { .. })) => Ok(()),
            written => written,
        }
    }

    /// Ends the member, for an error at a step.
    fn freeze(&mut self, step: u64, error: &str) {
        let plan = &self.plan.members[self.number];
        let message = format!(
            "replica {}, step {step}, stage \"{}\": {error}",
            plan.replica,
            self.member.stage().name
        );
        self.status = MemberStatus::Failed { step, message };
        // Steps of later stages are left out too.
        self.settle(plan.protocol.steps().saturating_sub(self.settled));
    }

    fn checkpoint(&mut self) -> Result<(), Error> {
        let Some(checkpoint) = self.take_down()? else { return Ok(()) };
        checkpoint.write(self.recorder, self.number)?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }

    /// What is needed to go on from here, once the files are on disk; none where something could not be written.
    pub fn take_down(&mut self) -> Result<Option<MemberCheckpoint>, Error> {
        if self.status == MemberStatus::Running
            && let Err(failure) = self.member.verify()
        {
            let failed = self.fail(failure);
            self.lost |= failed.is_err();
            failed?;
        }
        if self.lost {
            return Ok(None);
        }
        let record = self.record.sync()?;
        Ok(Some(MemberCheckpoint {
            value_version: VALUE_VERSION,
            fingerprint: self.plan.fingerprint.clone(),
            replica: self.plan.members[self.number].replica,
            status: self.status.clone(),
            state: self.member.state(),
            record,
        }))
    }
}

fn describe(error: &StepError, system: &System) -> String {
    match error {
        StepError::BrokenBond { i, j, distance, rest_length, limit } => format!(
            "the FENE bond between {} and {} broke: {distance:.3} A long, beyond {rest_length:.3} ± {limit} A; use a smaller time step, a slower drive, or minimise first",
            system.bead_label(*i),
            system.bead_label(*j)
        ),
        StepError::NotFinite { bead } => format!(
            "the position of {} is no longer a finite number; use a smaller time step",
            system.bead_label(*bead)
        ),
    }
}
