//! Checkpoints: of one member, or of all replicas of a ladder in one file.

use std::ops::Range;

use beadwork_model::Placement;
use beadwork_simulation::MemberState;
use beadwork_simulation::exchange::LadderState;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::plan::{MemberPlan, Plan};
use crate::recorder::{RecordEnd, Recorder};

/// Raised with each *value-breaking* change, after which the same input gives other numbers. Checkpoints of another
/// version are refused.
pub const VALUE_VERSION: u32 = 6;

/// Whether a member still runs, has finished or has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberStatus {
    /// It has steps left.
    Running,
    /// It has finished all stages.
    Finished,
    /// It became unphysical and is frozen in its last sound state.
    Failed {
        /// The step at which the error was found.
        step: u64,
        /// What happened, as a sentence that names beads and stage.
        message: String,
    },
}

/// Why a stage of a member ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StageReason {
    /// The stage was as long as the input says.
    Duration,
    /// A stop rule held: its place among those of the stage.
    Rule(u32),
    /// A minimisation reached its tolerance.
    Converged,
    /// A minimisation used up its steps.
    StepsUsedUp,
}

/// Where a stage of a member ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageEnd {
    /// Why.
    pub reason: StageReason,
    /// Steps since the run began, minimisation included.
    pub step: u64,
    /// Steps of dynamics since the run began.
    pub dynamics_step: u64,
    /// Steps since the stage began.
    pub stage_step: u64,
}

/// Everything that a member needs to continue with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberCheckpoint {
    /// See [`VALUE_VERSION`].
    pub value_version: u32,
    /// The fingerprint of the run's input.
    pub fingerprint: String,
    /// The replica number, which is part of the key of the noise.
    pub replica: u64,
    /// Whether the member has steps left.
    pub status: MemberStatus,
    /// The physical state.
    pub state: MemberState,
    /// Where the member's record ends.
    pub record: RecordEnd,
    /// Where its stages ended, in their order. The last stage has no entry if its duration ended it, so that a longer one leaves
    /// the same checkpoint.
    pub ends: Vec<StageEnd>,
}

impl MemberCheckpoint {
    /// Where all stages ended that the member has left, the last one of a finished member included.
    pub fn stage_ends(&self) -> Vec<StageEnd> {
        let mut ends = self.ends.clone();
        if self.status == MemberStatus::Finished && ends.len() == self.state.stage {
            ends.push(StageEnd {
                reason: StageReason::Duration,
                step: self.state.step,
                dynamics_step: self.state.dynamics_step,
                stage_step: self.state.stage_step,
            });
        }
        ends
    }

