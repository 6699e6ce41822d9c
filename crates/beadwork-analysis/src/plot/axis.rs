//! One axis of a figure.

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Quantity and unit, such as `extension / nm`.
    pub label: String,
    /// Lower and upper end. `None`, or ends that do not form a range, fit the data.
    pub range: Option<(f64, f64)>,
    /// Whether the axis is logarithmic. Values of zero and below are then left out.
    pub logarithmic: bool,
    /// Whether only whole numbers get labels, as for counts.
    pub whole_numbers: bool,
}

impl Axis {
    /// Whether a value has a place on an axis of this kind.
    pub(super) fn shows(&self, value: f64) -> bool {
        usable(value) && (!self.logarithmic || value > 0.0)
    }

    /// Whether two ends form a range on an axis of this kind: the lower one first, neither so large that their distance is beyond all
    /// numbers, and on a logarithmic axis both above zero.
    pub fn takes(&self, (low, high): (f64, f64)) -> bool {
        self.shows(low) && self.shows(high) && low < high
    }

    /// A linear axis that fits the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// Whether a value can be drawn: sums and differences of such values stay finite.
pub(super) fn usable(value: f64) -> bool {
    value.abs() < 1e300
}
