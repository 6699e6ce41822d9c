//! Stages and their externals in words.

use std::fmt::Write as _;

use beadwork::input::Point;
use beadwork::model::advice::TipDrag;
use beadwork::model::externals::External;
use beadwork::model::units::{ANGSTROMS_PER_NANOMETRE, PICONEWTONS_PER_FORCE};
use beadwork::model::{StageKind, Units};

use super::chains;
use super::tips::{describe_drag, describe_surface, describe_tip};
use crate::program::output::{grouped, significant, time_in};

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
            let what = describe_external(external, time, point.system.units);
            let _ = writeln!(text, "             {name}{what}");
            // Where a tip goes on, the stage before decides how far its cantilever is bent.
            if let External::Tip(tip) = external
                && !tip.goes_on
            {
                let drag = TipDrag::of(&point.system, &point.protocol.dynamics, stage, tip);
                let _ = writeln!(text, "             {}", describe_drag(&drag, point.system.units));
            }
        }
    }
}

/// An external in a stage that lasts at most `time`.
fn describe_external(external: &External, time: f64, units: Units) -> String {
    match external {
        External::Tip(tip) => return describe_tip(tip, time, units),
        External::Surface(surface) => return describe_surface(surface, units),
        _ => {}
    }
    if units == Units::Reduced {
        return match external {
            External::Spring(spring) => format!(
                "spring of stiffness {}, base at speed {}: travels {}",
                significant(spring.stiffness),
                significant(spring.speed),
                significant(spring.speed * time)
            ),
            External::Force(force) => format!("constant force of {}", significant(force.force)),
            External::ForceRamp(ramp) => {
                format!("force that grows to {}", significant(ramp.rate * time))
            }
            External::Restrain(restrain) => format!(
                "restraints of stiffness {} on {} bead(s)",
                significant(restrain.stiffness),
                restrain.beads.len()
            ),
            External::Tip(_) | External::Surface(_) => String::new(),
        };
    }
    let stiffness = |value: f64| value * PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    match external {
        External::Spring(spring) => format!(
            "spring of {} pN/nm, base at {} um/s: travels {} nm",
            significant(stiffness(spring.stiffness)),
            significant(spring.speed * MICROMETRES_PER_SECOND),
            significant(spring.speed * time / ANGSTROMS_PER_NANOMETRE)
        ),
        External::Force(force) => {
            format!("constant force of {} pN", significant(force.force * PICONEWTONS_PER_FORCE))
        }
        External::ForceRamp(ramp) => {
            let last = ramp.rate * time * PICONEWTONS_PER_FORCE;
            format!("force that grows to {} pN", significant(last))
        }
        External::Restrain(restrain) => format!(
            "restraints of {} pN/nm on {} bead(s)",
            significant(stiffness(restrain.stiffness)),
            restrain.beads.len()
        ),
        External::Tip(_) | External::Surface(_) => String::new(),
    }
}
