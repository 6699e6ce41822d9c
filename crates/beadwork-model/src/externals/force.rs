//! A constant pulling force.

use super::pulled::Puller;
use super::{Ends, ExternalState, Moment, PARAMETERS, Pulling, RowPoint, padded};

/// A force of constant strength along the pulling direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// The beads that are held and pulled.
    pub ends: Ends,
    /// kcal/(mol Å).
    pub force: f64,
}

impl Puller for Force {
    fn example(ends: Ends) -> Force {
        Force { ends, force: 0.3 }
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

    fn force_on_centre(&self, state: &mut ExternalState, _: Moment, _: [f64; 3]) -> [f64; 3] {
        state.direction.map(|component| self.force * component)
    }

    fn mean_since(&self, _: &ExternalState, _: &RowPoint, _: Moment) -> Option<f64> {
        Some(self.force)
    }

    fn pulling(&self) -> Pulling {
        Pulling::Force
    }

    fn stiffness(&self) -> f64 {
        0.0
    }

    fn travel(&self, _: f64) -> f64 {
        f64::INFINITY
    }

    fn parameters(&self, _: f64) -> [f64; PARAMETERS] {
        padded([self.force])
    }
}
