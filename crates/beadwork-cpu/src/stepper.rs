//! A member on its way through the stages of a protocol.

use std::sync::Arc;

use beadwork_model::drives::{Drive, DriveState, centre, dot};
use beadwork_model::observables::{
    Observable, extension, native_contacts_held, radius_of_gyration, temperature_from_displacements,
};
use beadwork_model::potentials::PairPotential;
use beadwork_model::{Energies, Integrator, Protocol, Stage, StageKind, System};
use beadwork_random::Normal;

use crate::forces::Forces;
use crate::integrators::{brownian, brownian_second_order};
use crate::minimiser;
use crate::neighbours::{NeighbourList, square};
use crate::noise::Noise;
use crate::state::{Failure, MemberState, MinimiserState, Sums, Trouble};

/// One row of the table, in the order and units of [`Observable::ALL`]; `None` where a quantity
/// has no meaning, as a force where nothing pulls.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Values by observable.
    pub values: [Option<f64>; Observable::ALL.len()],
}

impl Measurement {
    /// The value of one observable.
    pub fn get(&self, observable: Observable) -> Option<f64> {
        self.values[observable as usize]
    }
}

/// The noise and how strongly it and the force move a bead in one step.
#[derive(Clone, Debug)]
pub(crate) struct Thermal<T> {
    noise: Noise,
    step: u64,
    /// h/ξ.
    pub mobility: T,
    /// √(2 kT h/ξ).
    amplitude: T,
}

impl<T: Normal> Thermal<T> {
    /// The random displacement, Å, of a bead at the present step. At T = 0 nothing is drawn.
    #[inline(always)]
    pub fn kick(&mut self, bead: usize) -> [T; 3] {
        if self.amplitude == T::zero() {
            return [T::zero(); 3];
        }
        self.noise.normals::<T>(self.step, bead).map(|normal| normal * self.amplitude)
    }
}

/// A member in one precision.
#[derive(Clone, Debug)]
pub struct Stepper<T> {
    system: Arc<System>,
    protocol: Arc<Protocol>,
    interactions: Forces<T>,
    neighbours: NeighbourList<T>,
    pub(crate) thermal: Thermal<T>,
    pub(crate) positions: Vec<[T; 3]>,
    /// Where the beads were one step ago, if `moved`.
    pub(crate) previous: Vec<[T; 3]>,
    /// Whether the beads have made a step since `previous` that is not known to be sound yet.
    pub(crate) moved: bool,
    pub(crate) forces: Vec<[T; 3]>,
    /// Of the second-order scheme only.
    pub(crate) predicted: Vec<[T; 3]>,
    pub(crate) predicted_forces: Vec<[T; 3]>,
    pub(crate) kicks: Vec<[T; 3]>,
    /// Beads of the stage that are not fixed, ascending.
    pub(crate) free: Vec<u32>,
    pub(crate) minimiser: Option<MinimiserState>,
    step: u64,
    dynamics_step: u64,
    stage: usize,
    stage_step: u64,
    stage_over: bool,
    drives: Vec<DriveState>,
    sums: Sums,
}

impl<T: Normal> Stepper<T> {
    /// A member at the beginning of its first stage, with beads at `positions`, Å.
    pub fn new(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        positions: &[[f64; 3]],
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.positions = positions.iter().map(|p| p.map(T::from_f64)).collect();
        stepper.begin_stage(0);
        stepper
    }

