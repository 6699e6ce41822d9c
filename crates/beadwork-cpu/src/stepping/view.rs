//! The data that another backend needs to step a member, and the data that it returns.

use std::sync::Arc;

use beadwork_model::externals::ExternalState;
use beadwork_model::observables::Measured;
use beadwork_model::{Protocol, StageKind, System};
use beadwork_random::{HybridTaus, Normal, Streams};

use super::descent::{Descent, StepControl};
use super::stepper::Stepper;
use crate::arrays::coordinates::Coordinates;
use crate::noise::member_noise::{DrawnWords, MadeNumbers, Noise};
use crate::velocities::inertia::TypeInertia;
use beadwork_simulation::Sums;

/// The source of a member's noise.
#[derive(Clone, Copy, Debug)]
pub enum NoiseSource<'a> {
    /// The words of [`beadwork_random::NoiseKey`].
    Keyed([u32; 2]),
    /// One generator for each bead.
    Stateful(&'a [HybridTaus]),
    /// Words that are drawn one after another; the protocol says how they are used.
    Drawn(&'a Streams),
}

/// A view of a member: everything that its next steps depend on. In a minimisation, after [`Stepper::prepare`], its system has the potentials of its next
/// step, its motion is that of the minimisation, and it has no noise.
#[derive(Clone, Debug)]
pub struct MemberView<'a, T> {
    /// The system.
    pub system: &'a Arc<System>,
    /// The protocol.
    pub protocol: &'a Arc<Protocol>,
    /// Number of the stage.
    pub stage: usize,
    /// Å; in a periodic box whole numbers in the bits of the components.
    pub positions: &'a Coordinates<T>,
    /// In a periodic box, the whole sides that each bead is away from it.
    pub images: &'a [[i32; 3]],
    /// h/ξ, Å² mol/kcal.
    pub mobility: T,
    /// √(2 kT h/ξ), Å.
    pub amplitude: T,
    /// The source of its noise.
    pub noise: NoiseSource<'a>,
    /// Steps since the run began.
    pub step: u64,
    /// Steps since the stage began.
    pub stage_step: u64,
    /// One for each external of the stage.
    pub externals: &'a [ExternalState],
    /// The key of the noise of externals.
    pub external_key: [u32; 2],
    /// Sums for the next row.
    pub sums: Sums,
    /// For integrators with velocities.
    pub motion: Option<MotionView<'a, T>>,
    /// In a stage that minimises, after [`Stepper::prepare`].
    pub descent: Option<DescentView>,
}

/// The control of a minimisation.
#[derive(Clone, Copy, Debug)]
pub struct DescentView {
    /// The control of steps.
    pub control: StepControl,
    /// The square of the tolerance, kcal²/(mol Å)²: the minimisation ends when no squared force is above it. Negative in a
    /// push-off, which never ends early.
    pub square_tolerance: f64,
}

/// Velocities of a member, and the constants of its types.
#[derive(Clone, Debug)]
pub struct MotionView<'a, T> {
    /// Å/ps.
    pub velocities: &'a Coordinates<T>,
    /// The forces with which the next step begins; `None` if they are to be computed.
    pub forces: Option<&'a Coordinates<T>>,
    /// h/2, ps.
    pub half_step: T,
    /// The constants of each type at the member's temperature.
    pub types: Vec<TypeInertia<T>>,
    /// The key of the noise of pairs.
    pub pair_key: [u32; 2],
    /// √(2 kT/h): times √γ it is the size of the noise of a pair.
    pub pair_noise: T,
}

/// The changes that steps on another backend made.
#[derive(Clone, Debug)]
pub struct Progress<'a, T> {
    /// Steps made.
    pub steps: u64,
    /// One for each external of the stage.
    pub externals: Vec<ExternalState>,
    /// Sums since the last row; [`Sums::moves`] is counted here.
    pub sums: Sums,
    /// States of generators that have any: four words for each bead of [`NoiseSource::Stateful`]; those of
    /// [`beadwork_random::States::packed`] for [`NoiseSource::Drawn`].
    pub noise: &'a [u32],
    /// Velocities and the forces with which the next step begins, for integrators that have them.
    pub motion: Option<[&'a [[T; 3]]; 2]>,
    /// In a periodic box, the whole sides that each bead has crossed.
    pub crossings: &'a [[i32; 3]],
    /// What was measured of the state that they reach.
    pub measured: Option<Measured>,
    /// The control of a minimisation, and whether it has ended.
    pub descent: Option<(StepControl, bool)>,
}

