//! The moving cantilever of an AFM or laser tweezer.

use super::{DriveState, Ends};

/// A spring between the centre of the pulled beads and a base that moves at constant speed.
///
/// F = κ (x₀ + ν t n − x): all three components, as SOP-GPU has it; what an instrument reads is
/// the component along n. The base is x₀ + (step·h·ν) n in f64, never a running sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// What is held and pulled.
    pub ends: Ends,
    /// κ, kcal/(mol Å²).
    pub stiffness: f64,
    /// ν, Å/ps.
    pub speed: f64,
    /// Steps between renewals of the force; 1 is a continuous drive. With more, the force is
    /// computed at every so many steps and held between, which is SOP-GPU's schedule.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(update_every: u64) -> (Spring, DriveState) {
        let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None };
        let state = DriveState {
            origin: [10.0, 0.0, 0.0],
            direction: [1.0, 0.0, 0.0],
            ..DriveState::default()
        };
        (Spring { ends, stiffness: 0.5, speed: 0.25, update_every }, state)
    }

    #[test]
    fn follows_a_base_that_moves_with_the_step() {
        let (spring, mut state) = spring(1);
        // Base at 10 + 8 · 2 · 0.25 = 14; the bead at (11, 1, 0).
        assert_eq!(spring.force(&mut state, 8, 2.0, [11.0, 1.0, 0.0]), [1.5, -0.5, 0.0]);
    }

    #[test]
    fn a_held_force_ignores_what_happens_between_renewals() {
        let (spring, mut state) = spring(10);
        let at = [10.0, 0.0, 0.0];
        assert_eq!(spring.force(&mut state, 0, 1.0, at), [0.0; 3]);
        assert_eq!(spring.force(&mut state, 9, 1.0, at), [0.0; 3]);
        // The base has travelled 2.5 Å at step 10.
        assert_eq!(spring.force(&mut state, 10, 1.0, at), [1.25, 0.0, 0.0]);
        assert_eq!(spring.force(&mut state, 19, 1.0, [0.0; 3]), [1.25, 0.0, 0.0]);
        assert_eq!(spring.force(&mut state, 20, 1.0, at), [2.5, 0.0, 0.0]);
    }

    #[test]
    fn the_base_does_not_drift_over_a_long_run() {
        let (mut spring, mut state) = spring(1);
        // 2.5 µm/s at 20 ps: 5e-7 Å a step; after 10⁹ steps exactly 500 Å up to one rounding.
        spring.speed = 2.5e-8;
        spring.stiffness = 1.0;
        let force = spring.force(&mut state, 1_000_000_000, 20.0, [10.0, 0.0, 0.0]);
        assert!((force[0] - 500.0).abs() < 1e-10, "{}", force[0]);
    }
}