    /// A member as [`Stepper::state`] described it.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.positions = state.positions.iter().map(|p| p.map(T::from_f64)).collect();
        stepper.begin_stage(state.stage);
        stepper.stage_step = state.stage_step;
        stepper.stage_over = state.stage_over;
        stepper.step = state.step;
        stepper.dynamics_step = state.dynamics_step;
        stepper.drives = state.drives;
        stepper.sums = state.sums;
        stepper.minimiser = state.minimiser;
        if let Some(noise) = state.noise {
            stepper.thermal.noise = Noise::Stateful(noise);
        }
        stepper
    }

    fn bare(system: Arc<System>, protocol: Arc<Protocol>, replica: u64) -> Self {
        let dynamics = &protocol.dynamics;
        let beads = system.beads.len();
        let (cutoff, excluded) = match &system.interactions.repulsion {
            Some(repulsion) => (repulsion.cutoff, repulsion.excluded.as_slice()),
            None => (0.0, [].as_slice()),
        };
        let mobility = dynamics.timestep / dynamics.friction;
        let buffer = || vec![[T::zero(); 3]; beads];
        let second_order = match dynamics.integrator {
            Integrator::Brownian => 0,
            Integrator::BrownianSecondOrder => beads,
        };
        Stepper {
            interactions: Forces::new(&system),
            neighbours: NeighbourList::new(beads, cutoff, dynamics.skin, excluded),
            thermal: Thermal {
                noise: Noise::new(protocol.generator, protocol.seed, replica, beads),
                step: 0,
                mobility: T::from_f64(mobility),
                amplitude: T::from_f64((2.0 * dynamics.temperature * mobility).sqrt()),
            },
            positions: Vec::new(),
            previous: buffer(),
            moved: false,
            forces: buffer(),
            predicted: vec![[T::zero(); 3]; second_order],
            predicted_forces: vec![[T::zero(); 3]; second_order],
            kicks: vec![[T::zero(); 3]; second_order],
            free: Vec::new(),
            minimiser: None,
            step: 0,
            dynamics_step: 0,
            stage: 0,
            stage_step: 0,
            stage_over: false,
            drives: Vec::new(),
            sums: Sums::default(),
            system,
            protocol,
        }
    }

    /// Everything from which the member goes on.
    pub fn state(&self) -> MemberState {
        MemberState {
            step: self.step,
            dynamics_step: self.dynamics_step,
            stage: self.stage,
            stage_step: self.stage_step,
            stage_over: self.stage_over,
            positions: self.positions(),
            drives: self.drives.clone(),
            sums: self.sums,
            noise: match &self.thermal.noise {
                Noise::Keyed(_) => None,
                Noise::Stateful(noise) => Some(noise.clone()),
            },
            minimiser: self.minimiser.clone(),
        }
    }

    /// Å.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.positions.iter().map(|p| p.map(|component| component.to_f64())).collect()
    }

    /// Steps since the run began.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// Steps of dynamics since the run began.
    pub fn dynamics_step(&self) -> u64 {
        self.dynamics_step
    }

    /// Steps since the present stage began.
    pub fn stage_step(&self) -> u64 {
        self.stage_step
    }

    /// Time since the run began, ps.
    pub fn time(&self) -> f64 {
        self.dynamics_step as f64 * self.protocol.dynamics.timestep
    }

    /// The number of the present stage.
    pub fn stage_number(&self) -> usize {
        self.stage
    }

    /// Steps that the present stage still has.
    pub fn remaining(&self) -> u64 {
        if self.stage_over { 0 } else { self.stage().steps() - self.stage_step }
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.protocol.stages[self.stage]
    }

    /// Ends the present stage where it is.
    pub fn end_stage(&mut self) {
        self.stage_over = true;
    }

    /// Enters a stage: drives begin, other beads are free. A later failure goes back no further
    /// than here, so that [`Stepper::verify`] is to be asked before.
    pub fn begin_stage(&mut self, stage: usize) {
        self.stage = stage;
        self.stage_step = 0;
        self.stage_over = false;
        self.minimiser = None;
        self.previous.clone_from(&self.positions);
        self.moved = false;
        let positions = self.positions();
        let stage = &self.protocol.stages[stage];
        self.drives = stage.drives.iter().map(|drive| drive.begin(&positions)).collect();
        let mut fixed = stage.fixed.iter().copied().peekable();
        self.free = (0..self.positions.len())
            .filter(|&bead| fixed.next_if_eq(&bead).is_none())
            .map(|bead| bead as u32)
            .collect();
    }

    /// Looks at the bonds where the beads are now. To be asked before a state is kept or measured:
    /// a step finds a bond that it broke only when it looks for forces the next time.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite, as [`Stepper::advance`] would find it.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let sound = self.interactions.verify(&self.positions);
        sound.map_err(|trouble| self.fail(trouble))
    }

    /// Goes back to the last sound state: one step ago, or here where the trouble lies ahead.
    fn fail(&mut self, trouble: Trouble) -> Failure {
        let failure = Failure { trouble, step: self.step };
        if self.moved {
            self.moved = false;
            self.positions.clone_from(&self.previous);
            self.step -= 1;
            self.stage_step -= 1;
            if let StageKind::Dynamics { .. } = self.stage().kind {
                self.dynamics_step -= 1;
            }
        }
        failure
    }

    /// Makes up to `steps` steps of the present stage; fewer only where the stage ends. Returns
    /// how many.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite. The member is back at the last step that
    /// was sound.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        let steps = steps.min(self.remaining());
        for made in 0..steps {
            self.thermal.step = self.step;
            let outcome = match self.stage().kind {
                StageKind::Dynamics { .. } => match self.protocol.dynamics.integrator {
                    Integrator::Brownian => brownian::step(self),
                    Integrator::BrownianSecondOrder => brownian_second_order::step(self),
                }
                .map(|()| self.dynamics_step += 1),
                StageKind::Minimise { tolerance, .. } => match minimiser::step(self, tolerance) {
                    Ok(true) => {
                        self.stage_over = true;
                        return Ok(made);
                    }
                    Ok(false) => Ok(()),
                    Err(trouble) => Err(trouble),
                },
            };
            if let Err(trouble) = outcome {
                return Err(self.fail(trouble));
            }
            self.moved = true;
            self.step += 1;
            self.stage_step += 1;
        }
        Ok(steps)
    }

    /// The forces at the present positions, drives included, into `self.forces`.
    pub(crate) fn evaluate_forces(&mut self) -> Result<(), Trouble> {
        let Stepper { interactions, positions, neighbours, forces, .. } = self;
        interactions.evaluate(positions, neighbours, forces)?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        let mut along = 0.0;
        let mut pulls = false;
        for (drive, state) in stage.drives.iter().zip(&mut self.drives) {
            if let Some(ends) = drive.ends() {
                let at = centre_of(&ends.pulled, &self.positions);
                if let Some(force) = drive.pull(state, self.stage_step, timestep, at) {
                    along += dot(force, state.direction);
                    pulls = true;
                    share(force, &ends.pulled, &mut self.forces);
                }
            }
            if let Drive::Restrain(restrain) = drive {
                for (bead, trap) in restrain.traps(state) {
                    let force = trap.force(to_f64(self.positions[bead]));
                    share(force, &[bead], &mut self.forces);
                }
            }
        }
        if pulls {
            self.sums.force += along;
            self.sums.force_steps += 1;
        }
        Ok(())
    }

    /// The forces at the predicted positions one step later, into `self.predicted_forces`.
    pub(crate) fn evaluate_predicted_forces(&mut self) -> Result<(), Trouble> {
        let Stepper { interactions, predicted, neighbours, predicted_forces, .. } = self;
        interactions.evaluate(predicted, neighbours, predicted_forces)?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        for (drive, state) in stage.drives.iter().zip(&self.drives) {
            if let Some(ends) = drive.ends() {
                let at = centre_of(&ends.pulled, predicted);
                // On a copy: the drive itself must see only true positions.
                let mut ahead = state.clone();
                if let Some(force) = drive.pull(&mut ahead, self.stage_step + 1, timestep, at) {
                    share(force, &ends.pulled, predicted_forces);
                }
            }
            if let Drive::Restrain(restrain) = drive {
                for (bead, trap) in restrain.traps(state) {
                    let force = trap.force(to_f64(predicted[bead]));
                    share(force, &[bead], predicted_forces);
                }
            }
        }
        Ok(())
    }

    /// The largest force on a free bead when forces were last asked for, kcal/(mol Å): how far a
    /// minimisation is from its end.
    pub fn largest_force(&self) -> f64 {
        let square = |&bead: &u32| {
            let force = to_f64(self.forces[bead as usize]);
            dot(force, force)
        };
        self.free.iter().map(square).fold(0.0, f64::max).sqrt()
    }

    pub(crate) fn count_displacements(&mut self, squares: f64) {
        self.sums.squared_displacements += squares;
        self.sums.moves += self.free.len() as u64;
    }

    /// Measures at the present step and begins new averages.
    ///
    /// # Errors
    /// As [`Stepper::verify`].
    pub fn measure(&mut self) -> Result<Measurement, Failure> {
        let measurement = self.observe()?;
        self.sums = Sums::default();
        Ok(measurement)
    }

    /// Measures at the present step; averages go on.
    ///
    /// # Errors
    /// As [`Stepper::verify`].
    pub fn observe(&mut self) -> Result<Measurement, Failure> {
        self.verify()?;
        let positions = self.positions();
        let mut energies = self.energies(&positions).map_err(|trouble| self.fail(trouble))?;
        let dynamics = &self.protocol.dynamics;
        let stage = &self.protocol.stages[self.stage];
        let mut force = None;
        let mut work = None;
        for (drive, state) in stage.drives.iter().zip(&mut self.drives) {
            if let Some(ends) = drive.ends() {
                let at = centre(&ends.pulled, &positions);
                if let Some(pull) = drive.pull(state, self.stage_step, dynamics.timestep, at) {
                    *force.get_or_insert(0.0) += dot(pull, state.direction);
                    *work.get_or_insert(0.0) += state.work;
                }
            }
            if let Drive::Restrain(restrain) = drive {
                for (bead, trap) in restrain.traps(state) {
                    energies.traps += trap.energy(positions[bead]);
                }
            }
        }
        let sums = self.sums;
        let value = |observable: Observable| match observable {
            Observable::Extension => Some(extension(&self.protocol.ends, &positions)),
            Observable::Force => force,
            Observable::MeanForce => {
                (sums.force_steps > 0).then(|| sums.force / sums.force_steps as f64)
            }
            Observable::Work => work,
            Observable::BondEnergy => Some(energies.bonds),
            Observable::ContactEnergy => Some(energies.native_contacts),
            Observable::RepulsionEnergy => Some(energies.repulsion),
            Observable::TrapEnergy => Some(energies.traps),
            Observable::TotalEnergy => Some(energies.total()),
            Observable::Temperature => (sums.moves > 0).then(|| {
                temperature_from_displacements(
                    sums.squared_displacements,
                    sums.moves as f64,
                    dynamics.friction,
                    dynamics.timestep,
                )
            }),
            Observable::NativeContacts => {
                let contacts = &self.system.interactions.native_contacts;
                Some(native_contacts_held(contacts, &positions) as f64)
            }
            Observable::RadiusOfGyration => Some(radius_of_gyration(&positions)),
        };
        Ok(Measurement {
            values: Observable::ALL
                .map(|observable| value(observable).map(|value| observable.to_column(value))),
        })
    }

    /// Energies in f64, with the pairs of the neighbour list.
    fn energies(&mut self, positions: &[[f64; 3]]) -> Result<Energies, Trouble> {
        let mut energies = self.system.energies_without_repulsion(positions);
        if let Some(repulsion) = &self.system.interactions.repulsion {
            self.neighbours.refresh(&self.positions)?;
            let square_cutoff = repulsion.cutoff * repulsion.cutoff;
            for i in 0..positions.len() {
                for &j in self.neighbours.partners(i) {
                    let r2 = square(positions[i], positions[j as usize]);
                    if r2 < square_cutoff {
                        energies.repulsion += repulsion.potential.energy(r2);
                    }
                }
            }
        }
        Ok(energies)
    }
}

fn to_f64<T: Normal>(position: [T; 3]) -> [f64; 3] {
    position.map(|component| component.to_f64())
}

/// The centre of some beads, Å, in f64.
fn centre_of<T: Normal>(beads: &[usize], positions: &[[T; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for &bead in beads {
        for axis in 0..3 {
            sum[axis] += positions[bead][axis].to_f64();
        }
    }
    sum.map(|component| component / beads.len() as f64)
}

/// Adds equal shares of a force to beads.
fn share<T: Normal>(force: [f64; 3], beads: &[usize], forces: &mut [[T; 3]]) {
    let count = beads.len() as f64;
    for &bead in beads {
        for axis in 0..3 {
            forces[bead][axis] += T::from_f64(force[axis] / count);
        }
    }
}
