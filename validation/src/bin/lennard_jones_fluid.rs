//! Six states of the Lennard-Jones fluid whose energies and pressures the National Institute of Standards and Technology
//! publishes: Monte Carlo of 500 beads with a cutoff of 3 diameters and corrections for the rest (NIST Standard Reference
//! Simulation Website, Lennard-Jones fluid properties, NVT Monte Carlo).
//!
//! `lennard_jones_fluid [--keep FOLDER] [RUNS [TIME]]`: runs for each state, 4 by default, and the time of each, 400.

use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

use beadwork_benchmarks::one_stage;
use beadwork_cpu::Member;
use beadwork_model::potentials::LennardJones;
use beadwork_model::potentials::pair::PairTable;
use beadwork_model::units::Units;
use beadwork_model::{
    Boundary, Dynamics, Generator, Integrator, ParticleType, Particles, Precision, System,
};
use beadwork_structure::Label;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

const BEADS: usize = 500;
const TEMPERATURE: f64 = 0.85;
const CUTOFF: f64 = 3.0;
/// At this step the scheme's energy differs from that without steps by less than the published errors.
const TIMESTEP: f64 = 0.004;
/// The time before the first sample, and between samples.
const RELAXATION: f64 = 50.0;
const APART: f64 = 0.2;

/// A published state, with standard errors.
struct State {
    density: f64,
    /// Potential energy of a bead.
    energy: (f64, f64),
    pressure: (f64, f64),
}

const STATES: [State; 6] = [
    State { density: 0.007, energy: (-0.072834, 1.3e-4), pressure: (5.6565e-3, 2e-6) },
    State { density: 0.776, energy: (-5.5121, 4.55e-4), pressure: (6.7714e-3, 1.72e-3) },
    State { density: 0.780, energy: (-5.5386, 7.26e-4), pressure: (4.7924e-2, 3.18e-3) },
    State { density: 0.820, energy: (-5.7947, 6.03e-4), pressure: (0.55355, 3.13e-3) },
    State { density: 0.860, energy: (-6.0305, 2.38e-4), pressure: (1.2660, 1.36e-3) },
    State { density: 0.900, energy: (-6.2391, 5.27e-4), pressure: (2.2314, 4.29e-3) },
];

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (runs, time) = (options.number(0, 4_u64)?, options.number(1, 400.0)?);
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let all: Vec<(usize, u64)> =
        (0..STATES.len()).flat_map(|state| (0..runs).map(move |run| (state, run))).collect();
    let means: Vec<[f64; 2]> = all
        .par_iter()
        .map(|&(state, run)| means(STATES[state].density, run, time))
        .collect::<Result<_, Failure>>()?;
    let of_state = |state: usize, place: usize| -> Vec<f64> {
        let runs = all.iter().zip(&means).filter(|((other, _), _)| *other == state);
        runs.map(|(_, means)| means[place]).collect()
    };
    let compared = |place: usize, published: fn(&State) -> (f64, f64)| {
        let row = |(number, state): (usize, &State)| {
            let (value, error) = published(state);
            let name = format!("density {}", state.density);
            Comparison::new(&name, &of_state(number, place), value, error)
        };
        STATES.iter().enumerate().map(row).collect()
    };
    let conditions = format!(
        "{BEADS} beads, temperature {TEMPERATURE}, cutoff {CUTOFF} with the corrections of a uniform fluid beyond it, \
         Langevin dynamics (BAOAB) with steps of {TIMESTEP} and collision rate 1, single precision; time {time} after {RELAXATION}."
    );
    let count = runs as usize;
    let energies = compared(0, |state| state.energy);
    let pressures = compared(1, |state| state.pressure);
    let tables = vec![
        Table::of_rows("Potential energy of a bead", &conditions, count, energies),
        Table::of_rows("Pressure", &conditions, count, pressures),
    ];
    let question = "Has the Lennard-Jones fluid the energies and pressures that NIST publishes?";
    let report = Report::new(&backend, "lennard_jones_fluid", question, began, tables);
    report.finish(keep.as_deref(), false)
}

/// Beads on a cubic lattice, which melts.
fn fluid(density: f64) -> System {
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
        ..System::default()
    };
    let pair = LennardJones::cut(1.0, 1.0, CUTOFF);
    system.interactions.pairs = vec![PairTable::of_one_type(pair, CUTOFF).into()];
    system.set_collision_rate(1.0);
    system
}

/// The energy of a bead and the pressure that a uniform fluid adds beyond the cutoff (Frenkel and Smit, Understanding Molecular
/// Simulation, equations 3.2.5 and 3.2.10).
fn beyond_cutoff(density: f64) -> [f64; 2] {
    let (third, ninth) = (CUTOFF.powi(-3), CUTOFF.powi(-9));
    let energy = 8.0 / 3.0 * PI * density * (ninth / 3.0 - third);
    let pressure = 16.0 / 3.0 * PI * density * density * (2.0 / 3.0 * ninth - third);
    [energy, pressure]
}

/// The mean potential energy of a bead and the mean pressure of a run.
fn means(density: f64, run: u64, time: f64) -> Result<[f64; 2], Failure> {
    let system = Arc::new(fluid(density));
    let dynamics = Dynamics {
        integrator: Integrator::LangevinMiddle,
        temperature: TEMPERATURE,
        friction: 0.0,
        timestep: TIMESTEP,
        precision: Precision::Single,
        skin: 0.4,
    };
    let protocol = one_stage(dynamics, Generator::Philox4x32x10, 20_101, u64::MAX, BEADS);
    let start = &system.particles.positions;
    let mut member = Member::new(system.clone(), Arc::new(protocol), run, start);
    let steps = |time: f64| (time / TIMESTEP).round() as u64;
    let mut advance = |steps| {
        member.advance(steps).map_err(|failure| format!("{failure:?}"))?;
        Ok::<_, Failure>(member.positions())
    };
    advance(steps(RELAXATION))?;
    let (samples, [mut energy, mut pressure]) = ((time / APART).round() as u64, [0.0; 2]);
    for _ in 0..samples {
        let positions = advance(steps(APART))?;
        let (energies, virial) = system.energies_and_virial(&positions);
        let virial = virial.ok_or("no box")?;
        energy += energies.total() / BEADS as f64;
        pressure += density * TEMPERATURE + virial / 3.0 * density / BEADS as f64;
    }
    let [energy_beyond, pressure_beyond] = beyond_cutoff(density);
    Ok([energy / samples as f64 + energy_beyond, pressure / samples as f64 + pressure_beyond])
}
