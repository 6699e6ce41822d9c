//! The content of a member's checkpoint.

use std::path::Path;

use beadwork_cpu::MemberState;
use beadwork_io::{TrajectoryPosition, checkpoint};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Grows with every change after which the same input gives other numbers (a *value-breaking*
/// change): checkpoints do not cross it.
pub const VALUE_VERSION: u32 = 2;

const KIND: &str = "member";

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

impl MemberCheckpoint {
    /// Writes the checkpoint in one piece: whoever is killed here leaves the old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let payload = postcard::to_allocvec(self).map_err(|error| Error::Unfit {
            path: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        Ok(checkpoint::write(path, KIND, &payload)?)
    }

    /// Reads a checkpoint; `None` where there is none yet.
    ///
    /// # Errors
    /// A file that is damaged, cut short, or of another version, input or replica.
    pub fn read(path: &Path, fingerprint: &str, replica: u64) -> Result<Option<Self>, Error> {
        if !path.exists() {
            return Ok(None);
        }
        let payload = checkpoint::read(path, KIND)?;
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
        let checkpoint: MemberCheckpoint =
            postcard::from_bytes(&payload).map_err(|error| unfit(path, &error.to_string()))?;
        if checkpoint.replica != replica {
            let reason = format!("it is of replica {}, not {replica}", checkpoint.replica);
            return Err(unfit(path, &reason));
        }
        Ok(Some(checkpoint))
    }
}

fn unfit(path: &Path, reason: &str) -> Error {
    Error::Unfit { path: path.to_path_buf(), reason: reason.to_string() }
}
