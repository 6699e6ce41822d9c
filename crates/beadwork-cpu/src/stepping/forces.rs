//! The forces on a member: its interactions and externals.

use beadwork_model::externals::dot;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use super::externals::add_externals;
use super::stepper::Stepper;
use crate::arrays::coordinates::{Coordinates, to_f64};

impl<T: Normal> Stepper<T> {
    /// Computes the forces at the present positions, externals included.
    pub(super) fn evaluate_forces(&mut self) -> Result<(), StepError> {
        let Stepper {
            protocol, clock, externals, beads, forces, threads, external_key: key, ..
        } = self;
        let positions = beads.positions();
        forces.evaluate(positions, threads.team())?;
        let into = forces.values_mut();
        let pull = add_externals(protocol, (clock, 0), *key, externals, positions, into)?;
        self.averages.count_pull(pull);
        Ok(())
    }

    /// Computes the forces at the predicted positions, one step ahead, for schemes that need them.
    pub(super) fn evaluate_forces_ahead(&mut self) -> Result<(), StepError> {
        let Stepper { protocol, clock, look_ahead, forces, threads, external_key: key, .. } = self;
        let (positions, into) = (&look_ahead.positions, &mut look_ahead.forces);
        forces.evaluate_into(positions, into, threads.team(), None)?;
        // Works on a copy: the state of the externals must follow only positions of the trajectory.
        let externals = &mut self.externals.clone();
        add_externals(protocol, (clock, 1), *key, externals, positions, into)?;
        Ok(())
    }

    /// The forces of the interactions, without externals, at the present positions, kcal/(mol Å).
    ///
    /// # Errors
    /// As [`Stepper::advance`]; the member stays as it is.
    pub fn interaction_forces(&mut self) -> Result<Vec<[f64; 3]>, StepError> {
        let positions = self.beads.positions();
        let mut forces = Coordinates::zero(positions.len());
        self.forces.evaluate_into(positions, &mut forces, self.threads.team(), None)?;
        Ok(forces.iter().map(to_f64).collect())
    }

    /// The largest force on a free bead at the last evaluation, kcal/(mol Å): it shows how far a minimisation is from
    /// its end.
    pub fn largest_force(&self) -> f64 {
        let square = |&bead: &u32| {
            let force = to_f64(self.forces.values().get(bead as usize));
            dot(force, force)
        };
        self.beads.free().beads.iter().map(square).fold(0.0, f64::max).sqrt()
    }
}
