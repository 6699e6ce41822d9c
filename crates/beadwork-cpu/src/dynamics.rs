//! A step of dynamics for one system: forces, drives, noise, and the integrator's update of each bead.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use beadwork_arithmetic::{Instructions, Kernel};
use beadwork_model::Protocol;
use beadwork_model::drives::DriveState;
use beadwork_random::Normal;

use crate::coordinates::{Coordinates, split};
use crate::inertial;
use crate::integrators::{InertialScheme, Scheme, WithScheme, dispatch};
use crate::pair_simd::each;
use crate::pair_simd::moves::{After, Before, Known, RUN};
use crate::pulling::{Pull, apply};
use crate::space::{Space, TooFar, in_space};
use crate::stepper::{Stepper, to_f64};
use crate::team::Team;
use beadwork_simulation::StepError;

/// Makes a step with the integrator of the protocol.
pub(crate) fn step<T: Normal>(stepper: &mut Stepper<T>) -> Result<(), StepError> {
    dispatch(stepper.protocol.dynamics.integrator, Step(stepper))
}

struct Step<'a, T>(&'a mut Stepper<T>);

impl<T: Normal> WithScheme for Step<'_, T> {
    type Output = Result<(), StepError>;

    fn with<S: Scheme>(self) -> Self::Output {
        let Step(stepper) = self;
        stepper.evaluate_forces()?;
        stepper.thermal.draw(&stepper.free);
        in_space!(stepper.geometry, space => make::<S, T, _>(stepper, space))?;
        stepper.sums.squared_displacements += stepper.runs.iter().fold(0.0, |sum, run| sum + run);
        stepper.sums.moves += stepper.free.beads.len() as u64;
        Ok(())
    }

    fn with_velocities<S: InertialScheme>(self) -> Self::Output {
        inertial::step::<S, T>(self.0)
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
    std::mem::swap(&mut stepper.positions, &mut stepper.previous);
    let moved = finish::<S, T, G>(stepper, space);
    stepper.have_moved(moved)
}

/// Makes the first part of a step, and computes the forces at the predicted positions.
fn look_ahead<S: Scheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper { path, team, ranges, thermal, free, forces, positions, ahead, kicks, .. } =
        stepper;
    let (mobility, too_far) = (thermal.mobility, &TooFar::new());
    let parts = ahead.parts(ranges).into_iter().zip(kicks.parts(ranges));
    let work = thermal.parts(ranges, path.instructions()).into_iter().zip(parts);
    let work = work.map(|(kicks, (ahead, kept))| Before::<S, T, G> {
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
    dispatch_each(team.as_deref(), path.instructions(), work);
    // The member is sound at the beginning of the step and stays so if the second evaluation fails.
    stepper.moved = false;
    too_far.error()?;
    stepper.evaluate_forces_ahead()
}

/// Makes the last part of a step, from the previous positions to the present ones.
fn finish<S: Scheme, T: Normal, G: Space<T>>(
    stepper: &mut Stepper<T>,
    space: G,
) -> Result<(), StepError> {
    let Stepper {
        path,
        team,
        ranges,
        thermal,
        free,
        forces,
        forces_ahead,
        kicks: kept,
        previous,
        positions,
        runs,
        ..
    } = stepper;
    let (instructions, mobility) = (path.instructions(), thermal.mobility);
    let (scheme, too_far) = (PhantomData::<S>, &TooFar::new());
    if let ([_], false) = (ranges.as_slice(), S::LOOKS_AHEAD) {
        let known = Known::Kicks(thermal.whole(positions.len(), instructions));
        let to = positions.whole();
        let from = previous;
        instructions.dispatch(After {
            space,
            too_far,
            known,
            mobility,
            free,
            forces,
            from,
            to,
            runs,
            scheme,
        });
        return too_far.error();
    }
    let runs = split(runs, ranges.iter().map(|range| range.len().div_ceil(RUN)));
    let parts = positions.parts(ranges).into_iter().zip(runs);
    let kicks = thermal.parts(ranges, instructions);
    let work = kicks.into_iter().zip(parts).map(|(kicks, (to, runs))| {
        let known = match S::LOOKS_AHEAD {
            true => Known::Ahead { forces: forces_ahead, kicks: kept },
            false => Known::Kicks(kicks),
        };
        After { space, too_far, known, mobility, free, forces, from: previous, to, runs, scheme }
    });
    dispatch_each(team.as_deref(), instructions, work);
    too_far.error()
}

impl<T: Normal> Stepper<T> {
    /// Computes the forces at the present positions, drives included, into `self.forces`.
    pub(crate) fn evaluate_forces(&mut self) -> Result<(), StepError> {
        let Stepper { force_path, team, positions, forces, .. } = self;
        force_path.evaluate(positions, forces, team.as_deref(), None)?;
        let Stepper { protocol, positions, forces, drives, .. } = self;
        let pull = add_drives(protocol, self.stage, self.stage_step, drives, positions, forces);
        pull.count_in(&mut self.sums);
        Ok(())
    }

    /// Computes the forces one step ahead into `self.forces_ahead`, for schemes that need them.
    fn evaluate_forces_ahead(&mut self) -> Result<(), StepError> {
        let Stepper { force_path, team, protocol, ahead, forces_ahead, .. } = self;
        force_path.evaluate(ahead, forces_ahead, team.as_deref(), None)?;
        // Works on a copy: the state of the drives must follow only positions of the trajectory.
        let drives = &mut self.drives.clone();
        add_drives(protocol, self.stage, self.stage_step + 1, drives, ahead, forces_ahead);
        Ok(())
    }
}

/// Adds the forces of a stage's drives at one of its steps to `forces`.
pub(crate) fn add_drives<T: Normal>(
    protocol: &Protocol,
    stage: usize,
    step: u64,
    states: &mut [DriveState],
    positions: &Coordinates<T>,
    forces: &mut Coordinates<T>,
) -> Pull {
    let mut pull = Pull::default();
    let position = |bead: usize| to_f64(positions.get(bead));
    let mut add = |bead, force: [f64; 3]| {
        let [x, y, z] = forces.get(bead);
        let [u, v, w] = force.map(T::from_f64);
        forces.set(bead, [x + u, y + v, z + w]);
    };
    for (drive, state) in protocol.stages[stage].drives.iter().zip(states) {
        let timestep = protocol.dynamics.timestep;
        apply(drive, state, step, timestep, position, &mut add, &mut pull);
    }
    pull
}

/// Dispatches each piece of work on a thread of the team.
pub(crate) fn dispatch_each<K: Kernel<Output = ()> + Send>(
    team: Option<&Team>,
    instructions: Instructions,
    work: impl Iterator<Item = K>,
) {
    let work: Vec<_> = work.map(|work| Mutex::new(Some(work))).collect();
    each(team, work.len(), &|number| {
        let work = work[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            instructions.dispatch(work);
        }
    });
}
