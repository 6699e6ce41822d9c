//! The contents of checkpoints, of a member each or of all replicas of a ladder.

use std::ops::Range;
use std::path::Path;

use beadwork_simulation::MemberState;
use beadwork_simulation::exchange::LadderState;
use beadwork_io::{RunFolder, TrajectoryPosition, checkpoint};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::plan::Plan;

/// Grows with every change after which the same input gives other numbers (a *value-breaking*
/// change): checkpoints do not cross it.
pub const VALUE_VERSION: u32 = 3;

/// Where a member stands.
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
    /// Where it stands.
    pub status: MemberStatus,
    /// The physics.
    pub state: MemberState,
    /// Bytes of the table.
    pub table: u64,
    /// Bytes of the table of frames.
    pub frames: u64,
    /// End of the trajectory, if one is written.
    pub trajectory: Option<TrajectoryPosition>,
    /// The step of the last frame.
    pub last_frame: Option<u64>,
    /// The step of the last row.
    pub last_row: Option<u64>,
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

    /// Takes up what stands behind the layout; nothing in checkpoints of earlier builds.
    fn take_up(&mut self, _rest: &[u8]) {}

    fn write(&self, path: &Path) -> Result<(), Error> {
        let payload = self.payload().map_err(|error| unfit(path, &error.to_string()))?;
        Ok(checkpoint::write(path, Self::KIND, &payload)?)
    }

    /// `None` where there is none yet.
    fn read(path: &Path, fingerprint: &str) -> Result<Option<Self>, Error> {
        if !path.exists() {
            return Ok(None);
        }
        let payload = checkpoint::read(path, Self::KIND)?;
        // The version and the input come first in the layout, so that they can be judged even if
        // the rest has changed.
        let (head, _): ((u32, String), _) =
            postcard::take_from_bytes(&payload).map_err(|error| unfit(path, &error.to_string()))?;
        if head.0 != VALUE_VERSION {
            return Err(Error::OtherValueVersion {
                path: path.to_path_buf(),
                found: head.0,
                expected: VALUE_VERSION,
            });
        }
        if head.1 != fingerprint {
            return Err(Error::OtherInput {
                path: path.to_path_buf(),
                found: head.1,
                expected: fingerprint.to_string(),
            });
        }
        let (mut checkpoint, rest): (Self, _) =
            postcard::take_from_bytes(&payload).map_err(|error| unfit(path, &error.to_string()))?;
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
    /// Writes the checkpoint in one piece: whoever is killed here leaves the old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        Checkpoint::write(self, path)
    }

    /// Refuses what the planned member cannot have come to.
    fn check(&self, plan: &Plan, number: usize) -> Result<(), String> {
        let member = &plan.members[number];
        if self.replica != member.replica {
            return Err(format!("it is of replica {}, not {}", self.replica, member.replica));
        }
        self.state.check(&member.system, &member.protocol)?;
        let is_ahead = |step: Option<u64>| step.is_some_and(|step| step > self.state.step);
        let frames = self.trajectory.map(|position| position.frames);
        if is_ahead(self.last_row)
            || is_ahead(self.last_frame)
            || frames.is_some() != plan.trajectory.is_some()
            || frames.is_some_and(|frames| frames > self.state.step + 2)
        {
            return Err("its files are not those of the run".to_string());
        }
        Ok(())
    }
}

impl LadderCheckpoint {
    /// Writes the checkpoint in one piece: whoever is killed here leaves the old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        Checkpoint::write(self, path)
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
pub struct Kept {
    /// Of the members of [`Plan::kept_together`]; `None` for those that have not begun.
    pub members: Vec<Option<MemberCheckpoint>>,
    /// Of their ladder, if they are in one.
    pub ladder: Option<LadderState>,
}

impl Kept {
    /// Reads the file of some members that are kept together. It must be of the input of `fingerprint`; of that of
    /// `changed`, if it is given, it counts as absent.
    ///
    /// # Errors
    /// A checkpoint that cannot be used.
    pub fn read(
        folder: &RunFolder,
        plan: &Plan,
        members: &Range<usize>,
        fingerprint: &str,
        changed: Option<&str>,
    ) -> Result<Kept, Error> {
        let path = folder.checkpoint(members.start);
        let first = &plan.members[members.start];
        let refused = |reason: String| unfit(&path, &reason);
        if first.exchange.is_none() {
            let read = MemberCheckpoint::read(&path, fingerprint);
            let found = read.or_else(|error| absent_if(changed, error))?;
            found.iter().try_for_each(|one| one.check(plan, members.start)).map_err(refused)?;
            return Ok(Kept { members: vec![found], ladder: None });
        }
        let read = LadderCheckpoint::read(&path, fingerprint);
        Ok(match read.or_else(|error| absent_if(changed, error))? {
            Some(found) => {
                found.check(plan, members).map_err(refused)?;
                let members = found.members.into_iter().map(Some).collect();
                Kept { members, ladder: Some(found.ladder) }
            }
            None => Kept { members: vec![None; members.len()], ladder: None },
        })
    }

    /// Writes the file anew, in one piece; nothing where there was nothing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(self, folder: &RunFolder, members: &Range<usize>) -> Result<(), Error> {
        let path = folder.checkpoint(members.start);
        let Some(mut found) = self.members.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        match self.ladder {
            None => found.pop().map_or(Ok(()), |member| member.write(&path)),
            Some(ladder) => {
                let (fingerprint, replica) = (found[0].fingerprint.clone(), found[0].replica);
                let value_version = VALUE_VERSION;
                LadderCheckpoint { value_version, fingerprint, replica, ladder, members: found }
                    .write(&path)
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

fn unfit(path: &Path, reason: &str) -> Error {
    Error::Unfit { path: path.to_path_buf(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use beadwork_model::Placement;

    use super::*;

    /// What was added behind the layout is kept, and may be missing.
    #[test]
    fn checkpoints_of_earlier_builds_do_not_say_by_what_temperatures_were_placed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.ckpt");
        let mut written = LadderCheckpoint {
            value_version: VALUE_VERSION,
            fingerprint: "f".into(),
            replica: 4,
            ladder: LadderState::new(&[1.0, 2.0]),
            members: Vec::new(),
        };
        written.ladder.placed_by = Some(Placement::RoundTrips);
        let read = || <LadderCheckpoint as Checkpoint>::read(&path, "f").unwrap().unwrap();
        written.write(&path).unwrap();
        assert_eq!(read(), written);
        let earlier = postcard::to_allocvec(&written).unwrap();
        checkpoint::write(&path, LadderCheckpoint::KIND, &earlier).unwrap();
        written.ladder.placed_by = None;
        assert_eq!(read(), written);
    }
}
