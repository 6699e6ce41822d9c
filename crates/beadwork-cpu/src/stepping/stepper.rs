//! A member that steps through the stages of a protocol.

use std::sync::Arc;

use beadwork_model::externals::ExternalState;
use beadwork_model::{Protocol, Stage, StageKind, System};
use beadwork_random::{NoiseKey, Normal};

use super::averages::Averages;
use super::beads::Beads;
use super::clock::Clock;
use super::cpu_path::CpuPath;
use super::descent::Descent;
use super::look_ahead::LookAhead;
use super::member_forces::MemberForces;
use super::threads::Threads;
use crate::noise::member_noise::Thermal;
use crate::velocities::motion::Motion;

/// A member in one precision.
#[derive(Clone, Debug)]
pub struct Stepper<T> {
    pub(super) system: Arc<System>,
    pub(super) protocol: Arc<Protocol>,
    pub(super) threads: Threads,
    pub(super) beads: Beads<T>,
    pub(super) forces: MemberForces<T>,
    pub(super) thermal: Thermal<T>,
    pub(super) look_ahead: LookAhead<T>,
    /// For integrators with velocities.
    pub(super) motion: Option<Motion<T>>,
    /// Where the stage minimises, after [`Stepper::prepare`].
    pub(super) descent: Option<Descent<T>>,
    pub(super) clock: Clock,
    /// One for each external of the stage.
    pub(super) externals: Vec<ExternalState>,
    /// Of the noise of externals.
    pub(super) external_key: NoiseKey,
    pub(super) averages: Averages,
}

impl<T: Normal> Stepper<T> {
    /// The system.
    pub(crate) fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// The protocol.
    pub(crate) fn protocol(&self) -> &Arc<Protocol> {
        &self.protocol
    }

    /// Sets the path for steps that the member makes alone.
    pub fn set_path(&mut self, path: CpuPath) {
        self.threads.set_path(path);
        let skin = self.protocol.dynamics.skin;
        self.forces.set_path(path, skin, self.threads.ranges());
    }

    /// Lets up to `threads` threads share the beads when the member is stepped alone, with at least 256 beads for each
    /// thread. The member measures how many of them make it faster, and steps with those.
    pub fn set_threads(&mut self, threads: usize) {
        if self.threads.allow(self.beads.count(), threads) {
            self.share_beads();
        }
    }

    /// Divides the beads among the threads that share them now.
    pub(super) fn share_beads(&mut self) {
        if self.threads.divide(self.beads.count()) {
            self.set_path(self.threads.path());
        }
    }

    pub(super) fn minimises(&self) -> bool {
        matches!(self.stage().kind, StageKind::Minimise { .. })
    }

    /// Positions, Å; in a periodic box those of the images that the beads have reached.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.beads.unwrapped()
    }

    /// Steps since the run began.
    pub fn step_number(&self) -> u64 {
        self.clock.step()
    }

    /// Steps of dynamics since the run began.
    pub fn dynamics_step(&self) -> u64 {
        self.clock.dynamics_step()
    }

    /// Steps since the present stage began.
    pub fn stage_step(&self) -> u64 {
        self.clock.stage_step()
    }

    /// Time since the run began, ps.
    pub fn time(&self) -> f64 {
        self.clock.dynamics_step() as f64 * self.protocol.dynamics.timestep
    }

    /// The number of the present stage.
    pub fn stage_number(&self) -> usize {
        self.clock.stage()
    }

    /// Steps that remain in the present stage.
    pub fn remaining(&self) -> u64 {
        if self.clock.is_stage_over() { 0 } else { self.stage().steps() - self.clock.stage_step() }
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.protocol.stages[self.clock.stage()]
    }
}
