//! What a member adds up between two rows of its table, and what another backend measured of it.

use beadwork_model::observables::Measured;
use beadwork_simulation::Sums;

use crate::terms::externals::Pull;

/// Sums since the last row.
#[derive(Clone, Debug, Default)]
pub(super) struct Averages {
    sums: Sums,
    /// What another backend measured of the state at a step; it holds while that is the present one.
    measured: Option<(u64, Measured)>,
}

impl Averages {
    pub fn sums(&self) -> Sums {
        self.sums
    }

    pub fn set_sums(&mut self, sums: Sums) {
        self.sums = sums;
    }

    /// Begins new averages.
    pub fn begin(&mut self) {
        self.sums = Sums::default();
    }

    pub fn count_pull(&mut self, pull: Pull) {
        pull.count_in(&mut self.sums);
    }

    /// Counts moves of beads, whose squared lengths, Å², add up to `squares`.
    pub fn count_moves(&mut self, squares: f64, moves: usize) {
        self.sums.squared_displacements += squares;
        self.sums.moves += moves as u64;
    }

    /// What another backend measured at this step.
    pub fn measured_at(&self, step: u64) -> Option<Measured> {
        self.measured.and_then(|(at, measured)| (at == step).then_some(measured))
    }

    pub fn set_measured(&mut self, step: u64, measured: Option<Measured>) {
        self.measured = measured.map(|measured| (step, measured));
    }

    /// Forgets what was measured of a state that has changed.
    pub fn forget_measured(&mut self) {
        self.measured = None;
    }
}
