//! Members from a start or a state, the state of a member, and the stages that it enters.

use std::sync::Arc;

use beadwork_model::externals::External;
use beadwork_model::{Protocol, System};
use beadwork_random::{NoiseKey, Normal, Purpose};
use beadwork_simulation::{ExtraState, MemberState};

use super::averages::Averages;
use super::beads::Beads;
use super::clock::Clock;
use super::descent::Descent;
use super::look_ahead::LookAhead;
use super::member_forces::MemberForces;
use super::stepper::Stepper;
use super::temperature::amplitude;
use super::threads::Threads;
use crate::noise::member_noise::{Noise, Thermal};
use crate::reference;
use crate::velocities::motion::Motion;

impl<T: Normal> Stepper<T> {
    /// A member at the beginning of its first stage, with beads at `positions`, Å.
    pub fn new(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        positions: &[[f64; 3]],
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.beads.place(positions);
        stepper.begin_stage(0);
        stepper
    }

    /// A member from the state that [`Stepper::state`] returned.
    ///
    /// # Panics
    /// If the state belongs to another system or generator.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.beads.place(&state.positions);
        if let Some(places) = &state.extra.places {
            stepper.beads.restore(places);
        }
        stepper.begin_stage(state.stage);
        if let Some(motion) = &state.extra.motion {
            stepper.restore_motion(motion);
        }
        stepper.clock = Clock::restore(&state);
        stepper.externals = state.externals;
        stepper.averages.set_sums(state.sums);
        // Where other potentials begin to act, beads begin at rest.
        let minimiser = state.minimiser.filter(|_| !stepper.begins_level());
        stepper.descent = minimiser.as_ref().map(Descent::restore);
        if let Some(states) = state.noise {
            stepper.thermal.noise.restore(states);
        }
        stepper
    }

    fn bare(system: Arc<System>, protocol: Arc<Protocol>, replica: u64) -> Self {
        let dynamics = &protocol.dynamics;
        let beads = system.beads();
        assert_eq!(system.problem_with(&protocol), None, "a system that its protocol can step");
        reference::check(&system);
        let threads = Threads::one(beads);
        let noise = Noise::new(protocol.randomness, protocol.seed, replica, beads);
        let mobility = T::from_f64(dynamics.timestep / dynamics.friction);
        let amplitude = amplitude(&system, dynamics, dynamics.temperature);
        Stepper {
            forces: MemberForces::new(threads.path(), &system, dynamics.skin, threads.ranges()),
            threads,
            beads: Beads::new(&system),
            thermal: Thermal::new(noise, mobility, amplitude),
            look_ahead: LookAhead::new(dynamics.integrator, beads),
            motion: Motion::new(&system, &protocol, replica),
            descent: None,
            clock: Clock::default(),
            externals: Vec::new(),
            external_key: NoiseKey::new(protocol.seed, Purpose::ExternalForce, replica),
            averages: Averages::default(),
            system,
            protocol,
        }
    }

    /// Everything that the member needs to continue.
    pub fn state(&self) -> MemberState {
        MemberState {
            step: self.clock.step(),
            dynamics_step: self.clock.dynamics_step(),
            stage: self.clock.stage(),
            stage_step: self.clock.stage_step(),
            stage_over: self.clock.is_stage_over(),
            positions: self.positions(),
            externals: self.externals.clone(),
            sums: self.averages.sums(),
            noise: self.thermal.noise.states(),
            minimiser: self.descent.as_ref().map(Descent::state),
            chain: None,
            extra: ExtraState { motion: self.motion_state(), places: self.beads.places() },
        }
    }

    /// Enters a stage: initialises its externals and stops its fixed beads. A later failure goes back no further than
    /// here, so call [`Stepper::verify`] before.
    pub fn begin_stage(&mut self, stage: usize) {
        let positions = self.positions();
        let begin = |external: &External| external.begin(&positions);
        // A stage whose external moves too far at its end has failed, as `verify` says.
        let externals = self
            .externals_of_stage(stage, &positions)
            .unwrap_or_else(|_| self.protocol.stages[stage].externals.iter().map(begin).collect());
        self.externals = externals;
        self.clock.begin_stage(stage);
        self.descent = None;
        self.forces.soften(None);
        self.beads.begin_stage(&self.protocol.stages[stage].fixed);
        self.begin_motion();
    }

    /// Ends the present stage now.
    pub fn end_stage(&mut self) {
        self.clock.end_stage(true);
    }
}
