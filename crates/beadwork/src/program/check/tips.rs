//! Tips and surfaces of a stage, in words and as JSON.

use beadwork::input::Point;
use beadwork::model::advice::TipDrag;
use beadwork::model::externals::{External, Surface, Tip};
use beadwork::model::observables::Observable;
use beadwork::model::units::{ANGSTROMS_PER_NANOMETRE, PICONEWTONS_PER_FORCE};
use beadwork::model::{Stage, Units};
use serde_json::{Value, json};

use super::stages::MICROMETRES_PER_SECOND;
use crate::program::output::{grouped, significant};

/// The friction of what moves with the tip of a stage, beside the forces to compare; `None` without a tip, and where the stage
/// before decides how far its cantilever is bent.
pub fn as_json(point: &Point, stage: &Stage) -> Option<Value> {
    let tip = stage.externals.iter().find_map(|external| match external {
        External::Tip(tip) => Some(tip).filter(|tip| !tip.goes_on),
        _ => None,
    })?;
    let drag = TipDrag::of(&point.system, &point.protocol.dynamics, stage, tip);
    let units = point.system.units;
    let [force, length] = [Observable::Force, Observable::BaseTravel].map(|one| one.unit_in(units));
    let forces = [
        ("friction_of_beads", drag.of_beads),
        ("friction_of_tip", drag.of_tip),
        ("largest_force_of_cantilever", drag.largest_force),
        ("expected_force", drag.expected_force),
    ];
    let with_unit = |name: &str, unit: &str| match unit {
        "" => name.to_string(),
        unit => format!("{name}_{unit}"),
    };
    let mut json = json!({ "beads": drag.beads });
    for (name, value) in forces {
        json[with_unit(name, force.symbol())] = force.convert(value).into();
    }
    json[with_unit("travel_of_base", length.symbol())] = length.convert(drag.travel).into();
    Some(json)
}

/// A value in a unit, of which inside there are `each`; a bare number in reduced units.
pub(super) fn in_unit(value: f64, each: f64, unit: &str, units: Units) -> String {
    match units {
        Units::Real => format!("{} {unit}", significant(value * each)),
        Units::Reduced => significant(value),
    }
}

pub(super) fn in_nanometres(length: f64, units: Units) -> String {
    in_unit(length, 1.0 / ANGSTROMS_PER_NANOMETRE, "nm", units)
}

/// A tip in a stage that lasts at most `time`.
pub fn describe_tip(tip: &Tip, time: f64, units: Units) -> String {
    let per_length = PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    let noise = if tip.temperature > 0.0 { ", with noise of its own" } else { "" };
    let goes_on = if tip.goes_on { ", goes on from the stage before" } else { "" };
    let travels = match tip.path.out {
        None => format!("travels {}", in_nanometres(tip.path.speed * time, units)),
        Some(_) => "goes out and back".to_string(),
    };
    format!(
        "tip of radius {} on a cantilever of {}, base at {}: {travels}; acts on {} bead(s), moves every {} step(s){noise}{goes_on}",
        in_nanometres(tip.radius, units),
        in_unit(tip.stiffness, per_length, "pN/nm", units),
        in_unit(tip.path.speed, MICROMETRES_PER_SECOND, "um/s", units),
        tip.beads.len(),
        tip.moves_every
    )
}

/// The friction of what moves with a tip, beside the force that is to be expected.
pub fn describe_drag(drag: &TipDrag, units: Units) -> String {
    let force = |force: f64| in_unit(force, PICONEWTONS_PER_FORCE, "pN", units);
    let published = match drag.expected_force < drag.largest_force {
        true => {
            format!("; the shell of a virus yields to some {}", force(drag.expected_force))
        }
        false => String::new(),
    };
    format!(
        "friction at this speed: up to {} of {} bead(s) if all move with the tip, and {} of the tip, beside at most {} of the cantilever after {}{published}",
        force(drag.of_beads),
        grouped(drag.beads as u64),
        force(drag.of_tip),
        force(drag.largest_force),
        in_nanometres(drag.travel, units)
    )
}

pub fn describe_surface(surface: &Surface, units: Units) -> String {
    let shape = match surface.points {
        None => "plane".to_string(),
        Some(points) => format!(
            "surface of {0} x {0} points, {1} apart,",
            points.side,
            in_nanometres(points.spacing, units)
        ),
    };
    let goes_on = if surface.goes_on { ", stays where it was in the stage before" } else { "" };
    format!(
        "{shape} with sigma {} under {} bead(s){goes_on}",
        in_nanometres(surface.contact.sigma, units),
        surface.beads.len()
    )
}
