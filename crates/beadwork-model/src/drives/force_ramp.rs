//! A pulling force that grows with time.

use super::{DriveState, Ends};

/// A force r_f t along the pulling direction, t counting from the stage's beginning (P4, §IV.B).
#[derive(Clone, Debug, PartialEq)]
pub struct ForceRamp {
    /// What is held and pulled.
    pub ends: Ends,
    /// r_f, kcal/(mol Å ps).
    pub rate: f64,
}

impl ForceRamp {
    pub(super) fn force(&self, state: &DriveState, time: f64) -> [f64; 3] {
        state.direction.map(|component| self.rate * time * component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_from_nothing_in_proportion_to_time() {
        let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None };
        let ramp = ForceRamp { ends, rate: 0.25 };
        let state = DriveState { direction: [0.0, 0.0, 1.0], ..DriveState::default() };
        assert_eq!(ramp.force(&state, 0.0), [0.0; 3]);
        assert_eq!(ramp.force(&state, 8.0), [0.0, 0.0, 2.0]);
    }
}
