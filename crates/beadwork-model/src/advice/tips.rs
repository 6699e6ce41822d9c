//! What is odd about the tip or the surface of a stage.

use super::stiff_contacts::warning_of_stiff_contact;
use super::tip_drag::{TipDrag, Yardstick};
use super::tip_reach::{warnings_of_base, warnings_of_reach};
use super::words::{force, length, with_decimals};
use crate::externals::{External, ExternalState, FirstStep, Surface, dot, nearest_bead, way_back};
use crate::protocol::{Protocol, Stage};
use crate::system::System;

/// Friction beyond this share of the force that is to be expected is warned of.
const LARGE_DRAG: f64 = 0.5;

/// The warnings about the tips and surfaces of the stage of this number.
pub(super) fn warnings_of_tips(system: &System, protocol: &Protocol, number: usize) -> Vec<String> {
    let stage = &protocol.stages[number];
    let mut warnings = Vec::new();
    for (index, external) in stage.externals.iter().enumerate() {
        // Where one that goes on begins, the stage before decides.
        let begins = !external.goes_on();
        if begins {
            warnings.extend(warning_of_beads_behind(system, protocol, number, index));
            warnings.extend(warning_of_stiff_contact(system, protocol, number, index));
        }
        warnings.extend(warning_of_drag(system, protocol, stage, external));
        warnings.extend(warning_of_nothing_behind(system, protocol, stage, external));
        if let External::Tip(tip) = external {
            warnings.extend(match begins {
                true => warnings_of_reach(system, protocol, number, tip),
                false => warnings_of_base(system, protocol, number, tip),
            });
        }
    }
    warnings
}

/// Warns of beads in a tip, or behind a surface, or too near, where beads may still move away before the stage, and behind the
/// points of a surface, which act on both sides.
fn warning_of_beads_behind(
    system: &System,
    protocol: &Protocol,
    number: usize,
    index: usize,
) -> Option<String> {
    let stage = &protocol.stages[number];
    let external = &stage.externals[index];
    external.contact()?;
    let positions = &system.particles.positions;
    let state = external.begin(positions);
    let first = FirstStep::of(system, &protocol.dynamics, stage);
    let nearest = nearest_bead(&**external, &state, positions, &first)?;
    let thrown = nearest.thrown.map_or(0, |thrown| thrown.beads);
    // The reader of an input refuses what a first stage cannot begin with.
    let is_refused = number == 0 && nearest.refused + thrown > 0;
    let odd = nearest.behind.max(nearest.refused + thrown);
    if is_refused || odd == 0 {
        return None;
    }
    Some(format!(
        "stage \"{}\": drive {}, a {}, has {odd} of {} bead(s) inside it or behind it, or so near that it would throw them, where they are in the structure; {} is deepest; unless they move before, let it begin farther back, by {} against its direction",
        stage.name,
        index + 1,
        external.kind(),
        external.beads().len(),
        system.bead_label(nearest.bead),
        length(system, way_back(&**external, &state, positions, nearest.room))
    ))
}

fn warning_of_drag(
    system: &System,
    protocol: &Protocol,
    stage: &Stage,
    external: &External,
) -> Option<String> {
    let (dynamics, kind) = (&protocol.dynamics, external.kind());
    let cantilever = external.cantilever()?;
    let drag = TipDrag::of(system, dynamics, stage, cantilever);
    let sum = drag.of_beads + drag.of_tip;
    let is_small = sum <= LARGE_DRAG * drag.expected_force;
    // A base that hardly moves has another warning.
    let hardly_moves = drag.largest_force <= cantilever.contact_force;
    if dynamics.integrator.has_velocities() || is_small || hardly_moves {
        return None;
    }
    let known = drag.yardstick.filter(|_| drag.expected_force < drag.largest_force);
    let which = match known {
        Some(Yardstick::Rule) => "at which a rule ends the stage".to_string(),
        Some(Yardstick::Shell) => "at which the shell of a virus yields".to_string(),
        None => {
            format!("that the cantilever has at most after {}", length(system, drag.travel))
        }
    };
    let expected = format!("{} {which}", force(system, drag.expected_force));
    let act = if cantilever.path.speed < 0.0 { "retract" } else { "press" };
    Some(format!(
        "stage \"{}\": at the speed of the base friction takes up to {} of {} bead(s) that move with the {kind} and {} of the {kind}, beside the {expected}: the curve will be of friction more than of the structure; {act} {} times slower or more over the same way",
        stage.name,
        force(system, drag.of_beads),
        drag.beads,
        force(system, drag.of_tip),
        with_decimals((sum / (LARGE_DRAG * drag.expected_force)).ceil(), 0)
    ))
}

