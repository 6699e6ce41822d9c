//! `[dynamics]`: integrator, temperature, friction, time step.

use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Dynamics, Integrator, Precision};

use crate::document::{Node, Table};
use crate::error::{CONFLICT, Error, Location};
use crate::models::{BEADS, OSCILLATORS, RESIDUES};
use crate::numbers::Bound;
use crate::section::{Section, UsualQuantity};
use crate::steps::TimeStep;

const KEYS: [&str; 8] = [
    "integrator",
    "temperature",
    "friction",
    "collision_rate",
    "diffusion",
    "timestep",
    "precision",
    "skin",
];

/// Which types of a `[system]` have a friction of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypesWithFriction {
    /// Some of them.
    Some,
    /// All.
    All,
}

/// `[dynamics]` as it was read. If replicas exchange temperatures, the temperature is 0.
#[derive(Clone, Debug)]
pub(crate) struct DynamicsRead {
    pub dynamics: Dynamics,
    /// The time step as it was written, and where.
    pub timestep: TimeStep,
    pub timestep_place: Location,
    /// γ, 1/ps, if the friction of each type is γ times its mass.
    pub collision_rate: Option<f64>,
}

/// Reads `[dynamics]` of a model in some units, some of whose types may have a friction of their own.
pub(crate) fn read_dynamics(
    node: &Node,
    model: &str,
    units: Units,
    exchange: bool,
    types_have_friction: Option<TypesWithFriction>,
) -> Result<(DynamicsRead, Table), Error> {
    let mut section = Section::open(node, "[dynamics]", &KEYS)?.in_units(units);
    let usual = Some(match model {
        RESIDUES | BEADS => Integrator::Langevin,
        _ => Integrator::Brownian,
    });
    let integrator = match model {
        // Their law is that of beads without velocities.
        OSCILLATORS => {
            section.named("integrator", Integrator::OVERDAMPED, Integrator::name, usual)?
        }
        _ => section.named("integrator", Integrator::ALL, Integrator::name, usual)?,
    };
    let temperature = if exchange {
        section.exclude(&["temperature"], "[exchange] has the temperatures: leave it out")?;
        let because = "with the temperatures of [exchange] it would make frictions that differ: write `friction` in its place";
        section.exclude(&["diffusion"], because)?;
        0.0
    } else {
        let (kind, bound) = (Dimension::Temperature, Bound::NotNegative);
        let usual = if model == RESIDUES { "298 K" } else { "300 K" };
        section.quantity_or("temperature", kind, bound, UsualQuantity::new(usual, 1.0))?.value
    };
    let (friction, collision_rate) = match integrator.has_velocities() {
        true => read_drag(&mut section, integrator, types_have_friction)?,
        false => (read_friction(&mut section, temperature)?, None),
    };
    let usual = if integrator.has_velocities() { "10 fs" } else { "20 ps" };
    let timestep = section.quantity_or("timestep", Dimension::Time, Bound::Positive, usual)?;
    let precision = read_precision(&mut section)?;
    let usual = UsualQuantity::new("4 A", 0.4);
    let skin = section.quantity_or("skin", Dimension::Length, Bound::NotNegative, usual)?;
    let (step, skin) = (timestep.value, skin.value);
    let dynamics = Dynamics { integrator, temperature, friction, timestep: step, precision, skin };
    let timestep_place = section.value_place("timestep").clone();
    let timestep = TimeStep { quantity: timestep, units };
    let read = DynamicsRead { dynamics, timestep, timestep_place, collision_rate };
    Ok((read, section.resolved))
}

/// The friction of beads without velocities, from `friction` or `diffusion`.
fn read_friction(section: &mut Section<'_>, temperature: f64) -> Result<f64, Error> {
    let because = "beads without velocities do not collide: write `friction`, or an integrator with velocities such as \"langevin\"";
    section.exclude(&["collision_rate"], because)?;
    section.one_of("friction", "diffusion")?;
    match section.quantity("diffusion", Dimension::Diffusion, Bound::Positive)? {
        // Einstein's relation, ξ = kT/D.
        Some(diffusion) if temperature > 0.0 => Ok(temperature / diffusion.value),
        Some(_) => {
            let problem =
                "says nothing of the friction at temperature 0: write `friction` in its place";
            Err(section.fault(CONFLICT, "diffusion", problem))
        }
        None => {
            let usual = "8.685e6 pN ps/nm";
            Ok(section.quantity_or("friction", Dimension::Friction, Bound::Positive, usual)?.value)
        }
    }
}

/// The friction of beads with velocities: one coefficient for all, or a collision rate, by which each bead has its mass
/// times the rate.
fn read_drag(
    section: &mut Section<'_>,
    integrator: Integrator,
    types_have_friction: Option<TypesWithFriction>,
) -> Result<(f64, Option<f64>), Error> {
    let because = "beads with velocities have a friction or a collision rate: write one of them";
    section.exclude(&["diffusion"], because)?;
    section.one_of("friction", "collision_rate")?;
    let bound = Bound::NotNegative;
    if let Some(friction) = section.quantity("friction", Dimension::Friction, bound)? {
        return Ok((friction.value, None));
    }
    // A collision rate would give a friction to every type.
    if types_have_friction == Some(TypesWithFriction::All) && !section.has("collision_rate") {
        return Ok((0.0, None));
    }
    if types_have_friction.is_some() && !section.has("collision_rate") {
        let example = if section.units == Units::Real { "\"1000 pN ps/nm\"" } else { "1.0" };
        return Err(section.missing(
            "friction",
            &format!("{example}, for the types without a friction of their own"),
        ));
    }
    // Without friction, velocity Verlet conserves the energy.
    let usual = match integrator {
        Integrator::VelocityVerlet => UsualQuantity::new("0 /ps", 0.0),
        _ => UsualQuantity::from("0.01 /ps"),
    };
    let rate = section.quantity_or("collision_rate", Dimension::Rate, bound, usual)?;
    Ok((0.0, Some(rate.value)))
}

pub(crate) fn read_precision(section: &mut Section<'_>) -> Result<Precision, Error> {
    section.named("precision", Precision::ALL, Precision::name, Some(Precision::Single))
}
