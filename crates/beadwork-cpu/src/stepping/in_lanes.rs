//! What members that are stepped together, one in each lane, give to their lanes and take back.

use beadwork_model::externals::ExternalState;
use beadwork_random::Normal;

use super::stepper::Stepper;
use crate::arrays::coordinates::Coordinates;
use crate::arrays::free::Free;
use crate::noise::member_noise::Noise;
use crate::space::Geometry;
use crate::terms::externals::{NoiseOfExternals, Pull};
use crate::velocities::motion::Motion;

/// What steps in lanes change of a member.
pub(crate) struct SteppedInLanes<'a, T> {
    pub positions: &'a mut Coordinates<T>,
    pub previous: &'a mut Coordinates<T>,
    pub images: &'a mut [[i32; 3]],
    /// Velocities, and the forces with which the next step begins, for integrators with velocities.
    pub motion: Option<[&'a mut Coordinates<T>; 2]>,
    pub noise: &'a mut Noise<T>,
}

impl<T: Normal> Stepper<T> {
    pub(crate) fn geometry(&self) -> Geometry<T> {
        self.beads.geometry()
    }

    /// Å; in a periodic box whole numbers in the bits of the components.
    pub(crate) fn coordinates(&self) -> &Coordinates<T> {
        self.beads.positions()
    }

    pub(crate) fn images(&self) -> &[[i32; 3]] {
        self.beads.images()
    }

    pub(crate) fn free(&self) -> &Free {
        self.beads.free()
    }

    pub(crate) fn forces(&self) -> &Coordinates<T> {
        self.forces.values()
    }

    pub(crate) fn noise(&self) -> &Noise<T> {
        &self.thermal.noise
    }

    /// h/ξ.
    pub(crate) fn mobility(&self) -> T {
        self.thermal.mobility
    }

    /// √(2 kT h/ξ); with velocities 1, or 0 without noise.
    pub(crate) fn amplitude(&self) -> T {
        self.thermal.amplitude
    }

    pub(crate) fn motion(&self) -> Option<&Motion<T>> {
        self.motion.as_ref()
    }

    /// The noise of externals so many steps ahead.
    pub(crate) fn noise_of_externals(&self, ahead: u64) -> NoiseOfExternals {
        NoiseOfExternals { key: self.external_key, step: self.clock.step() + ahead }
    }

    pub(crate) fn externals_mut(&mut self) -> &mut [ExternalState] {
        &mut self.externals
    }

    pub(crate) fn count_pull(&mut self, pull: Pull) {
        self.averages.count_pull(pull);
    }

    /// Counts a move of each free bead, whose squared lengths, Å², add up to `squares`.
    pub(crate) fn count_moves(&mut self, squares: f64) {
        self.averages.count_moves(squares, self.beads.free().beads.len());
    }

    /// Counts steps of dynamics that lanes have made, and returns what they change.
    pub(crate) fn take_steps(&mut self, steps: u64) -> SteppedInLanes<'_, T> {
        self.clock.count_steps(steps);
        self.clock.count_dynamics(steps);
        self.beads.set_moved(self.motion.is_none());
        let (positions, previous, images) = self.beads.stepped();
        let forces = self.forces.values_mut();
        let motion = self.motion.as_mut().map(|motion| [&mut motion.velocities, forces]);
        SteppedInLanes { positions, previous, images, motion, noise: &mut self.thermal.noise }
    }
}
