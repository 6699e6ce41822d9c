//! The arrays on which terms act with a replica in each lane.

/// Arrays of a step: positions, sums and forces.
pub(crate) struct Arrays<'a, T> {
    pub positions: &'a [T],
    /// By bead, partial sum, axis and lane.
    pub sums: &'a mut [T],
    /// By bead, axis and lane.
    pub total: &'a mut [T],
}

/// A term with its arrays, compiled for each set of instructions.
pub(crate) struct Work<'a, 'b, P, T> {
    pub term: &'a P,
    pub arrays: &'a mut Arrays<'b, T>,
}