    /// Refuses a state that the planned member cannot have reached.
    fn check(&self, plan: &Plan, number: usize) -> Result<(), String> {
        let member = &plan.members[number];
        if self.replica != member.replica {
            return Err(format!("it is of replica {}, not {}", self.replica, member.replica));
        }
        self.state.check(&member.system, &member.protocol)?;
        let left = self.ends.len();
        if left < self.state.stage || left > self.state.stage + 1 {
            return Err(format!(
                "it says of {left} stages how they ended, in stage {}",
                self.state.stage
            ));
        }
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

/// A ladder's checkpoint on disk: version, fingerprint and replica number of the first member, the ladder, its
/// replicas. All replicas in it have made the same exchanges.
type LadderLayout = (u32, String, u64, LadderState, Vec<MemberCheckpoint>);

/// The contents of one checkpoint: one member, or all replicas of a ladder.
#[derive(Clone, Debug, Default)]
pub struct CheckpointSet {
    /// One entry for each member of a [checkpoint group](Plan::checkpoint_groups); `None` before the first checkpoint.
    pub members: Vec<Option<MemberCheckpoint>>,
    /// The state of the ladder, if the members are its replicas.
    pub ladder: Option<LadderState>,
}

impl CheckpointSet {
    /// Reads the checkpoint of a group of members.
    ///
    /// # Errors
    /// A checkpoint that cannot be read, or that does not fit the plan.
    pub fn read(
        recorder: &dyn Recorder,
        plan: &Plan,
        members: &Range<usize>,
    ) -> Result<CheckpointSet, Error> {
        CheckpointSet::read_of_input(recorder, plan, members, &plan.fingerprint)
    }

    /// Reads the checkpoint of a group of members that belongs to the input with this fingerprint.
    ///
    /// # Errors
    /// A checkpoint that cannot be read, belongs to another input, or does not fit the plan.
    pub fn read_of_input(
        recorder: &dyn Recorder,
        plan: &Plan,
        members: &Range<usize>,
        fingerprint: &str,
    ) -> Result<CheckpointSet, Error> {
        let first = members.start;
        let exchange = plan.members[first].exchange.as_ref();
        let kind = if exchange.is_some() { "ladder" } else { "member" };
        let Some(payload) = recorder.read_checkpoint(first, kind)? else {
            return Ok(CheckpointSet { members: vec![None; members.len()], ladder: None });
        };
        let path = || recorder.checkpoint_name(first);
        let unfit = |reason: String| Error::Unfit { path: path(), reason };
        let unreadable = |error: postcard::Error| unfit(error.to_string());
        // Version and fingerprint come first in both layouts, so they can be read even if the rest has changed.
        let ((version, found), _): ((u32, String), _) =
            postcard::take_from_bytes(&payload).map_err(unreadable)?;
        if version != VALUE_VERSION {
            let (found, expected) = (version, VALUE_VERSION);
            return Err(Error::OtherValueVersion { path: path(), found, expected });
        }
        if found != fingerprint {
            return Err(Error::OtherInput { path: path(), found, expected: fingerprint.into() });
        }
        let (replicas, ladder) = if exchange.is_some() {
            let ((.., mut ladder, replicas), rest): (LadderLayout, _) =
                postcard::take_from_bytes(&payload).map_err(unreadable)?;
            // Earlier builds wrote nothing after the replicas.
            ladder.placed_by = postcard::from_bytes(rest).unwrap_or_default();
            (replicas, Some(ladder))
        } else {
            let (member, _) = postcard::take_from_bytes(&payload).map_err(unreadable)?;
            (vec![member], None)
        };
        check(plan, members, &replicas, ladder.as_ref()).map_err(unfit)?;
        Ok(CheckpointSet { members: replicas.into_iter().map(Some).collect(), ladder })
    }

    /// Replaces the checkpoint of a group of members in one piece. Writes nothing if a member's state is missing.
    ///
    /// # Errors
    /// A checkpoint that cannot be written; the one before it remains.
    pub fn write(self, recorder: &dyn Recorder, members: &Range<usize>) -> Result<(), Error> {
        let Some(replicas) = self.members.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        let (kind, payload) = match self.ladder {
            None => ("member", postcard::to_allocvec(&replicas[0])),
            Some(ladder) => {
                let placed_by: Option<Placement> = ladder.placed_by;
                let (fingerprint, replica) = (replicas[0].fingerprint.clone(), replicas[0].replica);
                let ladder: LadderLayout = (VALUE_VERSION, fingerprint, replica, ladder, replicas);
                ("ladder", postcard::to_allocvec(&(ladder, placed_by)))
            }
        };
        let payload = payload.map_err(|error| Error::Unfit {
            path: recorder.checkpoint_name(members.start),
            reason: error.to_string(),
        })?;
        recorder.write_checkpoint(members.start, kind, &payload)
    }
}

/// Reads the checkpoints of all members of a plan in turn; `None` for members without one.
///
/// # Errors
/// The first checkpoint that cannot be read or does not fit the plan.
pub fn checkpoints<'a>(
    recorder: &'a dyn Recorder,
    plan: &'a Plan,
) -> impl Iterator<Item = Result<Option<MemberCheckpoint>, Error>> + 'a {
    plan.checkpoint_groups().into_iter().flat_map(move |members| {
        match CheckpointSet::read(recorder, plan, &members) {
            Ok(found) => found.members.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    })
}

/// Refuses states that the planned members cannot have reached.
fn check(
    plan: &Plan,
    numbers: &Range<usize>,
    members: &[MemberCheckpoint],
    ladder: Option<&LadderState>,
) -> Result<(), String> {
    let first = &plan.members[numbers.start];
    if let (Some(exchange), Some(ladder)) = (&first.exchange, ladder) {
        ladder.check(exchange, first.protocol.steps())?;
    }
    if members.len() != numbers.len() {
        return Err(format!("it is not of a ladder of {} replicas", numbers.len()));
    }
    for (number, member) in numbers.clone().zip(members) {
        member.check(plan, number)?;
        let (Some(exchange), Some(ladder)) = (&first.exchange, ladder) else { continue };
        let since = member.state.dynamics_step.checked_sub(ladder.attempt * exchange.every);
        let is_between = since.is_some_and(|steps| steps <= exchange.every);
        if member.status == MemberStatus::Running && !is_between {
            return Err("its replicas have not made the same exchanges".to_string());
        }
    }
    Ok(())
}

/// Whether a member has no steps left: it has finished or failed.
pub(crate) fn is_over(status: &Option<MemberStatus>) -> bool {
    status.as_ref().is_some_and(|status| *status != MemberStatus::Running)
}

/// Steps of the plan that need no more work at a checkpoint. Stages that ended early count as whole.
pub(crate) fn settled_steps(member: &MemberPlan, checkpoint: &MemberCheckpoint) -> u64 {
    if checkpoint.status != MemberStatus::Running {
        return member.protocol.steps();
    }
    let stages = &member.protocol.stages;
    let before: u64 = stages.iter().take(checkpoint.state.stage).map(|stage| stage.steps()).sum();
    before
        + match stages.get(checkpoint.state.stage) {
            Some(stage) if checkpoint.state.stage_over => stage.steps(),
            _ => checkpoint.state.stage_step,
        }
}
