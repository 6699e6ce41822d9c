//! Where an external with a surface is among its beads.

use super::{ExternalState, Law, Moment, dot};
use crate::dynamics::Dynamics;
use crate::potentials::bonded::BondedTerm;
use crate::potentials::listed::Pair;
use crate::potentials::pair::PairFormula;
use crate::protocol::{Stage, StageKind};
use crate::system::System;

/// The bead that is nearest to the surface of an external, or deepest behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestBead {
    /// The bead.
    pub bead: usize,
    /// Å: its distance from the surface, less than 0 behind it.
    pub clearance: f64,
    /// The beads behind the surface.
    pub behind: usize,
    /// The beads on which it cannot act, because they are behind the surface or so near that the force is beyond all bounds.
    pub refused: usize,
    /// What it would do to beads that are too near, though it can act on them.
    pub thrown: Option<Throw>,
}

/// What an external would do to beads in one step, where it moves any of them too far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throw {
    /// The bead that would go farthest.
    pub bead: usize,
    /// Å: its way by this force alone.
    pub way: f64,
    /// Å: the way that it may go.
    pub most: f64,
    /// The beads that would go too far.
    pub beads: usize,
}

/// What the first step of a stage makes of forces.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstStep {
    /// Å² mol/kcal, of each bead: its way in the step for each unit of a force; 0 where it is held.
    pub mobilities: Vec<f64>,
    /// Å: the way at which the weakest bond of a bead that moves alone would break; infinite where no bond breaks.
    pub most: f64,
}

impl FirstStep {
    /// That of a stage; beads that a stage minimises or samples are not thrown.
    pub fn of(system: &System, dynamics: &Dynamics, stage: &Stage) -> FirstStep {
        let step = dynamics.timestep;
        let moves = matches!(stage.kind, StageKind::Dynamics { .. });
        let mobility = |(bead, &kind): (usize, &u16)| {
            let kind = &system.types[usize::from(kind)];
            if !moves || stage.fixed.binary_search(&bead).is_ok() {
                0.0
            } else if dynamics.integrator.has_velocities() {
                0.5 * step * step * system.units.acceleration() / kind.mass
            } else {
                step / kind.friction.unwrap_or(dynamics.friction)
            }
        };
        let mobilities = system.particles.types.iter().enumerate().map(mobility).collect();
        let rooms = system.interactions.bonded.iter().map(|term| match term {
            BondedTerm::FeneBond(bonds) => {
                bonds.iter().map(|bond| bond.potential.limit).fold(f64::INFINITY, f64::min)
            }
            BondedTerm::RepulsiveFeneBond(bonds) => {
                // This one breaks at a length, and not at a deviation.
                let rooms = bonds.iter().map(|Pair { potential, .. }| potential);
                let rooms = rooms.map(|bond| bond.limit - bond.rest_length());
                rooms.fold(f64::INFINITY, f64::min)
            }
            _ => f64::INFINITY,
        });
        FirstStep { mobilities, most: rooms.fold(f64::INFINITY, f64::min) }
    }

    /// Å: how far a force, kcal/(mol Å), moves a bead.
    fn way(&self, bead: usize, force: [f64; 3]) -> f64 {
        let mobility = self.mobilities.get(bead).copied().unwrap_or_default();
        if mobility > 0.0 { mobility * dot(force, force).sqrt() } else { 0.0 }
    }
}

/// The bead nearest to the surface of an external in this state; `None` if it has no surface.
///
/// In one step its force may move a bead by half of σ, as far as a tip may go at once, and not so far that bonds break.
pub fn nearest_bead(
    law: &dyn Law,
    state: &ExternalState,
    positions: &[[f64; 3]],
    first: &FirstStep,
) -> Option<NearestBead> {
    let mut nearest: Option<(usize, f64)> = None;
    let (mut behind, mut refused) = (0, 0);
    let mut thrown: Option<Throw> = None;
    let most = law.contact().map_or(f64::INFINITY, |contact| 0.5 * contact.sigma).min(first.most);
    for (entry, &bead) in law.beads().iter().enumerate() {
        let clearance = law.clearance(state, positions[bead])?;
        behind += usize::from(clearance <= 0.0);
        if nearest.is_none_or(|one| clearance < one.1) {
            nearest = Some((bead, clearance));
        }
        // Within σ of the surface alone forces are beyond all bounds, and those of many points take time.
        if law.way_back(state, positions[bead], 1.0) < 0.0 {
            continue;
        }
        let Some(force) = acting(law, state, entry, positions[bead]) else {
            refused += 1;
            continue;
        };
        let way = first.way(bead, force);
        if way > most {
            let beads = thrown.map_or(0, |one| one.beads) + 1;
            let farthest = thrown.filter(|one| one.way >= way);
            thrown = Some(Throw { beads, ..farthest.unwrap_or(Throw { bead, way, most, beads }) });
        }
    }
    let (bead, clearance) = nearest?;
    Some(NearestBead { bead, clearance, behind, refused, thrown })
}

/// The force on a bead at this place; `None` if a stage cannot begin with it.
fn acting(law: &dyn Law, state: &ExternalState, entry: usize, at: [f64; 3]) -> Option<[f64; 3]> {
    let force = law.force(state, Moment::default(), entry, at);
    let acts = match law.reaction_unit() {
        Some(unit) => unit.whole(force).is_some(),
        None => !force.iter().any(|component| component.is_nan()),
    };
    acts.then_some(force)
}

/// Å: how far an external must go back until all of its beads have this room, in σ of its contact; less than 0 if it may go
/// forward, −∞ if it meets none.
pub fn way_back(law: &dyn Law, state: &ExternalState, positions: &[[f64; 3]], sigmas: f64) -> f64 {
    let ways = law.beads().iter().map(|&bead| law.way_back(state, positions[bead], sigmas));
    ways.fold(f64::NEG_INFINITY, f64::max)
}
