//! The ends of a member's stages, and why each ended.

use beadwork_model::{StageKind, StopRule};

use super::MemberRun;
use crate::Error;
use crate::checkpoint::{MemberStatus, StageEnd, StageReason};

impl MemberRun<'_> {
    /// Ends the stage if a stop rule that is due at this step holds.
    pub(super) fn apply_stop_rules(&mut self) -> Result<(), Error> {
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
            measurement.of_column(&rule.column).is_some_and(|value| rule.holds(value))
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

    /// Begins the next stage, or ends the member after its last one.
    pub(super) fn next_stage(&mut self) -> Result<(), Error> {
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
    pub(super) fn note_unfinished_minimisation(&mut self) {
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
}
