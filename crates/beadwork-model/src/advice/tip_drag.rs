//! The friction of what moves with a tip, beside the force that is to be expected.

use crate::dynamics::Dynamics;
use crate::externals::{Cantilever, Moment};
use crate::models::Model;
use crate::observables::{MeasuredColumn, Observable};
use crate::protocol::{Stage, StopRule};
use crate::system::System;
use crate::units::{PICONEWTONS_PER_FORCE, Units};

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
    /// The friction beside the force of a cantilever in a stage.
    pub fn of(
        system: &System,
        dynamics: &Dynamics,
        stage: &Stage,
        cantilever: &Cantilever,
    ) -> TipDrag {
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
        let farthest = cantilever.path.out.map_or(steps, |out| out.min(steps));
        let moment = Moment { step: farthest, timestep: dynamics.timestep };
        let path = &cantilever.path;
        let (travel, speed) = (path.travelled(moment).abs(), path.speed.abs());
        let largest_force =
            if cantilever.goes_on { f64::INFINITY } else { cantilever.stiffness * travel };
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
            of_tip: cantilever.friction * speed,
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
