//! The fluid of dissipative particle dynamics of Groot and Warren (J. Chem. Phys. 107, 4423, 1997) at six time steps: its
//! kinetic temperature, and its pressure.
//!
//! `dpd_fluid [--keep FOLDER] [RUNS [TIME]]`: runs for each time step, 4 by default, and the time of each, 200.

use std::sync::Arc;
use std::time::Instant;

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
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

const BEADS: usize = 3_000;
const SIDE: f64 = 10.0;
const REPULSION: f64 = 25.0;
const FRICTION: f64 = 4.5;
/// The time before the first sample.
const RELAXATION: f64 = 20.0;
/// Time steps, and the kinetic temperatures of velocity Verlet with the drag of the half step.
const TEMPERATURES: [(f64, f64); 6] =
    [(0.01, 1.005), (0.02, 1.010), (0.03, 1.020), (0.04, 1.028), (0.05, 1.042), (0.06, 1.060)];
/// A temperature agrees within 0.002, a pressure within 0.02: four of these errors.
const TEMPERATURE_ERROR: f64 = 0.0005;
const PRESSURE_ERROR: f64 = 0.005;
/// The time step at which the pressure is compared, and the pressure there.
const PRESSURE: (f64, f64) = (0.04, 23.73);

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (runs, time) = (options.number(0, 4_u64)?, options.number(1, 200.0)?);
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let system = Arc::new(fluid());
    let all: Vec<(usize, u64)> =
        (0..TEMPERATURES.len()).flat_map(|row| (0..runs).map(move |run| (row, run))).collect();
    let means: Vec<[f64; 2]> = all
        .par_iter()
        .map(|&(row, run)| means(&system, TEMPERATURES[row].0, run, time))
        .collect::<Result<_, Failure>>()?;
    let of_row = |row: usize, place: usize| -> Vec<f64> {
        let rows = all.iter().zip(&means).filter(|((other, _), _)| *other == row);
        rows.map(|(_, means)| means[place]).collect()
    };
    let temperatures = TEMPERATURES.iter().enumerate().map(|(row, &(timestep, expected))| {
        Comparison::new(&format!("h = {timestep}"), &of_row(row, 0), expected, TEMPERATURE_ERROR)
    });
    let conditions = format!(
        "{BEADS} beads, density 3, repulsion {REPULSION}, friction {FRICTION}, single precision, uniform noise of Philox; \
         time {time} after {RELAXATION}."
    );
    let first = Table::of_rows(
        "Kinetic temperature, kT",
        &conditions,
        runs as usize,
        temperatures.collect(),
    );
    let (at, expected) = PRESSURE;
    let row = TEMPERATURES.iter().position(|&(timestep, _)| timestep == at).unwrap_or_default();
    let pressure = Comparison::new(&format!("h = {at}"), &of_row(row, 1), expected, PRESSURE_ERROR);
    let second = Table::of_rows("Pressure", &conditions, runs as usize, vec![pressure]);
    let question =
        "Has the fluid of dissipative particle dynamics the known temperature and pressure?";
    let report = Report::new(&backend, "dpd_fluid", question, began, vec![first, second]);
    report.finish(keep.as_deref(), false)
}

/// Beads at random in the box.
fn fluid() -> System {
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

/// The mean kinetic temperature and pressure of a run.
fn means(system: &Arc<System>, timestep: f64, run: u64, time: f64) -> Result<[f64; 2], Failure> {
    let dynamics = Dynamics {
        integrator: Integrator::VelocityVerlet,
        temperature: 1.0,
        friction: 0.0,
        timestep,
        precision: Precision::Single,
        skin: 0.5,
    };
    let protocol = one_stage(dynamics, Generator::Philox4x32x10, 20_101, u64::MAX, BEADS);
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
