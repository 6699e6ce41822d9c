//! The contents of checkpoints, of a member each or of all replicas of a ladder.

use std::ops::Range;

use beadwork_simulation::MemberState;
use beadwork_simulation::exchange::LadderState;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::plan::Plan;
use crate::recorder::{RecordEnd, Recorder};

/// Grows with every change after which the same input gives other numbers (a *value-breaking*
/// change): checkpoints do not cross it.
pub const VALUE_VERSION: u32 = 3;

/// Where a member reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberStatus {
    /// On its way.
    Running,
    /// Through all stages.
    Finished,
    /// Frozen in its last sound state, with the reason as a sentence.
    Failed {
        /// The step at which it was found.
        step: u64,
        /// What happened, naming beads and stage.
        message: String,
    },
}

/// What is needed to go on to the bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberCheckpoint {
    /// See [`VALUE_VERSION`].
    pub value_version: u32,
    /// The input's fingerprint.
    pub fingerprint: String,
    /// The member's number for the noise.
    pub replica: u64,
    /// Where it reports.
    pub status: MemberStatus,
    /// The physics.
    pub state: MemberState,
    /// Where its record ends.
    pub record: RecordEnd,
}

/// What is needed to go on with a ladder to the bit: all its replicas, none of which has made an exchange that another has
/// not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderCheckpoint {
    /// See [`VALUE_VERSION`].
    pub value_version: u32,
    /// The input's fingerprint.
    pub fingerprint: String,
    /// The number of its first replica for the noise.
    pub replica: u64,
    /// Its rungs, as after an exchange.
    pub ladder: LadderState,
    /// Its replicas.
    pub members: Vec<MemberCheckpoint>,
}

/// What checkpoints of either kind have in common.
trait Checkpoint: Serialize + DeserializeOwned {
    const KIND: &'static str;

    fn payload(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_allocvec(self)
    }

    /// Takes up what reports behind the layout; nothing in checkpoints of earlier builds.
    fn take_up(&mut self, _rest: &[u8]) {}

    /// Writes the checkpoint in one piece: a kill leaves the one before.
    fn write(&self, recorder: &dyn Recorder, first: usize) -> Result<(), Error> {
        let unfit = |error: postcard::Error| unfit(recorder, first, &error.to_string());
        recorder.write_checkpoint(first, Self::KIND, &self.payload().map_err(unfit)?)
    }

    /// `None` where there is none yet.
    fn read(
        recorder: &dyn Recorder,
        first: usize,
        fingerprint: &str,
    ) -> Result<Option<Self>, Error> {
        let Some(payload) = recorder.read_checkpoint(first, Self::KIND)? else { return Ok(None) };
        let unfit = |error: postcard::Error| unfit(recorder, first, &error.to_string());
        // The version and the input come first in the layout, so that they can be judged even if
        // the rest has changed.
        let (head, _): ((u32, String), _) = postcard::take_from_bytes(&payload).map_err(unfit)?;
        if head.0 != VALUE_VERSION {
            return Err(Error::OtherValueVersion {
                path: recorder.checkpoint_name(first),
                found: head.0,
                expected: VALUE_VERSION,
            });
        }
        if head.1 != fingerprint {
            return Err(Error::OtherInput {
                path: recorder.checkpoint_name(first),
                found: head.1,
                expected: fingerprint.to_string(),
            });
        }
        let (mut checkpoint, rest): (Self, _) =
            postcard::take_from_bytes(&payload).map_err(unfit)?;
        checkpoint.take_up(rest);
        Ok(Some(checkpoint))
    }
}

impl Checkpoint for MemberCheckpoint {
    const KIND: &'static str = "member";
}

impl Checkpoint for LadderCheckpoint {
    const KIND: &'static str = "ladder";

    fn payload(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_allocvec(&(self, self.ladder.placed_by))
    }

    fn take_up(&mut self, rest: &[u8]) {
        self.ladder.placed_by = postcard::from_bytes(rest).unwrap_or_default();
    }
}

impl MemberCheckpoint {
    /// Records the checkpoint in one piece: a kill leaves the one before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, recorder: &dyn Recorder, first: usize) -> Result<(), Error> {
        Checkpoint::write(self, recorder, first)
    }

    /// Refuses what the planned member cannot have come to.
    fn check(&self, plan: &Plan, number: usize) -> Result<(), String> {
        let member = &plan.members[number];
        if self.replica != member.replica {
            return Err(format!("it is of replica {}, not {}", self.replica, member.replica));
        }
        self.state.check(&member.system, &member.protocol)?;
        let is_ahead = |step: Option<u64>| step.is_some_and(|step| step > self.state.step);
        let frames = self.record.trajectory.map(|position| position.frames);
        if is_ahead(self.record.last_row)
            || is_ahead(self.record.last_frame)
            || frames.is_some() != plan.trajectory.is_some()
            || frames.is_some_and(|frames| frames > self.state.step + 2)
        {
            return Err("its files are not those of the run".to_string());
        }
        Ok(())
    }
}

