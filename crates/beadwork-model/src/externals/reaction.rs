//! Sums of forces on an external, which have no order.

/// The unit of the forces between beads and an external. A force is rounded to whole units; the bead gets these, and the
/// external their opposite. So action equals reaction exactly, and every path may add as it likes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReactionUnit {
    /// kcal/(mol Å), a power of two.
    pub unit: f64,
    /// kcal/(mol Å): forces at or beyond it are errors.
    pub limit: f64,
}

impl ReactionUnit {
    /// The finest unit with which no sum overflows: of `terms` forces up to `largest`, kcal/(mol Å).
    pub fn of(largest: f64, terms: u64) -> ReactionUnit {
        let power = |number: f64| 2.0_f64.powi(number.log2().ceil() as i32);
        let limit = power(largest.max(f64::MIN_POSITIVE));
        // One force has 52 bits, so that its conversions are exact; a sum has 62.
        let fine = limit * 2.0_f64.powi(-52);
        let sum = limit * power(terms.max(1) as f64) * 2.0_f64.powi(-62);
        ReactionUnit { unit: fine.max(sum), limit }
    }

    /// A force in whole units, halves to even; `None` if a component reaches the limit or is not a number.
    pub fn whole(&self, force: [f64; 3]) -> Option<[i64; 3]> {
        let counts = force.iter().all(|component| component.abs() < self.limit);
        counts.then(|| force.map(|component| (component / self.unit).round_ties_even() as i64))
    }

    /// Whole units as a force, kcal/(mol Å).
    pub fn force(&self, whole: [i64; 3]) -> [f64; 3] {
        whole.map(|units| units as f64 * self.unit)
    }
}
