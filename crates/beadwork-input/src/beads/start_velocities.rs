//! `velocities` of `start`: those of a file in place of drawn ones.

use std::path::Path;

use beadwork_model::observables::kinetic_temperature;
use beadwork_model::units::Units;
use beadwork_model::{Dynamics, System};
use beadwork_structure::Configuration;

use crate::built::Built;
use crate::document::as_table;
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::section::Section;
use crate::steps::rounded;

pub(super) const OF_FILE: &str = "file";
pub(super) const DRAWN: &str = "draw";
/// Femtoseconds in a picosecond.
const FEMTOSECONDS: f64 = 1000.0;

/// `velocities` of `start`: whether those of the file are taken or others are drawn, if the input says so.
pub(super) fn read(
    section: &Section<'_>,
    dynamics: &Dynamics,
) -> Result<Option<&'static str>, Error> {
    let node = section.node("start").map(as_table);
    let Some(node) = node.as_ref().and_then(|node| node.get("velocities")) else { return Ok(None) };
    let name = "`start` in [system]: `velocities`";
    let fault = |code, problem: String| Err(node.place.error(code, format!("{name} {problem}")));
    match node.text() {
        Some(OF_FILE) if !dynamics.integrator.has_velocities() => fault(
            CONFLICT,
            format!(
                "is \"{OF_FILE}\", and the integrator \"{}\" has no velocities: leave `velocities` out, or take an integrator with velocities such as \"langevin\"",
                dynamics.integrator.name()
            ),
        ),
        Some(OF_FILE) => Ok(Some(OF_FILE)),
        Some(DRAWN) => Ok(Some(DRAWN)),
        _ => fault(
            BAD_VALUE,
            format!(
                "must be \"{OF_FILE}\" for those of the file or \"{DRAWN}\" for others drawn at the temperature, found {}",
                node.found()
            ),
        ),
    }
}

/// The velocities of a file, Å/ps or reduced, or what stands in the way.
pub(super) fn of_file(
    read: &Configuration,
    path: &Path,
    units: Units,
) -> Result<Vec<[f64; 3]>, String> {
    let name = format!("[system]: velocities = \"{OF_FILE}\", and {}", path.display());
    let Some(velocities) = &read.velocities else {
        return Err(format!("{name} has no velocities: write velocities = \"{DRAWN}\""));
    };
    let factor = match (units, read.unit_style.as_deref()) {
        (_, None) | (Units::Reduced, Some("lj" | "")) | (Units::Real, Some("metal")) => 1.0,
        (Units::Real, Some("real")) => FEMTOSECONDS,
        (Units::Real, Some("")) => {
            return Err(format!(
                "{name} does not say in which unit its velocities are: add \"units = real\" (angstrom and femtoseconds) or \"units = metal\" (angstrom and picoseconds) to its first line"
            ));
        }
        (_, Some(style)) => {
            let (own, known) = match units {
                Units::Real => ("real", "real and metal"),
                Units::Reduced => ("reduced", "lj"),
            };
            return Err(format!(
                "{name} has units = {style} in its first line, but the input has {own} units: known with those are {known}"
            ));
        }
    };
    Ok(velocities.iter().map(|velocity| velocity.map(|v| factor * v)).collect())
}

/// The sentence about velocities of files that are far from the temperature of the bath, as those in another unit are.
pub(crate) fn warning(built: &Built, dynamics: &Dynamics) -> Option<String> {
    let system: &System = &built.system;
    let bath = dynamics.temperature;
    let degrees = 3 * system.beads();
    let temperature = |velocities| kinetic_temperature(system, velocities, degrees);
    // The variance of the temperature of n degrees of freedom is 2 T²/n.
    let allowed = bath * (0.5 + 5.0 * (2.0 / degrees as f64).sqrt());
    let sets = built.velocities.iter().flatten();
    let found = sets
        .filter_map(|velocities| temperature(velocities))
        .find(|temperature| bath > 0.0 && (temperature - bath).abs() > allowed)?;
    let unit = system.temperature_unit();
    let (of_file, of_bath) = (four_digits(found / unit), four_digits(bath / unit));
    let kelvin = system.units.of_temperature();
    Some(format!(
        "the velocities of the start file have the temperature {of_file}{kelvin}, and the bath {of_bath}{kelvin}: check the unit of the velocities, or write velocities = \"{DRAWN}\" in `start`"
    ))
}

fn four_digits(number: f64) -> String {
    rounded(format!("{number:.3e}").parse().unwrap_or(number))
}
