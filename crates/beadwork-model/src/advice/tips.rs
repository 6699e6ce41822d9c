//! What is odd about the tip or the surface of a stage.

use super::tip_reach::warnings_of_reach;
use super::words::with_decimals;
use crate::dynamics::Dynamics;
use crate::externals::{External, FirstStep, Moment, Tip, dot, nearest_bead, way_back};
use crate::models::Model;
use crate::observables::{MeasuredColumn, Observable};
use crate::protocol::{Protocol, Stage, StopRule};
use crate::system::System;
use crate::units::{PICONEWTONS_PER_FORCE, Units};

/// Friction beyond this share of the force that is to be expected is warned of.
const LARGE_DRAG: f64 = 0.5;
/// pN: the peak of the shell of CCMV under a tip, in this model (PLoS Comput. Biol. 12, e1004729 (2016), Table 1: 0.68 nN, and
/// 0.71 nN by experiment). It is the force to expect of assemblies that are not much smaller.
pub const PEAK_OF_A_SHELL: f64 = 680.0;
/// Beads of the smallest assembly that is compared with this shell, which has 28,620.
const SMALLEST_SHELL: usize = 10_000;

/// What says which force a structure bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// A rule that ends the stage at a force.
    Rule,
    /// The peak of a shell, [`PEAK_OF_A_SHELL`], of proteins of 10,000 beads or more without such a rule.
    Shell,
}

/// The friction of what moves with a tip, beside the largest force that its cantilever can have in a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipDrag {
    /// kcal/(mol Å): of all beads that are not held, if they move as fast as the base.
    pub of_beads: f64,
    /// The number of these beads.
    pub beads: usize,
    /// kcal/(mol Å): of the tip.
    pub of_tip: f64,
    /// Å: the farthest way of the base.
    pub travel: f64,
    /// kcal/(mol Å): the stiffness of the cantilever times this way; infinite, as it is not known, for a tip that goes on from
    /// the stage before, which may have bent its cantilever.
    pub largest_force: f64,
    /// kcal/(mol Å): of this and the force of the yardstick the smaller one; this without a yardstick.
    pub expected_force: f64,
    /// What says at which force the structure yields or the stage ends; `None` if nothing does.
    pub yardstick: Option<Yardstick>,
}

impl TipDrag {
    /// That of a tip in a stage.
    pub fn of(system: &System, dynamics: &Dynamics, stage: &Stage, tip: &Tip) -> TipDrag {
        let free = (0..system.beads()).filter(|bead| stage.fixed.binary_search(bead).is_err());
        let frictions = free.map(|bead| {
            let kind = &system.types[usize::from(system.particles.types[bead])];
            // Dynamics without velocities knows no friction of types.
            let own = kind.friction.filter(|_| dynamics.integrator.has_velocities());
            own.unwrap_or(dynamics.friction)
        });
        let (sum, beads) =
            frictions.fold((0.0, 0), |(sum, count), friction| (sum + friction, count + 1));
        let steps = stage.steps();
        let farthest = tip.path.out.map_or(steps, |out| out.min(steps));
        let moment = Moment { step: farthest, timestep: dynamics.timestep };
        let (travel, speed) = (tip.path.travelled(moment).abs(), tip.path.speed.abs());
        let largest_force = if tip.goes_on { f64::INFINITY } else { tip.stiffness * travel };
        let of_rules = stage.stops.iter().filter_map(|rule| force_of_rule(rule, system.units));
        let (yardstick, force) = match of_rules.min_by(f64::total_cmp) {
            Some(force) => (Some(Yardstick::Rule), force),
            None if system.model == Model::Sop && system.beads() >= SMALLEST_SHELL => {
                (Some(Yardstick::Shell), PEAK_OF_A_SHELL / PICONEWTONS_PER_FORCE)
            }
            None => (None, f64::INFINITY),
        };
        TipDrag {
            of_beads: sum * speed,
            beads,
            of_tip: tip.friction * speed,
            travel,
            largest_force,
            expected_force: largest_force.min(force),
            yardstick,
        }
    }
}

/// kcal/(mol Å): the force at which a rule ends a stage with a tip, if it watches one.
pub(super) fn force_of_rule(rule: &StopRule, units: Units) -> Option<f64> {
    let MeasuredColumn::Whole(column) = rule.column else { return None };
    let is_force =
        matches!(column, Observable::Force | Observable::MeanForce | Observable::TipForce);
    let is_reached = rule.above && rule.threshold > 0.0;
    (is_force && is_reached).then(|| rule.threshold / column.unit_in(units).convert(1.0))
}

