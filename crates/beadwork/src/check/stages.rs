//! Stages and their externals in words.

use std::fmt::Write as _;

use crate::input::Point;
use crate::model::advice::TipDrag;
use crate::model::externals::External;
use crate::model::units::{ANGSTROMS_PER_NANOMETRE, PICONEWTONS_PER_FORCE};
use crate::model::{StageKind, Units};

use super::chains;
use super::tips::{
    describe_drag, describe_place, describe_pressed, describe_surface, in_nanometres, in_unit,
};
use crate::analysis::numbers::grouped;
use crate::times::time_in;

/// um/s in one Å/ps.
pub(super) const MICROMETRES_PER_SECOND: f64 = 1e8;

pub fn describe_stages(text: &mut String, point: &Point) {
    for (number, stage) in point.protocol.stages.iter().enumerate() {
        let time = stage.steps() as f64 * point.protocol.dynamics.timestep;
        let what = match stage.kind {
            StageKind::Dynamics { steps } => {
                format!("{} steps = {}", grouped(steps), time_in(point.system.units, time))
            }
            StageKind::Minimise { tolerance, steps, push_off } => {
                let unit = point.system.units.of_force();
                let soft = match push_off {
                    0 => String::new(),
                    some => format!("{} of them with soft repulsions", grouped(some)),
                };
                let comma = if push_off > 0 { ", " } else { "" };
                format!(
                    "minimise to {tolerance}{unit}, at most {} steps{comma}{soft}",
                    grouped(steps)
                )
            }
            StageKind::Sample { sweeps, tune_every, .. } => {
                let fits = |every| {
                    format!(", displacements fitted every {}", chains::counted(point, every))
                };
                chains::counted(point, sweeps) + &tune_every.map(fits).unwrap_or_default()
            }
        };
        let fixed = match stage.fixed.len() {
            0 => String::new(),
            fixed => format!("; {fixed} bead(s) fixed"),
        };
        let stops: Vec<&str> = stage.stops.iter().map(|stop| stop.text.as_str()).collect();
        let until = if stops.is_empty() { "" } else { "; until " };
        let _ = writeln!(
            text,
            "Stage        {}: {what}{fixed}{until}{}{}",
            stage.name,
            stops.join(" or "),
            chains::describe_tuning(point, number)
        );
        for external in &stage.externals {
            let name = external.name().map(|name| format!("drive {name}: ")).unwrap_or_default();
            let (dynamics, units) = (&point.protocol.dynamics, point.system.units);
            let cantilever = external.cantilever();
            let what = match cantilever {
                Some(own) => describe_pressed(external, own, (time, dynamics.timestep), units),
                None => describe_external(external, time, units),
            };
            let _ = writeln!(text, "             {name}{what}");
            if let Some(place) = describe_place(point, external, number == 0) {
                let _ = writeln!(text, "             {place}");
            }
            // Where one goes on, the stage before decides how far its cantilever is bent.
            if let Some(own) = cantilever.filter(|own| !own.goes_on) {
                let drag = TipDrag::of(&point.system, dynamics, stage, own);
                let words = describe_drag(external.kind(), &drag, units);
                let _ = writeln!(text, "             {words}");
            }
        }
    }
}

/// An external without a cantilever in a stage that lasts at most `time`.
fn describe_external(external: &External, time: f64, units: Units) -> String {
    let word = |word| if units == Units::Reduced { word } else { "" };
    let stiffness = |value: f64| {
        let unit = PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
        format!("{}{}", word("stiffness "), in_unit(value, unit, "pN/nm", units))
    };
    let force = |value: f64| in_unit(value, PICONEWTONS_PER_FORCE, "pN", units);
    match external {
        External::Surface(surface) => describe_surface(surface, units),
        External::Spring(spring) => format!(
            "spring of {}, base at {}{}: travels {}",
            stiffness(spring.stiffness),
            word("speed "),
            in_unit(spring.speed, MICROMETRES_PER_SECOND, "um/s", units),
            in_nanometres(spring.speed * time, units)
        ),
        External::Force(constant) => format!("constant force of {}", force(constant.force)),
        External::ForceRamp(ramp) => format!("force that grows to {}", force(ramp.rate * time)),
        other => {
            let held = match other.stiffness() {
                0.0 => String::new(),
                some => format!(" with springs of {}", stiffness(some)),
            };
            format!("{}{held} on {} bead(s)", other.kind(), other.beads().len())
        }
    }
}
