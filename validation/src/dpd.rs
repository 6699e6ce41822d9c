//! The fluid of dissipative particle dynamics of Groot and Warren (J. Chem. Phys. 107, 4423, 1997).

use std::sync::Arc;

use beadwork_benchmarks::one_stage;
use beadwork_cpu::Member;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::potentials::{DpdConservative, PairThermostat};
use beadwork_model::units::Units;
use beadwork_model::{
    Boundary, Dynamics, Generator, Integrator, ParticleType, Particles, Precision, System,
};
use beadwork_random::{NoiseKey, Purpose};
use beadwork_structure::Label;

use crate::Failure;

const BEADS: usize = 3_000;
const SIDE: f64 = 10.0;
const REPULSION: f64 = 25.0;
const FRICTION: f64 = 4.5;
/// The time before the first sample.
pub const RELAXATION: f64 = 20.0;

/// The conditions in words.
pub fn conditions() -> String {
    format!(
        "{BEADS} beads, density 3, repulsion {REPULSION}, friction {FRICTION}, single precision, uniform noise"
    )
}

/// The fluid: beads at random in the box.
pub fn fluid() -> System {
    let key = NoiseKey::new(20_101, Purpose::StartConfiguration, 0);
    let place = |bead: usize| {
        let [x, y, z, _] = key.words(0, 0, bead as u32, 0);
        [x, y, z].map(|word| SIDE * (f64::from(word) / 2.0_f64.powi(32) - 0.5))
    };
    let positions = (0..BEADS).map(place).collect();
    let particles = Particles::of_one_type(vec![Label::default(); BEADS], positions);
    let mut system = System {
        particles,
        types: vec![ParticleType::new("bead", 1.0)],
        boundary: Boundary::Periodic { lengths: [SIDE; 3] },
        units: Units::Reduced,
        ..System::default()
    };
    let soft = DpdConservative { strength: REPULSION, cutoff: 1.0 };
    system.interactions.pairs = vec![PairTable::of_one_type(soft, 1.0).into()];
    system.interactions.thermostat = Some(PairThermostat::of_one_type(FRICTION, 1.0));
    system
}

/// The mean kinetic temperature and pressure of a run of this number, over a time after [`RELAXATION`].
///
/// # Errors
/// A step that failed.
pub fn means(
    system: &Arc<System>,
    generator: Generator,
    timestep: f64,
    run: u64,
    time: f64,
) -> Result<[f64; 2], Failure> {
    let dynamics = Dynamics {
        integrator: Integrator::VelocityVerlet,
        temperature: 1.0,
        friction: 0.0,
        timestep,
        precision: Precision::Single,
        skin: 0.5,
    };
    let protocol = one_stage(dynamics, generator, 20_101, u64::MAX, BEADS);
    let start = &system.particles.positions;
    let mut member = Member::new(system.clone(), Arc::new(protocol), run, start);
    let steps = |time: f64| (time / timestep).round() as u64;
    let mut advance = |steps| {
        let outcome = member.advance(steps).map_err(|failure| format!("{failure:?}"));
        outcome.map(|_| (member.state(), member.positions()))
    };
    advance(steps(RELAXATION))?;
    // Temperature and virial forget within a tenth of a unit of time.
    let (apart, samples) = (steps(0.2), (time / 0.2).round() as u64);
    let mut sums = [0.0; 2];
    for _ in 0..samples {
        let (state, positions) = advance(apart)?;
        let velocities = state.extra.motion.ok_or("no velocities")?.velocities;
        let squares: f64 = velocities.iter().flatten().map(|v| v * v).sum();
        // The momentum is zero and stays so.
        let temperature = squares / (3 * BEADS - 3) as f64;
        let (_, virial) = system.energies_and_virial(&positions);
        let virial = virial.ok_or("no box")?;
        let pressure = (BEADS as f64 * temperature + virial / 3.0) / SIDE.powi(3);
        sums[0] += temperature;
        sums[1] += pressure;
    }
    Ok(sums.map(|sum| sum / samples as f64))
}