impl<T: Normal> Stepper<T> {
    /// A view of the member's present state.
    pub fn view(&self) -> MemberView<'_, T> {
        let view = MemberView {
            system: &self.system,
            protocol: &self.protocol,
            stage: self.stage_number(),
            positions: self.beads.positions(),
            images: self.beads.images(),
            mobility: self.thermal.mobility,
            amplitude: self.thermal.amplitude,
            noise: match &self.thermal.noise {
                Noise::Keyed(key) => NoiseSource::Keyed(key.key_words()),
                Noise::Stateful(noise) => NoiseSource::Stateful(noise),
                Noise::Drawn(DrawnWords { streams, .. })
                | Noise::Made(MadeNumbers { streams, .. }) => NoiseSource::Drawn(streams),
            },
            step: self.clock.step(),
            stage_step: self.clock.stage_step(),
            externals: &self.externals,
            external_key: self.external_key.key_words(),
            sums: self.averages.sums(),
            motion: self.motion.as_ref().map(|motion| MotionView {
                velocities: &motion.velocities,
                forces: motion.forces_are_known.then_some(self.forces.values()),
                half_step: motion.inertia.half_step,
                types: motion.inertia.types.clone(),
                pair_key: motion.pair_stream.key_words(),
                pair_noise: motion.pair_noise,
            }),
            descent: None,
        };
        match (&self.descent, &self.stage().kind) {
            (Some(descent), &StageKind::Minimise { tolerance, .. }) => {
                self.minimising(view, descent, tolerance)
            }
            _ => view,
        }
    }

    /// The view of a member that minimises.
    fn minimising<'a>(
        &'a self,
        view: MemberView<'a, T>,
        descent: &'a Descent<T>,
        tolerance: f64,
    ) -> MemberView<'a, T> {
        let soft = self.forces.soft_system();
        let zero = T::zero();
        let motion = MotionView {
            velocities: &descent.velocities,
            forces: None,
            half_step: zero,
            types: vec![
                TypeInertia { half_kick: zero, drag: zero, amplitude: zero };
                self.system.types.len()
            ],
            pair_key: [0; 2],
            pair_noise: zero,
        };
        let square_tolerance = if soft.is_some() { -1.0 } else { tolerance * tolerance };
        MemberView {
            system: soft.unwrap_or(&self.system),
            noise: NoiseSource::Keyed([0; 2]),
            motion: Some(motion),
            descent: Some(DescentView { control: descent.control, square_tolerance }),
            ..view
        }
    }

    /// Takes over steps that another backend made. They end with sound bonds and the beads at `positions`, as in
    /// [`MemberView::positions`].
    ///
    /// # Errors
    /// If a generator's state is invalid.
    pub fn take_over(
        &mut self,
        progressed: Progress<'_, T>,
        positions: impl Fn(usize) -> [T; 3],
    ) -> Result<(), beadwork_random::Error> {
        self.beads.take_over(positions, progressed.crossings);
        // The state is sound, so a failure never goes back beyond it.
        self.beads.set_moved(false);
        self.clock.count_steps(progressed.steps);
        if let Some((control, has_ended)) = progressed.descent {
            self.take_over_descent(control, has_ended, progressed.motion);
            return Ok(());
        }
        self.clock.count_dynamics(progressed.steps);
        self.averages.set_measured(self.clock.step(), progressed.measured);
        self.externals = progressed.externals;
        if let (Some(motion), Some([velocities, forces])) = (&mut self.motion, progressed.motion) {
            for bead in 0..self.beads.count() {
                motion.velocities.set(bead, velocities[bead]);
                self.forces.values_mut().set(bead, forces[bead]);
            }
            motion.forces_are_known = true;
            self.averages.set_sums(progressed.sums);
        } else {
            let made = progressed.steps * self.beads.free().beads.len() as u64;
            let moves = self.averages.sums().moves + made;
            self.averages.set_sums(Sums { moves, ..progressed.sums });
        }
        match &mut self.thermal.noise {
            Noise::Keyed(_) => Ok(()),
            Noise::Stateful(noise) => {
                let (states, _) = progressed.noise.as_chunks::<4>();
                let states: Result<Vec<_>, _> =
                    states.iter().map(|&state| HybridTaus::from_state(state)).collect();
                *noise = states?;
                Ok(())
            }
            Noise::Drawn(DrawnWords { streams, .. }) | Noise::Made(MadeNumbers { streams, .. }) => {
                match streams.states() {
                    Some(states) => {
                        let states = states.unpacked(progressed.noise)?;
                        streams.restore(states)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Takes over the velocities, forces and control of a minimisation.
    fn take_over_descent(
        &mut self,
        control: StepControl,
        has_ended: bool,
        motion: Option<[&[[T; 3]]; 2]>,
    ) {
        if let (Some(descent), Some([velocities, forces])) = (&mut self.descent, motion) {
            descent.control = control;
            for bead in 0..self.beads.count() {
                descent.velocities.set(bead, velocities[bead]);
                self.forces.values_mut().set(bead, forces[bead]);
            }
        }
        self.clock.end_stage(has_ended);
        self.averages.forget_measured();
    }
}
