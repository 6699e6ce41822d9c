//! A step of dynamics for one system: forces, drives, noise, and the integrator's update of each bead.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use beadwork_arithmetic::{Instructions, Kernel};
use beadwork_random::Normal;

use crate::integrators::{Scheme, WithScheme, dispatch};
use crate::pair_simd::each;
use crate::pair_simd::moves::{After, Before, Known, RUN};
use crate::pulling::{Pull, apply};
use crate::stepper::{Stepper, to_f64};
use crate::team::Team;
use beadwork_simulation::StepError;

/// Makes a step by the integrator of the protocol.
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
        if S::LOOKS_AHEAD {
            look_ahead::<S, T>(stepper)?;
        }
        std::mem::swap(&mut stepper.positions, &mut stepper.previous);
        finish::<S, T>(stepper);
        stepper.sums.squared_displacements += stepper.runs.iter().fold(0.0, |sum, run| sum + run);
        stepper.sums.moves += stepper.free.beads.len() as u64;
        Ok(())
    }
}

/// The first part of a step, and the forces where it leads.
fn look_ahead<S: Scheme, T: Normal>(stepper: &mut Stepper<T>) -> Result<(), StepError> {
    let Stepper { path, team, ranges, thermal, free, forces, positions, ahead, kicks, .. } =
        stepper;
    let mobility = thermal.mobility;
    let parts = ahead.parts(ranges).into_iter().zip(kicks.parts(ranges));
    let work = thermal.parts(ranges).into_iter().zip(parts);
    let work = work.map(|(kicks, (ahead, kept))| Before::<S, T> {
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
    // The step begins in a sound state; should it lead nowhere, that state is to be kept.
    stepper.moved = false;
    stepper.evaluate_forces_ahead()
}

/// The end of a step, from the previous positions to the present ones.
fn finish<S: Scheme, T: Normal>(stepper: &mut Stepper<T>) {
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
    let scheme = PhantomData::<S>;
    if let ([_], false) = (ranges.as_slice(), S::LOOKS_AHEAD) {
        let (known, to) = (Known::Kicks(thermal.whole()), positions.whole());
        let from = previous;
        instructions.dispatch(After { known, mobility, free, forces, from, to, runs, scheme });
        return;
    }
    let parts = positions.parts(ranges).into_iter().zip(runs_of(runs, ranges));
    let work = thermal.parts(ranges).into_iter().zip(parts).map(|(kicks, (to, runs))| {
        let known = match S::LOOKS_AHEAD {
            true => Known::Ahead { forces: forces_ahead, kicks: kept },
            false => Known::Kicks(kicks),
        };
        After { known, mobility, free, forces, from: previous, to, runs, scheme }
    });
    dispatch_each(team.as_deref(), instructions, work);
}

impl<T: Normal> Stepper<T> {
    /// The forces at the present positions, drives included, into `self.forces`.
    pub(crate) fn evaluate_forces(&mut self) -> Result<(), StepError> {
        let Stepper { force_path, team, positions, forces, .. } = self;
        force_path.evaluate(positions, forces, team.as_deref())?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        let mut pull = Pull::default();
        for (drive, state) in stage.drives.iter().zip(&mut self.drives) {
            let position = |bead: usize| to_f64(self.positions.get(bead));
            apply(
                drive,
                state,
                self.stage_step,
                timestep,
                position,
                |bead, force| {
                    let forces = &mut self.forces;
                    let [x, y, z] = forces.get(bead);
                    let [u, v, w] = force.map(T::from_f64);
                    forces.set(bead, [x + u, y + v, z + w]);
                },
                &mut pull,
            );
        }
        pull.count_in(&mut self.sums);
        Ok(())
    }

    /// The forces one step later, where a scheme looks ahead, into `self.forces_ahead`.
    fn evaluate_forces_ahead(&mut self) -> Result<(), StepError> {
        let Stepper { force_path, team, ahead: there, forces_ahead, .. } = self;
        force_path.evaluate(there, forces_ahead, team.as_deref())?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        for (drive, state) in stage.drives.iter().zip(&self.drives) {
            // On a copy: the drive itself must see only true positions.
            let mut ahead = state.clone();
            let position = |bead: usize| to_f64(there.get(bead));
            apply(
                drive,
                &mut ahead,
                self.stage_step + 1,
                timestep,
                position,
                |bead, force| {
                    let [x, y, z] = forces_ahead.get(bead);
                    let [u, v, w] = force.map(T::from_f64);
                    forces_ahead.set(bead, [x + u, y + v, z + w]);
                },
                &mut Pull::default(),
            );
        }
        Ok(())
    }
}

/// The runs of beads in each range.
fn runs_of<'a>(mut runs: &'a mut [f64], ranges: &[Range<usize>]) -> Vec<&'a mut [f64]> {
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (part, rest) = std::mem::take(&mut runs).split_at_mut(range.len().div_ceil(RUN));
        runs = rest;
        parts.push(part);
    }
    parts
}

/// Has each member of a team do one piece of work.
fn dispatch_each<K: Kernel<Output = ()> + Send>(
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
