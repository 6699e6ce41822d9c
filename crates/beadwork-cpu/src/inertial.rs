//! A step with velocities for one system: the first part of the move, the forces at the new positions, the second part.

use std::marker::PhantomData;

use beadwork_model::Integrator;
use beadwork_random::{Normal, Owner, PairStream};
use beadwork_simulation::{MotionState, StepError};

use crate::coordinates::Coordinates;
use crate::dynamics::{add_drives, dispatch_each};
use crate::inertia::{InertiaArrays, initial_velocities};
use crate::integrators::InertialScheme;
use crate::pair_simd::inertial_moves::{Begin, End};
use crate::pair_thermal::{PairThermal, noise_size};
use crate::space::{Space, TooFar, in_space};
use crate::stepper::{Stepper, to_f64};

/// Velocities of a member, and what its steps keep with them. Between steps the forces are those at its positions.
#[derive(Clone, Debug)]
pub(crate) struct Motion<T> {
    pub inertia: InertiaArrays<T>,
    /// Å/ps.
    pub velocities: Coordinates<T>,
    /// The velocities one step earlier, or of the next step while it is made.
    pub other_velocities: Coordinates<T>,
    /// The forces at the end of a step while it is made.
    pub next_forces: Coordinates<T>,
    /// The noise of pairs.
    pub pair_stream: PairStream,
    /// The size of the noise of pairs.
    pub pair_noise: T,
    /// Whether the member's forces are those at its positions, with the forces of a thermostat.
    pub forces_are_known: bool,
}

impl<T: Normal> Motion<T> {
    /// The velocities of a member at its start; `None` if its integrator has none.
    pub fn new(stepper: &Stepper<T>, replica: u64) -> Option<Motion<T>> {
        let (system, protocol) = (&stepper.system, &stepper.protocol);
        let dynamics = &protocol.dynamics;
        if !dynamics.integrator.has_velocities() {
            return None;
        }
        let zero = || Coordinates::zero(system.beads());
        let mut motion = Motion {
            inertia: InertiaArrays::new(system, dynamics, dynamics.temperature),
            velocities: zero(),
            other_velocities: zero(),
            next_forces: zero(),
            pair_stream: PairStream::new(
                protocol.randomness,
                Owner { seed: protocol.seed, replica },
            ),
            pair_noise: noise_size(dynamics, dynamics.temperature),
            forces_are_known: false,
        };
        motion.set_velocities(&initial_velocities(system, protocol, replica));
        Some(motion)
    }

    /// Multiplies all velocities. The forces at the beginning of the next step are computed anew, because a thermostat's
    /// part of them belongs to the old velocities.
    pub fn rescale(&mut self, factor: f64) {
        for bead in 0..self.velocities.len() {
            let scaled = to_f64(self.velocities.get(bead)).map(|v| T::from_f64(factor * v));
            self.velocities.set(bead, scaled);
        }
        self.forces_are_known = false;
    }

    fn set_velocities(&mut self, velocities: &[[f64; 3]]) {
        for (bead, velocity) in velocities.iter().enumerate() {
            self.velocities.set(bead, velocity.map(T::from_f64));
        }
    }
}

impl<T: Normal> Stepper<T> {
    /// Velocities, Å/ps, if the integrator has any.
    pub fn velocities(&self) -> Option<Vec<[f64; 3]>> {
        self.motion.as_ref().map(|motion| motion.velocities.iter().map(to_f64).collect())
    }

    /// Replaces the velocities, Å/ps, at the beginning of a stage; fixed beads rest.
    pub fn set_velocities(&mut self, velocities: &[[f64; 3]]) {
        if let Some(motion) = &mut self.motion {
            motion.set_velocities(velocities);
        }
        self.begin_motion();
    }

    /// Three for each free bead, less three if the momentum is conserved: without fixed beads, drives, fields, drag and noise.
    pub(crate) fn degrees_of_freedom(&self) -> usize {
        let (free, all) = (self.free.beads.len(), self.positions.len());
        let dynamics = &self.protocol.dynamics;
        let conserved = dynamics.integrator == Integrator::VelocityVerlet
            && !self.system.has_friction(dynamics)
            && free == all
            && self.drives.is_empty()
            && self.system.interactions.singles.is_empty();
        if conserved { (3 * free).saturating_sub(3) } else { 3 * free }
    }

    /// What a state holds of velocities and forces.
    pub(crate) fn motion_state(&self) -> Option<MotionState> {
        let motion = self.motion.as_ref()?;
        Some(MotionState {
            velocities: motion.velocities.iter().map(to_f64).collect(),
            forces: motion.forces_are_known.then(|| self.forces.iter().map(to_f64).collect()),
        })
    }

