//! Energy and temperature of independent particles from their spread in the wells.

use super::Sample;

/// k⟨x²⟩, kcal/mol: k_B T of the particles in equilibrium.
pub(super) fn spread_temperature(sample: &Sample<'_>) -> Option<f64> {
    Some(sample.system.independent_particles()?.stiffness * sample.moments?.1)
}

/// The mean energy of a particle, kcal/mol: k⟨x²⟩/2 in each of its directions.
pub(super) fn particle_energy(sample: &Sample<'_>) -> Option<f64> {
    let particles = sample.system.independent_particles()?;
    let directions = particles.coordinates() as f64 / particles.particles as f64;
    Some(directions / 2.0 * spread_temperature(sample)?)
}
