//! Minimisation of the energy by FIRE, the fast inertial relaxation engine.
//!
//! Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006): dynamics of unit mass. It turns the
//! velocity towards the force while the energy falls, and stops the beads when it rises. Steps are semi-implicit Euler,
//! and no bead moves farther than a tenth of an Å in one step, so that no FENE bond is stretched beyond its limit.
//!
//! All products and sums of a step are in double precision. Sums over the beads are sums of whole numbers, so their order does
//! not matter: each block of a GPU adds up its own beads, and the sum has the CPU's bits.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use beadwork_arithmetic::Real;
use beadwork_model::drives::dot;
use beadwork_model::{StageKind, System, near_pairs, push_off};
use beadwork_random::Normal;

use crate::coordinates::Coordinates;
use crate::force_path::ForcePath;
use crate::stepper::{Stepper, to_f64};
use crate::whole_sum::WholeSum;
use beadwork_simulation::{MinimiserState, StepError};

/// Å √(mol/kcal): the first step and the longest; the stiffest modes of SOP systems, of some
/// 100 kcal/(mol Å²), are stable below 0.2.
const FIRST_STEP: f64 = 0.02;
const LONGEST_STEP: f64 = 0.15;
/// The published values of N_min, f_inc, f_dec, α_start and f_α.
const DELAY: u32 = 5;
const GROWTH: f64 = 1.1;
const SHRINKAGE: f64 = 0.5;
const FIRST_MIXING: f64 = 0.1;
const MIXING_DECAY: f64 = 0.99;
/// Å.
const LONGEST_MOVE: f64 = 0.1;

/// Velocities of a minimisation, and the control of its steps.
#[derive(Clone, Debug)]
pub(crate) struct Descent<T> {
    /// In units of its own: unit mass, time in Å √(mol/kcal).
    pub velocities: Coordinates<T>,
    pub control: StepControl,
}

/// The control of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepControl {
    /// Step.
    pub timestep: f64,
    /// Share of the velocity that is turned towards the force (FIRE's α).
    pub mixing: f64,
    /// Steps downhill since the last uphill one.
    pub downhill: u32,
}

impl<T: Real> Descent<T> {
    /// Beads at rest.
    fn new(beads: usize) -> Descent<T> {
        let control = StepControl { timestep: FIRST_STEP, mixing: FIRST_MIXING, downhill: 0 };
        Descent { velocities: Coordinates::zero(beads), control }
    }

    pub fn state(&self) -> MinimiserState {
        let StepControl { timestep, mixing, downhill } = self.control;
        let velocity = |velocity: [T; 3]| velocity.map(Real::to_f64);
        let velocities = self.velocities.iter().map(velocity).collect();
        MinimiserState { velocities, timestep, mixing, downhill }
    }

    pub fn restore(state: &MinimiserState) -> Descent<T> {
        let MinimiserState { ref velocities, timestep, mixing, downhill } = *state;
        let velocities: Vec<_> = velocities.iter().map(|v| v.map(T::from_f64)).collect();
        let control = StepControl { timestep, mixing, downhill };
        Descent { velocities: Coordinates::from_triples(&velocities), control }
    }
}

impl StepControl {
    /// Decides on a step. All velocities become the first factor times the velocity plus the second times the force.
    fn next(&mut self, sums: &Sums) -> [f64; 2] {
        if sums.power <= 0.0 {
            self.downhill = 0;
            self.timestep *= SHRINKAGE;
            self.mixing = FIRST_MIXING;
            return [0.0; 2];
        }
        self.downhill += 1;
        if self.downhill > DELAY {
            self.timestep = (self.timestep * GROWTH).min(LONGEST_STEP);
            self.mixing *= MIXING_DECAY;
        }
        let turn = self.mixing * (sums.square_velocity / sums.square_force).sqrt();
        [1.0 - self.mixing, turn]
    }
}

