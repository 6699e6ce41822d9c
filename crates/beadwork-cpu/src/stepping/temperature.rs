//! The temperature of a member.

use beadwork_model::{Dynamics, System};
use beadwork_random::Normal;

use super::stepper::Stepper;
use crate::velocities::inertia::constants_of_types;

impl<T: Normal> Stepper<T> {
    /// Sets the temperature of the following steps, kB T in kcal/mol.
    pub fn set_temperature(&mut self, temperature: f64) {
        let dynamics = &self.protocol.dynamics;
        self.thermal.amplitude = amplitude(&self.system, dynamics, temperature);
        if let Some(motion) = &mut self.motion {
            motion.set_temperature(&self.system, dynamics, temperature);
        }
    }

    /// Sets the temperature of a replica that comes from another one: velocities are scaled by the square root of the
    /// ratio (Sugita and Okamoto, Chem. Phys. Lett. 314, 141, 1999).
    pub fn change_temperature(&mut self, from: f64, to: f64) {
        self.set_temperature(to);
        if let Some(motion) = &mut self.motion
            && from != to
        {
            motion.rescale((to / from).sqrt());
            self.averages.forget_measured();
        }
    }
}

/// The size of the random displacements, Å: √(2 kT h/ξ). With velocities, each bead's noise has a size of its own, and this
/// is 1 where there is noise.
pub(super) fn amplitude<T: Normal>(system: &System, dynamics: &Dynamics, temperature: f64) -> T {
    if dynamics.integrator.has_velocities() {
        let types = constants_of_types::<T>(system, dynamics, temperature);
        let warm = types.iter().any(|constants| constants.amplitude != T::zero());
        return T::from_f64(if warm { 1.0 } else { 0.0 });
    }
    let mobility = dynamics.timestep / dynamics.friction;
    T::from_f64((2.0 * temperature * mobility).sqrt())
}
