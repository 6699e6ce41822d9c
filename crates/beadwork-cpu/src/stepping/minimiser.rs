//! Minimisation of the energy by FIRE, the fast inertial relaxation engine.
//!
//! Bitzek, Koskinen, Gähler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006): dynamics of unit mass. It turns the
//! velocity towards the force while the energy falls, and stops the beads when it rises. Steps are semi-implicit Euler,
//! and no bead moves farther than a tenth of an Å in one step, so that no FENE bond is stretched beyond its limit.

use std::collections::BTreeSet;

use beadwork_model::externals::dot;
use beadwork_model::near_pairs;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use super::beads::MovingBeads;
use super::descent::DescentSums;
use super::stepper::Stepper;
use crate::arrays::coordinates::to_f64;

/// Å.
const LONGEST_MOVE: f64 = 0.1;

/// Makes one step. If no free bead feels more than `tolerance`, kcal/(mol Å), it moves nothing and returns true, after the
/// push-off, which has soft repulsions.
pub(crate) fn step<T: Normal>(stepper: &mut Stepper<T>, tolerance: f64) -> Result<bool, StepError> {
    stepper.prepare();
    let is_soft = stepper.forces.level().is_some();
    match is_soft {
        true => stepper.forces.evaluate(stepper.beads.positions(), stepper.threads.team())?,
        false => stepper.evaluate_forces()?,
    }
    let coincident = match is_soft && stepper.clock.stage_step() == 0 {
        true => coincident(stepper),
        false => BTreeSet::new(),
    };
    let Stepper { descent: Some(descent), beads, forces, .. } = stepper else {
        unreachable!("a minimisation that was prepared")
    };
    let forces = forces.values();
    let sums = DescentSums::of(&beads.free().beads, forces, &descent.velocities)?;
    if !is_soft && sums.largest_force <= tolerance * tolerance {
        return Ok(true);
    }
    let [kept, turn] = descent.control.next(&sums);
    let timestep = descent.control.timestep;
    beads.swap();
    let geometry = beads.geometry();
    let MovingBeads { positions, previous, free } = beads.moving();
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
    beads.have_moved(Ok(()))?;
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
