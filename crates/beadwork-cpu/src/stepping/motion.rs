//! The velocities of a member, as states and stages see them.

use beadwork_model::Integrator;
use beadwork_random::Normal;
use beadwork_simulation::MotionState;

use super::stepper::Stepper;
use crate::arrays::coordinates::to_f64;

impl<T: Normal> Stepper<T> {
    /// Velocities, Å/ps, if the integrator has any.
    pub fn velocities(&self) -> Option<Vec<[f64; 3]>> {
        self.motion.as_ref().map(|motion| motion.velocities.iter().map(to_f64).collect())
    }

    /// Replaces the velocities, Å/ps, at the beginning of a stage; fixed beads rest.
    pub fn set_velocities(&mut self, velocities: &[[f64; 3]]) {
        if let Some(motion) = &mut self.motion {
            motion.set_velocities(velocities);
        }
        self.begin_motion();
    }

    /// Three for each free bead, less three if the momentum is conserved: without fixed beads, externals, fields, drag and noise.
    pub(super) fn degrees_of_freedom(&self) -> usize {
        let (free, all) = (self.beads.free().beads.len(), self.beads.count());
        let dynamics = &self.protocol.dynamics;
        let conserved = dynamics.integrator == Integrator::VelocityVerlet
            && !self.system.has_friction(dynamics)
            && free == all
            && self.externals.is_empty()
            && self.system.interactions.singles.is_empty();
        if conserved { (3 * free).saturating_sub(3) } else { 3 * free }
    }

    /// What a state holds of velocities and forces.
    pub(super) fn motion_state(&self) -> Option<MotionState> {
        let motion = self.motion.as_ref()?;
        Some(MotionState {
            velocities: motion.velocities.iter().map(to_f64).collect(),
            forces: motion
                .forces_are_known
                .then(|| self.forces.values().iter().map(to_f64).collect()),
        })
    }

    /// The inverse of [`Stepper::motion_state`].
    pub(super) fn restore_motion(&mut self, state: &MotionState) {
        let Some(motion) = &mut self.motion else { return };
        motion.set_velocities(&state.velocities);
        motion.forces_are_known = state.forces.is_some();
        for (bead, force) in state.forces.iter().flatten().enumerate() {
            self.forces.values_mut().set(bead, force.map(T::from_f64));
        }
    }

    /// Prepares for a stage: fixed beads rest, and the forces of the new externals are not known.
    pub(super) fn begin_motion(&mut self) {
        self.averages.forget_measured();
        let Some(motion) = &mut self.motion else { return };
        motion.forces_are_known = false;
        for bead in (0..self.beads.count()).filter(|&bead| !self.beads.free().is_free(bead)) {
            motion.velocities.set(bead, [T::zero(); 3]);
        }
    }
}
