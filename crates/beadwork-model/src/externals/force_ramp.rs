//! A pulling force that grows with time.

use super::pulled::Puller;
use super::{Ends, ExternalState, Moment, PARAMETERS, Pulling, RowPoint, padded};

/// A force r_f t along the pulling direction, where t is the time since the stage began (\[A\], §IV.B).
#[derive(Clone, Debug, PartialEq)]
pub struct ForceRamp {
    /// The beads that are held and pulled.
    pub ends: Ends,
    /// r_f, kcal/(mol Å ps).
    pub rate: f64,
}

impl Puller for ForceRamp {
    fn example(ends: Ends) -> ForceRamp {
        ForceRamp { ends, rate: 1e-5 }
    }

    fn ends(&self) -> &Ends {
        &self.ends
    }

    fn ends_mut(&mut self) -> &mut Ends {
        &mut self.ends
    }

    fn is_held(&self) -> bool {
        false
    }

    fn force_on_centre(
        &self,
        state: &mut ExternalState,
        Moment { step, timestep }: Moment,
        _: [f64; 3],
    ) -> [f64; 3] {
        let time = step as f64 * timestep;
        state.direction.map(|component| self.rate * time * component)
    }

    fn mean_since(&self, _: &ExternalState, row: &RowPoint, moment: Moment) -> Option<f64> {
        // The mean of the steps n, n + 1, … m − 1 is (n + m − 1)/2.
        let middle = 0.5 * (row.step as f64 + moment.step as f64 - 1.0);
        Some(self.rate * middle * moment.timestep)
    }

    fn pulling(&self) -> Pulling {
        Pulling::Ramp
    }

    fn stiffness(&self) -> f64 {
        0.0
    }

    fn travel(&self, _: f64) -> f64 {
        f64::INFINITY
    }

    fn parameters(&self, timestep: f64) -> [f64; PARAMETERS] {
        padded([self.rate, timestep])
    }
}
