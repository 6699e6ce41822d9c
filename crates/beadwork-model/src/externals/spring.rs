//! The moving cantilever of an AFM or laser tweezer.

use super::pulled::Puller;
use super::{Ends, ExternalState, Moment, PARAMETERS, Pulling, RowPoint, dot, padded};

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
    fn example(ends: Ends) -> Spring {
        Spring { ends, stiffness: 0.05, speed: 1e-4, update_every: 1 }
    }

    fn ends(&self) -> &Ends {
        &self.ends
    }

    fn ends_mut(&mut self) -> &mut Ends {
        &mut self.ends
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

    /// The work on the beads is a sum over steps of F·Δx with the mean F of both ends of a step (`renew`). With x = b − F/κ,
    /// where b is the base, which moves by δ = hν along n, that sum is δ Σ F·n − (F_m² − F_n²)/2κ, with half weights for the
    /// first force and the last. So the sum of F·n follows from the work and the two forces, and no path needs to add it up.
    /// It does not if the base stands, or if the force is held.
    fn mean_since(&self, state: &ExternalState, row: &RowPoint, moment: Moment) -> Option<f64> {
        let last = state.last.filter(|last| last.step == moment.step)?;
        let travel = moment.timestep * self.speed;
        if self.is_held() || travel == 0.0 || self.stiffness == 0.0 {
            return None;
        }
        let square = |force: [f64; 3]| dot(force, force);
        let stored = (square(last.force) - square(row.force)) / (2.0 * self.stiffness);
        let with_half_ends = (state.work - row.work + stored) / travel;
        let [first, last] = [row.force, last.force].map(|force| dot(force, state.direction));
        Some((with_half_ends + 0.5 * (first - last)) / (moment.step - row.step) as f64)
    }

    fn base_travel(&self, moment: Moment) -> Option<f64> {
        Some(self.travelled(moment))
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
    /// Å: the way of the base.
    fn travelled(&self, Moment { step, timestep }: Moment) -> f64 {
        step as f64 * (timestep * self.speed)
    }

    fn force_of_base(&self, state: &ExternalState, moment: Moment, centre: [f64; 3]) -> [f64; 3] {
        let travelled = self.travelled(moment);
        [0, 1, 2].map(|axis| {
            let base = state.origin[axis] + travelled * state.direction[axis];
            self.stiffness * (base - centre[axis])
        })
    }
}
