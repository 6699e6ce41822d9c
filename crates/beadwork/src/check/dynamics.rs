//! Integrator, time step and temperature in words.

use std::fmt::Write as _;

use crate::input::Point;
use crate::model::observables::expected_temperature_reading;
use crate::model::units::BOLTZMANN;
use crate::model::{Model, Stage, StageKind, advice};

use crate::analysis::numbers::significant;
use crate::times::time_in;

/// Integrator, time step and the temperature that tables will show.
pub fn describe_dynamics(text: &mut String, point: &Point) {
    let dynamics = &point.protocol.dynamics;
    let temperature = match point.exchange {
        Some(_) => String::new(),
        None => {
            let unit = point.system.units.of_energy();
            let start = if point.system.holds_temperature(dynamics) {
                ""
            } else {
                " at the start; nothing holds the temperature"
            };
            format!(", kT = {}{unit}{start}", advice::with_decimals(dynamics.temperature, 4))
        }
    };
    let stability = match &point.system.model {
        Model::Oscillators(particles) => format!(
            "a = k h/friction = {}",
            significant(particles.stiffness * dynamics.timestep / dynamics.friction)
        ),
        _ if point.system.stiffest_bond() == 0.0 => "no bonds".to_string(),
        _ if dynamics.integrator.has_velocities() => format!(
            "2 h sqrt(k/m) = {} for the bond with the largest k/m (advised: at most {})",
            advice::with_decimals(advice::bond_phase(&point.system, dynamics), 3),
            advice::ADVISED_BOND_PHASE
        ),
        _ => format!(
            "4 k h/friction = {} for the stiffest bond (advised: at most {})",
            advice::with_decimals(advice::bond_step(&point.system, dynamics), 3),
            advice::ADVISED_BOND_STEP
        ),
    };
    let _ = writeln!(
        text,
        "Dynamics     {}, {} precision, {} noise{temperature}\nTime step    {}; {stability}",
        dynamics.integrator.name(),
        dynamics.precision.name(),
        point.protocol.randomness.name(),
        time_in(point.system.units, dynamics.timestep)
    );
    let Some(factor) = temperature_factor(point) else { return };
    let bath = dynamics.temperature / BOLTZMANN;
    let reading = match point.exchange {
        Some(_) => format!(
            "{:.1} % {} than the bath has",
            100.0 * (factor - 1.0).abs(),
            if factor > 1.0 { "more" } else { "less" }
        ),
        None => format!(
            "about {} K in a bath of {} K",
            advice::with_decimals(factor * bath, 0),
            significant(bath)
        ),
    };
    let _ = writeln!(
        text,
        "Temperature  tables will read {reading}: they count the drift of each step"
    );
}

/// The temperature that tables will show, divided by that of the bath.
pub fn temperature_factor(point: &Point) -> Option<f64> {
    let moves = |stage: &Stage| matches!(stage.kind, StageKind::Dynamics { .. });
    let dynamics = &point.protocol.dynamics;
    let is_read = point.system.model == Model::Sop && dynamics.temperature > 0.0;
    (is_read && point.protocol.stages.iter().any(moves))
        .then(|| expected_temperature_reading(&point.system, dynamics))
        .flatten()
}
