//! The fluid of dissipative particle dynamics of Groot and Warren (J. Chem. Phys. 107, 4423, 1997) at six time steps: its
//! kinetic temperature, and its pressure.
//!
//! `dpd_fluid [--keep FOLDER] [RUNS [TIME]]`: runs for each time step, 4 by default, and the time of each, 200.

use std::sync::Arc;
use std::time::Instant;

use beadwork_model::Generator;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::dpd::{RELAXATION, conditions, fluid, means};
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use rayon::prelude::*;

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
        .map(|&(row, run)| means(&system, Generator::Philox4x32x10, TEMPERATURES[row].0, run, time))
        .collect::<Result<_, Failure>>()?;
    let of_row = |row: usize, place: usize| -> Vec<f64> {
        let rows = all.iter().zip(&means).filter(|((other, _), _)| *other == row);
        rows.map(|(_, means)| means[place]).collect()
    };
    let temperatures = TEMPERATURES.iter().enumerate().map(|(row, &(timestep, expected))| {
        Comparison::new(&format!("h = {timestep}"), &of_row(row, 0), expected, TEMPERATURE_ERROR)
    });
    let conditions = format!("{} of Philox; time {time} after {RELAXATION}.", conditions());
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