    /// The inverse of [`Stepper::motion_state`].
    pub(crate) fn restore_motion(&mut self, state: &MotionState) {
        let Some(motion) = &mut self.motion else { return };
        motion.set_velocities(&state.velocities);
        motion.forces_are_known = state.forces.is_some();
        for (bead, force) in state.forces.iter().flatten().enumerate() {
            self.forces.set(bead, force.map(T::from_f64));
        }
    }

    /// Prepares for a stage: fixed beads rest, and the forces of the new drives are not known.
    pub(crate) fn begin_motion(&mut self) {
        self.measured = None;
        let Some(motion) = &mut self.motion else { return };
        motion.forces_are_known = false;
        for bead in (0..self.positions.len()).filter(|&bead| !self.free.is_free(bead)) {
            motion.velocities.set(bead, [T::zero(); 3]);
        }
    }

    /// Computes the forces at the beginning of a step if they are not known. They do not count for averages: those of a
    /// stage are over the ends of its steps.
    pub(crate) fn know_forces(&mut self) -> Result<(), StepError> {
        if self.motion.as_ref().is_none_or(|motion| motion.forces_are_known) {
            return Ok(());
        }
        let sums = self.sums;
        self.evaluate_forces()?;
        self.sums = sums;
        if let Some(motion) = &mut self.motion {
            motion.forces_are_known = true;
        }
        Ok(())
    }
}

/// Makes a step. If it fails, the member is at the new positions, one step later, as [`Stepper::fail`] expects.
pub(crate) fn step<S: InertialScheme, T: Normal>(
    stepper: &mut Stepper<T>,
) -> Result<(), StepError> {
    stepper.moved = false;
    stepper.know_forces()?;
    stepper.thermal.draw(&stepper.free);
    let began = in_space!(stepper.geometry, space => begin::<S, T, _>(stepper, space));
    let moved = stepper.have_moved(began);
    if let Err(error) = moved.and_then(|()| evaluate_next_forces(stepper)) {
        stepper.moved = true;
        stepper.step += 1;
        stepper.stage_step += 1;
        stepper.dynamics_step += 1;
        return Err(error);
    }
    end::<S, T>(stepper);
    Ok(())
}

fn begin<S: InertialScheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper { path, team, ranges, thermal, free, forces, positions, previous, motion, .. } =
        stepper;
    let Some(motion) = motion else { return Ok(()) };
    let Motion { inertia, velocities, other_velocities, .. } = motion;
    let too_far = &TooFar::new();
    let parts = previous.parts(ranges).into_iter().zip(other_velocities.parts(ranges));
    let work = thermal.parts(ranges, path.instructions()).into_iter().zip(parts);
    let work = work.map(|(kicks, (next_positions, next_velocities))| Begin::<S, T, G> {
        space,
        too_far,
        kicks: (!S::NOISE_AFTER).then_some(kicks),
        inertia,
        free,
        forces,
        positions,
        velocities,
        next_positions,
        next_velocities,
        scheme: PhantomData,
    });
    dispatch_each(team.as_deref(), path.instructions(), work);
    std::mem::swap(positions, previous);
    std::mem::swap(velocities, other_velocities);
    too_far.error()
}

/// Computes the forces at the end of a step, drives included.
fn evaluate_next_forces<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), StepError> {
    let Stepper {
        force_path,
        team,
        positions,
        motion,
        protocol,
        drives,
        stage,
        stage_step,
        step,
        ..
    } = stepper;
    let Some(Motion { next_forces, velocities, pair_stream, pair_noise, .. }) = motion else {
        return Ok(());
    };
    let thermal = PairThermal { velocities, stream: *pair_stream, step: *step, size: *pair_noise };
    force_path.evaluate(positions, next_forces, team.as_deref(), Some(&thermal))?;
    let pull = add_drives(protocol, *stage, *stage_step + 1, drives, positions, next_forces);
    pull.count_in(&mut stepper.sums);
    Ok(())
}

fn end<S: InertialScheme, T: Normal>(stepper: &mut Stepper<T>) {
    let Stepper { path, team, ranges, thermal, free, forces, motion, .. } = stepper;
    let Some(Motion { inertia, velocities, next_forces, .. }) = motion else { return };
    let parts = next_forces.parts(ranges).into_iter().zip(velocities.parts(ranges));
    let work = thermal.parts(ranges, path.instructions()).into_iter().zip(parts);
    let work = work.map(|(kicks, (forces, velocities))| End::<S, T> {
        kicks: S::NOISE_AFTER.then_some(kicks),
        inertia,
        free,
        forces,
        velocities,
        scheme: PhantomData,
    });
    dispatch_each(team.as_deref(), path.instructions(), work);
    std::mem::swap(forces, next_forces);
}
