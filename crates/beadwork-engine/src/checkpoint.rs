//! The contents of checkpoints, of a member each or of all replicas of a ladder.

use std::ops::Range;
use std::path::Path;

use beadwork_cpu::MemberState;
use beadwork_cpu::exchange::LadderState;
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

    fn replica(&self) -> u64;

    fn payload(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_allocvec(self)
    }

    /// Takes up what stands behind the layout; nothing in checkpoints of earlier builds.
    fn take_up(&mut self, _rest: &[u8]) {}

    fn write(&self, path: &Path) -> Result<(), Error> {
        let payload = self.payload().map_err(|error| unfit(path, &error.to_string()))?;
        Ok(checkpoint::write(path, Self::KIND, &payload)?)
    }

    fn read(path: &Path, fingerprint: &str, replica: u64) -> Result<Option<Self>, Error> {
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
        if checkpoint.replica() != replica {
            let reason = format!("it is of replica {}, not {replica}", checkpoint.replica());
            return Err(unfit(path, &reason));
        }
        Ok(Some(checkpoint))
    }
}

impl Checkpoint for MemberCheckpoint {
    const KIND: &'static str = "member";

    fn replica(&self) -> u64 {
        self.replica
    }
}

impl Checkpoint for LadderCheckpoint {
    const KIND: &'static str = "ladder";

    fn replica(&self) -> u64 {
        self.replica
    }

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

    /// Reads a checkpoint; `None` where there is none yet.
    ///
    /// # Errors
    /// A file that is damaged, cut short, or of another version, input or replica.
    pub fn read(path: &Path, fingerprint: &str, replica: u64) -> Result<Option<Self>, Error> {
        Checkpoint::read(path, fingerprint, replica)
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

    /// Reads the checkpoint of a ladder of so many replicas; `None` where there is none yet.
    ///
    /// # Errors
    /// A file that is damaged, cut short, or of another version, input or ladder.
    pub fn read(
        path: &Path,
        fingerprint: &str,
        replica: u64,
        replicas: usize,
    ) -> Result<Option<Self>, Error> {
        let found: Option<Self> = Checkpoint::read(path, fingerprint, replica)?;
        if let Some(LadderCheckpoint { ladder, members, .. }) = &found {
            let mut rungs = ladder.rungs.clone();
            rungs.sort_unstable();
            let whole = members.len() == replicas && ladder.temperatures.len() == replicas;
            if !whole || !rungs.into_iter().eq(0..replicas as u32) {
                let reason = format!("it is not of a ladder of {replicas} replicas");
                return Err(unfit(path, &reason));
            }
        }
        Ok(found)
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
        if first.exchange.is_none() {
            let read = MemberCheckpoint::read(&path, fingerprint, first.replica);
            let found = read.or_else(|error| absent_if(changed, error))?;
            return Ok(Kept { members: vec![found], ladder: None });
        }
        let read = LadderCheckpoint::read(&path, fingerprint, first.replica, members.len());
        Ok(match read.or_else(|error| absent_if(changed, error))? {
            Some(LadderCheckpoint { ladder, members, .. }) => {
                Kept { members: members.into_iter().map(Some).collect(), ladder: Some(ladder) }
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
        let read = || <LadderCheckpoint as Checkpoint>::read(&path, "f", 4).unwrap().unwrap();
        written.write(&path).unwrap();
        assert_eq!(read(), written);
        let earlier = postcard::to_allocvec(&written).unwrap();
        checkpoint::write(&path, LadderCheckpoint::KIND, &earlier).unwrap();
        written.ladder.placed_by = None;
        assert_eq!(read(), written);
    }
}
