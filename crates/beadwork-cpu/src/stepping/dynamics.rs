//! A step of dynamics for one system: forces, externals, noise, and the integrator's update of each bead.

use std::marker::PhantomData;

use beadwork_random::Normal;
use beadwork_simulation::StepError;

use super::beads::MovingBeads;
use super::inertial_step;
use super::look_ahead::LookAhead;
use super::stepper::Stepper;
use crate::arrays::coordinates::split;
use crate::integrators::{InertialScheme, Scheme, WithScheme, dispatch};
use crate::pair_simd::moves::{KnownBeforeMove, MoveAhead, MoveToEnd};
use crate::space::{Space, TooFar, in_space};
use crate::teams::sharing::RUN;

/// Makes a step with the integrator of the protocol.
pub(super) fn step<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), StepError> {
    dispatch(stepper.protocol.dynamics.integrator, Step(stepper))
}

struct Step<'a, T>(&'a mut Stepper<T>);

impl<T: Normal> WithScheme for Step<'_, T> {
    type Output = Result<(), StepError>;

    fn with<S: Scheme>(self) -> Self::Output {
        let Step(stepper) = self;
        stepper.evaluate_forces()?;
        stepper.thermal.draw(stepper.beads.free());
        in_space!(stepper.beads.geometry(), space => make::<S, T, _>(stepper, space))?;
        let squares = stepper.look_ahead.runs.iter().fold(0.0, |sum, run| sum + run);
        stepper.averages.count_moves(squares, stepper.beads.free().beads.len());
        Ok(())
    }

    fn with_velocities<S: InertialScheme>(self) -> Self::Output {
        inertial_step::step::<S, T>(self.0)
    }
}

/// Moves the beads by the forces at their positions.
fn make<S: Scheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    if S::LOOKS_AHEAD {
        look_ahead::<S, T, G>(stepper, space)?;
    }
    stepper.beads.swap();
    let moved = finish::<S, T, G>(stepper, space);
    stepper.beads.have_moved(moved)
}

/// Makes the first part of a step, and computes the forces at the predicted positions.
fn look_ahead<S: Scheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper { threads, thermal, beads, forces, look_ahead, .. } = stepper;
    let (ranges, instructions) = (threads.ranges(), threads.instructions());
    let (free, forces, positions) = (beads.free(), forces.values(), beads.positions());
    let LookAhead { positions: ahead, kicks, .. } = look_ahead;
    let (mobility, too_far) = (thermal.mobility, &TooFar::new());
    let parts = ahead.parts(ranges).into_iter().zip(kicks.parts(ranges));
    let work = thermal.parts(ranges, instructions).into_iter().zip(parts);
    let work = work.map(|(kicks, (ahead, kept))| MoveAhead::<S, T, G> {
        space,
        too_far,
        kicks,
        mobility,
        free,
        forces,
        from: positions,
        ahead,
        kept,
        scheme: PhantomData,
    });
    threads.dispatch(work);
    // The member is sound at the beginning of the step and stays so if the second evaluation fails.
    beads.set_moved(false);
    too_far.error()?;
    stepper.evaluate_forces_ahead()
}

/// Makes the last part of a step, from the previous positions to the present ones.
fn finish<S: Scheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper { threads, thermal, beads, forces, look_ahead, .. } = stepper;
    let MovingBeads { positions, previous, free } = beads.moving();
    let LookAhead { runs, forces: forces_ahead, kicks: kept, .. } = look_ahead;
    let (ranges, instructions) = (threads.ranges(), threads.instructions());
    let (forces, mobility) = (forces.values(), thermal.mobility);
    let (from, too_far) = (&*previous, &TooFar::new());
    let move_to_end = |known, to, runs| MoveToEnd::<S, T, G> {
        space,
        too_far,
        known,
        mobility,
        free,
        forces,
        from,
        to,
        runs,
        scheme: PhantomData,
    };
    if let ([_], false) = (ranges, S::LOOKS_AHEAD) {
        let known = KnownBeforeMove::Kicks(thermal.whole(positions.len(), instructions));
        instructions.dispatch(move_to_end(known, positions.whole(), runs));
        return too_far.error();
    }
    let runs = split(runs, ranges.iter().map(|range| range.len().div_ceil(RUN)));
    let parts = positions.parts(ranges).into_iter().zip(runs);
    let kicks = thermal.parts(ranges, instructions);
    let work = kicks.into_iter().zip(parts).map(|(kicks, (to, runs))| {
        let known = match S::LOOKS_AHEAD {
            true => KnownBeforeMove::Ahead { forces: forces_ahead, kicks: kept },
            false => KnownBeforeMove::Kicks(kicks),
        };
        move_to_end(known, to, runs)
    });
    threads.dispatch(work);
    too_far.error()
}
