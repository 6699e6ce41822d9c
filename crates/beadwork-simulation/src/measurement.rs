//! What is measured of a member at a step.

use beadwork_model::Protocol;
use beadwork_model::observables::{Observable, Sample};

/// One row of the table, in the order and units of [`Observable::ALL`]; `None` where a quantity is undefined, such as a
/// force without a pulling external.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    values: [Option<f64>; Observable::ALL.len()],
}

impl Measurement {
    /// Measures the columns that tables of the sample's system have by the protocol.
    pub fn of(sample: &Sample<'_>, protocol: &Protocol) -> Measurement {
        let mut values = [None; Observable::ALL.len()];
        for observable in protocol.observables(sample.system) {
            values[observable as usize] = observable.value(sample);
        }
        Measurement { values }
    }

    /// The value of one observable.
    pub fn get(&self, observable: Observable) -> Option<f64> {
        self.values[observable as usize]
    }
}
