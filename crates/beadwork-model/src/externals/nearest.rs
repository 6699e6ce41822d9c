//! Where an external with a surface is among its beads.

use super::{ExternalState, Law, Moment, dot};
use crate::dynamics::{Dynamics, Integrator};
use crate::particles::ParticleType;
use crate::potentials::bonded::BondedVisitor;
use crate::potentials::listed::Pairs;
use crate::potentials::pair::PairFormula;
use crate::protocol::{Stage, StageKind};
use crate::system::System;
use crate::units::Units;

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
    /// σ of its contact, so many times, at least 2: with this room before its surface no bead is refused or thrown.
    pub room: f64,
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
    /// Whether one of its bonds would break farther away; if not, it may go by half of σ.
    pub breaks: bool,
    /// The beads that would go too far.
    pub beads: usize,
}

/// What the first step of a stage makes of forces.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstStep {
    /// Å² mol/kcal, of each bead of the system: its way in the step, without noise and from rest, for each unit of a force; 0
    /// where it is held.
    pub mobilities: Vec<f64>,
    /// Å, of each bead of the system: the way at which the first of its bonds would break if it moved alone; infinite where
    /// none breaks.
    pub rooms: Vec<f64>,
}

/// Narrows the rooms of beads to those that the bonds of a term leave them.
struct RoomsOfBonds<'a>(&'a mut [f64]);

impl BondedVisitor for RoomsOfBonds<'_> {
    type Output = ();

    fn visit<F: PairFormula>(self, term: &Pairs<F>) {
        for pair in term.iter().filter(|_| F::BREAKS) {
            let room = pair.potential.room();
            for bead in [pair.i, pair.j] {
                self.0[bead] = self.0[bead].min(room);
            }
        }
    }
}

impl FirstStep {
    /// That of a stage; beads that a stage minimises or samples are not thrown.
    pub fn of(system: &System, dynamics: &Dynamics, stage: &Stage) -> FirstStep {
        let moves = matches!(stage.kind, StageKind::Dynamics { .. });
        let of_types: Vec<f64> =
            system.types.iter().map(|kind| mobility(kind, dynamics, system.units)).collect();
        let mobility = |(bead, &kind): (usize, &u16)| {
            let is_free = moves && stage.fixed.binary_search(&bead).is_err();
            if is_free { of_types[usize::from(kind)] } else { 0.0 }
        };
        let mobilities = system.particles.types.iter().enumerate().map(mobility).collect();
        let mut rooms = vec![f64::INFINITY; system.beads()];
        for term in &system.interactions.bonded {
            term.visit(RoomsOfBonds(&mut rooms));
        }
        FirstStep { mobilities, rooms }
    }

    /// Å: how far a force, kcal/(mol Å), moves a bead.
    fn way(&self, bead: usize, force: [f64; 3]) -> f64 {
        let mobility = self.mobilities[bead];
        if mobility > 0.0 { mobility * dot(force, force).sqrt() } else { 0.0 }
    }

    /// kcal/(mol Å): a smaller force moves none of these beads as far as its bonds or `half`, Å, allow.
    fn harmless_force(&self, beads: &[usize], half: f64) -> f64 {
        let force = |&bead: &usize| self.rooms[bead].min(half) / self.mobilities[bead];
        beads.iter().map(force).fold(f64::INFINITY, f64::min)
    }
}

/// Å² mol/kcal: the way in a step from rest for each unit of a force, by the formulas of the integrators.
fn mobility(kind: &ParticleType, dynamics: &Dynamics, units: Units) -> f64 {
    let Dynamics { integrator, timestep, .. } = *dynamics;
    let friction = kind.friction.unwrap_or(dynamics.friction);
    let half_kick = 0.5 * timestep * units.acceleration() / kind.mass;
    // Half of the way lies behind the friction of the step.
    let kept = (-friction * timestep * units.acceleration() / kind.mass).exp();
    match integrator {
        // These know no friction of types.
        Integrator::Brownian | Integrator::BrownianSecondOrder => timestep / dynamics.friction,
        Integrator::VelocityVerlet => timestep * half_kick,
        Integrator::Langevin => 0.5 * (1.0 + kept) * timestep * half_kick,
        // It begins with two half kicks.
        Integrator::LangevinMiddle => (1.0 + kept) * timestep * half_kick,
    }
}

/// The bead nearest to the surface of an external in this state; `None` if it has no surface.
///
/// In one step its force may move a bead by half of σ, as far as a tip may go at once, and not so far that bonds break.
/// `positions`, Å, and `first` are of all beads of the system.
pub fn nearest_bead(
    law: &dyn Law,
    state: &ExternalState,
    positions: &[[f64; 3]],
    first: &FirstStep,
) -> Option<NearestBead> {
    let mut nearest: Option<(usize, f64)> = None;
    let (mut behind, mut refused) = (0, 0);
    let mut thrown: Option<Throw> = None;
    let contact = law.contact()?;
    let half = 0.5 * contact.sigma;
    // Where one point can do no more than its share of a harmless force, all points together are harmless. Farther away they
    // are not added up, which takes time; within σ forces may be beyond all bounds.
    let share = first.harmless_force(law.beads(), half) / law.anchors().max(1) as f64;
    let reach = contact.reach(share) / contact.sigma;
    for (entry, &bead) in law.beads().iter().enumerate() {
        let clearance = law.clearance(state, positions[bead])?;
        behind += usize::from(clearance <= 0.0);
        if nearest.is_none_or(|one| clearance < one.1) {
            nearest = Some((bead, clearance));
        }
        if law.way_back(state, positions[bead], reach) < 0.0 {
            continue;
        }
        let Some(force) = acting(law, state, entry, positions[bead]) else {
            refused += 1;
            continue;
        };
        let (way, room) = (first.way(bead, force), first.rooms[bead]);
        let most = room.min(half);
        if way > most {
            let beads = thrown.map_or(0, |one| one.beads) + 1;
            let farthest = thrown.filter(|one| one.way >= way);
            let this = Throw { bead, way, most, breaks: room < half, beads };
            thrown = Some(Throw { beads, ..farthest.unwrap_or(this) });
        }
    }
    let (bead, clearance) = nearest?;
    Some(NearestBead { bead, clearance, behind, refused, thrown, room: reach.max(2.0) })
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
