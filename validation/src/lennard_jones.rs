//! The Lennard-Jones fluid with a cutoff, in units of its diameter, its depth and the mass of a bead.

use std::f64::consts::PI;
use std::sync::Arc;

use beadwork_analysis::pair_distribution::PairDistribution;
use beadwork_cpu::Member;
use beadwork_model::made_systems::one_stage;
use beadwork_model::potentials::LennardJones;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::units::Units;
use beadwork_model::{
    Boundary, Dynamics, Generator, Integrator, Model, ParticleType, Particles, Precision, System,
};
use beadwork_structure::Label;

use crate::Failure;
use crate::dpd::energies_and_virial;

/// The number of beads.
pub const BEADS: usize = 500;
/// kT.
pub const TEMPERATURE: f64 = 0.85;
/// The distance beyond which no forces act.
pub const CUTOFF: f64 = 3.0;
/// At this step the scheme's energy differs from that without steps by less than the published errors.
pub const TIMESTEP: f64 = 0.004;
/// The bins of g(r) up to the cutoff.
pub const BINS: usize = 60;

/// Beads on a cubic lattice, which melts.
pub fn fluid(density: f64) -> System {
    let side = (BEADS as f64 / density).cbrt();
    let each = (BEADS as f64).cbrt().ceil() as usize;
    let place = |bead: usize| {
        [bead % each, bead / each % each, bead / each / each]
            .map(|k| (k as f64 + 0.5) * side / each as f64)
    };
    let positions = (0..BEADS).map(place).collect();
    let mut system = System {
        particles: Particles::of_one_type(vec![Label::default(); BEADS], positions),
        types: vec![ParticleType::new("bead", 1.0)],
        boundary: Boundary::Periodic { lengths: [side; 3] },
        units: Units::Reduced,
        model: Model::Beads,
        ..System::default()
    };
    let pair = LennardJones::cut(1.0, 1.0, CUTOFF);
    system.interactions.pairs = vec![PairTable::of_one_type(pair, CUTOFF).into()];
    system.set_collision_rate(1.0);
    system
}

/// A run of a fluid with this number.
pub fn member(system: &Arc<System>, run: u64) -> Member {
    let dynamics = Dynamics {
        integrator: Integrator::LangevinMiddle,
        temperature: TEMPERATURE,
        friction: 0.0,
        timestep: TIMESTEP,
        precision: Precision::Single,
        skin: 0.4,
    };
    let protocol = one_stage(dynamics, Generator::Philox4x32x10, 20_101, u64::MAX, BEADS);
    Member::new(system.clone(), Arc::new(protocol), run, &system.particles.positions)
}

/// The energy of a bead and the pressure that a uniform fluid adds beyond the cutoff (Frenkel and Smit, Understanding Molecular
/// Simulation, equations 3.2.5 and 3.2.10).
pub fn beyond_cutoff(density: f64) -> [f64; 2] {
    let (third, ninth) = (CUTOFF.powi(-3), CUTOFF.powi(-9));
    let energy = 8.0 / 3.0 * PI * density * (ninth / 3.0 - third);
    let pressure = 16.0 / 3.0 * PI * density * density * (2.0 / 3.0 * ninth - third);
    [energy, pressure]
}

/// What the samples of a run have shown.
#[derive(Debug, Default)]
pub struct Found {
    samples: Vec<Sample>,
    pairs: Option<PairDistribution>,
}

/// One sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Potential energy of a bead, and what forces add to the pressure.
    values: [f64; 2],
    /// Pairs within the cutoff.
    pairs: usize,
}

impl Found {
    /// Adds a member's present state.
    ///
    /// # Errors
    /// A member without a box.
    pub fn add(&mut self, member: &Member) -> Result<(), Failure> {
        let boundary = member.system().boundary;
        let volume = boundary.volume().ok_or("no box")?;
        let (energy, virial) = energies_and_virial(member)?;
        let positions = member.positions();
        let new = || PairDistribution::new(vec![BEADS], volume, CUTOFF, BINS);
        let distribution = self.pairs.get_or_insert_with(new);
        let mut pairs = 0;
        for (bead, &position) in positions.iter().enumerate() {
            for &other in &positions[bead + 1..] {
                let square = boundary.squared_distance(position, other);
                if square < CUTOFF * CUTOFF {
                    distribution.add_pair(0, 0, square);
                    pairs += 1;
                }
            }
        }
        distribution.end_frame();
        let values = [energy / BEADS as f64, virial / (3.0 * volume)];
        self.samples.push(Sample { values, pairs });
        Ok(())
    }

    /// The mean energy of a bead, and what forces add to the pressure.
    pub fn means(&self) -> [f64; 2] {
        self.weighted_means(|_| 1.0)
    }

    /// The same in the ensemble that Monte Carlo samples with this cutoff. There a pair within the cutoff counts with its energy,
    /// which jumps to zero at the cutoff; dynamics does not feel the jump, as if the energy were shifted to be zero there.
    /// So a sample with n pairs has the weight exp(−n u(r_c)/kT).
    pub fn means_of_monte_carlo(&self) -> [f64; 2] {
        // The formula itself is zero from the cutoff on.
        let sixth = CUTOFF.powi(-6);
        let at_cutoff = 4.0 * (sixth * sixth - sixth);
        let first = self.samples.first().map_or(0, |sample| sample.pairs) as f64;
        self.weighted_means(|pairs| (-(pairs as f64 - first) * at_cutoff / TEMPERATURE).exp())
    }

    fn weighted_means(&self, weight: impl Fn(usize) -> f64) -> [f64; 2] {
        let (mut sums, mut weights) = ([0.0; 2], 0.0);
        for sample in &self.samples {
            let weight = weight(sample.pairs);
            weights += weight;
            for (sum, value) in sums.iter_mut().zip(sample.values) {
                *sum += weight * value;
            }
        }
        sums.map(|sum| sum / weights)
    }

    /// g(r) in each bin.
    pub fn pair_distribution(&self) -> Vec<f64> {
        self.pairs.as_ref().and_then(|pairs| pairs.values(0, 0)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pairs_within_the_cutoff_weigh_more_in_monte_carlo() {
        let sample = |energy, pairs| Sample { values: [energy, 0.0], pairs };
        let found = Found { samples: vec![sample(-5.0, 100), sample(-6.0, 110)], pairs: None };
        assert_eq!(found.means()[0], -5.5);
        // u(3) = 4 (3⁻¹² − 3⁻⁶).
        let weight = (10.0 * 4.0 * (3.0_f64.powi(-6) - 3.0_f64.powi(-12)) / 0.85).exp();
        let expected = (-5.0 - 6.0 * weight) / (1.0 + weight);
        assert!((found.means_of_monte_carlo()[0] - expected).abs() < 1e-12);
    }
}
