//! A step with velocities for one system: the first part of the move, the forces at the new positions, the second part.

use std::marker::PhantomData;

use beadwork_random::Normal;
use beadwork_simulation::StepError;

use super::beads::MovingBeads;
use super::externals::add_externals;
use super::stepper::Stepper;
use crate::integrators::InertialScheme;
use crate::noise::pair_thermal::PairThermal;
use crate::pair_simd::inertial_moves::{BeginMove, EndMove};
use crate::space::{Space, TooFar, in_space};
use crate::velocities::motion::Motion;

impl<T: Normal> Stepper<T> {
    /// Computes the forces at the beginning of a step if they are not known. They do not count for averages: those of a
    /// stage are over the ends of its steps.
    pub(crate) fn know_forces(&mut self) -> Result<(), StepError> {
        if self.motion.as_ref().is_none_or(|motion| motion.forces_are_known) {
            return Ok(());
        }
        let sums = self.averages.sums();
        self.evaluate_forces()?;
        self.averages.set_sums(sums);
        if let Some(motion) = &mut self.motion {
            motion.forces_are_known = true;
        }
        Ok(())
    }
}

/// Makes a step. If it fails, the member is at the new positions, one step later, as [`Stepper::fail`] expects.
pub(super) fn step<S: InertialScheme, T: Normal>(
    stepper: &mut Stepper<T>,
) -> Result<(), StepError> {
    stepper.beads.set_moved(false);
    stepper.know_forces()?;
    stepper.thermal.draw(stepper.beads.free());
    let began = in_space!(stepper.beads.geometry(), space => begin::<S, T, _>(stepper, space));
    let moved = stepper.beads.have_moved(began);
    if let Err(error) = moved.and_then(|()| evaluate_next_forces(stepper)) {
        stepper.beads.set_moved(true);
        stepper.clock.count_steps(1);
        stepper.clock.count_dynamics(1);
        return Err(error);
    }
    end::<S, T>(stepper);
    Ok(())
}

fn begin<S: InertialScheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper { threads, thermal, beads, forces, motion, .. } = stepper;
    let Some(motion) = motion else { return Ok(()) };
    let (ranges, instructions, forces) =
        (threads.ranges(), threads.instructions(), forces.values());
    let MovingBeads { positions, previous, free } = beads.moving();
    let positions = &*positions;
    let Motion { inertia, velocities, other_velocities, .. } = motion;
    let too_far = &TooFar::new();
    let parts = previous.parts(ranges).into_iter().zip(other_velocities.parts(ranges));
    let work = thermal.parts(ranges, instructions).into_iter().zip(parts);
    let work = work.map(|(kicks, (next_positions, next_velocities))| BeginMove::<S, T, G> {
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
    threads.dispatch(work);
    beads.swap();
    std::mem::swap(velocities, other_velocities);
    too_far.error()
}

/// Computes the forces at the end of a step, externals included.
fn evaluate_next_forces<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), StepError> {
    let Stepper {
        forces, threads, beads, motion, protocol, externals, clock, external_key, ..
    } = stepper;
    let Some(Motion { next_forces, velocities, pair_stream, pair_noise, .. }) = motion else {
        return Ok(());
    };
    let (stream, size) = (*pair_stream, *pair_noise);
    let thermal = PairThermal { velocities, stream, step: clock.step(), size };
    let positions = beads.positions();
    forces.evaluate_into(positions, next_forces, threads.team(), Some(&thermal))?;
    let ahead = (&*clock, 1);
    let pull = add_externals(protocol, ahead, *external_key, externals, positions, next_forces)?;
    stepper.averages.count_pull(pull);
    Ok(())
}

fn end<S: InertialScheme, T: Normal>(stepper: &mut Stepper<T>) {
    let Stepper { threads, thermal, beads, forces, motion, .. } = stepper;
    let (ranges, free) = (threads.ranges(), beads.free());
    let Some(Motion { inertia, velocities, next_forces, .. }) = motion else { return };
    let parts = next_forces.parts(ranges).into_iter().zip(velocities.parts(ranges));
    let work = thermal.parts(ranges, threads.instructions()).into_iter().zip(parts);
    let work = work.map(|(kicks, (forces, velocities))| EndMove::<S, T> {
        kicks: S::NOISE_AFTER.then_some(kicks),
        inertia,
        free,
        forces,
        velocities,
        scheme: PhantomData,
    });
    threads.dispatch(work);
    std::mem::swap(forces.values_mut(), next_forces);
}
