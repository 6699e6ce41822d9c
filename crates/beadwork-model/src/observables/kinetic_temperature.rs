//! The temperature of velocities.

use crate::system::System;

/// kB T, in the unit of the energy, from velocities, Å/ps: Σ m v² over the degrees of freedom. Velocities are those of the
/// integrator, which may belong to the half step. `None` without degrees of freedom.
pub fn kinetic_temperature(
    system: &System,
    velocities: &[[f64; 3]],
    degrees_of_freedom: usize,
) -> Option<f64> {
    let mass = |&kind: &u16| system.types[usize::from(kind)].mass;
    let square = |v: &[f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let masses = system.particles.types.iter().map(mass);
    let twice: f64 = masses.zip(velocities).map(|(mass, v)| mass * square(v)).sum();
    (degrees_of_freedom > 0)
        .then(|| twice / system.units.acceleration() / degrees_of_freedom as f64)
}
