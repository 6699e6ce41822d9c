//! The moving cantilever of an AFM or laser tweezer.

use super::pulled::Puller;
use super::{Ends, ExternalState, Moment, PARAMETERS, Pulling, padded};

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
    /// Steps between renewals of the force; 1 is a continuous external. With n > 1 the force is computed every n steps and
    /// held in between, as SOP-GPU does.
    pub update_every: u64,
}

impl Puller for Spring {
    fn kind(&self) -> &'static str {
        "spring"
    }

    fn ends(&self) -> &Ends {
        &self.ends
    }

    fn is_held(&self) -> bool {
        self.update_every > 1
    }

    fn force_on_centre(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        centre: [f64; 3],
    ) -> [f64; 3] {
        if !self.is_held() {
            return self.force_of_base(state, moment, centre);
        }
        if moment.step.is_multiple_of(self.update_every) {
            state.held = self.force_of_base(state, moment, centre);
        }
        state.held
    }

    fn pulling(&self) -> Pulling {
        Pulling::Spring
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn travel(&self, time: f64) -> f64 {
        self.speed.abs() * time
    }

    fn parameters(&self, timestep: f64) -> [f64; PARAMETERS] {
        padded([self.stiffness, timestep * self.speed, self.update_every as f64])
    }
}

impl Spring {
    fn force_of_base(
        &self,
        state: &ExternalState,
        Moment { step, timestep }: Moment,
        centre: [f64; 3],
    ) -> [f64; 3] {
        let travelled = step as f64 * (timestep * self.speed);
        [0, 1, 2].map(|axis| {
            let base = state.origin[axis] + travelled * state.direction[axis];
            self.stiffness * (base - centre[axis])
        })
    }
}
