//! Members that are stepped outside of a run.

use beadwork_cpu::Member;
use beadwork_cuda::{Ensemble, Job, most_steps_together};
use beadwork_simulation::{Failure, SamplePoint};

use crate::Error;

/// A device that steps members: the processor one after another, or a GPU all together.
#[derive(Debug)]
pub enum Stepper {
    /// The processor.
    Cpu,
    /// The GPU of an ensemble.
    Card(Box<Ensemble>),
}

impl Stepper {
    /// Steps each member forward to a step at which a row can be measured.
    ///
    /// # Errors
    /// A member that becomes unphysical; the GPU's errors.
    pub fn advance(&mut self, members: &mut [Member], steps: u64) -> Result<(), Error> {
        let Stepper::Card(ensemble) = self else {
            for member in members {
                member.advance(steps).map_err(unphysical)?;
            }
            return Ok(());
        };
        let mut left = steps;
        while left > 0 {
            let steps = left.min(most_steps_together(members.iter())).min(1 << 30);
            left -= steps;
            let points = [SamplePoint { steps: steps as u32, row: left == 0 }];
            let jobs: Vec<Job<'_>> =
                members.iter().map(|member| Job { member, points: &points }).collect();
            let found = ensemble.advance(&jobs)?;
            for (member, found) in members.iter_mut().zip(&found) {
                if found.samples() == 1 {
                    found.bring(0, member)?;
                } else if let Some(failure) = found.fail(member)? {
                    return Err(unphysical(failure));
                }
            }
        }
        Ok(())
    }
}

/// The error of a member that cannot continue.
pub fn unphysical(failure: Failure) -> Error {
    let Failure { error, step } = failure;
    Error::Unphysical(format!("a trajectory became unphysical at step {step}: {error:?}"))
}
