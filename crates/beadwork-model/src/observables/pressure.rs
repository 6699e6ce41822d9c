//! The pressure in a periodic box.

use super::Sample;

/// (2K + W)/3V, in units of the energy over the cubed length, with the kinetic energy K and the virial W = Σ r·F of pairs
/// and bonds (Allen and Tildesley, *Computer Simulation of Liquids*, 2017, section 2.4). Without velocities 2K is 3NkT.
/// Drag and noise of a pair thermostat have no part in it: their mean virial is zero. `None` in open space.
pub(super) fn pressure(sample: &Sample<'_>) -> Option<f64> {
    let system = sample.system;
    let (volume, virial) = (system.boundary.volume()?, sample.virial?);
    let twice_kinetic = match sample.kinetic_energy() {
        Some(energy) => 2.0 * energy,
        None => 3.0 * system.beads() as f64 * sample.dynamics.temperature,
    };
    Some((twice_kinetic + virial) / (3.0 * volume))
}
