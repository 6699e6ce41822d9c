//! Warnings about a request before it runs.

mod collapse;
mod stages;
mod start;
mod stiff_contacts;
mod time_step;
mod tip_drag;
mod tip_reach;
mod tips;
mod words;

pub use stages::ChainDrag;
pub use time_step::{
    ADVISED_BOND_PHASE, ADVISED_BOND_STEP, STABLE_BOND_PHASE, advised_timestep, bond_phase,
    bond_step,
};
pub use tip_drag::{PEAK_OF_A_SHELL, TipDrag, Yardstick};
pub use tip_reach::base_reaches_beads;
pub use words::{plain, time_in_words, with_decimals};

use crate::protocol::{Protocol, StageKind};
use crate::system::System;
use collapse::{warning_of_bare_bonds, warning_of_bottomless_attraction};
use stages::warnings_of_stage;
use start::{warning_of_dense_start, warning_of_far_start, warning_of_images};
use time_step::{
    at_most, printed_friction_hint, warning_of_angles, warning_of_dpd, warning_of_pair_drag,
};
use tips::warnings_of_tips;

/// All warnings about a run, one sentence each.
pub fn warnings(system: &System, protocol: &Protocol) -> Vec<String> {
    let of_start =
        [warning_of_far_start(system), warning_of_images(system), warning_of_dense_start(system)];
    let mut warnings: Vec<String> = of_start.into_iter().flatten().collect();
    let nothing_acts =
        !system.interactions.act_between_beads() && system.interactions.singles.is_empty();
    if nothing_acts && system.beads() > 1 {
        warnings.push("nothing acts between the beads, so each moves as if it were alone: give `pairs` or `bonds` in [system], if that is not meant".to_string());
    }
    let collapsing = [warning_of_bare_bonds(system), warning_of_bottomless_attraction(system)];
    warnings.extend(collapsing.into_iter().flatten());
    let dynamics = &protocol.dynamics;
    let moves =
        protocol.stages.iter().any(|stage| matches!(stage.kind, StageKind::Dynamics { .. }));
    let inertial = dynamics.integrator.has_velocities();
    // Beads that move without velocities need no masses.
    let phase = if moves && inertial { bond_phase(system, dynamics) } else { 0.0 };
    let unit = system.units.of_time();
    if phase > ADVISED_BOND_PHASE {
        warnings.push(format!(
            "the time step of {}{unit} is long for the stiffest bond: 2 h sqrt(k/m) is {}, and beyond {ADVISED_BOND_PHASE} a period has fewer than ten steps; {}",
            plain(dynamics.timestep),
            with_decimals(phase, 2),
            advised_timestep(system, dynamics)
        ));
    }
    if moves {
        warnings.extend(warning_of_angles(system, dynamics));
        warnings.extend(warning_of_dpd(system, dynamics));
        warnings.extend(warning_of_pair_drag(system, dynamics));
    }
    let overdamped = moves && !inertial;
    let step = bond_step(system, dynamics);
    if overdamped && step > ADVISED_BOND_STEP {
        let advised = at_most(dynamics.timestep * ADVISED_BOND_STEP / step, unit);
        warnings.push(format!(
            "the time step of {}{unit} is too large for the stiffest bond: 4 k h/friction is {}, and beyond {ADVISED_BOND_STEP} bonds of FENE chains break within some thousand steps; {advised}, or raise the friction{}",
            plain(dynamics.timestep),
            with_decimals(step, 2),
            printed_friction_hint(dynamics)
        ));
    }
    let step = system.interactions.stiffest_field() * dynamics.timestep / dynamics.friction;
    if overdamped && step > ADVISED_BOND_STEP {
        let what = if step < 2.0 { "overshoot them" } else { "leave them for good" };
        warnings.push(format!(
            "the time step of {}{unit} is too large for the wells: k h/friction is {}, beyond {} beads {what}; {}, or use softer wells",
            plain(dynamics.timestep),
            with_decimals(step, 2),
            if step < 2.0 { ADVISED_BOND_STEP } else { 2.0 },
            at_most(dynamics.timestep * ADVISED_BOND_STEP / step, unit),
        ));
    }
    for (number, stage) in protocol.stages.iter().enumerate() {
        warnings.extend(warnings_of_stage(system, protocol, stage));
        warnings.extend(warnings_of_tips(system, protocol, number));
    }
    warnings
}
