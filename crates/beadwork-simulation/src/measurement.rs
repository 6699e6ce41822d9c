//! What is measured of a member at a step.

use beadwork_model::Protocol;
use beadwork_model::observables::{MeasuredColumn, Observable, PullColumn, Sample};

/// One row of the table, in the order and units of [`Observable::ALL`] and of the columns of named pulls; `None` where a quantity is undefined, such as a
/// force without a pulling external.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    values: [Option<f64>; Observable::ALL.len()],
    of_pulls: Vec<(PullColumn, Option<f64>)>,
}

impl Measurement {
    /// Measures the columns that tables of the sample's system have by the protocol.
    pub fn of(sample: &Sample<'_>, protocol: &Protocol) -> Measurement {
        let mut values = [None; Observable::ALL.len()];
        let mut of_pulls = Vec::new();
        for column in protocol.measured_columns(sample.system) {
            let value = column.value(sample);
            match column {
                MeasuredColumn::Whole(observable) => values[observable as usize] = value,
                MeasuredColumn::OfPull(column) => of_pulls.push((column, value)),
            }
        }
        Measurement { values, of_pulls }
    }

    /// The value of one observable.
    pub fn get(&self, observable: Observable) -> Option<f64> {
        self.values[observable as usize]
    }

    /// The value of a column.
    pub fn of_column(&self, column: &MeasuredColumn) -> Option<f64> {
        match column {
            MeasuredColumn::Whole(observable) => self.get(*observable),
            MeasuredColumn::OfPull(column) => {
                self.of_pulls.iter().find(|(one, _)| one == column)?.1
            }
        }
    }
}
