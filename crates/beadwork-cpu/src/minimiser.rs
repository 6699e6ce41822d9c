//! Minimisation of the energy by FIRE, the fast inertial relaxation engine.
//!
//! Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006): dynamics of unit mass. It turns the
//! velocity towards the force while the energy falls, and stops the beads when it rises. Steps are semi-implicit Euler,
//! and no bead moves farther than a tenth of an Å in one step, so that no FENE bond is stretched beyond its limit.

use std::collections::BTreeSet;
use std::sync::Arc;

use beadwork_model::{near_pairs, push_off};
use beadwork_random::Normal;

use crate::force_path::ForcePath;
use crate::stepper::{Stepper, to_f64};
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

/// Makes one step. If no free bead feels more than `tolerance`, kcal/(mol Å), it moves nothing and returns true, after the
/// first `push_off` steps of the stage, which have soft repulsions.
pub(crate) fn step<T: Normal>(
    stepper: &mut Stepper<T>,
    tolerance: f64,
    push_off: u64,
) -> Result<bool, StepError> {
    let step = stepper.stage_step;
    let is_soft = step < push_off;
    let level = |step| push_off::level(step, push_off);
    if (1..=push_off).contains(&step) && level(step) != level(step - 1) {
        // Other forces begin at rest.
        stepper.minimiser = None;
    }
    if is_soft {
        evaluate_soft_forces(stepper, level(step))?;
    } else {
        stepper.soft = None;
        stepper.evaluate_forces()?;
    }
    let coincident = if is_soft && step == 0 { coincident(stepper) } else { BTreeSet::new() };
    let beads = stepper.positions.len();
    let state = stepper.minimiser.get_or_insert_with(|| MinimiserState {
        velocities: vec![[0.0; 3]; beads],
        timestep: FIRST_STEP,
        mixing: FIRST_MIXING,
        downhill: 0,
    });
    let mut largest = 0.0_f64;
    let (mut power, mut square_force, mut square_velocity) = (0.0, 0.0, 0.0);
    for &bead in &stepper.free.beads {
        let force = to_f64(stepper.forces.get(bead as usize));
        let velocity = state.velocities[bead as usize];
        let mut square = 0.0;
        for axis in 0..3 {
            power += force[axis] * velocity[axis];
            square += force[axis] * force[axis];
            square_velocity += velocity[axis] * velocity[axis];
        }
        if !square.is_finite() {
            return Err(StepError::NotFinite { bead: bead as usize });
        }
        square_force += square;
        largest = largest.max(square);
    }
    if !is_soft && largest <= tolerance * tolerance {
        return Ok(true);
    }
    if power > 0.0 {
        state.downhill += 1;
        if state.downhill > DELAY {
            state.timestep = (state.timestep * GROWTH).min(LONGEST_STEP);
            state.mixing *= MIXING_DECAY;
        }
        let turn = state.mixing * (square_velocity / square_force).sqrt();
        for &bead in &stepper.free.beads {
            for axis in 0..3 {
                let velocity = &mut state.velocities[bead as usize][axis];
                let force = stepper.forces.axes[axis][bead as usize].to_f64();
                *velocity = (1.0 - state.mixing) * *velocity + turn * force;
            }
        }
    } else {
        state.downhill = 0;
        state.timestep *= SHRINKAGE;
        state.mixing = FIRST_MIXING;
        state.velocities.fill([0.0; 3]);
    }
    std::mem::swap(&mut stepper.positions, &mut stepper.previous);
    for &bead in &stepper.free.beads {
        let bead = bead as usize;
        let mut move_by = [0.0; 3];
        for (axis, component) in move_by.iter_mut().enumerate() {
            let velocity = &mut state.velocities[bead][axis];
            *velocity += state.timestep * stepper.forces.axes[axis][bead].to_f64();
            *component = state.timestep * *velocity;
        }
        if coincident.contains(&bead) {
            move_by = direction_of(bead);
        }
        let length = move_by.iter().map(|c| c * c).sum::<f64>().sqrt();
        let scale = if length > LONGEST_MOVE { LONGEST_MOVE / length } else { 1.0 };
        let shift = move_by.map(|component| T::from_f64(scale * component));
        stepper.positions.set(bead, stepper.geometry.advance(stepper.previous.get(bead), shift));
    }
    stepper.have_moved(Ok(()))?;
    Ok(false)
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

/// Computes the forces of a level of a push-off.
fn evaluate_soft_forces<T: Normal>(stepper: &mut Stepper<T>, level: u32) -> Result<(), StepError> {
    let Stepper { soft, system, protocol, path, ranges, team, positions, forces, .. } = stepper;
    if soft.as_ref().is_none_or(|(known, _)| *known != level) {
        let system = Arc::new(system.softened(level));
        *soft = Some((level, ForcePath::new(*path, &system, protocol.dynamics.skin, ranges)));
    }
    match soft {
        Some((_, path)) => path.evaluate(positions, forces, team.as_deref(), None),
        None => Ok(()),
    }
}
