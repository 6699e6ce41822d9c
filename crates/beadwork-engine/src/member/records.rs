//! What a member writes: rows, frames, checkpoints, and the frame of a failure.

use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_model::advice::with_decimals;
use beadwork_simulation::Failure;

use super::MemberRun;
use super::failure::{describe_failure, possible_cause};
use crate::Error;
use crate::checkpoint::{CheckpointSet, MemberCheckpoint, MemberStatus, VALUE_VERSION};
use crate::recorder::Row;

/// Rows become visible to readers of the table after this time at the latest.
const FLUSH: Duration = Duration::from_secs(2);

impl MemberRun<'_> {
    /// Writes a row, a frame or both of the present step.
    pub(super) fn sample(&mut self, row: bool, frame: bool) -> Result<(), Error> {
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
            let system = &self.plan().system;
            let (label, unit) = (system.bead_label(bead), system.units.of_length());
            let value = with_decimals(value, 3);
            self.freeze(
                self.member.step_number(),
                &format!("{label} is at {axis} = {value}{unit}, which the trajectory cannot hold: {limit}; a run whose beads go so far has diverged or lost a molecule: use a smaller time step"),
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
    pub(super) fn fail(&mut self, failure: Failure) -> Result<(), Error> {
        let system = &self.plan().system;
        let cause =
            possible_cause(&failure.error, system, self.member.stage(), &self.member.state());
        let error = describe_failure(&failure.error, system) + &cause.unwrap_or_default();
        self.freeze(failure.step, &error);
        self.write_frame().map(drop)
    }

    /// Ends the member as failed.
    fn freeze(&mut self, step: u64, error: &str) {
        let plan = self.plan();
        let stage = &self.member.stage().name;
        let message = format!("replica {}, step {step}, stage \"{stage}\": {error}", plan.replica);
        self.status = MemberStatus::Failed { step, message };
        // The steps of later stages will not be made either.
        self.settle(plan.protocol.steps().saturating_sub(self.settled));
    }

    /// Whether [`MemberRun::write_if_due`] writes a checkpoint.
    pub fn has_checkpoint_due(&self) -> bool {
        // The replicas of a ladder have one checkpoint, which the ladder writes.
        let is_alone = self.position.is_none();
        is_alone && self.last_checkpoint.elapsed().as_secs_f64() >= self.plan.checkpoint_seconds
    }

    /// Writes a checkpoint and flushes new rows if that is due, between two time slices.
    pub fn write_if_due(&mut self) -> Result<(), Error> {
        if self.has_checkpoint_due() {
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
