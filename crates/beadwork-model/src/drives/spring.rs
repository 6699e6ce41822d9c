//! The moving cantilever of an AFM or laser tweezer.

use super::{DriveState, Ends};

/// A spring between the centre of the pulled beads and a base that moves at constant speed.
///
/// F = κ (x₀ + ν t n − x): all three components act, as in SOP-GPU; an instrument reads the component along n. The base
/// is x₀ + (step·h·ν) n in f64, never a running sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// The beads that are held and pulled.
    pub ends: Ends,
    /// κ, kcal/(mol Å²).
    pub stiffness: f64,
    /// ν, Å/ps.
    pub speed: f64,
    /// Steps between renewals of the force; 1 is a continuous drive. With n > 1 the force is computed every n steps and
    /// held in between, as SOP-GPU does.
    pub update_every: u64,
}

impl Spring {
    pub(super) fn force(
        &self,
        state: &mut DriveState,
        step: u64,
        timestep: f64,
        centre: [f64; 3],
    ) -> [f64; 3] {
        if self.update_every <= 1 {
            return self.law(state, step, timestep, centre);
        }
        if step.is_multiple_of(self.update_every) {
            state.held = self.law(state, step, timestep, centre);
        }
        state.held
    }

    fn law(&self, state: &DriveState, step: u64, timestep: f64, centre: [f64; 3]) -> [f64; 3] {
        let travelled = step as f64 * (timestep * self.speed);
        [0, 1, 2].map(|axis| {
            let base = state.origin[axis] + travelled * state.direction[axis];
            self.stiffness * (base - centre[axis])
        })
    }
}
