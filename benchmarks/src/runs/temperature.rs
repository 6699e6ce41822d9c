//! The temperature of timed runs, against the law of their scheme.

use beadwork_model::Integrator;

use super::job::{Job, Record};
use crate::statistics::{Check, Estimate};

/// kT of a DPD fluid at density 3 with repulsion 25, friction 4.5 and steps of 0.04 where the drag belongs to half steps, and
/// its standard error: the mean of long runs of several programs.
const DPD_TEMPERATURE: f64 = 1.028;
const DPD_TEMPERATURE_ERROR: f64 = 0.001;

/// The mean of a column over the second half of each trajectory.
pub(super) fn later(records: &[Record], column: fn(&Record) -> &[f64]) -> Option<Estimate> {
    let half = |record: &Record| column(record)[record.steps.len() / 2 + 1..].to_vec();
    Estimate::of_series(&records.iter().map(half).collect::<Vec<_>>())
}

/// The temperature from displacements includes the drift: its mean is T + h⟨F·F⟩/(6ξ). That of velocities in the order
/// BAOAB is T − h²⟨F·F/m⟩/12: in a harmonic well T (1 − (ωh)²/4), while positions have their exact spread (Leimkuhler and
/// Matthews, J. Chem. Phys. 138, 174102, 2013).
pub(super) fn temperature_check(job: &Job, records: &[Record]) -> Option<Check> {
    let squares = records.iter().map(|record| record.square_force.clone());
    let squares: Vec<Vec<f64>> = squares.filter(|squares| !squares.is_empty()).collect();
    let dynamics = &job.dynamics;
    let (quantity, factor) = match dynamics.integrator {
        Integrator::Langevin => (
            "kT of velocities with h^2<F.F/m>/12 added, kcal/mol",
            dynamics.timestep * dynamics.timestep / 12.0,
        ),
        Integrator::VelocityVerlet if job.system.interactions.thermostat.is_some() => {
            let temperature = later(records, |record| &record.temperature)?;
            let known =
                Estimate { mean: DPD_TEMPERATURE, error: DPD_TEMPERATURE_ERROR, values: None };
            return Some(Check::of_means("kT of velocities", temperature, known));
        }
        _ if dynamics.integrator.has_velocities() => return None,
        _ => (
            "kT from displacements less the drift h<F.F>/(6 friction), kcal/mol",
            -dynamics.timestep / (6.0 * dynamics.friction),
        ),
    };
    let temperature = later(records, |record| &record.temperature)?;
    Some(Check::of_means(
        quantity,
        temperature.plus(factor, Estimate::of_series(&squares)?),
        Estimate::exact(dynamics.temperature),
    ))
}
