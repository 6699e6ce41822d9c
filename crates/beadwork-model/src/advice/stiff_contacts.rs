//! Tips and surfaces whose contact is too stiff for the time step.

use super::time_step::at_most;
use super::words::{plain, three_digits, with_decimals};
use crate::protocol::{Protocol, StageKind};
use crate::system::System;

/// kT: so far above its least energy thermal motion brings a bead on the repulsive side of a contact.
const CLIMBED: f64 = 2.0;

/// The advised k h/friction at that height. Beads are seldom there, so it may be nearer to [`UNSTABLE`] than that of bonds: on the
/// default surface, pushed by 20 pN, none of 16 molecules of ubiquitin failed within 600,000 steps of 20 ps (1.04), one within 60,000
/// of 40 ps (2.07), 15 of 80 ps (4.2).
const ADVISED: f64 = 1.5;

/// Beyond this step a harmonic well throws its bead out.
const UNSTABLE: f64 = 2.0;

/// Warns of the tip or surface of this index in the stage of this number, if beads overshoot its repulsion in a step.
pub(super) fn warning_of_stiff_contact(
    system: &System,
    protocol: &Protocol,
    number: usize,
    index: usize,
) -> Option<String> {
    let (stage, dynamics) = (&protocol.stages[number], &protocol.dynamics);
    let external = &stage.externals[index];
    let contact = external.contact()?;
    let curvature = contact.curvature_at(CLIMBED * dynamics.temperature);
    let step = curvature * dynamics.timestep / dynamics.friction;
    let moves = matches!(stage.kind, StageKind::Dynamics { .. });
    let is_sound = step.is_nan() || step <= ADVISED;
    if !moves || dynamics.integrator.has_velocities() || is_sound {
        return None;
    }
    let unit = system.units.of_time();
    let what = match step < UNSTABLE {
        true => "beyond 1 beads overshoot it",
        false => "beyond 2 it throws beads and breaks bonds",
    };
    // A well of less than kT is hardly softer if it is less deep.
    let depth = if contact.epsilon > dynamics.temperature { " or a smaller `depth`" } else { "" };
    Some(format!(
        "stage \"{}\": drive {}, a {}, is too stiff for the time step of {}{unit}: its curvature is {}{} where a bead has climbed by {CLIMBED} kT, so that k h/friction is {}; {what}, and at most {ADVISED} is advised: {}, or give it a larger `sigma`{depth}",
        stage.name,
        index + 1,
        external.kind(),
        plain(dynamics.timestep),
        three_digits(curvature),
        system.units.of_stiffness(),
        with_decimals(step, 2),
        at_most(dynamics.timestep * ADVISED / step, unit)
    ))
}
