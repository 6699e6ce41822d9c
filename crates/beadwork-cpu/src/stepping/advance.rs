//! Steps of a member, and how it goes back where one fails.

use beadwork_model::StageKind;
use beadwork_random::Normal;
use beadwork_simulation::{Failure, StepError};

use super::stepper::Stepper;
use super::{dynamics, minimiser};
use crate::reference::verify;

impl<T: Normal> Stepper<T> {
    /// Checks the bonds at the present positions. Call it before storing or measuring a state: a step notices a broken
    /// bond only when forces are next evaluated.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite, as [`Stepper::advance`] would find it.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let sound =
            verify(&self.system, &self.beads.geometry(), |bead| self.beads.positions().get(bead));
        sound.and_then(|()| self.check_next_stage()).map_err(|error| self.fail(error))
    }

    /// Restores the last sound state: one step ago, or the present one if the error lies ahead.
    pub(super) fn fail(&mut self, error: StepError) -> Failure {
        let failure = Failure { error, step: self.clock.step() };
        if self.beads.go_back() {
            if let Some(motion) = &mut self.motion {
                motion.go_back();
            }
            let is_dynamics = matches!(self.stage().kind, StageKind::Dynamics { .. });
            self.clock.go_back(is_dynamics);
        }
        failure
    }

    /// Makes up to `steps` steps of the present stage; fewer only if the stage ends. Returns how many.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite. The member then has its last sound state.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        let steps = steps.min(self.remaining());
        for made in 0..steps {
            if self.threads.have_changed() {
                self.share_beads();
            }
            let began = self.threads.begin_step();
            self.thermal.begin_step(self.clock.step());
            let outcome = match self.stage().kind {
                StageKind::Dynamics { .. } => {
                    dynamics::step(self).map(|()| self.clock.count_dynamics(1))
                }
                StageKind::Minimise { tolerance, .. } => match minimiser::step(self, tolerance) {
                    Ok(true) => {
                        self.clock.end_stage(true);
                        return Ok(made);
                    }
                    Ok(false) => Ok(()),
                    Err(error) => Err(error),
                },
                StageKind::Sample { .. } => unreachable!("a stepper samples nothing"),
            };
            if let Err(error) = outcome {
                return Err(self.fail(error));
            }
            // A step with velocities ends with the forces at its new positions, so these are sound.
            self.beads.set_moved(self.motion.is_none() || self.minimises());
            self.clock.count_steps(1);
            self.threads.end_step(began);
        }
        Ok(steps)
    }
}
