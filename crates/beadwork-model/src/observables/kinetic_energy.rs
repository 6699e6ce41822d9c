//! The energy and the temperature of velocities.

use crate::sums::sum;
use crate::system::System;

/// Σ m v²/2, in the unit of the energy, of velocities in Å/ps. Velocities are those of the integrator, which may belong
/// to the half step.
pub fn kinetic_energy(system: &System, velocities: &[[f64; 3]]) -> f64 {
    let square = |v: &[f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let (beads, count) = (system.beads(), system.beads().min(velocities.len()));
    let twice = |bead: usize| system.mass(bead) * square(&velocities[bead]);
    kinetic_energy_of(system, sum(beads, count, twice))
}

/// The same from Σ m v², Da Å²/ps².
pub fn kinetic_energy_of(system: &System, twice: f64) -> f64 {
    twice / 2.0 / system.units.acceleration()
}

/// kB T, in the unit of the energy: twice the kinetic energy over the degrees of freedom. `None` without degrees of
/// freedom.
pub fn kinetic_temperature(
    system: &System,
    velocities: &[[f64; 3]],
    degrees_of_freedom: usize,
) -> Option<f64> {
    temperature_of(kinetic_energy(system, velocities), degrees_of_freedom)
}

/// The same from the kinetic energy.
pub(super) fn temperature_of(kinetic_energy: f64, degrees_of_freedom: usize) -> Option<f64> {
    (degrees_of_freedom > 0).then(|| 2.0 * kinetic_energy / degrees_of_freedom as f64)
}
