//! What is timed.

use std::fmt::Debug;

/// One way to compute the repulsion on all beads, lists made, positions in place.
pub trait Variant: Debug {
    /// The row of the table.
    fn name(&self) -> String;

    /// Computes all forces: sums set to zero, pairs, the tree over partial sums.
    fn evaluate(&mut self);

    /// Forces of a replica, kcal/(mol Å), after [`Variant::evaluate`]; of one system the number
    /// is 0.
    fn forces(&self, replica: usize) -> Vec<[f64; 3]>;
}
