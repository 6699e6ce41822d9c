//! One file a potential: formula, units, special points.
//!
//! Every pair potential is written in the squared distance, since that is what a loop over
//! pairs has at hand, and generic over [`Lane`], so that f64, f32 and vectors are one text.

mod fene_bond;
mod harmonic_bond;
mod harmonic_trap;
mod lennard_jones;
mod native_contact;
mod sixth_power_repulsion;

use beadwork_arithmetic::Lane;

pub use fene_bond::FeneBond;
pub use harmonic_bond::HarmonicBond;
pub use harmonic_trap::HarmonicTrap;
pub use lennard_jones::LennardJones;
pub use native_contact::NativeContact;
pub use sixth_power_repulsion::SixthPowerRepulsion;

/// A potential between two beads that depends on their distance alone.
pub trait PairPotential<T: Lane>: Copy {
    /// Energy, kcal/mol, at squared distance `r2`, Å².
    fn energy(&self, r2: T) -> T;

    /// −V′(r)/r, kcal/(mol Å²): times (r_i − r_j) it is the force on bead i.
    fn force_over_distance(&self, r2: T) -> T;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::PairPotential;

    /// The force must be the slope of the energy: a central difference of step `h` is wrong by
    /// h² V‴/6 plus rounding of about 1e-16 V/h, together below 1e-7 of the scale here.
    pub fn assert_force_is_minus_slope(potential: impl PairPotential<f64>, distances: &[f64]) {
        let h = 1e-5;
        for &r in distances {
            let up = potential.energy((r + h).powi(2));
            let down = potential.energy((r - h).powi(2));
            let slope = (up - down) / (2.0 * h);
            let force = potential.force_over_distance(r * r) * r;
            let scale = slope.abs().max(1.0);
            assert!(
                (force + slope).abs() < 1e-6 * scale,
                "at r = {r}: force {force}, minus slope {}",
                -slope
            );
        }
    }
}