/// Warns of a tip, or what else a cantilever presses, on what nothing holds.
fn warning_of_nothing_behind(
    system: &System,
    protocol: &Protocol,
    stage: &Stage,
    external: &External,
) -> Option<String> {
    let cantilever = external.cantilever().filter(|own| own.path.speed > 0.0)?;
    if !stage.fixed.is_empty() || !system.interactions.singles.is_empty() {
        return None;
    }
    let drag = TipDrag::of(system, &protocol.dynamics, stage, cantilever);
    let pressing = (external.beads().len(), cantilever.direction);
    let mut weak = String::new();
    for (index, other) in stage.externals.iter().enumerate() {
        match hold_of(system, other, pressing, &drag) {
            Hold::Holds => return None,
            Hold::Fails => {}
            Hold::Weak(why) => weak += &format!("; the surface of drive {} {why}", index + 1),
        }
    }
    Some(format!(
        "stage \"{}\": nothing holds the structure against the {}, which will only push it along{weak}: give the stage a `surface` below it, or hold beads by `fixed` or by a drive \"restrain\"",
        stage.name,
        external.kind()
    ))
}

/// Whether an external holds the beads against a tip.
enum Hold {
    /// An external that may hold them.
    Holds,
    /// An external that does not hold them.
    Fails,
    /// A surface in their way that cannot hold them, for the reason given.
    Weak(String),
}

/// Whether an external may hold the `pressed` beads against what is pressed on them along a direction: a surface to which that can push them in its stage, or a spring. A
/// force alone holds nothing.
fn hold_of(
    system: &System,
    other: &External,
    (pressed, direction): (usize, [f64; 3]),
    drag: &TipDrag,
) -> Hold {
    let positions = &system.particles.positions;
    let holds = match other {
        _ if other.cantilever().is_some() => false,
        // A surface that goes on lies where the stage before had it, and beads have come to it since.
        External::Surface(surface) if surface.goes_on => true,
        External::Surface(surface) => {
            let state = other.begin(positions);
            // A part of the way along the tip's is a part of the way to the surface.
            let towards = -dot(state.direction, direction);
            let room = -way_back(&**other, &state, positions, 1.0);
            if towards > 0.0 && room <= drag.travel * towards {
                return strength_of(system, (surface, &state), pressed, drag);
            }
            false
        }
        _ => other.stiffness() > 0.0 || other.ends().is_some_and(|ends| !ends.fixed.is_empty()),
    };
    if holds { Hold::Holds } else { Hold::Fails }
}

/// Beads on a surface that keep a structure from turning over.
const SUPPORTS: usize = 3;

/// Whether a surface is strong enough for a tip: beads come to it within σ as they go straight down, and it pushes all of these
/// back, at half of σ, as hard as the cantilever presses at the end of its way, or until a rule ends the stage.
fn strength_of(
    system: &System,
    (surface, state): (&Surface, &ExternalState),
    pressed: usize,
    drag: &TipDrag,
) -> Hold {
    let positions = &system.particles.positions;
    let (contact, beads) = (&surface.contact, &surface.beads);
    let meets = |&&bead: &&usize| surface.beside(state, positions[bead]) <= contact.sigma;
    let met = beads.iter().filter(meets).count();
    if met < SUPPORTS.min(pressed) {
        return Hold::Weak(format!(
            "has {met} bead(s) above it, and fewer than {SUPPORTS} do not keep a structure from turning over"
        ));
    }
    let most = met as f64 * contact.largest_force();
    let pressing = match drag.yardstick {
        Some(Yardstick::Rule) => drag.expected_force,
        Some(Yardstick::Shell) | None => drag.largest_force,
    };
    // How far the cantilever of a tip that goes on is bent is not known.
    if pressing.is_finite() && most < pressing {
        return Hold::Weak(format!(
            "pushes back with {} at most, at half of its sigma, and the cantilever presses with up to {}",
            force(system, most),
            force(system, pressing)
        ));
    }
    Hold::Holds
}