/// Sums over the free beads.
#[derive(Debug)]
struct Sums {
    /// The largest square of a force.
    largest_force: f64,
    power: f64,
    square_force: f64,
    square_velocity: f64,
}

/// Makes one step. If no free bead feels more than `tolerance`, kcal/(mol Å), it moves nothing and returns true, after the
/// push-off, which has soft repulsions.
pub(crate) fn step<T: Normal>(stepper: &mut Stepper<T>, tolerance: f64) -> Result<bool, StepError> {
    stepper.prepare();
    match &mut stepper.soft {
        Some((_, path)) => {
            let Stepper { team, positions, forces, .. } = stepper;
            path.evaluate(positions, forces, team.as_deref(), None)?;
        }
        None => stepper.evaluate_forces()?,
    }
    let is_soft = stepper.soft.is_some();
    let coincident = match is_soft && stepper.stage_step == 0 {
        true => coincident(stepper),
        false => BTreeSet::new(),
    };
    let Stepper { minimiser: Some(descent), positions, previous, forces, free, geometry, .. } =
        stepper
    else {
        unreachable!("a minimisation that was prepared")
    };
    let sums = Sums::of(&free.beads, forces, &descent.velocities)?;
    if !is_soft && sums.largest_force <= tolerance * tolerance {
        return Ok(true);
    }
    let [kept, turn] = descent.control.next(&sums);
    let timestep = descent.control.timestep;
    std::mem::swap(positions, previous);
    for &bead in &free.beads {
        let bead = bead as usize;
        let (force, before) = (to_f64(forces.get(bead)), to_f64(descent.velocities.get(bead)));
        let velocity = [0, 1, 2]
            .map(|k| T::from_f64(kept * before[k] + turn * force[k] + timestep * force[k]));
        descent.velocities.set(bead, velocity);
        let mut move_by = to_f64(velocity).map(|component| timestep * component);
        if coincident.contains(&bead) {
            move_by = direction_of(bead);
        }
        let length = dot(move_by, move_by).sqrt();
        let scale = if length > LONGEST_MOVE { LONGEST_MOVE / length } else { 1.0 };
        let shift = move_by.map(|component| T::from_f64(scale * component));
        positions.set(bead, geometry.advance(previous.get(bead), shift));
    }
    stepper.have_moved(Ok(()))?;
    Ok(false)
}

impl<T: Normal> Stepper<T> {
    /// Makes ready for the next step of a minimisation: in a push-off with the soft repulsions of its level, and with beads at
    /// rest where other potentials begin to act.
    pub fn prepare(&mut self) {
        if !self.minimises() {
            return;
        }
        let level = self.level_at(self.stage_step);
        if self.begins_level() {
            self.minimiser = None;
            // A step that fails with the new potentials goes back no further than here.
            self.moved = false;
        }
        self.minimiser.get_or_insert_with(|| Descent::new(self.positions.len()));
        match level {
            None => self.soft = None,
            Some(level) if self.soft.as_ref().is_some_and(|(known, _)| *known == level) => {}
            Some(level) => {
                let system = softened(&self.system, level);
                let skin = self.protocol.dynamics.skin;
                self.soft = Some((level, ForcePath::new(self.path, &system, skin, &self.ranges)));
            }
        }
    }

    /// Whether the next step has what [`Stepper::prepare`] makes: velocities, and in a push-off the soft repulsions of its level.
    /// Always true outside minimisations.
    pub(crate) fn is_prepared(&self) -> bool {
        let soft = self.soft.as_ref().map(|(level, _)| *level);
        !self.minimises() || (self.minimiser.is_some() && soft == self.level_at(self.stage_step))
    }

    /// Whether other potentials begin to act with the next step.
    pub(crate) fn begins_level(&self) -> bool {
        let before = self.stage_step.checked_sub(1).map(|step| self.level_at(step));
        before != Some(self.level_at(self.stage_step))
    }