impl LadderCheckpoint {
    /// Records the checkpoint in one piece: a kill leaves the one before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, recorder: &dyn Recorder, first: usize) -> Result<(), Error> {
        Checkpoint::write(self, recorder, first)
    }

    /// Refuses what the planned ladder cannot have come to.
    fn check(&self, plan: &Plan, numbers: &Range<usize>) -> Result<(), String> {
        let first = &plan.members[numbers.start];
        let Some(exchange) = &first.exchange else {
            return Err("it is of a ladder, which the run does not have".to_string());
        };
        self.ladder.check(exchange, first.protocol.steps())?;
        if self.members.len() != numbers.len() {
            return Err(format!("it is not of a ladder of {} replicas", numbers.len()));
        }
        for (number, member) in numbers.clone().zip(&self.members) {
            member.check(plan, number)?;
            let since =
                member.state.dynamics_step.checked_sub(self.ladder.attempt * exchange.every);
            let is_between = since.is_some_and(|steps| steps <= exchange.every);
            if member.status == MemberStatus::Running && !is_between {
                return Err("its replicas are not between the same exchanges".to_string());
            }
        }
        Ok(())
    }
}

/// What one file of checkpoints holds: those of a ladder, or that of a member.
#[derive(Clone, Debug, Default)]
pub struct CheckpointSet {
    /// Of the members of [`Plan::kept_together`]; `None` for those that have not begun.
    pub members: Vec<Option<MemberCheckpoint>>,
    /// Of their ladder, if they are in one.
    pub ladder: Option<LadderState>,
}

impl CheckpointSet {
    /// Reads the file of some members that are kept together. It must be of the input of `fingerprint`; of that of
    /// `changed`, if it is given, it counts as absent.
    ///
    /// # Errors
    /// A checkpoint that cannot be used.
    pub fn read(
        recorder: &dyn Recorder,
        plan: &Plan,
        members: &Range<usize>,
        fingerprint: &str,
        changed: Option<&str>,
    ) -> Result<CheckpointSet, Error> {
        let first = &plan.members[members.start];
        let refused = |reason: String| unfit(recorder, members.start, &reason);
        if first.exchange.is_none() {
            let read = MemberCheckpoint::read(recorder, members.start, fingerprint);
            let found = read.or_else(|error| absent_if(changed, error))?;
            found.iter().try_for_each(|one| one.check(plan, members.start)).map_err(refused)?;
            return Ok(CheckpointSet { members: vec![found], ladder: None });
        }
        let read = LadderCheckpoint::read(recorder, members.start, fingerprint);
        Ok(match read.or_else(|error| absent_if(changed, error))? {
            Some(found) => {
                found.check(plan, members).map_err(refused)?;
                let members = found.members.into_iter().map(Some).collect();
                CheckpointSet { members, ladder: Some(found.ladder) }
            }
            None => CheckpointSet { members: vec![None; members.len()], ladder: None },
        })
    }

    /// Writes the file anew, in one piece; nothing where there was nothing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(self, recorder: &dyn Recorder, members: &Range<usize>) -> Result<(), Error> {
        let Some(mut found) = self.members.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        match self.ladder {
            None => found.pop().map_or(Ok(()), |member| member.write(recorder, members.start)),
            Some(ladder) => {
                let (fingerprint, replica) = (found[0].fingerprint.clone(), found[0].replica);
                let value_version = VALUE_VERSION;
                LadderCheckpoint { value_version, fingerprint, replica, ladder, members: found }
                    .write(recorder, members.start)
            }
        }
    }
}

/// A checkpoint that was changed already counts as absent.
fn absent_if<T>(changed: Option<&str>, error: Error) -> Result<Option<T>, Error> {
    match error {
        Error::OtherInput { found, .. } if Some(found.as_str()) == changed => Ok(None),
        other => Err(other),
    }
}

fn unfit(recorder: &dyn Recorder, first: usize, reason: &str) -> Error {
    Error::Unfit { path: recorder.checkpoint_name(first), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use beadwork_model::Placement;

    use super::*;
    use crate::MemoryRecorder;

    /// What was added behind the layout is kept, and may be missing.
    #[test]
    fn checkpoints_of_earlier_builds_do_not_say_by_what_temperatures_were_placed() {
        let recorder = MemoryRecorder::default();
        let mut written = LadderCheckpoint {
            value_version: VALUE_VERSION,
            fingerprint: "f".into(),
            replica: 4,
            ladder: LadderState::new(&[1.0, 2.0]),
            members: Vec::new(),
        };
        written.ladder.placed_by = Some(Placement::RoundTrips);
        let read = || <LadderCheckpoint as Checkpoint>::read(&recorder, 4, "f").unwrap().unwrap();
        written.write(&recorder, 4).unwrap();
        assert_eq!(read(), written);
        let earlier = postcard::to_allocvec(&written).unwrap();
        recorder.write_checkpoint(4, LadderCheckpoint::KIND, &earlier).unwrap();
        written.ladder.placed_by = None;
        assert_eq!(read(), written);
    }
}
