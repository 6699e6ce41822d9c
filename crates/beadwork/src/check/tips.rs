//! Tips and surfaces of a stage, in words and as JSON.

use crate::input::Point;
use crate::model::advice::{TipDrag, Yardstick};
use crate::model::externals::{Cantilever, External, Moment, Surface};
use crate::model::observables::Observable;
use crate::model::units::{ANGSTROMS_PER_NANOMETRE, PICONEWTONS_PER_FORCE};
use crate::model::{Stage, Units};
use serde_json::{Value, json};

use super::stages::MICROMETRES_PER_SECOND;
use crate::analysis::numbers::{grouped, significant};

/// The friction of what moves with the tip of a stage, beside the forces to compare; `None` without a tip, and where the stage
/// before decides how far its cantilever is bent.
pub fn as_json(point: &Point, stage: &Stage) -> Option<Value> {
    let pressed = |external: &&External| external.cantilever().is_some() && !external.goes_on();
    let external = stage.externals.iter().find(pressed)?;
    let cantilever = external.cantilever()?;
    let drag = TipDrag::of(&point.system, &point.protocol.dynamics, stage, cantilever);
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
    let thickness = cantilever.thickness(external.beads(), &point.system.particles.positions);
    json[with_unit("thickness_of_beads", length.symbol())] = length.convert(thickness).into();
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

/// A point, Å, as `[0, 0, 4.65] nm`.
fn place_in_words(point: [f64; 3], units: Units) -> String {
    let (each, digits, unit) = match units {
        Units::Real => (ANGSTROMS_PER_NANOMETRE, 1e3, " nm"),
        Units::Reduced => (1.0, 1e6, ""),
    };
    // Without the sign of what is rounded to 0.
    let rounded = point.map(|one| significant((one / each * digits).round() / digits + 0.0));
    format!("[{}]{unit}", rounded.join(", "))
}

/// Where a tip or a surface begins beside the beads of the structure, and how thick those are on which a cantilever presses it;
/// `None` for others, and where the stage before decides.
pub fn describe_place(point: &Point, external: &External, is_first: bool) -> Option<String> {
    if external.goes_on() {
        return None;
    }
    let (positions, units) = (&point.system.particles.positions, point.system.units);
    let state = external.begin(positions);
    // Beads move before a later stage.
    let begins = if is_first { "begins" } else { "would begin now" };
    let at = place_in_words(state.origin, units);
    let thickness = |pressing: &Cantilever| {
        let thickness = in_nanometres(pressing.thickness(external.beads(), positions), units);
        format!("; the beads on which it acts are {thickness} thick along its way")
    };
    let thick = external.cantilever().map(thickness).unwrap_or_default();
    external.contact().map(|_| format!("the {} {begins} at {at}{thick}", external.kind()))
}

/// What a cantilever presses on beads in a stage that lasts at most `time`, ps.
pub fn describe_pressed(
    external: &External,
    cantilever: &Cantilever,
    (time, timestep): (f64, f64),
    units: Units,
) -> String {
    let Cantilever { path, stiffness, moves_every, .. } = cantilever;
    let per_length = PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    let what = match external {
        External::Tip(tip) => format!("tip of radius {}", in_nanometres(tip.radius, units)),
        other => other.kind().to_string(),
    };
    let noise = if cantilever.temperature > 0.0 { ", with noise of its own" } else { "" };
    let goes_on = if cantilever.goes_on { ", goes on from the stage before" } else { "" };
    let travels = match path.out {
        None => format!("travels {}", in_nanometres(path.speed * time, units)),
        Some(out) => {
            let turns = out as f64 * timestep;
            let steps = (time / timestep).round() as u64;
            let left = path.travelled(Moment { step: steps, timestep });
            let how = match path.steps_back(steps) {
                Some(_) if steps <= out => "out".to_string(),
                Some(_) if path.cycles == 1 => "out, and a part of the way back".to_string(),
                Some(_) => format!(
                    "out, makes {} of {} cycles and ends {} out",
                    steps / (2 * (out + path.rest)),
                    path.cycles,
                    in_nanometres(left, units)
                ),
                None if path.cycles == 1 => "out and back".to_string(),
                None => format!("out and back, {} times", path.cycles),
            };
            format!("goes {} {how}", in_nanometres(path.speed * turns.min(time), units))
        }
    };
    format!(
        "{what} on a cantilever of {}, base at {}: {travels}; acts on {} bead(s), moves every {} step(s){noise}{goes_on}",
        in_unit(*stiffness, per_length, "pN/nm", units),
        in_unit(path.speed, MICROMETRES_PER_SECOND, "um/s", units),
        external.beads().len(),
        moves_every
    )
}

/// The friction of what moves with a tip, or another `kind` that is pressed on beads, beside the force that is to be expected.
pub fn describe_drag(kind: &str, drag: &TipDrag, units: Units) -> String {
    let force = |force: f64| in_unit(force, PICONEWTONS_PER_FORCE, "pN", units);
    let is_bound = drag.expected_force >= drag.largest_force;
    let expected = match drag.yardstick {
        None => "; at which force the structure yields is not known: friction must be small beside its peak".to_string(),
        Some(_) if is_bound => String::new(),
        Some(Yardstick::Rule) => {
            format!("; a rule ends the stage at {}", force(drag.expected_force))
        }
        Some(Yardstick::Shell) => {
            format!("; the shell of a virus yields to some {}", force(drag.expected_force))
        }
    };
    format!(
        "friction at this speed: up to {} of {} bead(s) if all move with the {kind}, and {} of the {kind}, beside at most {} of the cantilever after {}{expected}",
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