    /// The level of the push-off at a step of the stage; `None` after it.
    fn level_at(&self, step: u64) -> Option<u32> {
        match self.stage().kind {
            StageKind::Minimise { push_off, .. } => {
                (step < push_off).then(|| push_off::level(step, push_off))
            }
            _ => None,
        }
    }

    /// How many of the next steps of a minimisation have the same potentials.
    pub fn steps_alike(&self) -> u64 {
        let StageKind::Minimise { push_off, .. } = self.stage().kind else {
            return self.remaining();
        };
        let end = push_off::end_of_level(self.stage_step, push_off);
        end.map_or(u64::MAX, |end| end - self.stage_step).min(self.remaining())
    }
}

impl Sums {
    /// The sums over these beads.
    fn of<T: Real>(
        beads: &[u32],
        forces: &Coordinates<T>,
        velocities: &Coordinates<T>,
    ) -> Result<Sums, StepError> {
        let at = |coordinates: &Coordinates<T>, bead: u32| {
            coordinates.get(bead as usize).map(Real::to_f64)
        };
        let (mut largest_force, mut largest_velocity) = (0.0_f64, 0.0_f64);
        for &bead in beads {
            let (force, velocity) = (at(forces, bead), at(velocities, bead));
            let square = dot(force, force);
            if !square.is_finite() {
                return Err(StepError::NotFinite { bead: bead as usize });
            }
            largest_force = largest_force.max(square);
            largest_velocity = largest_velocity.max(dot(velocity, velocity));
        }
        let count = forces.len();
        let of_force = WholeSum::new(largest_force, count);
        let of_velocity = WholeSum::new(largest_velocity, count);
        let mut sums = [WholeSum::of_products(of_force, of_velocity), of_force, of_velocity];
        for &bead in beads {
            let (force, velocity) = (at(forces, bead), at(velocities, bead));
            let values = [dot(force, velocity), dot(force, force), dot(velocity, velocity)];
            sums.iter_mut().zip(values).for_each(|(sum, value)| sum.add(value));
        }
        let [power, square_force, square_velocity] = sums.map(|sum| sum.value());
        Ok(Sums { largest_force, power, square_force, square_velocity })
    }
}

/// A system with the soft repulsions of a level. Members of one system share it, as long as one of them needs it.
fn softened(system: &Arc<System>, level: u32) -> Arc<System> {
    /// A system, the level, and the system with soft repulsions.
    type Softened = (Weak<System>, u32, Weak<System>);
    static KNOWN: Mutex<Vec<Softened>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(of, _, soft)| of.strong_count() > 0 && soft.strong_count() > 0);
    let is_this = |of: &Weak<System>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(system));
    let found = known.iter().find(|(of, at, _)| is_this(of) && *at == level);
    if let Some(soft) = found.and_then(|(_, _, soft)| soft.upgrade()) {
        return soft;
    }
    let soft = Arc::new(system.softened(level));
    known.push((Arc::downgrade(system), level, Arc::downgrade(&soft)));
    soft
}

/// The beads at the very place of a bead with a lower number. No force pushes them apart, since none has a direction.
fn coincident<T: Normal>(stepper: &Stepper<T>) -> BTreeSet<usize> {
    let (boundary, positions) = (stepper.system.boundary, stepper.positions());
    let mut found = BTreeSet::new();
    near_pairs(
        boundary,
        positions.len(),
        |bead| positions[bead],
        LONGEST_MOVE,
        |i, others| {
            let others = others.iter().map(|&j| j as usize);
            found.extend(others.filter(|&j| {
                j > i && boundary.squared_distance(positions[i], positions[j]) < 1e-18
            }));
        },
    );
    found
}

/// A direction that differs from bead to bead: the number of the bead times powers of an irrational number, modulo 1.
fn direction_of(bead: usize) -> [f64; 3] {
    [0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_901]
        .map(|step: f64| (step * (bead + 1) as f64).fract() - 0.5)
}
