//! What is measured of a member at a step.

use beadwork_model::observables::Observable;

/// One row of the table, in the order and units of [`Observable::ALL`]; `None` where a quantity
/// has no meaning, as a force where nothing pulls.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Values by observable.
    pub values: [Option<f64>; Observable::ALL.len()],
}

impl Measurement {
    /// The value of one observable.
    pub fn get(&self, observable: Observable) -> Option<f64> {
        self.values[observable as usize]
    }
}
