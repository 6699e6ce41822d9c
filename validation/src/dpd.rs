//! The fluid of dissipative particle dynamics of Groot and Warren (J. Chem. Phys. 107, 4423, 1997).

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::made_systems::one_stage;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::potentials::{DpdConservative, PairNoise, PairThermostat};
use beadwork_model::units::Units;
use beadwork_model::{
    Boundary, Dynamics, Generator, Integrator, Model, ParticleType, Particles, Precision, System,
};
use beadwork_random::{NoiseKey, Purpose};
use beadwork_structure::Label;

use crate::Failure;

/// The time before the first sample.
pub const RELAXATION: f64 = 20.0;
/// The time between samples: temperature and virial forget within a tenth of a unit of time.
pub const APART: f64 = 0.2;
const SEED: u64 = 20_101;

/// The numbers that make a fluid, in units of the cutoff, the mass of a bead and kT.
#[derive(Clone, Copy, Debug)]
pub struct Fluid {
    /// The side of the box.
    pub side: f64,
    /// Beads in a unit of volume.
    pub density: f64,
    /// The largest conservative force of a pair.
    pub repulsion: f64,
    /// The friction of a pair at distance zero.
    pub friction: f64,
    /// The random numbers of pairs.
    pub noise: PairNoise,
}

/// The fluid of Groot and Warren.
pub const STANDARD: Fluid =
    Fluid { side: 10.0, density: 3.0, repulsion: 25.0, friction: 4.5, noise: PairNoise::Uniform };

impl Fluid {
    /// The number of beads.
    pub fn beads(&self) -> usize {
        (self.density * self.side.powi(3)).round() as usize
    }

    /// The fluid in words.
    pub fn words(&self) -> String {
        let Fluid { density, repulsion, friction, noise, .. } = self;
        let noise = match noise {
            PairNoise::Uniform => "uniform",
            PairNoise::Normal => "normal",
        };
        format!(
            "{} beads, density {density}, repulsion {repulsion}, friction {friction}, single precision, {noise} noise",
            self.beads()
        )
    }

    /// Beads at random in the box.
    pub fn system(&self) -> System {
        let key = NoiseKey::new(SEED, Purpose::StartConfiguration, 0);
        let place = |bead: usize| {
            let [x, y, z, _] = key.words(0, 0, bead as u32, 0);
            [x, y, z].map(|word| self.side * (f64::from(word) / 2.0_f64.powi(32) - 0.5))
        };
        let beads = self.beads();
        let positions = (0..beads).map(place).collect();
        let mut system = System {
            particles: Particles::of_one_type(vec![Label::default(); beads], positions),
            types: vec![ParticleType::new("bead", 1.0)],
            boundary: Boundary::Periodic { lengths: [self.side; 3] },
            units: Units::Reduced,
            model: Model::Beads,
            ..System::default()
        };
        let soft = DpdConservative { strength: self.repulsion, cutoff: 1.0 };
        system.interactions.pairs = vec![PairTable::of_one_type(soft, 1.0).into()];
        let thermostat = PairThermostat::of_one_type(self.friction, 1.0);
        system.interactions.thermostat = Some(PairThermostat { noise: self.noise, ..thermostat });
        system
    }
}

/// A run of a fluid with this number, which is the replica number of its noise and velocities.
pub fn member(system: &Arc<System>, generator: Generator, timestep: f64, run: u64) -> Member {
    let dynamics = Dynamics {
        integrator: Integrator::VelocityVerlet,
        temperature: 1.0,
        friction: 0.0,
        timestep,
        precision: Precision::Single,
        skin: 0.5,
    };
    let protocol = one_stage(dynamics, generator, SEED, u64::MAX, system.beads());
    Member::new(system.clone(), Arc::new(protocol), run, &system.particles.positions)
}

/// Sums over the samples of a run.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    samples: f64,
    temperature: f64,
    virial: f64,
    energy: f64,
}

/// The means of a run.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Of the velocities; kT.
    pub temperature: f64,
    /// N kT/V with this temperature, and what forces add.
    pub pressure: f64,
    /// What forces add to the pressure.
    pub excess_pressure: f64,
    /// The conservative energy of a bead.
    pub energy: f64,
}

impl Sums {
    /// Adds a member's present state.
    ///
    /// # Errors
    /// A member without velocities or a box.
    pub fn add(&mut self, member: &Member) -> Result<(), Failure> {
        let velocities = member.velocities().ok_or("no velocities")?;
        let squares: f64 = velocities.iter().flatten().map(|v| v * v).sum();
        let (energies, virial) = energies_and_virial(member)?;
        self.samples += 1.0;
        // The momentum is zero and stays so.
        self.temperature += squares / (3 * velocities.len() - 3) as f64;
        self.virial += virial;
        self.energy += energies / velocities.len() as f64;
        Ok(())
    }

    /// The means, in a fluid of this density and number of beads.
    pub fn means(&self, density: f64, beads: usize) -> Means {
        let temperature = self.temperature / self.samples;
        let excess_pressure = density * self.virial / (3.0 * beads as f64 * self.samples);
        Means {
            temperature,
            pressure: density * temperature + excess_pressure,
            excess_pressure,
            energy: self.energy / self.samples,
        }
    }
}

/// The energy of all interactions and the virial: as measured on a GPU, if they were.
///
/// # Errors
/// A member without a box.
pub fn energies_and_virial(member: &Member) -> Result<(f64, f64), Failure> {
    let (energies, virial) = match member.measured() {
        Some(measured) => (measured.energies, measured.virial),
        None => member.system().energies_and_virial(&member.positions()),
    };
    Ok((energies.total(), virial.ok_or("no box")?))
}