/// The warnings about the tips and surfaces of the stage of this number.
pub(super) fn warnings_of_tips(system: &System, protocol: &Protocol, number: usize) -> Vec<String> {
    let stage = &protocol.stages[number];
    let mut warnings = Vec::new();
    for (index, external) in stage.externals.iter().enumerate() {
        // Where one that goes on begins, the stage before decides.
        let begins = !external.goes_on();
        if begins {
            warnings.extend(warning_of_beads_behind(system, protocol, number, index));
        }
        if let External::Tip(tip) = external {
            warnings.extend(warning_of_drag(system, protocol, stage, tip));
            warnings.extend(warning_of_nothing_behind(system, protocol, stage, tip));
            if begins {
                warnings.extend(warnings_of_reach(system, protocol, number, tip));
            }
        }
    }
    warnings
}

/// A length of the system as tables have it, with its unit.
pub(super) fn length(system: &System, length: f64) -> String {
    with_unit(system, Observable::Deformation, length)
}

/// A force of the system as tables have it, with its unit.
pub(super) fn force(system: &System, force: f64) -> String {
    with_unit(system, Observable::Force, force)
}

/// Three digits of a quantity in the unit of a column.
fn with_unit(system: &System, column: Observable, value: f64) -> String {
    let unit = column.unit_in(system.units);
    let value = unit.convert(value);
    format!("{} {}", three_digits(value), unit.symbol()).trim().to_string()
}

fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        middle if middle >= 1.0 => 2,
        small if small >= 1e-3 || small == 0.0 => 3,
        _ => return format!("{value:.1e}"),
    };
    with_decimals(value, decimals)
}

/// A time, ps in real units, rounded up to three digits.
pub(super) fn time_in_words(system: &System, time: f64) -> String {
    let digits = 10_f64.powf(time.log10().floor() - 2.0);
    let time = (time / digits).ceil() * digits;
    if system.units == Units::Reduced {
        return three_digits(time);
    }
    let (each, unit) = match time {
        long if long >= 1e9 => (1e9, "ms"),
        middle if middle >= 1e6 => (1e6, "us"),
        _ => (1e3, "ns"),
    };
    format!("{} {unit}", three_digits(time / each))
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
    tip: &Tip,
) -> Option<String> {
    let dynamics = &protocol.dynamics;
    let drag = TipDrag::of(system, dynamics, stage, tip);
    let sum = drag.of_beads + drag.of_tip;
    let is_small = sum <= LARGE_DRAG * drag.expected_force;
    // A base that hardly moves has another warning.
    let hardly_moves = drag.largest_force <= tip.contact_force;
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
    let act = if tip.path.speed < 0.0 { "retract" } else { "press" };
    Some(format!(
        "stage \"{}\": at the speed of the base friction takes up to {} of {} bead(s) that move with the tip and {} of the tip, beside the {expected}: the curve will be of friction more than of the structure; {act} {} times slower or more over the same way",
        stage.name,
        force(system, drag.of_beads),
        drag.beads,
        force(system, drag.of_tip),
        with_decimals((sum / (LARGE_DRAG * drag.expected_force)).ceil(), 0)
    ))
}

/// Warns of a tip that presses on what nothing holds.
fn warning_of_nothing_behind(
    system: &System,
    protocol: &Protocol,
    stage: &Stage,
    tip: &Tip,
) -> Option<String> {
    let travel = TipDrag::of(system, &protocol.dynamics, stage, tip).travel;
    let is_held = !stage.fixed.is_empty()
        || !system.interactions.singles.is_empty()
        || stage.externals.iter().any(|other| may_hold(system, other, tip, travel));
    (tip.path.speed > 0.0 && !is_held).then(|| {
        format!(
            "stage \"{}\": nothing holds the structure against the tip, which will only push it along: give the stage a `surface` below it, or hold beads by `fixed` or by a drive \"restrain\"",
            stage.name
        )
    })
}

/// Whether an external may hold the beads against a tip: a surface to which the tip can push them while the base travels so
/// far, Å, or a spring. A force alone holds nothing.
fn may_hold(system: &System, other: &External, tip: &Tip, travel: f64) -> bool {
    let positions = &system.particles.positions;
    match other {
        External::Tip(_) => false,
        // A surface that goes on lies where the stage before had it, and beads have come to it since.
        External::Surface(surface) if surface.goes_on => true,
        External::Surface(_) => {
            let state = other.begin(positions);
            // A part of the way along the tip's is a part of the way to the surface.
            let towards = -dot(state.direction, tip.direction);
            let room = -way_back(&**other, &state, positions, 1.0);
            towards > 0.0 && room <= travel * towards
        }
        _ => other.stiffness() > 0.0 || other.ends().is_some_and(|ends| !ends.fixed.is_empty()),
    }
}
